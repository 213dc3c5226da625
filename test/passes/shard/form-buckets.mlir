// RUN: weir-opt %s --split-input-file --weir-form-buckets | FileCheck %s

// The description's example.
// CHECK-LABEL: func.func @example(
// CHECK-SAME: %[[X:.*]]: tensor<2x3xf32>, %[[Y:.*]]: tensor<4xf32>)
// CHECK-NEXT: %[[FLAT:.*]] = graph.reshape %[[X]] : tensor<2x3xf32> to tensor<6xf32>
// CHECK-NEXT: %[[ALL:.*]] = graph.concat %[[FLAT]], %[[Y]] axis 0 : tensor<6xf32>, tensor<4xf32>
// CHECK-NEXT: %[[SUM:.*]] = graph.all_reduce sum %[[ALL]] over ["data"] : tensor<10xf32>
// CHECK-NEXT: %[[PART:.*]] = graph.slice %[[SUM]] [0] to [6] by [1] : tensor<10xf32>
// CHECK-NEXT: %[[A:.*]] = graph.reshape %[[PART]] : tensor<6xf32> to tensor<2x3xf32>
// CHECK-NEXT: %[[B:.*]] = graph.slice %[[SUM]] [6] to [10] by [1] : tensor<10xf32>
// CHECK-NEXT: return %[[A]], %[[B]]
module attributes {weir.mesh = #weir.mesh<axes = ["data"], sizes = [2]>} {
  func.func @example(%x: tensor<2x3xf32>, %y: tensor<4xf32>) -> (tensor<2x3xf32>, tensor<4xf32>) attributes {weir.entry = "f"} {
    %a = graph.all_reduce sum %x over ["data"] : tensor<2x3xf32>
    %b = graph.all_reduce sum %y over ["data"] : tensor<4xf32>
    return %a, %b : tensor<2x3xf32>, tensor<4xf32>
  }
}

// -----

// A bucket is full with the member that reaches the size. A tensor of the size is alone, and
// so is one without a neighbour.
// CHECK-LABEL: func.func @full(
// CHECK: %[[ALL:.*]] = graph.concat %{{.*}}, %{{.*}} axis 0 : tensor<3xf32>, tensor<6xf32>
// CHECK: graph.all_reduce sum %[[ALL]] over ["data"] : tensor<9xf32>
// CHECK: graph.all_reduce sum %arg1 over ["data"] : tensor<8xf32>
// CHECK: graph.all_reduce sum %arg3 over ["data"] : tensor<2xf32>
module attributes {weir.bucket_bytes = 32 : i64, weir.mesh = #weir.mesh<axes = ["data"], sizes = [2]>} {
  func.func @full(%w: tensor<3xf32>, %x: tensor<8xf32>, %y: tensor<6xf32>, %z: tensor<2xf32>) -> (tensor<3xf32>, tensor<8xf32>, tensor<6xf32>, tensor<2xf32>) attributes {weir.entry = "f"} {
    %a = graph.all_reduce sum %w over ["data"] : tensor<3xf32>
    %c = graph.all_reduce sum %y over ["data"] : tensor<6xf32>
    %b = graph.all_reduce sum %x over ["data"] : tensor<8xf32>
    %d = graph.all_reduce sum %z over ["data"] : tensor<2xf32>
    return %a, %b, %c, %d : tensor<3xf32>, tensor<8xf32>, tensor<6xf32>, tensor<2xf32>
  }
}

// -----

// With 0 bytes there are no buckets.
// CHECK-LABEL: func.func @none(
// CHECK-NEXT: graph.all_reduce sum %arg0
// CHECK-NEXT: graph.all_reduce sum %arg1
// CHECK-NEXT: return
module attributes {weir.bucket_bytes = 0 : i64, weir.mesh = #weir.mesh<axes = ["data"], sizes = [2]>} {
  func.func @none(%x: tensor<3xf32>, %y: tensor<4xf32>) -> (tensor<3xf32>, tensor<4xf32>) attributes {weir.entry = "f"} {
    %a = graph.all_reduce sum %x over ["data"] : tensor<3xf32>
    %b = graph.all_reduce sum %y over ["data"] : tensor<4xf32>
    return %a, %b : tensor<3xf32>, tensor<4xf32>
  }
}

// -----

