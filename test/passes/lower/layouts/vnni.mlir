// RUN: weir-opt %s -split-input-file -weir-choose-layouts -weir-pack-weights | FileCheck %s

// Four weights of a column are adjacent: 1 to 6 and then zeros.
// CHECK-LABEL: func.func @entry
// CHECK: %[[W:.*]] = graph.constant dense_resource<[[R:packed.*]]> : tensor<1x2x16x4xi8>
// CHECK: plan.task @kernel_0(%{{.*}}, %[[W]])
// CHECK: func.func private @kernel_0(%arg0: tensor<8x6xi8>, %[[A:.*]]: tensor<1x2x16x4xi8> {weir.constant})
// CHECK-NOT: kernel.pack
// CHECK: kernel.matmul ins(%arg0, %[[A]] :
// CHECK: [[R]]: "0x4000000001020304{{0+}}0506{{0+}}"
module attributes {weir.target = #weir.target<features = "+avx512f,+avx512vnni">} {
func.func @entry(%x: tensor<8x6xi8>) -> tensor<8x1xi32> attributes {weir.entry = "serve"} {
  %w = graph.constant dense<[[1], [2], [3], [4], [5], [6]]> : tensor<6x1xi8>
  %y = plan.task @kernel_0(%x, %w) : (tensor<8x6xi8>, tensor<6x1xi8>) -> tensor<8x1xi32>
  return %y : tensor<8x1xi32>
}
func.func private @kernel_0(%a: tensor<8x6xi8>, %w: tensor<6x1xi8> {weir.constant}) -> tensor<8x1xi32> attributes {weir.kernel} {
  %e = tensor.empty() : tensor<1x6x16xi8>
  %p = kernel.pack ins(%w : tensor<6x1xi8>) layout <panels(16)> outs(%e : tensor<1x6x16xi8>) -> tensor<1x6x16xi8>
  %c = tensor.empty() : tensor<8x1xi32>
  %y = kernel.matmul ins(%a, %p : tensor<8x6xi8>, tensor<1x6x16xi8>) layout <panels(16)> outs(%c : tensor<8x1xi32>) -> tensor<8x1xi32> attributes {unsigned_a} {
  ^bb0(%sum: i32):
    kernel.yield %sum : i32
  }
  return %y : tensor<8x1xi32>
}
}

// -----

// For windows the channels are interleaved, and for depthwise windows the rows.
// CHECK-LABEL: func.func @windows
// CHECK: graph.constant {{.*}} : tensor<1x3x3x2x32x4xi8>
// CHECK: graph.constant {{.*}} : tensor<2x5x2x64x4xi8>
// CHECK: kernel.convolution {{.*}} tensor<1x3x3x2x32x4xi8>
// CHECK: kernel.depthwise {{.*}} layout <vnni_rows(5)>
module attributes {weir.target = #weir.target<features = "+avx512f,+avx512vnni">} {
func.func @windows(%x: tensor<1x8x8x6xi8>, %z: tensor<1x8x8x70xi8>) -> (tensor<1x6x6x20xi32>, tensor<1x4x4x70xi32>) attributes {weir.entry = "serve"} {
  %w = graph.constant dense<5> : tensor<3x3x6x20xi8>
  %v = graph.constant dense<7> : tensor<5x5x1x70xi8>
  %y = plan.task @kernel_0(%x, %w) : (tensor<1x8x8x6xi8>, tensor<3x3x6x20xi8>) -> tensor<1x6x6x20xi32>
  %u = plan.task @kernel_1(%z, %v) : (tensor<1x8x8x70xi8>, tensor<5x5x1x70xi8>) -> tensor<1x4x4x70xi32>
  return %y, %u : tensor<1x6x6x20xi32>, tensor<1x4x4x70xi32>
}
func.func private @kernel_0(%a: tensor<1x8x8x6xi8>, %w: tensor<3x3x6x20xi8> {weir.constant}) -> tensor<1x6x6x20xi32> attributes {weir.kernel} {
  %e = tensor.empty() : tensor<1x3x3x6x32xi8>
  %p = kernel.pack_filter ins(%w : tensor<3x3x6x20xi8>) groups 1 layout <panels(32)> outs(%e : tensor<1x3x3x6x32xi8>) -> tensor<1x3x3x6x32xi8>
  %c = tensor.empty() : tensor<1x6x6x20xi32>
  %y = kernel.convolution ins(%a, %p : tensor<1x8x8x6xi8>, tensor<1x3x3x6x32xi8>) layout <panels(32)> outs(%c : tensor<1x6x6x20xi32>) -> tensor<1x6x6x20xi32> attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 0, 0>, strides = array<i64: 1, 1>, unsigned_x} {
  ^bb0(%sum: i32):
    kernel.yield %sum : i32
  }
  return %y : tensor<1x6x6x20xi32>
}
func.func private @kernel_1(%a: tensor<1x8x8x70xi8>, %w: tensor<5x5x1x70xi8> {weir.constant}) -> tensor<1x4x4x70xi32> attributes {weir.kernel} {
  %f = tensor.collapse_shape %w [[0], [1], [2, 3]] : tensor<5x5x1x70xi8> into tensor<5x5x70xi8>
  %c = tensor.empty() : tensor<1x4x4x70xi32>
  %y = kernel.depthwise ins(%a, %f : tensor<1x8x8x70xi8>, tensor<5x5x70xi8>) outs(%c : tensor<1x4x4x70xi32>) -> tensor<1x4x4x70xi32> attributes {dilations = array<i64: 1, 1>, padding = array<i64: 0, 0>, strides = array<i64: 1, 1>, unsigned_x} {
  ^bb0(%sum: i32):
    kernel.yield %sum : i32
  }
  return %y : tensor<1x4x4x70xi32>
}
}

// -----

// Without such dot-product instructions weights stay in panels; with signed bytes they
// do, too.
// CHECK-LABEL: func.func @signed_bytes
// CHECK: graph.constant {{.*}} : tensor<1x6x16xi8>
module attributes {weir.target = #weir.target<features = "+avx512f">} {
func.func @signed_bytes(%x: tensor<8x6xi8>) -> tensor<8x1xi32> attributes {weir.entry = "serve"} {
  %w = graph.constant dense<3> : tensor<6x1xi8>
  %y = plan.task @kernel_0(%x, %w) : (tensor<8x6xi8>, tensor<6x1xi8>) -> tensor<8x1xi32>
  return %y : tensor<8x1xi32>
}
func.func private @kernel_0(%a: tensor<8x6xi8>, %w: tensor<6x1xi8> {weir.constant}) -> tensor<8x1xi32> attributes {weir.kernel} {
  %e = tensor.empty() : tensor<1x6x16xi8>
  %p = kernel.pack ins(%w : tensor<6x1xi8>) layout <panels(16)> outs(%e : tensor<1x6x16xi8>) -> tensor<1x6x16xi8>
  %c = tensor.empty() : tensor<8x1xi32>
  %y = kernel.matmul ins(%a, %p : tensor<8x6xi8>, tensor<1x6x16xi8>) layout <panels(16)> outs(%c : tensor<8x1xi32>) -> tensor<8x1xi32> attributes {unsigned_a} {
  ^bb0(%sum: i32):
    kernel.yield %sum : i32
  }
  return %y : tensor<8x1xi32>
}
}
