// Kernels and packing ops refuse these layouts.
// RUN: weir-opt %s -split-input-file -verify-diagnostics

func.func @unknown(%b: memref<8x20xf32>, %p: memref<1x8x32xf32>) {
  // expected-error@+1 {{unknown layout rows}}
  kernel.pack ins(%b : memref<8x20xf32>) layout <rows(32)> outs(%p : memref<1x8x32xf32>)
  return
}

// -----

func.func @no_width(%b: memref<8x20xf32>, %p: memref<1x8x32xf32>) {
  // expected-error@+1 {{layout panels cannot have the numbers []}}
  kernel.pack ins(%b : memref<8x20xf32>) layout <panels> outs(%p : memref<1x8x32xf32>)
  return
}

// -----

func.func @k_major_of_integers(%b: memref<8x20xi8>, %p: memref<20x8x1xi8>) {
  // expected-error@+1 {{cannot use weights of 'memref<20x8x1xi8>' in #kernel.layout<k_major>}}
  kernel.pack ins(%b : memref<8x20xi8>) layout <k_major> outs(%p : memref<20x8x1xi8>)
  return
}

// -----

func.func @other_elements(%b: memref<8x20xf32>, %p: memref<1x8x32xf64>) {
  // expected-error@+1 {{cannot pack 'f32' as 'f64' in #kernel.layout<panels(32)>}}
  kernel.pack ins(%b : memref<8x20xf32>) layout <panels(32)> outs(%p : memref<1x8x32xf64>)
  return
}

// -----

