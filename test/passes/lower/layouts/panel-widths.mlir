// Panels have three vectors if two multiply-adds begin in a cycle, unless more than a
// ninth would be padding or a library for several processors shares them. With one
// multiply-add a cycle, few columns have three half vectors. With few registers, panels
// have two to four vectors, whichever needs the fewest other instructions.

// RUN: weir-opt %s -split-input-file -weir-lower-graph -weir-choose-layouts | FileCheck %s

// CHECK-LABEL: func @two_a_cycle
module attributes {weir.target = #weir.target<fma_rate = 2>} {
  func.func @two_a_cycle(%x: tensor<8x64xf32>, %w: tensor<64x192xf32> {weir.constant}, %v: tensor<64x64xf32> {weir.constant}) -> (tensor<8x192xf32>, tensor<8x64xf32>) {
    // CHECK: kernel.pack {{.*}} outs(%{{.*}} : tensor<4x64x48xf32>)
    %y = graph.matmul %x, %w : tensor<8x64xf32>, tensor<64x192xf32>
    // CHECK: kernel.pack {{.*}} outs(%{{.*}} : tensor<2x64x32xf32>)
    %z = graph.matmul %x, %v : tensor<8x64xf32>, tensor<64x64xf32>
    return %y, %z : tensor<8x192xf32>, tensor<8x64xf32>
  }
}

// -----

// A row multiplies a run-time operand, and the depth is too short for dot products.
// CHECK-LABEL: func @row_by_input
module attributes {weir.target = #weir.target<fma_rate = 2>} {
  func.func @row_by_input(%x: tensor<1x16xf32>, %y: tensor<8x16xf32>, %w: tensor<192x16xf32>) -> (tensor<1x192xf32>, tensor<8x192xf32>) {
    // CHECK: kernel.pack {{.*}} outs(%{{.*}} : tensor<6x16x32xf32>)
    %a = graph.matmul %x, %w transpose_b : tensor<1x16xf32>, tensor<192x16xf32>
    // CHECK: kernel.pack {{.*}} outs(%{{.*}} : tensor<4x16x48xf32>)
    %b = graph.matmul %y, %w transpose_b : tensor<8x16xf32>, tensor<192x16xf32>
    return %a, %b : tensor<1x192xf32>, tensor<8x192xf32>
  }
}

// -----

// CHECK-LABEL: func @one_a_cycle
module attributes {weir.target = #weir.target<>} {
  func.func @one_a_cycle(%x: tensor<8x64xf32>, %w: tensor<64x192xf32> {weir.constant}, %v: tensor<64x24xf32> {weir.constant}, %u: tensor<64x25xf32> {weir.constant}) -> (tensor<8x192xf32>, tensor<8x24xf32>, tensor<8x25xf32>) {
    // CHECK: kernel.pack {{.*}} outs(%{{.*}} : tensor<6x64x32xf32>)
    %a = graph.matmul %x, %w : tensor<8x64xf32>, tensor<64x192xf32>
    // CHECK: kernel.pack {{.*}} outs(%{{.*}} : tensor<1x64x24xf32>)
    %b = graph.matmul %x, %v : tensor<8x64xf32>, tensor<64x24xf32>
    // CHECK: kernel.pack {{.*}} outs(%{{.*}} : tensor<1x64x32xf32>)
    %c = graph.matmul %x, %u : tensor<8x64xf32>, tensor<64x25xf32>
    return %a, %b, %c : tensor<8x192xf32>, tensor<8x24xf32>, tensor<8x25xf32>
  }
}

