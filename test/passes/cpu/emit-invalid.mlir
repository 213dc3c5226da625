// What a kernel cannot be emitted of.
// RUN: weir-opt %s -split-input-file --weir-choose-schedules --weir-emit-kernels -verify-diagnostics

module attributes {weir.target = #weir.target<vector_bits = 128>} {
  func.func @wide_groups(%x: memref<1x8x8xf64>, %w: memref<3x4x8xf64>, %y: memref<1x6x8xf64>) {
    // expected-error@+1 {{has groups that are wider than vectors}}
    kernel.depthwise ins(%x, %w : memref<1x8x8xf64>, memref<3x4x8xf64>) outs(%y : memref<1x6x8xf64>) attributes {dilations = array<i64: 1>, padding = array<i64: 0>, strides = array<i64: 1>} {
    ^bb0(%sum: f64):
      kernel.yield %sum : f64
    }
    return
  }
}

// -----

// Only the compiler packs in layouts of dot products and tiles, and only it narrows
// elements.
func.func @pack_of_constants(%w: memref<6x9xi8>, %p: memref<1x2x16x4xi8>) {
  // expected-error@+1 {{has a layout that only weir-choose-layouts and weir-pack-weights read}}
  kernel.pack ins(%w : memref<6x9xi8>) layout <vnni(16)> outs(%p : memref<1x2x16x4xi8>)
  return
}

// -----

func.func @narrows(%w: memref<8x20xf32>, %p: memref<1x8x32xf16>) {
  // expected-error@+1 {{has a layout that only weir-choose-layouts and weir-pack-weights read}}
  kernel.pack ins(%w : memref<8x20xf32>) layout <panels(32)> outs(%p : memref<1x8x32xf16>)
  return
}

// -----

func.func @plain_filter(%x: memref<1x8x8x4xf32>, %w: memref<3x3x4x20xf32>, %y: memref<1x6x6x20xf32>) {
  // expected-error@+1 {{has a layout that only weir-choose-layouts and weir-pack-weights read}}
  kernel.convolution ins(%x, %w : memref<1x8x8x4xf32>, memref<3x3x4x20xf32>) layout <plain> outs(%y : memref<1x6x6x20xf32>) attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 0, 0>, strides = array<i64: 1, 1>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