// Tensors join by their type, the axes, and how they are combined.
// CHECK-LABEL: func.func @kinds(
// CHECK-NEXT: graph.all_reduce sum %arg0 over ["data"]
// CHECK-NEXT: graph.all_reduce sum %arg1 over ["data"]
// CHECK-NEXT: graph.all_reduce max %arg0 over ["data"]
// CHECK-NEXT: graph.all_reduce sum %arg0 over ["data", "model"]
// CHECK-NEXT: return
module attributes {weir.mesh = #weir.mesh<axes = ["data", "model"], sizes = [2, 2]>} {
  func.func @kinds(%x: tensor<4xf32>, %y: tensor<4xf64>) -> (tensor<4xf32>, tensor<4xf64>, tensor<4xf32>, tensor<4xf32>) attributes {weir.entry = "f"} {
    %a = graph.all_reduce sum %x over ["data"] : tensor<4xf32>
    %b = graph.all_reduce sum %y over ["data"] : tensor<4xf64>
    %c = graph.all_reduce max %x over ["data"] : tensor<4xf32>
    %d = graph.all_reduce sum %x over ["data", "model"] : tensor<4xf32>
    return %a, %b, %c, %d : tensor<4xf32>, tensor<4xf64>, tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// Another collective needs the first sum, as in a batch normalization. It is not delayed.
// CHECK-LABEL: func.func @normalization(
// CHECK: graph.all_reduce sum %arg0 over ["data"] : tensor<4xf32>
// CHECK: graph.concat %{{.*}}, %{{.*}} axis 0 : tensor<4xf32>, tensor<4xf32>
module attributes {weir.mesh = #weir.mesh<axes = ["data"], sizes = [2]>} {
  func.func @normalization(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {weir.entry = "f"} {
    %mean = graph.all_reduce sum %x over ["data"] : tensor<4xf32>
    %away = graph.sub %y, %mean : tensor<4xf32>
    %a = graph.all_reduce sum %y over ["data"] : tensor<4xf32>
    %b = graph.all_reduce sum %away over ["data"] : tensor<4xf32>
    return %a, %b : tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// An op that needs a member moves behind the bucket.
// CHECK-LABEL: func.func @users(
// CHECK: %[[LATE:.*]] = graph.neg %arg1
// CHECK: graph.all_reduce sum %{{.*}} over ["data"] : tensor<8xf32>
// CHECK: %[[A:.*]] = graph.slice %{{.*}} [0] to [4]
// CHECK: graph.exp %[[A]]
module attributes {weir.mesh = #weir.mesh<axes = ["data"], sizes = [2]>} {
  func.func @users(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {weir.entry = "f"} {
    %a = graph.all_reduce sum %x over ["data"] : tensor<4xf32>
    %e = graph.exp %a : tensor<4xf32>
    %n = graph.neg %y : tensor<4xf32>
    %b = graph.all_reduce sum %n over ["data"] : tensor<4xf32>
    return %e, %b : tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// No assignment moves: what comes after one that needs a member does not join.
// CHECK-LABEL: func.func @assigned(
// CHECK-NEXT: graph.all_reduce sum %arg0
// CHECK-NEXT: graph.exp
// CHECK-NEXT: graph.write_variable
// CHECK-NEXT: graph.all_reduce sum %arg1
module attributes {weir.mesh = #weir.mesh<axes = ["data"], sizes = [2]>} {
  graph.variable @v : tensor<4xf32>
  func.func @assigned(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> attributes {weir.entry = "f"} {
    %a = graph.all_reduce sum %x over ["data"] : tensor<4xf32>
    %e = graph.exp %a : tensor<4xf32>
    graph.write_variable @v, %e : tensor<4xf32>
    %b = graph.all_reduce sum %y over ["data"] : tensor<4xf32>
    return %b : tensor<4xf32>
  }
}

// -----

// Parts whose sizes are no multiples of 64 bytes come last, so that the others are aligned.
// CHECK-LABEL: func.func @aligned(
// CHECK: graph.concat %arg1, %arg0, %arg2 axis 0 : tensor<16xf32>, tensor<3xf32>, tensor<5xf32>
module attributes {weir.mesh = #weir.mesh<axes = ["data"], sizes = [2]>} {
  func.func @aligned(%x: tensor<3xf32>, %y: tensor<16xf32>, %z: tensor<5xf32>) -> (tensor<3xf32>, tensor<16xf32>, tensor<5xf32>) attributes {weir.entry = "f"} {
    %a = graph.all_reduce sum %x over ["data"] : tensor<3xf32>
    %b = graph.all_reduce sum %y over ["data"] : tensor<16xf32>
    %c = graph.all_reduce sum %z over ["data"] : tensor<5xf32>
    return %a, %b, %c : tensor<3xf32>, tensor<16xf32>, tensor<5xf32>
  }
}
