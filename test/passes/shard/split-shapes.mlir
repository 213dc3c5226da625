// RUN: weir-opt %s --split-input-file --weir-split-shapes --verify-diagnostics | FileCheck %s

// The description's example: a sum over the divided dimension is partial.
// CHECK-LABEL: func.func @reduction(
// CHECK-SAME: %[[X:.*]]: tensor<2x3xf32> {weir.shards = array<i64: 1, 0>}) -> tensor<3xf32>
// CHECK-NEXT: %[[PART:.*]] = graph.reduce_sum %[[X]] [0] : tensor<2x3xf32>
// CHECK-NEXT: %[[Y:.*]] = graph.all_reduce sum %[[PART]] over ["data"] : tensor<3xf32>
// CHECK-NEXT: return %[[Y]]
module attributes {weir.mesh = #weir.mesh<axes = ["data"], sizes = [2]>} {
  func.func @reduction(%x: tensor<4x3xf32> {weir.shards = array<i64: 1, 0>}) -> tensor<3xf32> attributes {weir.entry = "f"} {
    %y = graph.reduce_sum %x [0] : tensor<4x3xf32>
    return %y : tensor<3xf32>
  }
}

// -----

// Rows of a product are divided like those of its first operand. The bias is
// broadcast to the rows of the rank, without communication.
// CHECK-LABEL: func.func @layer(
// CHECK-SAME: -> (tensor<2x5xf32> {weir.shards = array<i64: 1, 0>})
// CHECK-NOT: graph.all
// CHECK-NOT: graph.own_part
// CHECK: graph.matmul %{{.*}}, %{{.*}} : tensor<2x3xf32>, tensor<3x5xf32>
// CHECK: graph.broadcast %{{.*}} [1] : tensor<5xf32> to tensor<2x5xf32>
module attributes {weir.mesh = #weir.mesh<axes = ["data"], sizes = [2]>} {
  func.func @layer(%x: tensor<4x3xf32> {weir.shards = array<i64: 1, 0>}, %w: tensor<3x5xf32>, %b: tensor<5xf32>) -> tensor<4x5xf32> attributes {weir.entry = "f"} {
    %0 = graph.matmul %x, %w : tensor<4x3xf32>, tensor<3x5xf32>
    %1 = graph.broadcast %b [1] : tensor<5xf32> to tensor<4x5xf32>
    %2 = graph.add %0, %1 : tensor<4x5xf32>
    return %2 : tensor<4x5xf32>
  }
}

// -----

// The gradient of a weight is a product over the batch: ranks add their parts.
// CHECK-LABEL: func.func @gradient(
// CHECK: %[[PART:.*]] = graph.matmul %{{.*}}, %{{.*}} transpose_a : tensor<2x3xf32>, tensor<2x5xf32>
// CHECK-NEXT: graph.all_reduce sum %[[PART]] over ["data"] : tensor<3x5xf32>
module attributes {weir.mesh = #weir.mesh<axes = ["data"], sizes = [2]>} {
  func.func @gradient(%x: tensor<4x3xf32> {weir.shards = array<i64: 1, 0>}, %g: tensor<4x5xf32> {weir.shards = array<i64: 1, 0>}) -> tensor<3x5xf32> attributes {weir.entry = "f"} {
    %0 = graph.matmul %x, %g transpose_a : tensor<4x3xf32>, tensor<4x5xf32>
    return %0 : tensor<3x5xf32>
  }
}

// -----

// A weight that is divided by columns makes the next one divided by rows.
// CHECK-LABEL: func.func @columns_then_rows(
// CHECK-SAME: -> tensor<4x3xf32>
// CHECK: %[[H:.*]] = graph.matmul %{{.*}}, %{{.*}} : tensor<4x3xf32>, tensor<3x4xf32>
// CHECK: %[[R:.*]] = graph.relu %[[H]] : tensor<4x4xf32>
// CHECK: %[[W:.*]] = graph.own_part %{{.*}} along 0 over ["model"] : tensor<8x3xf32> to tensor<4x3xf32>
// CHECK: %[[P:.*]] = graph.matmul %[[R]], %[[W]] : tensor<4x4xf32>, tensor<4x3xf32>
// CHECK: graph.all_reduce sum %[[P]] over ["model"] : tensor<4x3xf32>
module attributes {weir.mesh = #weir.mesh<axes = ["model"], sizes = [2]>} {
  func.func @columns_then_rows(%x: tensor<4x3xf32>, %a: tensor<3x8xf32> {weir.shards = array<i64: 0, 1>}, %b: tensor<8x3xf32>) -> tensor<4x3xf32> attributes {weir.entry = "f"} {
    %0 = graph.matmul %x, %a : tensor<4x3xf32>, tensor<3x8xf32>
    %1 = graph.relu %0 : tensor<4x8xf32>
    // expected-remark@below {{ranks combine 'tensor<4x3xf32>' over ["model"], 48 bytes}}
    %2 = graph.matmul %1, %b : tensor<4x8xf32>, tensor<8x3xf32>
    return %2 : tensor<4x3xf32>
  }
}

