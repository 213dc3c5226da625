// RUN: weir-opt %s --split-input-file --weir-plan-arena | FileCheck %s

// The lifetimes of an unrolled recurrent network interlock. No order by size, span or
// time reaches the number of live bytes, but a search does.
// CHECK: weir.arena_bytes = 960
// CHECK-SAME: weir.max_live_bytes = 960
func.func @interlocking() attributes {weir.entry = "serve"} {
  %0 = plan.task @k() : () -> tensor<16xf32>
  %1 = plan.task @k() : () -> tensor<16xf32>
  %2 = plan.task @k() : () -> tensor<16xf32>
  %3 = plan.task @k() : () -> tensor<16xf32>
  %4, %5 = plan.task @k(%0) : (tensor<16xf32>) -> (tensor<32xf32>, tensor<16xf32>)
  %6 = plan.task @k() : () -> tensor<48xf32>
  %7 = plan.task @k(%4) : (tensor<32xf32>) -> tensor<48xf32>
  %8 = plan.task @k() : () -> tensor<16xf32>
  %9 = plan.task @k() : () -> tensor<16xf32>
  %10 = plan.task @k() : () -> tensor<16xf32>
  %11 = plan.task @k() : () -> tensor<16xf32>
  %12 = plan.task @k(%7) : (tensor<48xf32>) -> tensor<16xf32>
  %13 = plan.task @k(%1) : (tensor<16xf32>) -> tensor<32xf32>
  %14 = plan.task @k(%13) : (tensor<32xf32>) -> tensor<48xf32>
  %15 = plan.task @k(%10) : (tensor<16xf32>) -> tensor<16xf32>
  %16 = plan.task @k(%14) : (tensor<48xf32>) -> tensor<16xf32>
  %17 = plan.task @k(%2) : (tensor<16xf32>) -> tensor<32xf32>
  %18 = plan.task @k(%17) : (tensor<32xf32>) -> tensor<48xf32>
  %19 = plan.task @k(%15) : (tensor<16xf32>) -> tensor<16xf32>
  %20 = plan.task @k(%18) : (tensor<48xf32>) -> tensor<16xf32>
  %21 = plan.task @k(%3) : (tensor<16xf32>) -> tensor<32xf32>
  %22 = plan.task @k(%6, %21) : (tensor<48xf32>, tensor<32xf32>) -> tensor<48xf32>
  %23 = plan.task @k(%8, %9, %19) : (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %24 = plan.task @k(%11, %22) : (tensor<16xf32>, tensor<48xf32>) -> tensor<16xf32>
  plan.task @k(%12, %16, %20) : (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> ()
  plan.task @k(%23, %24) : (tensor<16xf32>, tensor<16xf32>) -> ()
  return
}
func.func private @k() attributes {weir.kernel}

// -----

// The host of a GPU has an arena of its own, and reads weights in its own memory. A
// result of the host is copied directly to the caller.
// CHECK: weir.arena_bytes = 64
// CHECK-SAME: weir.host_bytes = 128
// CHECK: %[[OUT:.*]] = plan.argument 0 : memref<16xf32>
// CHECK-DAG: %[[W:.*]] = plan.weight 0 {host} : memref<16xf32>
// CHECK-DAG: %[[A:.*]] = plan.buffer 0 live[0, 1] : memref<16xf32>
// CHECK-DAG: %[[AH:.*]] = plan.buffer {{.*}} live[1, 2] {host} : memref<16xf32>
// CHECK-DAG: %[[B:.*]] = plan.buffer {{.*}} live[2, 3] {host} : memref<16xf32>
// CHECK: plan.run @k(%[[A]])
// CHECK-NEXT: plan.copy %[[A]] to %[[AH]]
// CHECK-NEXT: plan.run @h(%[[AH]], %[[W]], %[[B]]) {host}
// CHECK-NEXT: plan.copy %[[B]] to %[[OUT]]
// CHECK-NOT: plan.copy
func.func @of_the_host() -> tensor<16xf32> attributes {weir.entry = "serve"} {
  %w = graph.constant dense<1.0> : tensor<16xf32>
  %wh = plan.transfer %w to host : tensor<16xf32>
  %a = plan.task @k() : () -> tensor<16xf32>
  %ah = plan.transfer %a to host : tensor<16xf32>
  %b = plan.task @h(%ah, %wh) {host} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %d = plan.transfer %b to device : tensor<16xf32>
  return %d : tensor<16xf32>
}
func.func private @k() attributes {weir.kernel}
module @weir_host_kernels {
  func.func private @h() attributes {weir.kernel, weir.host}
}
