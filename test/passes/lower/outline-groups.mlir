// RUN: weir-opt %s --split-input-file --weir-outline-groups | FileCheck %s

// Equal groups share one kernel; a different one has its own.
// CHECK-LABEL: func.func @main
// CHECK: plan.task @kernel_0(%{{.*}}) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK: plan.task @kernel_0(%{{.*}})
// CHECK: plan.task @kernel_1(%{{.*}})
// CHECK: func.func private @kernel_0(%[[X:.*]]: tensor<4xf32>) -> tensor<4xf32> attributes {weir.kernel}
// CHECK-NEXT: %[[Y:.*]] = graph.exp %[[X]]
// CHECK-NEXT: return %[[Y]]
// CHECK: func.func private @kernel_1
// CHECK-NEXT: graph.neg
// CHECK-NOT: @kernel_2
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = graph.group(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%p: tensor<4xf32>):
    %q = graph.exp %p : tensor<4xf32>
    graph.yield %q : tensor<4xf32>
  }
  %b = graph.group(%a) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%p: tensor<4xf32>):
    %q = graph.exp %p : tensor<4xf32>
    graph.yield %q : tensor<4xf32>
  }
  %c = graph.group(%b) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%p: tensor<4xf32>):
    %q = graph.neg %p : tensor<4xf32>
    graph.yield %q : tensor<4xf32>
  }
  return %c : tensor<4xf32>
}

// -----

// The same ops on another shape become another kernel.
// CHECK-LABEL: func.func @shapes
// CHECK: plan.task @kernel_0
// CHECK: plan.task @kernel_1
func.func @shapes(%x: tensor<4xf32>, %y: tensor<5xf32>) -> (tensor<4xf32>, tensor<5xf32>) {
  %a = graph.group(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%p: tensor<4xf32>):
    %q = graph.exp %p : tensor<4xf32>
    graph.yield %q : tensor<4xf32>
  }
  %b = graph.group(%y) : (tensor<5xf32>) -> tensor<5xf32> {
  ^bb0(%p: tensor<5xf32>):
    %q = graph.exp %p : tensor<5xf32>
    graph.yield %q : tensor<5xf32>
  }
  return %a, %b : tensor<4xf32>, tensor<5xf32>
}

// -----

// The same ops on a GPU and on its host become two kernels.
// CHECK-LABEL: func.func @two_devices
// CHECK: plan.task @kernel_0(%{{.*}}) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK: plan.task @kernel_1(%{{.*}}) {host} : (tensor<4xf32>) -> tensor<4xf32>
// CHECK: func.func private @kernel_0
// CHECK-SAME: attributes {weir.kernel}
// CHECK: func.func private @kernel_1
// CHECK-SAME: attributes {weir.host, weir.kernel}
func.func @two_devices(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = graph.group(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%p: tensor<4xf32>):
    %q = graph.exp %p : tensor<4xf32>
    graph.yield %q : tensor<4xf32>
  }
  %b = graph.group(%a) attributes {weir.host} : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%p: tensor<4xf32>):
    %q = graph.exp %p : tensor<4xf32>
    graph.yield %q : tensor<4xf32>
  }
  return %b : tensor<4xf32>
}
