// RUN: weir-opt %s --split-input-file --weir-cross-devices --verify-diagnostics | FileCheck %s

// A value that the other device uses is copied once, after its definition. Values
// between tasks of the host are not copied.
// CHECK-LABEL: func.func @chain
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
// CHECK: %[[XH:.*]] = plan.transfer %[[X]] to host : tensor<4xf32>
// CHECK-NEXT: %[[A:.*]] = plan.task @a(%[[XH]]) {host} : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[B:.*]] = plan.task @a(%[[A]]) {host} : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[BD:.*]] = plan.transfer %[[B]] to device : tensor<4xf32>
// CHECK-NEXT: %[[C:.*]] = plan.task @a(%[[XH]]) {host}
// CHECK-NEXT: %[[CD:.*]] = plan.transfer %[[C]] to device
// CHECK-NEXT: %[[D:.*]] = plan.task @b(%[[BD]]) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: return %[[BD]], %[[CD]], %[[D]]
// CHECK: func.func private @b
// CHECK: module @weir_host_kernels
// CHECK-NEXT: func.func private @a
// expected-remark@below {{is copied to the host: 16 bytes}}
func.func @chain(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %a = plan.task @a(%x) {host} : (tensor<4xf32>) -> tensor<4xf32>
  // expected-remark@below {{is copied to the GPU: 16 bytes}}
  %b = plan.task @a(%a) {host} : (tensor<4xf32>) -> tensor<4xf32>
  // expected-remark@below {{is copied to the GPU: 16 bytes}}
  %c = plan.task @a(%x) {host} : (tensor<4xf32>) -> tensor<4xf32>
  %d = plan.task @b(%b) : (tensor<4xf32>) -> tensor<4xf32>
  return %b, %c, %d : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
func.func private @a(tensor<4xf32>) -> tensor<4xf32> attributes {weir.kernel, weir.host}
func.func private @b(tensor<4xf32>) -> tensor<4xf32> attributes {weir.kernel}

// -----

// A reshape between two tasks of the host is on the host, and their weights are in its
// memory.
// CHECK-LABEL: func.func @reshaped
// CHECK: %[[W:.*]] = graph.constant
// CHECK-NEXT: %[[WH:.*]] = plan.transfer %[[W]] to host : tensor<4xf32>
// CHECK-NEXT: %[[A:.*]] = plan.task @a(%[[WH]]) {host}
// CHECK-NEXT: %[[R:.*]] = graph.reshape %[[A]] : tensor<4xf32> to tensor<2x2xf32>
// CHECK-NEXT: %[[B:.*]] = plan.task @b(%[[R]]) {host}
// CHECK-NEXT: %[[BD:.*]] = plan.transfer %[[B]] to device
// CHECK-NEXT: return %[[BD]]
func.func @reshaped() -> tensor<2x2xf32> {
  // expected-remark@below {{the host reads 16 bytes of its weights}}
  %w = graph.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %a = plan.task @a(%w) {host} : (tensor<4xf32>) -> tensor<4xf32>
  %r = graph.reshape %a : tensor<4xf32> to tensor<2x2xf32>
  // expected-remark@below {{is copied to the GPU: 16 bytes}}
  %b = plan.task @b(%r) {host} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return %b : tensor<2x2xf32>
}
func.func private @a(tensor<4xf32>) -> tensor<4xf32> attributes {weir.kernel, weir.host}
func.func private @b(tensor<2x2xf32>) -> tensor<2x2xf32> attributes {weir.kernel, weir.host}

// -----

// Values that the body of a region uses from outside are copied before the op.
// CHECK-LABEL: func.func @branch
// CHECK-SAME: (%[[P:.*]]: tensor<i1>, %[[X:.*]]: tensor<4xf32>)
// CHECK-NEXT: %[[XH:.*]] = plan.transfer %[[X]] to host
// CHECK-NEXT: graph.if %[[P]]
// CHECK: plan.task @a(%[[XH]]) {host}
// expected-remark@below {{is copied to the host: 16 bytes}}
func.func @branch(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %y = graph.if %p : tensor<i1> -> (tensor<4xf32>) {
    // expected-remark@below {{is copied to the GPU: 16 bytes}}
    %a = plan.task @a(%x) {host} : (tensor<4xf32>) -> tensor<4xf32>
    graph.yield %a : tensor<4xf32>
  } else {
    graph.yield %x : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}
func.func private @a(tensor<4xf32>) -> tensor<4xf32> attributes {weir.kernel, weir.host}

// -----

// Without nodes on the host, nothing changes.
// CHECK-LABEL: func.func @device
// CHECK-NEXT: plan.task @a
// CHECK-NEXT: return
// CHECK-NOT: weir_host_kernels
func.func @device(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = plan.task @a(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %a : tensor<4xf32>
}
func.func private @a(tensor<4xf32>) -> tensor<4xf32> attributes {weir.kernel}
