// RUN: weir-opt %s %{cpu-stages} | FileCheck %s

// The stages lower two products and a normalization between them to one parallel
// region. In it, each block of rows passes through all three kernels before the next
// block.
// CHECK-LABEL: llvm.func private @weir_entry_0_part_0
// CHECK: llvm.mlir.addressof @weir_task_group_0
// CHECK: llvm.call @weir_parallel(
// CHECK-NOT: llvm.call @weir_parallel(
// CHECK: llvm.func private @weir_task_group_0
// CHECK: ^{{.*}}(%[[ITEM:.*]]: i64):
// CHECK: %[[NEXT:.*]] = llvm.add %[[ITEM]],
// CHECK: llvm.call @dense_phase_0({{.*}}, %[[ITEM]], %[[NEXT]],
// CHECK: llvm.call @norm_phase_0({{.*}}, %[[ITEM]], %[[NEXT]],
// CHECK: llvm.call @dense_phase_0({{.*}}, %[[ITEM]], %[[NEXT]],
// CHECK: llvm.br
module attributes {weir.slots = 2 : i64, weir.target = #weir.target<fma_rate = 2>} {
  func.func @layer(%x: tensor<1x64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> attributes {weir.entry = "serve"} {
    %v = graph.reshape %x : tensor<1x64x64xf32> to tensor<64x64xf32>
    %a = plan.task @dense(%v, %w) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %b = graph.reshape %a : tensor<64x64xf32> to tensor<1x64x64xf32>
    %c = plan.task @norm(%b) : (tensor<1x64x64xf32>) -> tensor<1x64x64xf32>
    %d = graph.reshape %c : tensor<1x64x64xf32> to tensor<64x64xf32>
    %e = plan.task @dense(%d, %w) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    return %e : tensor<64x64xf32>
  }
  func.func private @dense(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> attributes {weir.kernel} {
    %0 = tensor.empty() : tensor<64x64xf32>
    %1 = kernel.matmul ins(%x, %w : tensor<64x64xf32>, tensor<64x64xf32>) outs(%0 : tensor<64x64xf32>) -> tensor<64x64xf32> {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return %1 : tensor<64x64xf32>
  }
  func.func private @norm(%x: tensor<1x64x64xf32>) -> tensor<1x64x64xf32> attributes {weir.kernel} {
    %zero = arith.constant 0.0 : f32
    %0 = tensor.empty() : tensor<1x64xf32>
    %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<1x64xf32>) -> tensor<1x64xf32>
    %2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<1x64x64xf32>) outs(%1 : tensor<1x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %5 = arith.mulf %in, %in : f32
      %6 = arith.addf %5, %out : f32
      linalg.yield %6 : f32
    } -> tensor<1x64xf32>
    %3 = tensor.empty() : tensor<1x64x64xf32>
    %4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %2 : tensor<1x64x64xf32>, tensor<1x64xf32>) outs(%3 : tensor<1x64x64xf32>) {
    ^bb0(%in: f32, %s: f32, %out: f32):
      %5 = math.sqrt %s : f32
      %6 = arith.divf %in, %5 : f32
      linalg.yield %6 : f32
    } -> tensor<1x64x64xf32>
    return %4 : tensor<1x64x64xf32>
  }
}
