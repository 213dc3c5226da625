// The pass refuses these kernels.
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

// Only the compiler packs weights in K-major and AMX tile layouts, and only the
// compiler narrows elements.
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

// -----

// The AMX tile layout needs tile registers or dot-product instructions. These
// instructions cannot multiply split weights.
func.func @no_tiles(%a: memref<64x64xf32>, %b: memref<2x2x3x2x16x32xbf16>, %c: memref<64x64xf32>) {
  // expected-error@+1 {{has a layout for instructions that the target lacks}}
  kernel.matmul ins(%a, %b : memref<64x64xf32>, memref<2x2x3x2x16x32xbf16>) layout <amx(3, -100, 97)> outs(%c : memref<64x64xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

module attributes {weir.target = #weir.target<features = "+avx512f,+avx512bf16">} {
  func.func @split_for_dots(%a: memref<64x64xf32>, %b: memref<2x2x2x2x16x32xbf16>, %c: memref<64x64xf32>) {
    // expected-error@+1 {{has a layout for instructions that the target lacks}}
    kernel.matmul ins(%a, %b : memref<64x64xf32>, memref<2x2x2x2x16x32xbf16>) layout <amx(2, -100, 97)> outs(%c : memref<64x64xf32>) {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return
  }
}

// -----

module attributes {weir.target = #weir.target<features = "+avx512f,+avx512bf16">} {
  func.func @windows_for_dots(%x: memref<1x14x14x64xbf16>, %w: memref<2x3x3x2x1x2x16x32xbf16>, %y: memref<1x14x14x64xf32>) {
    // expected-error@+1 {{has a layout for instructions that the target lacks}}
    kernel.convolution ins(%x, %w : memref<1x14x14x64xbf16>, memref<2x3x3x2x1x2x16x32xbf16>) layout <amx(1, -100, 97)> outs(%y : memref<1x14x14x64xf32>) attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 1, 1>, strides = array<i64: 1, 1>} {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return
  }
}

// -----

module attributes {weir.target = #weir.target<features = "+amx-tile,+amx-bf16,+avx512f">} {
  func.func @no_tiles_of_bytes(%a: memref<64x64xi32>, %b: memref<2x1x1x2x16x64xi8>, %c: memref<64x64xi32>) {
    // expected-error@+1 {{has a layout for instructions that the target lacks}}
    kernel.matmul ins(%a, %b : memref<64x64xi32>, memref<2x1x1x2x16x64xi8>) layout <amx> outs(%c : memref<64x64xi32>) {
    ^bb0(%sum: i32):
      kernel.yield %sum : i32
    }
    return
  }
}

// -----

func.func @no_dots_of_bytes(%a: memref<4x6xi8>, %b: memref<1x2x16x4xi8>, %c: memref<4x9xi32>) {
  // expected-error@+1 {{has a layout for instructions that the target lacks}}
  kernel.matmul ins(%a, %b : memref<4x6xi8>, memref<1x2x16x4xi8>) layout <vnni(16)> outs(%c : memref<4x9xi32>) attributes {unsigned_a} {
  ^bb0(%sum: i32):
    kernel.yield %sum : i32
  }
  return
}
