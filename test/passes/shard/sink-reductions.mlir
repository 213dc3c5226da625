// RUN: weir-opt %s --split-input-file --weir-sink-reductions | FileCheck %s

// The description's example: a product by a constant makes the gradient of a filter smaller.
// CHECK-LABEL: func.func @filter(
// CHECK: %[[P:.*]] = graph.matmul %{{.*}}, %arg0 : tensor<9x16xf32>, tensor<16x6xf32>
// CHECK-NEXT: %[[R:.*]] = graph.reshape %[[P]] : tensor<9x6xf32> to tensor<3x3x6xf32>
// CHECK-NEXT: %[[S:.*]] = graph.all_reduce sum %[[R]] over ["data"] : tensor<3x3x6xf32>
// CHECK-NEXT: return %[[S]]
module attributes {weir.mesh = #weir.mesh<axes = ["data"], sizes = [2]>} {
  func.func @filter(%x: tensor<16x6xf32>) -> tensor<3x3x6xf32> attributes {weir.entry = "f"} {
    %c = graph.constant dense<0.5> : tensor<9x16xf32>
    %s = graph.all_reduce sum %x over ["data"] : tensor<16x6xf32>
    %p = graph.matmul %c, %s : tensor<9x16xf32>, tensor<16x6xf32>
    %r = graph.reshape %p : tensor<9x6xf32> to tensor<3x3x6xf32>
    return %r : tensor<3x3x6xf32>
  }
}

// -----

// The tensor becomes larger, so ranks exchange it before.
// CHECK-LABEL: func.func @larger(
// CHECK: %[[S:.*]] = graph.all_reduce sum %arg0
// CHECK-NEXT: graph.matmul %{{.*}}, %[[S]]
module attributes {weir.mesh = #weir.mesh<axes = ["data"], sizes = [2]>} {
  func.func @larger(%x: tensor<9x6xf32>) -> tensor<16x6xf32> attributes {weir.entry = "f"} {
    %c = graph.constant dense<0.5> : tensor<16x9xf32>
    %s = graph.all_reduce sum %x over ["data"] : tensor<9x6xf32>
    %p = graph.matmul %c, %s : tensor<16x9xf32>, tensor<9x6xf32>
    return %p : tensor<16x6xf32>
  }
}

// -----

// The product of a maximum is not the maximum of products, and another op needs the sum.
// CHECK-LABEL: func.func @others(
// CHECK: %[[M:.*]] = graph.all_reduce max %arg0
// CHECK: graph.matmul %{{.*}}, %[[M]]
// CHECK: %[[S:.*]] = graph.all_reduce sum %arg1
// CHECK: graph.matmul %{{.*}}, %[[S]]
module attributes {weir.mesh = #weir.mesh<axes = ["data"], sizes = [2]>} {
  func.func @others(%x: tensor<4x2xf32>, %y: tensor<4x2xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>, tensor<4x2xf32>) attributes {weir.entry = "f"} {
    %c = graph.constant dense<0.5> : tensor<3x4xf32>
    %m = graph.all_reduce max %x over ["data"] : tensor<4x2xf32>
    %p = graph.matmul %c, %m : tensor<3x4xf32>, tensor<4x2xf32>
    %s = graph.all_reduce sum %y over ["data"] : tensor<4x2xf32>
    %q = graph.matmul %c, %s : tensor<3x4xf32>, tensor<4x2xf32>
    return %p, %q, %s : tensor<3x2xf32>, tensor<3x2xf32>, tensor<4x2xf32>
  }
}

// -----

// With micro-batches all additions come before products.
// CHECK-LABEL: func.func @micro_batches(
// CHECK: %[[S:.*]] = graph.all_reduce sum %arg0
// CHECK-NEXT: graph.matmul %{{.*}}, %[[S]]
module attributes {weir.micro_batches = 2 : i64, weir.mesh = #weir.mesh<axes = ["data"], sizes = [2]>} {
  func.func @micro_batches(%x: tensor<4x2xf32>) -> tensor<3x2xf32> attributes {weir.entry = "f"} {
    %c = graph.constant dense<0.5> : tensor<3x4xf32>
    %s = graph.all_reduce sum %x over ["data"] : tensor<4x2xf32>
    %p = graph.matmul %c, %s : tensor<3x4xf32>, tensor<4x2xf32>
    return %p : tensor<3x2xf32>
  }
}

// -----

// Ranks have other values of a constant that is divided: the sum comes first.
// CHECK-LABEL: func.func @parts(
// CHECK: %[[S:.*]] = graph.all_reduce sum %arg0
// CHECK-NEXT: graph.matmul %{{.*}}, %[[S]]
module attributes {weir.mesh = #weir.mesh<axes = ["data"], sizes = [2]>} {
  func.func @parts(%x: tensor<4x2xf32>) -> tensor<3x2xf32> attributes {weir.entry = "f"} {
    %c = graph.constant #weir.parts<axes = 1, elements = [dense<0.5> : tensor<3x4xf32>, dense<0.25> : tensor<3x4xf32>]>
    %s = graph.all_reduce sum %x over ["data"] : tensor<4x2xf32>
    %p = graph.matmul %c, %s : tensor<3x4xf32>, tensor<4x2xf32>
    return %p : tensor<3x2xf32>
  }
}
