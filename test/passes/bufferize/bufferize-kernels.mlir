// RUN: weir-opt %s --split-input-file --weir-bufferize-kernels --canonicalize | FileCheck %s

// The result is written directly to the output, without a buffer or a copy.
// CHECK-LABEL: func.func private @direct
// CHECK-SAME: (%[[X:.*]]: memref<4xf32> {llvm.noalias}, %[[Y:.*]]: memref<4xf32> {llvm.noalias})
// CHECK-NOT: memref.alloc
// CHECK: linalg.generic {{.*}} ins(%[[X]] : memref<4xf32>) outs(%[[Y]] : memref<4xf32>)
// CHECK-NOT: memref.copy
// CHECK: return
#id = affine_map<(d0) -> (d0)>
func.func private @direct(%x: tensor<4xf32>) -> tensor<4xf32> attributes {weir.kernel} {
  %empty = tensor.empty() : tensor<4xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%empty : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = math.exp %a : f32
    linalg.yield %c : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// An input is never written, even if the op could overwrite it.
// CHECK-LABEL: func.func private @in_place
// CHECK-SAME: (%[[X:.*]]: memref<4xf32> {llvm.noalias}, %[[Y:.*]]: memref<4xf32>
// CHECK-NOT: outs(%[[X]]
// CHECK: return
#id = affine_map<(d0) -> (d0)>
func.func private @in_place(%x: tensor<4xf32>) -> tensor<4xf32> attributes {weir.kernel} {
  %y = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%x : tensor<4xf32>) {
  ^bb0(%b: f32):
    %c = math.exp %b : f32
    linalg.yield %c : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// Functions that are no kernels keep their tensors.
// CHECK-LABEL: func.func @entry(%{{.*}}: tensor<4xf32>) -> tensor<4xf32>
// CHECK: return
func.func @entry(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// Tensors without elements are neither read nor written.
// CHECK-LABEL: func.func private @no_elements
// CHECK-SAME: (%{{.*}}: memref<0xf32> {llvm.noalias}, %{{.*}}: memref<f32> {llvm.noalias})
// CHECK: linalg.fill
#in = affine_map<(d0, d1) -> (d0, d1)>
#out = affine_map<(d0, d1) -> ()>
func.func private @no_elements(%x: tensor<1x0xf32>) -> tensor<f32> attributes {weir.kernel} {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<f32>) -> tensor<f32>
  %y = linalg.generic {indexing_maps = [#in, #out], iterator_types = ["reduction", "reduction"]} ins(%x : tensor<1x0xf32>) outs(%init : tensor<f32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<f32>
  return %y : tensor<f32>
}
