// RUN: weir-opt %s --weir-outline-groups --mlir-print-debuginfo --mlir-pretty-debuginfo | FileCheck %s

// With weir.profile a kernel has its inputs and multiply-adds, and a task the names
// of all nodes that it computes, but for constants.
// CHECK: plan.task @kernel_0(%{{.*}}, %{{.*}}) : {{.*}} {{\[}}#[[RELU:loc[0-9]+]], #[[PRODUCT:loc[0-9]+]]{{\]}}
// CHECK: plan.task @kernel_0(%{{.*}}, %{{.*}}) : {{.*}} {{\[}}#[[RELU1:loc[0-9]+]], #[[PRODUCT1:loc[0-9]+]]{{\]}}
// CHECK: plan.task @kernel_1(%{{.*}}) : {{.*}} "neg"
// CHECK: func.func private @kernel_0
// CHECK-SAME: attributes {weir.kernel, weir.work = #weir.work<inputs = 2, multiply_adds = 24>}
// CHECK: func.func private @kernel_1
// CHECK-SAME: attributes {weir.kernel, weir.work = #weir.work<inputs = 1>}
// CHECK-DAG: #[[RELU]] = "relu"
// CHECK-DAG: #[[PRODUCT]] = "product"
// CHECK-DAG: #[[RELU1]] = "relu_1"
// CHECK-DAG: #[[PRODUCT1]] = "product_1"
module attributes {weir.profile} {
  func.func @main(%x: tensor<2x3xf32>, %w: tensor<3x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
    %a = graph.group(%x, %w) : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32> {
    ^bb0(%p: tensor<2x3xf32>, %q: tensor<3x4xf32>):
      %zero = graph.constant dense<0.0> : tensor<2x4xf32> loc("zero")
      %r = graph.matmul %p, %q : tensor<2x3xf32>, tensor<3x4xf32> loc("product")
      %s = graph.maximum %r, %zero : tensor<2x4xf32> loc("relu")
      graph.yield %s : tensor<2x4xf32>
    } loc("relu")
    %b = graph.group(%x, %w) : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32> {
    ^bb0(%p: tensor<2x3xf32>, %q: tensor<3x4xf32>):
      %zero = graph.constant dense<0.0> : tensor<2x4xf32> loc("zero_1")
      %r = graph.matmul %p, %q : tensor<2x3xf32>, tensor<3x4xf32> loc("product_1")
      %s = graph.maximum %r, %zero : tensor<2x4xf32> loc("relu_1")
      graph.yield %s : tensor<2x4xf32>
    } loc("relu_1")
    %c = graph.group(%b) : (tensor<2x4xf32>) -> tensor<2x4xf32> {
    ^bb0(%p: tensor<2x4xf32>):
      %q = graph.neg %p : tensor<2x4xf32> loc("neg")
      graph.yield %q : tensor<2x4xf32>
    } loc("neg")
    return %a, %c : tensor<2x4xf32>, tensor<2x4xf32>
  }
}
