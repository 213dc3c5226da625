// RUN: weir-opt %s -split-input-file -verify-diagnostics

func.func @matmul_c1_rows(%a: memref<4x8xf32>, %b: memref<8x20xf32>, %c: memref<5x20xf32>) {
  // expected-error@+1 {{cannot make 'memref<5x20xf32>' of rows of 'memref<4x8xf32>'}}
  kernel.matmul ins(%a, %b : memref<4x8xf32>, memref<8x20xf32>) outs(%c : memref<5x20xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @matmul_c2_depth(%a: memref<4x8xf32>, %b: memref<9x20xf32>, %c: memref<4x20xf32>) {
  // expected-error@+1 {{has weights of 'memref<9x20xf32>', but #kernel.layout<plain> of them is [8, 20]}}
  kernel.matmul ins(%a, %b : memref<4x8xf32>, memref<9x20xf32>) outs(%c : memref<4x20xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @matmul_c2_panels(%a: memref<4x8xf32>, %b: memref<1x8x16xf32>, %c: memref<4x20xf32>) {
  // expected-error@+1 {{has weights of 'memref<1x8x16xf32>', but #kernel.layout<panels(16)> of them is [2, 8, 16]}}
  kernel.matmul ins(%a, %b : memref<4x8xf32>, memref<1x8x16xf32>) layout <panels(16)> outs(%c : memref<4x20xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @matmul_c2_wider(%a: memref<4x8xf16>, %b: memref<8x20xf32>, %c: memref<4x20xf32>) {
  // expected-error@+1 {{multiplies 'memref<4x8xf16>' by 'memref<8x20xf32>'}}
  kernel.matmul ins(%a, %b : memref<4x8xf16>, memref<8x20xf32>) outs(%c : memref<4x20xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @matmul_c3_sum(%a: memref<4x8xf32>, %b: memref<8x20xf32>, %c: memref<4x20xf16>) {
  // expected-error@+1 {{cannot sum 'f32' in 'f16'}}
  kernel.matmul ins(%a, %b : memref<4x8xf32>, memref<8x20xf32>) outs(%c : memref<4x20xf16>) {
  ^bb0(%sum: f16):
    kernel.yield %sum : f16
  }
  return
}

// -----

func.func @matmul_c3_yield(%a: memref<4x8xf32>, %b: memref<8x20xf32>, %c: memref<4x20xf64>) {
  // expected-error@+1 {{epilogue does not yield an element of 'memref<4x20xf64>'}}
  kernel.matmul ins(%a, %b : memref<4x8xf32>, memref<8x20xf32>) outs(%c : memref<4x20xf64>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @matmul_c4_effects(%a: memref<4x8xf32>, %b: memref<8x20xf32>, %c: memref<4x20xf32>, %s: memref<f32>) {
  kernel.matmul ins(%a, %b : memref<4x8xf32>, memref<8x20xf32>) outs(%c : memref<4x20xf32>) {
  ^bb0(%sum: f32):
    // expected-error@+1 {{cannot stand in an epilogue}}
    %v = memref.load %s[] : memref<f32>
    kernel.yield %v : f32
  }
  return
}

// -----

func.func @matmul_c5_order(%a: memref<4x8xf32>, %b: memref<8x20xf32>, %r: memref<20x4xf32>, %c: memref<4x20xf32>) {
  // expected-error@+1 {{cannot read 'memref<20x4xf32>'}}
  kernel.matmul ins(%a, %b : memref<4x8xf32>, memref<8x20xf32>) extras(%r : memref<20x4xf32>) outs(%c : memref<4x20xf32>) attributes {extra_maps = [affine_map<(d0, d1) -> (d1, d0)>]} {
  ^bb0(%sum: f32, %e: f32):
    kernel.yield %e : f32
  }
  return
}

// -----

func.func @matmul_mixed(%a: memref<4x8xf32>, %b: tensor<8x20xf32>, %c: memref<4x20xf32>) {
  // expected-error@+1 {{mixes tensors and memrefs}}
  kernel.matmul ins(%a, %b : memref<4x8xf32>, tensor<8x20xf32>) outs(%c : memref<4x20xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @pack_c1(%b: memref<8x20xf32>, %e: memref<2x8x32xf32>) {
  // expected-error@+1 {{has weights of 'memref<2x8x32xf32>', but #kernel.layout<panels(32)> of them is [1, 8, 32]}}
  kernel.pack ins(%b : memref<8x20xf32>) layout <panels(32)> outs(%e : memref<2x8x32xf32>)
  return
}

// -----

func.func @pack_filter_c1(%w: memref<3x4x20xf32>, %e: memref<2x3x4x16xf32>) {
  // expected-error@+1 {{cannot have 3 groups of 'memref<3x4x20xf32>'}}
  kernel.pack_filter ins(%w : memref<3x4x20xf32>) groups 3 layout <panels(16)> outs(%e : memref<2x3x4x16xf32>)
  return
}

// -----

func.func @convolution_c1(%x: memref<1x8x3xf32>, %w: memref<1x3x3x32xf32>, %y: memref<2x6x20xf32>) {
  // expected-error@+1 {{cannot make 'memref<2x6x20xf32>' of 'memref<1x8x3xf32>'}}
  kernel.convolution ins(%x, %w : memref<1x8x3xf32>, memref<1x3x3x32xf32>) layout <panels(32)> outs(%y : memref<2x6x20xf32>) attributes {dilations = array<i64: 1>, groups = 1 : i64, padding = array<i64: 0>, strides = array<i64: 1>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @convolution_c2(%x: memref<1x8x3xf32>, %w: memref<1x3x3x32xf32>, %y: memref<1x6x20xf32>) {
  // expected-error@+1 {{has no such windows}}
  kernel.convolution ins(%x, %w : memref<1x8x3xf32>, memref<1x3x3x32xf32>) layout <panels(32)> outs(%y : memref<1x6x20xf32>) attributes {dilations = array<i64: 1>, groups = 1 : i64, padding = array<i64: 0>, strides = array<i64: 0>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @convolution_c3(%x: memref<1x8x3xf32>, %w: memref<1x3x3x32xf32>, %y: memref<1x6x40xf32>) {
  // expected-error@+1 {{has weights of 'memref<1x3x3x32xf32>', but #kernel.layout<panels(32)> of them is [2, 3, 3, 32]}}
  kernel.convolution ins(%x, %w : memref<1x8x3xf32>, memref<1x3x3x32xf32>) layout <panels(32)> outs(%y : memref<1x6x40xf32>) attributes {dilations = array<i64: 1>, groups = 1 : i64, padding = array<i64: 0>, strides = array<i64: 1>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @depthwise_c3(%x: memref<1x8x3xf32>, %w: memref<3x4xf32>, %y: memref<1x6x3xf32>) {
  // expected-error@+1 {{cannot use 'memref<3x4xf32>'}}
  kernel.depthwise ins(%x, %w : memref<1x8x3xf32>, memref<3x4xf32>) outs(%y : memref<1x6x3xf32>) attributes {dilations = array<i64: 1>, padding = array<i64: 0>, strides = array<i64: 1>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @other_groups_c3(%x: memref<1x8x48xf32>, %w: memref<3x3x48xf32>, %y: memref<1x6x48xf32>) {
  // expected-error@+1 {{cannot use 'memref<3x3x48xf32>'}}
  kernel.depthwise ins(%x, %w : memref<1x8x48xf32>, memref<3x3x48xf32>) outs(%y : memref<1x6x48xf32>) attributes {dilations = array<i64: 1>, padding = array<i64: 0>, strides = array<i64: 1>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @small_groups_c3(%x: memref<1x8x3xf32>, %w: memref<3x2x3xf32>, %y: memref<1x6x3xf32>) {
  // expected-error@+1 {{cannot use 'memref<3x2x3xf32>'}}
  kernel.depthwise ins(%x, %w : memref<1x8x3xf32>, memref<3x2x3xf32>) outs(%y : memref<1x6x3xf32>) attributes {dilations = array<i64: 1>, padding = array<i64: 0>, strides = array<i64: 1>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @pool_c1(%x: memref<1x8x3xf32>, %y: memref<1x6x4xf32>) {
  // expected-error@+1 {{cannot make 'memref<1x6x4xf32>' of 'memref<1x8x3xf32>'}}
  kernel.pool ins(%x : memref<1x8x3xf32>) outs(%y : memref<1x6x4xf32>) attributes {dilations = array<i64: 1>, padding = array<i64: 0>, strides = array<i64: 1>, window = array<i64: 3>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @pool_c2(%x: memref<1x8x3xf32>, %y: memref<1x6x3xf32>) {
  // expected-error@+1 {{has no such windows}}
  kernel.pool ins(%x : memref<1x8x3xf32>) outs(%y : memref<1x6x3xf32>) attributes {dilations = array<i64: 1>, padding = array<i64: 0>, strides = array<i64: 1>, window = array<i64: 0>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @pool_c3(%x: memref<1x8x3xi32>, %y: memref<1x6x3xi32>) {
  // expected-error@+1 {{cannot pool 'memref<1x8x3xi32>'}}
  kernel.pool ins(%x : memref<1x8x3xi32>) outs(%y : memref<1x6x3xi32>) attributes {dilations = array<i64: 1>, largest, padding = array<i64: 0>, strides = array<i64: 1>, window = array<i64: 3>} {
  ^bb0(%sum: i32):
    kernel.yield %sum : i32
  }
  return
}

// -----

func.func @pool_c4(%x: memref<1x8x3xf32>, %y: memref<1x8x3xf32>) {
  // expected-error@+1 {{counts padding, which is never the greatest}}
  kernel.pool ins(%x : memref<1x8x3xf32>) outs(%y : memref<1x8x3xf32>) attributes {counts_padding, dilations = array<i64: 1>, largest, padding = array<i64: 1>, strides = array<i64: 1>, window = array<i64: 3>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @transform_filter_c1_wide(%w: memref<3x3x4x20xf64>, %e: memref<1x16x4x32xf32>) {
  // expected-error@+1 {{cannot transform 'memref<3x3x4x20xf64>' to 'memref<1x16x4x32xf32>'}}
  kernel.transform_filter ins(%w : memref<3x3x4x20xf64>) layout <winograd(32, 2, 2, 1, 1)> outs(%e : memref<1x16x4x32xf32>)
  return
}

// -----

func.func @convolution_c1_wider(%x: memref<1x8x8x3xf16>, %w: memref<1x3x3x3x32xf32>, %y: memref<1x4x4x20xf32>) {
  // expected-error@+1 {{multiplies 'memref<1x8x8x3xf16>' by 'memref<1x3x3x3x32xf32>'}}
  kernel.convolution ins(%x, %w : memref<1x8x8x3xf16>, memref<1x3x3x3x32xf32>) layout <panels(32)> outs(%y : memref<1x4x4x20xf32>) attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 0, 0>, strides = array<i64: 2, 2>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @transform_filter_c1(%w: memref<3x3x4x40xf32>, %e: memref<1x16x4x32xf32>) {
  // expected-error@+1 {{has weights of 'memref<1x16x4x32xf32>', but #kernel.layout<winograd(32, 2, 2, 1, 1)> of them is [2, 16, 4, 32]}}
  kernel.transform_filter ins(%w : memref<3x3x4x40xf32>) layout <winograd(32, 2, 2, 1, 1)> outs(%e : memref<1x16x4x32xf32>)
  return
}

// -----

func.func @winograd_c1(%x: memref<1x8x8x16xf32>, %w: memref<1x16x16x32xf32>, %y: memref<2x8x8x20xf32>) {
  // expected-error@+1 {{cannot make 'memref<2x8x8x20xf32>' of 'memref<1x8x8x16xf32>'}}
  kernel.winograd ins(%x, %w : memref<1x8x8x16xf32>, memref<1x16x16x32xf32>) layout <winograd(32, 2, 2, 1, 1)> outs(%y : memref<2x8x8x20xf32>) attributes {padding = array<i64: 1, 1>, strides = array<i64: 1, 1>, windows = array<i64: 3, 3>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @winograd_c2(%x: memref<1x8x8x16xf32>, %w: memref<1x16x16x32xf32>, %y: memref<1x8x8x20xf32>) {
  // expected-error@+1 {{has no such windows}}
  kernel.winograd ins(%x, %w : memref<1x8x8x16xf32>, memref<1x16x16x32xf32>) layout <winograd(32, 2, 2, 1, 1)> outs(%y : memref<1x8x8x20xf32>) attributes {padding = array<i64: 1>, strides = array<i64: 1, 1>, windows = array<i64: 3, 3>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @winograd_c2_tile(%x: memref<1x8x8x16xf32>, %w: memref<1x16x16x32xf32>, %y: memref<1x8x8x20xf32>) {
  // expected-error@+1 {{has no such windows}}
  kernel.winograd ins(%x, %w : memref<1x8x8x16xf32>, memref<1x16x16x32xf32>) layout <winograd(32, 3, 2, 1, 1)> outs(%y : memref<1x8x8x20xf32>) attributes {padding = array<i64: 1, 1>, strides = array<i64: 1, 1>, windows = array<i64: 3, 3>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @winograd_c2_dilations(%x: memref<1x8x8x16xf32>, %w: memref<1x16x16x32xf32>, %y: memref<1x8x8x20xf32>) {
  // expected-error@+1 {{has no two dilations}}
  kernel.winograd ins(%x, %w : memref<1x8x8x16xf32>, memref<1x16x16x32xf32>) layout <winograd(32, 2, 2, 1, 1)> outs(%y : memref<1x8x8x20xf32>) attributes {dilations = array<i64: 1>, padding = array<i64: 1, 1>, strides = array<i64: 1, 1>, windows = array<i64: 3, 3>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @winograd_c2_strides(%x: memref<1x8x8x16xf32>, %w: memref<1x16x16x32xf32>, %y: memref<1x8x8x20xf32>) {
  // expected-error@+1 {{cannot dilate by 2 with a stride of 2}}
  kernel.winograd ins(%x, %w : memref<1x8x8x16xf32>, memref<1x16x16x32xf32>) layout <winograd(32, 2, 2, 1, 2)> outs(%y : memref<1x8x8x20xf32>) attributes {dilations = array<i64: 1, 2>, padding = array<i64: 1, 1>, strides = array<i64: 1, 2>, windows = array<i64: 3, 3>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @winograd_c3(%x: memref<1x8x8x16xf32>, %w: memref<1x9x16x32xf32>, %y: memref<1x8x8x20xf32>) {
  // expected-error@+1 {{has weights of 'memref<1x9x16x32xf32>', but #kernel.layout<winograd(32, 2, 2, 1, 1)> of them is [1, 16, 16, 32]}}
  kernel.winograd ins(%x, %w : memref<1x8x8x16xf32>, memref<1x9x16x32xf32>) layout <winograd(32, 2, 2, 1, 1)> outs(%y : memref<1x8x8x20xf32>) attributes {padding = array<i64: 1, 1>, strides = array<i64: 1, 1>, windows = array<i64: 3, 3>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @parts_c1() {
  // expected-error@+1 {{has 0 work items for 0 slots}}
  kernel.parallel 0 {
  ^bb0(%first: index, %last: index, %slot: index):
  }
  return
}

// -----

func.func @parts_c2() {
  // expected-error@+1 {{does not take the first and the last work item and a slot}}
  kernel.parallel 8 {
  ^bb0(%first: index, %last: index):
  }
  return
}

// -----

func.func @corner_c1(%x: memref<95xf32>, %n: memref<i64>, %y: memref<2x6x8xf32>) {
  // expected-error @+1 {{cannot copy between 'memref<95xf32>' and 'memref<2x6x8xf32>'}}
  kernel.corner ins(%x : memref<95xf32>) sizes(%n : memref<i64>) along [1] order [0, 2, 1] outs(%y : memref<2x6x8xf32>)
  return
}

// -----

func.func @corner_c2(%x: memref<96xf32>, %n: memref<i64>, %y: memref<2x6x8xf32>) {
  // expected-error @+1 {{has an order that does not permute the dimensions of 'memref<2x6x8xf32>'}}
  kernel.corner ins(%x : memref<96xf32>) sizes(%n : memref<i64>) along [1] order [0, 2, 2] outs(%y : memref<2x6x8xf32>)
  return
}

// -----

func.func @corner_c3(%x: memref<96xf32>, %n: memref<i64>, %y: memref<2x6x8xf32>) {
  // expected-error @+1 {{has 1 sizes, which do not suit dimensions of 'memref<2x6x8xf32>'}}
  kernel.corner ins(%x : memref<96xf32>) sizes(%n : memref<i64>) along [3] order [0, 2, 1] outs(%y : memref<2x6x8xf32>)
  return
}

// -----

func.func @corner_size(%x: memref<96xf32>, %n: memref<1xi64>, %y: memref<2x6x8xf32>) {
  // expected-error @+1 {{has a size of type 'memref<1xi64>'}}
  kernel.corner ins(%x : memref<96xf32>) sizes(%n : memref<1xi64>) along [1] order [0, 2, 1] outs(%y : memref<2x6x8xf32>)
  return
}

// -----

func.func @matmul_c9_type(%a: memref<4x64xf32>, %b: memref<64x16xf32>, %n: memref<i32>, %c: memref<4x16xf32>) {
  // expected-error @+1 {{has a depth of type 'memref<i32>'}}
  kernel.matmul ins(%a, %b : memref<4x64xf32>, memref<64x16xf32>) depth(%n : memref<i32>) outs(%c : memref<4x16xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @matmul_c9_form(%a: memref<4x64xf32>, %b: memref<16x64x1xf32>, %n: memref<i64>, %c: memref<4x16xf32>) {
  // expected-error @+1 {{has a depth, and a form that reads all terms}}
  kernel.matmul ins(%a, %b : memref<4x64xf32>, memref<16x64x1xf32>) layout <k_major> depth(%n : memref<i64>) outs(%c : memref<4x16xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