// -----

// An op without a rule is computed whole.
// CHECK-LABEL: func.func @whole(
// CHECK: %[[X:.*]] = graph.all_gather %{{.*}} along 0 over ["data"] : tensor<2x3xf32> to tensor<4x3xf32>
// CHECK: graph.compact %[[X]][%{{.*}}] along [1] {weir.whole} : (tensor<4x3xf32>, tensor<i64>) -> tensor<12xf32>
module attributes {weir.mesh = #weir.mesh<axes = ["data"], sizes = [2]>} {
  // expected-remark@below {{ranks gather 'tensor<4x3xf32>' over ["data"], 48 bytes}}
  func.func @whole(%x: tensor<4x3xf32> {weir.shards = array<i64: 1, 0>}, %n: tensor<i64>) -> tensor<12xf32> attributes {weir.entry = "f"} {
    // expected-remark@below {{is computed whole by each rank}}
    %y = graph.compact %x [%n] along [1] : (tensor<4x3xf32>, tensor<i64>) -> tensor<12xf32>
    return %y : tensor<12xf32>
  }
}

// -----

// So is an op whose rule does not divide the dimension that the operand has divided.
// CHECK-LABEL: func.func @sorted(
// CHECK: %[[X:.*]] = graph.all_gather %{{.*}} along 0 over ["data"] : tensor<2xf32> to tensor<4xf32>
// CHECK: graph.sort %[[X]] {weir.whole} : tensor<4xf32>
// CHECK: graph.neg %{{.*}} : tensor<4xf32>
module attributes {weir.mesh = #weir.mesh<axes = ["data"], sizes = [2]>} {
  // expected-remark@below {{ranks gather 'tensor<4xf32>' over ["data"], 16 bytes}}
  func.func @sorted(%x: tensor<4xf32> {weir.shards = array<i64: 1>}) -> tensor<4xf32> attributes {weir.entry = "f"} {
    // expected-remark@below {{is computed whole by each rank}}
    %y = graph.sort %x : tensor<4xf32>
    %z = graph.neg %y : tensor<4xf32>
    return %z : tensor<4xf32>
  }
}

// -----

// So are conditionals and loops, with the values from outside that they read.
// CHECK-LABEL: func.func @control(
// CHECK: %[[X:.*]] = graph.all_gather
// CHECK: graph.if
// CHECK: graph.neg %[[X]] : tensor<4x3xf32>
module attributes {weir.mesh = #weir.mesh<axes = ["data"], sizes = [2]>} {
  // expected-remark@below {{ranks gather 'tensor<4x3xf32>' over ["data"], 48 bytes}}
  func.func @control(%x: tensor<4x3xf32> {weir.shards = array<i64: 1, 0>}, %p: tensor<i1>) -> tensor<4x3xf32> attributes {weir.entry = "f"} {
    // expected-remark@below {{is computed whole by each rank}}
    %y = graph.if %p : tensor<i1> -> (tensor<4x3xf32>) {
      %a = graph.neg %x : tensor<4x3xf32>
      graph.yield %a : tensor<4x3xf32>
    } else {
      graph.yield %x : tensor<4x3xf32>
    }
    return %y : tensor<4x3xf32>
  }
}

// -----

// A reshape keeps the batch divided if it stays the outermost dimension.
// CHECK-LABEL: func.func @reshape(
// CHECK: graph.reshape %{{.*}} : tensor<2x3x5xf32> to tensor<2x15xf32>
// CHECK: graph.reshape %{{.*}} : tensor<2x15xf32> to tensor<30xf32>
// CHECK: return %{{.*}} : tensor<30xf32>
module attributes {weir.mesh = #weir.mesh<axes = ["data"], sizes = [2]>} {
  func.func @reshape(%x: tensor<4x3x5xf32> {weir.shards = array<i64: 1, 0, 0>}) -> tensor<60xf32> attributes {weir.entry = "f"} {
    %0 = graph.reshape %x : tensor<4x3x5xf32> to tensor<4x15xf32>
    %1 = graph.neg %0 : tensor<4x15xf32>
    %2 = graph.reshape %1 : tensor<4x15xf32> to tensor<60xf32>
    return %2 : tensor<60xf32>
  }
}

// -----