// Panels of windows follow the same rule, for the columns of a group.
// CHECK-LABEL: func @windows
module attributes {weir.target = #weir.target<>} {
  func.func @windows(%x: tensor<1x9x9x4xf32>, %w: tensor<3x3x4x40xf32> {weir.constant}, %v: tensor<3x3x2x64xf32> {weir.constant}) -> (tensor<1x4x4x40xf32>, tensor<1x4x4x64xf32>) {
    // CHECK: kernel.pack_filter {{.*}} outs(%{{.*}} : tensor<2x3x3x4x24xf32>)
    %y = graph.convolution %x, %w strides [2, 2] padding_low [0, 0] padding_high [0, 0] dilations [1, 1] groups 1 : tensor<1x9x9x4xf32>, tensor<3x3x4x40xf32>
    // CHECK: kernel.pack_filter {{.*}} groups 2 layout <panels(32)> outs(%{{.*}} : tensor<2x3x3x2x32xf32>)
    %z = graph.convolution %x, %v strides [2, 2] padding_low [0, 0] padding_high [0, 0] dilations [1, 1] groups 2 : tensor<1x9x9x4xf32>, tensor<3x3x2x64xf32>
    return %y, %z : tensor<1x4x4x40xf32>, tensor<1x4x4x64xf32>
  }
}

// -----

// CHECK-LABEL: func @several_processors
module attributes {weir.target = #weir.target<panel_bits = 512, fma_rate = 2>} {
  func.func @several_processors(%x: tensor<8x64xf32>, %w: tensor<64x192xf32> {weir.constant}) -> tensor<8x192xf32> {
    // CHECK: kernel.pack {{.*}} outs(%{{.*}} : tensor<6x64x32xf32>)
    %y = graph.matmul %x, %w : tensor<8x64xf32>, tensor<64x192xf32>
    return %y : tensor<8x192xf32>
  }
}

// -----

// A row by few columns uses the K-major layout, but not if the depth is short or if
// there are more rows. A run-time operand is K-major if it is transposed.
// CHECK-LABEL: func @row
module attributes {weir.target = #weir.target<vector_bits = 256>} {
  func.func @row(%x: tensor<1x128xf32>, %y: tensor<2x128xf32>, %z: tensor<1x64xf32>, %w: tensor<128x10xf32> {weir.constant}, %v: tensor<64x10xf32> {weir.constant}, %u: tensor<10x128xf32>) -> (tensor<1x10xf32>, tensor<2x10xf32>, tensor<1x10xf32>, tensor<1x10xf32>) {
    // CHECK: kernel.pack {{.*}} outs(%{{.*}} : tensor<10x128x1xf32>)
    %a = graph.matmul %x, %w : tensor<1x128xf32>, tensor<128x10xf32>
    // CHECK: kernel.pack {{.*}} outs(%{{.*}} : tensor<1x128x16xf32>)
    %b = graph.matmul %y, %w : tensor<2x128xf32>, tensor<128x10xf32>
    // CHECK: kernel.pack {{.*}} outs(%{{.*}} : tensor<1x64x16xf32>)
    %c = graph.matmul %z, %v : tensor<1x64xf32>, tensor<64x10xf32>
    // CHECK: %[[RUNS:.*]] = tensor.expand_shape %arg5 {{.*}} : tensor<10x128xf32> into tensor<10x128x1xf32>
    // CHECK: kernel.matmul ins(%arg0, %[[RUNS]] : tensor<1x128xf32>, tensor<10x128x1xf32>) layout <k_major>
    %d = graph.matmul %x, %u transpose_b : tensor<1x128xf32>, tensor<10x128xf32>
    return %a, %b, %c, %d : tensor<1x10xf32>, tensor<2x10xf32>, tensor<1x10xf32>, tensor<1x10xf32>
  }
}

// -----