func.func @panels_of_a_channel(%x: memref<1x8x8x64xf32>, %w: memref<2x3x3x32xf32>, %y: memref<1x6x6x64xf32>) {
  // expected-error@+1 {{cannot use weights of 'memref<2x3x3x32xf32>' in #kernel.layout<panels(32)>}}
  kernel.depthwise ins(%x, %w : memref<1x8x8x64xf32>, memref<2x3x3x32xf32>) layout <panels(32)> outs(%y : memref<1x6x6x64xf32>) attributes {dilations = array<i64: 1, 1>, padding = array<i64: 0, 0>, strides = array<i64: 1, 1>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @other_strides(%x: memref<1x8x8x16xf32>, %w: memref<1x16x16x32xf32>, %y: memref<1x8x8x20xf32>) {
  // expected-error@+1 {{has other strides than #kernel.layout<winograd(32, 2, 2, 1, 1)>}}
  kernel.winograd ins(%x, %w : memref<1x8x8x16xf32>, memref<1x16x16x32xf32>) layout <winograd(32, 2, 2, 1, 1)> outs(%y : memref<1x8x8x20xf32>) attributes {padding = array<i64: 1, 1>, strides = array<i64: 2, 2>, windows = array<i64: 3, 3>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @matmul_range(%a: memref<4x8xf32>, %b: memref<1x1x3x2x16x32xbf16>, %c: memref<4x20xf32>) {
  // expected-error@+1 {{layout amx cannot have the numbers [3, 97, -100]}}
  kernel.matmul ins(%a, %b : memref<4x8xf32>, memref<1x1x3x2x16x32xbf16>) layout <amx(3, 97, -100)> outs(%c : memref<4x20xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @matmul_terms(%a: memref<4x8xbf16>, %b: memref<1x1x3x2x16x32xbf16>, %c: memref<4x20xf32>) {
  // expected-error@+1 {{has weights of 'memref<1x1x3x2x16x32xbf16>', but #kernel.layout<amx(1, -100, 97)> of them is [1, 1, 1, 2, 16, 32]}}
  kernel.matmul ins(%a, %b : memref<4x8xbf16>, memref<1x1x3x2x16x32xbf16>) layout <amx(1, -100, 97)> outs(%c : memref<4x20xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @matmul_depth(%a: memref<4x40xf32>, %b: memref<1x1x3x2x16x32xbf16>, %c: memref<4x20xf32>) {
  // expected-error@+1 {{has weights of 'memref<1x1x3x2x16x32xbf16>', but #kernel.layout<amx(3, -100, 97)> of them is [1, 2, 3, 2, 16, 32]}}
  kernel.matmul ins(%a, %b : memref<4x40xf32>, memref<1x1x3x2x16x32xbf16>) layout <amx(3, -100, 97)> outs(%c : memref<4x20xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @matmul_unsigned(%a: memref<4x64xi8>, %b: memref<1x1x1x2x16x64xi8>, %c: memref<4x20xi32>) {
  // expected-error@+1 {{cannot use weights of 'memref<1x1x1x2x16x64xi8>' in #kernel.layout<amx>}}
  kernel.matmul ins(%a, %b : memref<4x64xi8>, memref<1x1x1x2x16x64xi8>) layout <amx> outs(%c : memref<4x20xi32>) attributes {unsigned_a} {
  ^bb0(%sum: i32):
    kernel.yield %sum : i32
  }
  return
}

// -----

func.func @matmul_bytes(%a: memref<4x8xf32>, %b: memref<1x1x1x2x16x64xi8>, %c: memref<4x20xf32>) {
  // expected-error@+1 {{cannot use weights of 'memref<1x1x1x2x16x64xi8>' in #kernel.layout<amx>}}
  kernel.matmul ins(%a, %b : memref<4x8xf32>, memref<1x1x1x2x16x64xi8>) layout <amx> outs(%c : memref<4x20xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @amx_width(%a: memref<4x40xf32>, %b: memref<2x40x16xf32>, %c: memref<4x20xf32>) {
  // expected-error@+1 {{has weights of 'memref<2x40x16xf32>', but #kernel.layout<amx_panels(3, -100, 97)> of them is [1, 40, 32]}}
  kernel.matmul ins(%a, %b : memref<4x40xf32>, memref<2x40x16xf32>) layout <amx_panels(3, -100, 97)> outs(%c : memref<4x20xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @matmul_four_terms(%a: memref<4x40xf32>, %b: memref<1x40x32xf32>, %c: memref<4x20xf32>) {
  // expected-error@+1 {{layout amx_panels cannot have the numbers [4, -100, 97]}}
  kernel.matmul ins(%a, %b : memref<4x40xf32>, memref<1x40x32xf32>) layout <amx_panels(4, -100, 97)> outs(%c : memref<4x20xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @convolution_channels(%x: memref<1x8x8x40xf32>, %w: memref<1x3x3x1x3x2x16x32xbf16>, %y: memref<1x8x8x20xf32>) {
  // expected-error@+1 {{has weights of 'memref<1x3x3x1x3x2x16x32xbf16>', but #kernel.layout<amx(3, -100, 97)> of them is [1, 3, 3, 2, 3, 2, 16, 32]}}
  kernel.convolution ins(%x, %w : memref<1x8x8x40xf32>, memref<1x3x3x1x3x2x16x32xbf16>) layout <amx(3, -100, 97)> outs(%y : memref<1x8x8x20xf32>) attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 1, 1>, strides = array<i64: 1, 1>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @convolution_range(%x: memref<1x8x8x32xf32>, %w: memref<1x3x3x32x32xf32>, %y: memref<1x8x8x20xf32>) {
  // expected-error@+1 {{layout amx_panels cannot have the numbers [3, 97, -100]}}
  kernel.convolution ins(%x, %w : memref<1x8x8x32xf32>, memref<1x3x3x32x32xf32>) layout <amx_panels(3, 97, -100)> outs(%y : memref<1x8x8x20xf32>) attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 1, 1>, strides = array<i64: 1, 1>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @matmul_panels(%a: memref<4x8xf32>, %b: memref<1x8x32xf32>, %c: memref<4x20xf32>) {
  // expected-error@+1 {{has weights of 'memref<1x8x32xf32>', but #kernel.layout<pairing> of them is [1, 10, 32]}}
  kernel.matmul ins(%a, %b : memref<4x8xf32>, memref<1x8x32xf32>) layout <pairing> outs(%c : memref<4x20xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @matmul_empty(%a: memref<4x0xf32>, %b: memref<1x2x32xf32>, %c: memref<4x20xf32>) {
  // expected-error@+1 {{cannot use weights of 'memref<1x2x32xf32>' in #kernel.layout<pairing>}}
  kernel.matmul ins(%a, %b : memref<4x0xf32>, memref<1x2x32xf32>) layout <pairing> outs(%c : memref<4x20xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @matmul_batches(%a: memref<2x4x8xf32>, %b: memref<1x10x32xf32>, %c: memref<2x4x20xf32>) {
  // expected-error@+1 {{cannot use weights of 'memref<1x10x32xf32>' in #kernel.layout<pairing>}}
  kernel.matmul ins(%a, %b : memref<2x4x8xf32>, memref<1x10x32xf32>) layout <pairing> outs(%c : memref<2x4x20xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @matmul_element(%a: memref<4x8xf64>, %b: memref<1x10x32xf64>, %c: memref<4x20xf64>) {
  // expected-error@+1 {{cannot use weights of 'memref<1x10x32xf64>' in #kernel.layout<pairing>}}
  kernel.matmul ins(%a, %b : memref<4x8xf64>, memref<1x10x32xf64>) layout <pairing> outs(%c : memref<4x20xf64>) {
  ^bb0(%sum: f64):
    kernel.yield %sum : f64
  }
  return
}

// -----

func.func @matmul_elements(%a: memref<4x8xbf16>, %b: memref<1x10x32xbf16>, %c: memref<4x20xf32>) {
  // expected-error@+1 {{cannot use weights of 'memref<1x10x32xbf16>' in #kernel.layout<pairing>}}
  kernel.matmul ins(%a, %b : memref<4x8xbf16>, memref<1x10x32xbf16>) layout <pairing> outs(%c : memref<4x20xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @pack_trailer_rows(%b: memref<8x20xf32>, %p: memref<1x8x32xf32>) {
  // expected-error@+1 {{has weights of 'memref<1x8x32xf32>', but #kernel.layout<pairing> of them is [1, 10, 32]}}
  kernel.pack ins(%b : memref<8x20xf32>) layout <pairing> outs(%p : memref<1x8x32xf32>)
  return
}

// -----

func.func @pack_overflow(%b: memref<9223372036854775807x20xf32>, %p: memref<1x9223372036854775807x32xf32>) {
  // expected-error@+1 {{has weights of 'memref<1x9223372036854775807x32xf32>', but #kernel.layout<pairing> of them is []}}
  kernel.pack ins(%b : memref<9223372036854775807x20xf32>) layout <pairing> outs(%p : memref<1x9223372036854775807x32xf32>)
  return
}

// -----

func.func @pack_batches(%b: memref<2x8x20xf32>, %p: memref<2x1x10x32xf32>) {
  // expected-error@+1 {{cannot use weights of 'memref<2x1x10x32xf32>' in #kernel.layout<pairing>}}
  kernel.pack ins(%b : memref<2x8x20xf32>) layout <pairing> outs(%p : memref<2x1x10x32xf32>)
  return
}

// -----

func.func @convolution_panels(%x: memref<1x8x8x4xf32>, %w: memref<1x36x32xf32>, %y: memref<1x8x8x20xf32>) {
  // expected-error@+1 {{has weights of 'memref<1x36x32xf32>', but #kernel.layout<pairing(3, 3)> of them is [1, 38, 32]}}
  kernel.convolution ins(%x, %w : memref<1x8x8x4xf32>, memref<1x36x32xf32>) layout <pairing(3, 3)> outs(%y : memref<1x8x8x20xf32>) attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 1, 1>, strides = array<i64: 1, 1>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @convolution_elements(%x: memref<1x8x8x4xbf16>, %w: memref<1x38x32xbf16>, %y: memref<1x8x8x20xf32>) {
  // expected-error@+1 {{cannot use weights of 'memref<1x38x32xbf16>' in #kernel.layout<pairing(3, 3)>}}
  kernel.convolution ins(%x, %w : memref<1x8x8x4xbf16>, memref<1x38x32xbf16>) layout <pairing(3, 3)> outs(%y : memref<1x8x8x20xf32>) attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 1, 1>, strides = array<i64: 1, 1>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @convolution_sizes(%x: memref<1x8x8x4xf32>, %w: memref<1x38x32xf32>, %y: memref<1x8x8x20xf32>) {
  // expected-error@+1 {{cannot use weights of 'memref<1x38x32xf32>' in #kernel.layout<pairing(9)>}}
  kernel.convolution ins(%x, %w : memref<1x8x8x4xf32>, memref<1x38x32xf32>) layout <pairing(9)> outs(%y : memref<1x8x8x20xf32>) attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 1, 1>, strides = array<i64: 1, 1>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}


// -----

// AMX tiles of bytes contain integers.

func.func @pack_floats_as_bytes(%b: memref<64x32xf32>, %p: memref<1x1x1x2x16x64xi8>) {
  // expected-error@+1 {{cannot pack 'f32' as 'i8' in #kernel.layout<amx>}}
  kernel.pack ins(%b : memref<64x32xf32>) layout <amx> outs(%p : memref<1x1x1x2x16x64xi8>)
  return
}

// -----

// The layout depends on the number of rows of the filter.

func.func @filter_rows(%w: memref<3x3x1x64xi8>, %p: memref<1x3x1x64x4xi8>) {
  // expected-error@+1 {{cannot use weights of 'memref<1x3x1x64x4xi8>' in #kernel.layout<vnni_rows(4)>}}
  kernel.pack_filter ins(%w : memref<3x3x1x64xi8>) groups 1 layout <vnni_rows(4)> outs(%p : memref<1x3x1x64x4xi8>)
  return
}