// A check is of the rank's own values, so it needs no communication.
// CHECK-LABEL: func.func @check(
// CHECK-NOT: graph.all
// CHECK: graph.reduce_and %{{.*}} [0] : tensor<2xi1>
// CHECK: graph.check
// CHECK-NOT: graph.all
module attributes {weir.mesh = #weir.mesh<axes = ["data"], sizes = [2]>} {
  func.func @check(%x: tensor<4xi64> {weir.shards = array<i64: 1>}, %limit: tensor<i64>) attributes {weir.entry = "f"} {
    %0 = graph.broadcast %limit [] : tensor<i64> to tensor<4xi64>
    %1 = graph.less %x, %0 : tensor<4xi64>
    %2 = graph.reduce_and %1 [0] : tensor<4xi1>
    graph.check %2, "node 'labels': no class" : tensor<i1>
    return
  }
}

// -----

module attributes {weir.mesh = #weir.mesh<axes = ["data"], sizes = [2]>} {
  func.func @dynamic(%x: tensor<4xf32> {weir.shards = array<i64: 1>}, %n: tensor<i64>) attributes {weir.entry = "f"} {
    // expected-error@below {{has dynamic dimensions, which --mesh does not divide; --dim sets a size}}
    graph.symbol 0 is %n : tensor<i64>
    return
  }
}

// -----

// Each rank has its columns of the constant that the user divides, and of the
// constants that ops then need in parts. A splat has no parts.
// CHECK-LABEL: func.func @constants(
// CHECK-NOT: graph.own_part
// CHECK-DAG: graph.constant #weir.parts<axes = 1, elements = [dense<{{.*}}1.0{{.*}}, 2.0{{.*}}> : tensor<1x2xf32>, dense<{{.*}}3.0{{.*}}, 4.0{{.*}}> : tensor<1x2xf32>]>
// CHECK-DAG: graph.constant #weir.parts<axes = 1, elements = [dense<[5.000000e+00, 6.000000e+00]> : tensor<2xf32>, dense<[7.000000e+00, 8.000000e+00]> : tensor<2xf32>]>
// CHECK-DAG: graph.constant dense<1.000000e+00> : tensor<2x3xf32>
// CHECK: graph.all_reduce sum %{{.*}} over ["model"] : tensor<4x3xf32>
module attributes {weir.mesh = #weir.mesh<axes = ["model"], sizes = [2]>, weir.reshard = "silent"} {
  func.func @constants(%x: tensor<4x1xf32>) -> tensor<4x3xf32> attributes {weir.entry = "f"} {
    %w = graph.constant {weir.shards = array<i64: 0, 1>} dense<[[1.0, 2.0, 3.0, 4.0]]> : tensor<1x4xf32>
    %b = graph.constant dense<[5.0, 6.0, 7.0, 8.0]> : tensor<4xf32>
    %v = graph.constant dense<1.0> : tensor<4x3xf32>
    %0 = graph.matmul %x, %w : tensor<4x1xf32>, tensor<1x4xf32>
    %1 = graph.broadcast %b [1] : tensor<4xf32> to tensor<4x4xf32>
    %2 = graph.add %0, %1 : tensor<4x4xf32>
    %3 = graph.matmul %2, %v : tensor<4x4xf32>, tensor<4x3xf32>
    return %3 : tensor<4x3xf32>
  }
}

// -----

// A divided variable has the type of a part, and its value is assigned in
// parts. The sum over the axis of the model gets a remark.
// CHECK-LABEL: graph.variable @v : tensor<2x3xf32> {weir.shards = array<i64: 1, 0>}
// CHECK: %[[V:.*]] = graph.read_variable @v : tensor<2x3xf32>
// CHECK: %[[X:.*]] = graph.own_part %{{.*}} along 0 over ["model"] : tensor<4x3xf32> to tensor<2x3xf32>
// CHECK: graph.write_variable @v, %[[X]] : tensor<2x3xf32>
module attributes {weir.mesh = #weir.mesh<axes = ["model"], sizes = [2]>} {
  graph.variable @v : tensor<4x3xf32> {weir.shards = array<i64: 1, 0>}
  func.func @variables(%x: tensor<4x3xf32>) -> tensor<3xf32> attributes {weir.entry = "f"} {
    %v = graph.read_variable @v : tensor<4x3xf32>
    // expected-remark@below {{ranks combine 'tensor<3xf32>' over ["model"], 12 bytes}}
    %y = graph.reduce_sum %v [0] : tensor<4x3xf32>
    graph.write_variable @v, %x : tensor<4x3xf32>
    return %y : tensor<3xf32>
  }
}

// -----

module attributes {weir.mesh = #weir.mesh<axes = ["model"], sizes = [2]>, weir.reshard = "error"} {
  // expected-error@below {{ranks gather 'tensor<4x3xf32>' over ["model"], 48 bytes}}
  func.func @refused(%x: tensor<4x3xf32> {weir.shards = array<i64: 1, 0>}) -> tensor<4x3xf32> attributes {weir.entry = "f"} {
    // expected-remark@below {{is computed whole by each rank}}
    %y = graph.reverse %x [0] : tensor<4x3xf32>
    return %y : tensor<4x3xf32>
  }
}