// 192 columns are eight panels of three vectors or six of four. Three vectors are
// better, because they need less of L1. 64 columns would be two panels of three and one
// of two vectors, or two of four. The transformed filter of a Winograd convolution
// follows the same rule. With 104 columns, the last of five panels would have one
// vector, so its sums would depend on each other.
// CHECK-LABEL: func @few_registers
module attributes {weir.target = #weir.target<vector_bits = 256>} {
  func.func @few_registers(%x: tensor<8x64xf32>, %w: tensor<64x192xf32> {weir.constant}, %v: tensor<64x64xf32> {weir.constant}, %u: tensor<64x104xf32> {weir.constant}, %i: tensor<1x56x56x64xf32>, %f: tensor<3x3x64x64xf32> {weir.constant}) -> (tensor<8x192xf32>, tensor<8x64xf32>, tensor<8x104xf32>, tensor<1x56x56x64xf32>) {
    // CHECK: kernel.pack {{.*}} outs(%{{.*}} : tensor<8x64x24xf32>)
    %a = graph.matmul %x, %w : tensor<8x64xf32>, tensor<64x192xf32>
    // CHECK: kernel.pack {{.*}} outs(%{{.*}} : tensor<2x64x32xf32>)
    %b = graph.matmul %x, %v : tensor<8x64xf32>, tensor<64x64xf32>
    // CHECK: kernel.pack {{.*}} outs(%{{.*}} : tensor<7x64x16xf32>)
    %c = graph.matmul %x, %u : tensor<8x64xf32>, tensor<64x104xf32>
    // CHECK: kernel.transform_filter {{.*}} outs(%{{.*}} : tensor<2x{{[0-9]+}}x64x32xf32>)
    %d = graph.convolution %i, %f strides [1, 1] padding_low [1, 1] padding_high [1, 1] dilations [1, 1] groups 1 : tensor<1x56x56x64xf32>, tensor<3x3x64x64xf32>
    return %a, %b, %c, %d : tensor<8x192xf32>, tensor<8x64xf32>, tensor<8x104xf32>, tensor<1x56x56x64xf32>
  }
}

// -----

// Without multiply-adds a product needs a register of its own.
// CHECK-LABEL: func @without_fma
module attributes {weir.target = #weir.target<vector_bits = 256, fma = false>} {
  func.func @without_fma(%x: tensor<8x64xf32>, %w: tensor<64x192xf32> {weir.constant}) -> tensor<8x192xf32> {
    // CHECK: kernel.pack {{.*}} outs(%{{.*}} : tensor<12x64x16xf32>)
    %y = graph.matmul %x, %w : tensor<8x64xf32>, tensor<64x192xf32>
    return %y : tensor<8x192xf32>
  }
}

// -----

// f16 is converted to f32 first, with more instructions per vector.
// CHECK-LABEL: func @f16
module attributes {weir.target = #weir.target<vector_bits = 256>} {
  func.func @f16(%x: tensor<8x64xbf16>, %w: tensor<64x192xbf16> {weir.constant}) -> tensor<8x192xbf16> {
    // CHECK: kernel.pack {{.*}} outs(%{{.*}} : tensor<12x64x16xbf16>)
    %y = graph.matmul %x, %w : tensor<8x64xbf16>, tensor<64x192xbf16>
    return %y : tensor<8x192xbf16>
  }
}

// -----

// A product of one pixel is a product of one row.
// CHECK-LABEL: func @pixel
module attributes {weir.target = #weir.target<vector_bits = 256>} {
  func.func @pixel(%x: tensor<1x1x1x64xf32>, %y: tensor<1x2x2x64xf32>, %f: tensor<1x1x64x192xf32> {weir.constant}) -> (tensor<1x1x1x192xf32>, tensor<1x2x2x192xf32>) {
    // CHECK: kernel.pack_filter {{.*}} outs(%{{.*}} : tensor<12x1x1x64x16xf32>)
    %a = graph.convolution %x, %f strides [1, 1] padding_low [0, 0] padding_high [0, 0] dilations [1, 1] groups 1 : tensor<1x1x1x64xf32>, tensor<1x1x64x192xf32>
    // CHECK: kernel.pack_filter {{.*}} outs(%{{.*}} : tensor<8x1x1x64x24xf32>)
    %b = graph.convolution %y, %f strides [1, 1] padding_low [0, 0] padding_high [0, 0] dilations [1, 1] groups 1 : tensor<1x2x2x64xf32>, tensor<1x1x64x192xf32>
    return %a, %b : tensor<1x1x1x192xf32>, tensor<1x2x2x192xf32>
  }
}
