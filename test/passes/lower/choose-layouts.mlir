// Layouts of weights follow from the kernels that read them.

// RUN: weir-opt %s -split-input-file -weir-choose-layouts | FileCheck %s

// A few rows read a run-time operand without packing. Seventeen rows read panels of it.
// CHECK-LABEL: func @rows
// CHECK-NOT: kernel.pack
// CHECK: kernel.matmul ins(%{{.*}}, %{{.*}} : tensor<16x64xf32>, tensor<64x64xf32>) outs
// CHECK: %[[P:.*]] = kernel.pack ins(%{{.*}} : tensor<64x64xf32>) layout <panels(32)> outs(%{{.*}} : tensor<2x64x32xf32>)
// CHECK: kernel.matmul ins(%{{.*}}, %[[P]] : tensor<17x64xf32>, tensor<2x64x32xf32>) layout <panels(32)>
func.func @rows(%a: tensor<16x64xf32>, %b: tensor<17x64xf32>, %w: tensor<64x64xf32>) -> (tensor<16x64xf32>, tensor<17x64xf32>) attributes {weir.kernel} {
  %e = tensor.empty() : tensor<64x64xf32>
  %p = kernel.pack ins(%w : tensor<64x64xf32>) layout <plain> outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %c = tensor.empty() : tensor<16x64xf32>
  %y = kernel.matmul ins(%a, %p : tensor<16x64xf32>, tensor<64x64xf32>) outs(%c : tensor<16x64xf32>) -> tensor<16x64xf32> {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  %q = kernel.pack ins(%w : tensor<64x64xf32>) layout <plain> outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %d = tensor.empty() : tensor<17x64xf32>
  %z = kernel.matmul ins(%b, %q : tensor<17x64xf32>, tensor<64x64xf32>) outs(%d : tensor<17x64xf32>) -> tensor<17x64xf32> {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return %y, %z : tensor<16x64xf32>, tensor<17x64xf32>
}

// -----

// The rows of a transposed operand are K-major columns already.
// CHECK-LABEL: func @transposed
// CHECK: %[[C:.*]] = tensor.expand_shape %{{.*}} : tensor<40x64xf32> into tensor<40x64x1xf32>
// CHECK: kernel.matmul ins(%{{.*}}, %[[C]] : tensor<2x64xf32>, tensor<40x64x1xf32>) layout <k_major>
func.func @transposed(%a: tensor<2x64xf32>, %w: tensor<40x64xf32>) -> tensor<2x40xf32> attributes {weir.kernel} {
  %e = tensor.empty() : tensor<64x40xf32>
  %p = kernel.pack ins(%w : tensor<40x64xf32>) layout <plain> outs(%e : tensor<64x40xf32>) -> tensor<64x40xf32> {transpose_b}
  %c = tensor.empty() : tensor<2x40xf32>
  %y = kernel.matmul ins(%a, %p : tensor<2x64xf32>, tensor<64x40xf32>) outs(%c : tensor<2x40xf32>) -> tensor<2x40xf32> {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return %y : tensor<2x40xf32>
}

// -----

// Filters have panels for each group. A filter of windows of one element loses their
// dimensions after it is packed.
// CHECK-LABEL: func @filters
// CHECK: %[[P:.*]] = kernel.pack_filter ins(%{{.*}} : tensor<3x3x4x64xf32>) groups 2 layout <panels(32)> outs(%{{.*}} : tensor<2x3x3x4x32xf32>)
// CHECK: kernel.convolution ins(%{{.*}}, %[[P]] : {{.*}}) layout <panels(32)>
// CHECK: %[[Q:.*]] = kernel.pack_filter ins(%{{.*}} : tensor<1x1x8x64xf32>) groups 1 layout <panels(32)> outs(%{{.*}} : tensor<2x1x1x8x32xf32>)
// CHECK: %[[F:.*]] = tensor.collapse_shape %[[Q]] {{.*}} into tensor<2x8x32xf32>
// CHECK: kernel.matmul ins(%{{.*}}, %[[F]] : tensor<1x6x6x8xf32>, tensor<2x8x32xf32>) layout <panels(32)>
func.func @filters(%x: tensor<1x8x8x8xf32>, %w: tensor<3x3x4x64xf32>, %a: tensor<1x6x6x8xf32>, %v: tensor<1x1x8x64xf32>) -> (tensor<1x6x6x64xf32>, tensor<1x6x6x64xf32>) attributes {weir.kernel} {
  %e = tensor.empty() : tensor<3x3x4x64xf32>
  %p = kernel.pack_filter ins(%w : tensor<3x3x4x64xf32>) groups 2 layout <plain> outs(%e : tensor<3x3x4x64xf32>) -> tensor<3x3x4x64xf32>
  %c = tensor.empty() : tensor<1x6x6x64xf32>
  %y = kernel.convolution ins(%x, %p : tensor<1x8x8x8xf32>, tensor<3x3x4x64xf32>) layout <plain> outs(%c : tensor<1x6x6x64xf32>) -> tensor<1x6x6x64xf32> attributes {dilations = array<i64: 1, 1>, groups = 2 : i64, padding = array<i64: 0, 0>, strides = array<i64: 1, 1>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  %f = tensor.empty() : tensor<1x1x8x64xf32>
  %q = kernel.pack_filter ins(%v : tensor<1x1x8x64xf32>) groups 1 layout <plain> outs(%f : tensor<1x1x8x64xf32>) -> tensor<1x1x8x64xf32>
  %m = tensor.collapse_shape %q [[0, 1, 2], [3]] : tensor<1x1x8x64xf32> into tensor<8x64xf32>
  %d = tensor.empty() : tensor<1x6x6x64xf32>
  %z = kernel.matmul ins(%a, %m : tensor<1x6x6x8xf32>, tensor<8x64xf32>) outs(%d : tensor<1x6x6x64xf32>) -> tensor<1x6x6x64xf32> attributes {shared} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return %y, %z : tensor<1x6x6x64xf32>, tensor<1x6x6x64xf32>
}

// -----

// Transformed filters get the width of panels for the registers.
module attributes {weir.target = #weir.target<vector_bits = 256, vector_registers = 16>} {
// CHECK-LABEL: func @transformed
// CHECK: %[[P:.*]] = kernel.transform_filter ins(%{{.*}} : tensor<3x3x16x64xf32>) layout <winograd(32, 2, 2, 1, 1)> outs(%{{.*}} : tensor<2x16x16x32xf32>)
// CHECK: kernel.winograd ins(%{{.*}}, %[[P]] : {{.*}}) layout <winograd(32, 2, 2, 1, 1)>
func.func @transformed(%x: tensor<1x8x8x16xf32>, %w: tensor<3x3x16x64xf32>) -> tensor<1x8x8x64xf32> attributes {weir.kernel} {
  %e = tensor.empty() : tensor<1x16x16x64xf32>
  %p = kernel.transform_filter ins(%w : tensor<3x3x16x64xf32>) layout <winograd(64, 2, 2, 1, 1)> outs(%e : tensor<1x16x16x64xf32>) -> tensor<1x16x16x64xf32>
  %c = tensor.empty() : tensor<1x8x8x64xf32>
  %y = kernel.winograd ins(%x, %p : tensor<1x8x8x16xf32>, tensor<1x16x16x64xf32>) layout <winograd(64, 2, 2, 1, 1)> outs(%c : tensor<1x8x8x64xf32>) -> tensor<1x8x8x64xf32> attributes {padding = array<i64: 1, 1>, strides = array<i64: 1, 1>, windows = array<i64: 3, 3>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return %y : tensor<1x8x8x64xf32>
}
}

// -----

// A constant of bytes gets the layout of the processor's dot-product instructions in
// its packing op.
module attributes {weir.target = #weir.target<features = "+avx512f,+avx512vnni">} {
func.func @entry(%x: tensor<4x6xi8>) -> tensor<4x9xi32> attributes {weir.entry = "serve"} {
  %w = graph.constant dense<1> : tensor<6x9xi8>
  %y = plan.task @bytes(%x, %w) : (tensor<4x6xi8>, tensor<6x9xi8>) -> tensor<4x9xi32>
  return %y : tensor<4x9xi32>
}
// CHECK-LABEL: func.func private @bytes
// CHECK: %[[P:.*]] = kernel.pack ins(%arg1 : tensor<6x9xi8>) layout <vnni(16)> outs(%{{.*}} : tensor<1x2x16x4xi8>)
// CHECK: kernel.matmul ins(%arg0, %[[P]] : {{.*}}) layout <vnni(16)>
func.func private @bytes(%a: tensor<4x6xi8>, %w: tensor<6x9xi8> {weir.constant}) -> tensor<4x9xi32> attributes {weir.kernel} {
  %e = tensor.empty() : tensor<6x9xi8>
  %p = kernel.pack ins(%w : tensor<6x9xi8>) layout <plain> outs(%e : tensor<6x9xi8>) -> tensor<6x9xi8>
  %c = tensor.empty() : tensor<4x9xi32>
  %y = kernel.matmul ins(%a, %p : tensor<4x6xi8>, tensor<6x9xi8>) outs(%c : tensor<4x9xi32>) -> tensor<4x9xi32> attributes {unsigned_a} {
  ^bb0(%sum: i32):
    kernel.yield %sum : i32
  }
  return %y : tensor<4x9xi32>
}
}
