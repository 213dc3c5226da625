// RUN: weir-opt %s -split-input-file | weir-opt -split-input-file | FileCheck %s

// The product reads packed columns and has a bias.
// CHECK-LABEL: func @matmul
// CHECK: kernel.matmul ins(%{{.*}}, %{{.*}} : tensor<4x8xf32>, tensor<1x8x32xf32>) layout <panels(32)> extras(%{{.*}} : tensor<20xf32>) outs(%{{.*}} : tensor<4x20xf32>) -> tensor<4x20xf32> attributes {extra_maps = [#{{.*}}]} {
// CHECK: kernel.yield %{{.*}} : f32
func.func @matmul(%a: tensor<4x8xf32>, %b: tensor<1x8x32xf32>, %bias: tensor<20xf32>, %c: tensor<4x20xf32>) -> tensor<4x20xf32> {
  %y = kernel.matmul ins(%a, %b : tensor<4x8xf32>, tensor<1x8x32xf32>) layout <panels(32)> extras(%bias : tensor<20xf32>) outs(%c : tensor<4x20xf32>) -> tensor<4x20xf32> attributes {extra_maps = [affine_map<(d0, d1) -> (d1)>]} {
  ^bb0(%sum: f32, %e: f32):
    %v = arith.addf %sum, %e : f32
    kernel.yield %v : f32
  }
  return %y : tensor<4x20xf32>
}

// -----

// The operands are buffers, with plain columns and transposed rows. The sums are wider
// than the elements.
// CHECK-LABEL: func @matmul_buffers
// CHECK: kernel.matmul ins(%{{.*}}, %{{.*}} : memref<2x8x4xf16>, memref<2x8x20xf16>) outs(%{{.*}} : memref<2x4x20xf16>) attributes {transpose_a} {
func.func @matmul_buffers(%a: memref<2x8x4xf16>, %b: memref<2x8x20xf16>, %c: memref<2x4x20xf16>) {
  kernel.matmul ins(%a, %b : memref<2x8x4xf16>, memref<2x8x20xf16>) outs(%c : memref<2x4x20xf16>) attributes {transpose_a} {
  ^bb0(%sum: f32):
    %v = arith.truncf %sum : f32 to f16
    kernel.yield %v : f16
  }
  return
}

// -----

// Rows of f32 are multiplied by columns of f16, which are widened to f32.
// CHECK-LABEL: func @matmul_mixed
// CHECK: kernel.matmul ins(%{{.*}}, %{{.*}} : memref<4x8xf32>, memref<8x20xf16>) outs(%{{.*}} : memref<4x20xf32>)
func.func @matmul_mixed(%a: memref<4x8xf32>, %b: memref<8x20xf16>, %c: memref<4x20xf32>) {
  kernel.matmul ins(%a, %b : memref<4x8xf32>, memref<8x20xf16>) outs(%c : memref<4x20xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// CHECK-LABEL: func @pack
// CHECK: kernel.pack ins(%{{.*}} : tensor<8x20xf32>) layout <panels(32)> outs(%{{.*}} : tensor<1x8x32xf32>) -> tensor<1x8x32xf32>
func.func @pack(%b: tensor<8x20xf32>, %e: tensor<1x8x32xf32>) -> tensor<1x8x32xf32> {
  %p = kernel.pack ins(%b : tensor<8x20xf32>) layout <panels(32)> outs(%e : tensor<1x8x32xf32>) -> tensor<1x8x32xf32>
  return %p : tensor<1x8x32xf32>
}

// -----

// CHECK-LABEL: func @pack_filter
// CHECK: kernel.pack_filter ins(%{{.*}} : tensor<3x3x4x20xf32>) groups 2 layout <panels(16)> outs(%{{.*}} : tensor<2x3x3x4x16xf32>) -> tensor<2x3x3x4x16xf32>
func.func @pack_filter(%w: tensor<3x3x4x20xf32>, %e: tensor<2x3x3x4x16xf32>) -> tensor<2x3x3x4x16xf32> {
  %p = kernel.pack_filter ins(%w : tensor<3x3x4x20xf32>) groups 2 layout <panels(16)> outs(%e : tensor<2x3x3x4x16xf32>) -> tensor<2x3x3x4x16xf32>
  return %p : tensor<2x3x3x4x16xf32>
}

// -----

// CHECK-LABEL: func @convolution
// CHECK: kernel.convolution ins({{.*}}) layout <panels(32)> outs({{.*}}) attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 0, 0>, strides = array<i64: 2, 2>}
func.func @convolution(%x: memref<1x8x8x3xf32>, %w: memref<1x3x3x3x32xf32>, %y: memref<1x4x4x20xf32>) {
  kernel.convolution ins(%x, %w : memref<1x8x8x3xf32>, memref<1x3x3x3x32xf32>) layout <panels(32)> outs(%y : memref<1x4x4x20xf32>) attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 0, 0>, strides = array<i64: 2, 2>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// CHECK-LABEL: func @depthwise
// CHECK: kernel.depthwise ins({{.*}}) outs({{.*}}) attributes {dilations = array<i64: 1, 1>, padding = array<i64: 1, 1>, strides = array<i64: 1, 1>}
func.func @depthwise(%x: memref<1x8x8x20xf32>, %w: memref<3x3x20xf32>, %y: memref<1x8x8x20xf32>) {
  kernel.depthwise ins(%x, %w : memref<1x8x8x20xf32>, memref<3x3x20xf32>) outs(%y : memref<1x8x8x20xf32>) attributes {dilations = array<i64: 1, 1>, padding = array<i64: 1, 1>, strides = array<i64: 1, 1>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// The groups have four channels.
// CHECK-LABEL: func @small_groups
// CHECK: kernel.depthwise
func.func @small_groups(%x: memref<1x8x8x20xf32>, %w: memref<3x3x4x20xf32>, %y: memref<1x8x8x20xf32>) {
  kernel.depthwise ins(%x, %w : memref<1x8x8x20xf32>, memref<3x3x4x20xf32>) outs(%y : memref<1x8x8x20xf32>) attributes {dilations = array<i64: 1, 1>, padding = array<i64: 1, 1>, strides = array<i64: 1, 1>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// CHECK-LABEL: func @pool
// CHECK: kernel.pool ins({{.*}}) outs({{.*}}) attributes {dilations = array<i64: 1, 1>, largest, padding = array<i64: 1, 1>, strides = array<i64: 2, 2>, window = array<i64: 3, 3>}
func.func @pool(%x: memref<1x8x8x20xf32>, %y: memref<1x4x4x20xf32>) {
  kernel.pool ins(%x : memref<1x8x8x20xf32>) outs(%y : memref<1x4x4x20xf32>) attributes {dilations = array<i64: 1, 1>, largest, padding = array<i64: 1, 1>, strides = array<i64: 2, 2>, window = array<i64: 3, 3>} {
  ^bb0(%most: f32):
    kernel.yield %most : f32
  }
  return
}

// -----

// Each run transforms a filter of f16.
// CHECK-LABEL: func @transform_filter_at_run
// CHECK: kernel.transform_filter ins(%{{.*}} : tensor<3x3x16x20xf16>) layout <winograd(32, 2, 2, 1, 1)> outs(%{{.*}} : tensor<1x16x16x32xf32>) -> tensor<1x16x16x32xf32> {at_run}
func.func @transform_filter_at_run(%w: tensor<3x3x16x20xf16>, %e: tensor<1x16x16x32xf32>) -> tensor<1x16x16x32xf32> {
  %p = kernel.transform_filter ins(%w : tensor<3x3x16x20xf16>) layout <winograd(32, 2, 2, 1, 1)> outs(%e : tensor<1x16x16x32xf32>) -> tensor<1x16x16x32xf32> {at_run}
  return %p : tensor<1x16x16x32xf32>
}

// -----

// CHECK-LABEL: func @convolution_of_half_filter
// CHECK: kernel.convolution ins(%{{.*}} : memref<1x8x8x3xf32>, memref<1x3x3x3x32xbf16>) layout <panels(32)>
func.func @convolution_of_half_filter(%x: memref<1x8x8x3xf32>, %w: memref<1x3x3x3x32xbf16>, %y: memref<1x4x4x20xf32>) {
  kernel.convolution ins(%x, %w : memref<1x8x8x3xf32>, memref<1x3x3x3x32xbf16>) layout <panels(32)> outs(%y : memref<1x4x4x20xf32>) attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 0, 0>, strides = array<i64: 2, 2>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// CHECK-LABEL: func @transform_filter(
// CHECK: kernel.transform_filter ins(%{{.*}} : tensor<3x3x16x20xf32>) layout <winograd(32, 2, 2, 1, 1)> outs(%{{.*}} : tensor<1x16x16x32xf32>) -> tensor<1x16x16x32xf32>
func.func @transform_filter(%w: tensor<3x3x16x20xf32>, %e: tensor<1x16x16x32xf32>) -> tensor<1x16x16x32xf32> {
  %p = kernel.transform_filter ins(%w : tensor<3x3x16x20xf32>) layout <winograd(32, 2, 2, 1, 1)> outs(%e : tensor<1x16x16x32xf32>) -> tensor<1x16x16x32xf32>
  return %p : tensor<1x16x16x32xf32>
}

// -----

// CHECK-LABEL: func @winograd
// CHECK: kernel.winograd ins(%{{.*}}, %{{.*}} : memref<1x8x8x16xf32>, memref<1x16x16x32xf32>) layout <winograd(32, 2, 2, 1, 1)> outs(%{{.*}} : memref<1x8x8x20xf32>) attributes {padding = array<i64: 1, 1>, strides = array<i64: 1, 1>, windows = array<i64: 3, 3>} {
func.func @winograd(%x: memref<1x8x8x16xf32>, %w: memref<1x16x16x32xf32>, %y: memref<1x8x8x20xf32>) {
  kernel.winograd ins(%x, %w : memref<1x8x8x16xf32>, memref<1x16x16x32xf32>) layout <winograd(32, 2, 2, 1, 1)> outs(%y : memref<1x8x8x20xf32>) attributes {padding = array<i64: 1, 1>, strides = array<i64: 1, 1>, windows = array<i64: 3, 3>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// A parameter of the products is one value, or an array of unequal values.
// CHECK-LABEL: func @winograd_schedule
// CHECK: kernel.winograd ins(%{{.*}}, %{{.*}} : memref<1x6x6x16xf32>, memref<1x49x16x16xf32>) layout <winograd(16, 2, 2, 1, 1)> outs(%{{.*}} : memref<1x2x2x16xf32>) attributes {padding = array<i64: 0, 0>, schedule = #kernel.winograd_schedule<input_tiles = 1, share = none, chain = 16, tile_rows = {{\[}}1, 2, 3], tile_columns = 16, accumulator_sets = 1, unroll = 1, depth_block = 1, depth_slab = 1, block_tiles = 1, copy = {{\[}}"none", "block", "none"], prefetch = none, prefetch_level = 2, prefetch_result = {{\[}}false, true, true], product_share = none, coarse = false>, strides = array<i64: 1, 1>, windows = array<i64: 5, 5>} {
func.func @winograd_schedule(%x: memref<1x6x6x16xf32>, %w: memref<1x49x16x16xf32>, %y: memref<1x2x2x16xf32>) {
  kernel.winograd ins(%x, %w : memref<1x6x6x16xf32>, memref<1x49x16x16xf32>) layout <winograd(16, 2, 2, 1, 1)> outs(%y : memref<1x2x2x16xf32>) attributes {padding = array<i64: 0, 0>, schedule = #kernel.winograd_schedule<tile_rows = [1, 2, 3], tile_columns = 16, copy = ["none", "block", "none"], prefetch_result = [false, true, true]>, strides = array<i64: 1, 1>, windows = array<i64: 5, 5>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// CHECK-LABEL: func @parts
// CHECK: kernel.parallel 160 slots 4 coarse {
// CHECK: kernel.parallel 7 row_wise {
func.func @parts() {
  %one = arith.constant 1 : index
  kernel.parallel 160 slots 4 coarse {
  ^bb0(%first: index, %last: index, %slot: index):
    scf.for %i = %first to %last step %one {
    }
  }
  kernel.parallel 7 row_wise {
  ^bb0(%first: index, %last: index, %slot: index):
  }
  return
}

// -----

// The weights are in the AMX tile layout, as the bf16 terms of f32.
// CHECK-LABEL: func @tiles
// CHECK: kernel.matmul ins(%{{.*}}, %{{.*}} : memref<2x40x70xf32>, memref<3x3x3x2x16x32xbf16>) layout <amx(3, -100, 97)> outs(%{{.*}} : memref<2x40x90xf32>) attributes {shared} {
func.func @tiles(%a: memref<2x40x70xf32>, %b: memref<3x3x3x2x16x32xbf16>, %c: memref<2x40x90xf32>) {
  kernel.matmul ins(%a, %b : memref<2x40x70xf32>, memref<3x3x3x2x16x32xbf16>) layout <amx(3, -100, 97)> outs(%c : memref<2x40x90xf32>) attributes {shared} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// The weights are tiles of bytes.
// CHECK-LABEL: func @byte_tiles
// CHECK: kernel.matmul ins(%{{.*}}, %{{.*}} : memref<40x70xi32>, memref<3x2x1x2x16x64xi8>) layout <amx> outs(%{{.*}} : memref<40x90xi32>) {
func.func @byte_tiles(%a: memref<40x70xi32>, %b: memref<3x2x1x2x16x64xi8>, %c: memref<40x90xi32>) {
  kernel.matmul ins(%a, %b : memref<40x70xi32>, memref<3x2x1x2x16x64xi8>) layout <amx> outs(%c : memref<40x90xi32>) {
  ^bb0(%sum: i32):
    kernel.yield %sum : i32
  }
  return
}

// Inner-product pairing joins the rows of all batches.
// CHECK-LABEL: func @pairing
// CHECK: kernel.matmul {{.*}} : memref<2x4x8xf32>, memref<1x10x32xf32>) layout <pairing> outs(%{{.*}} : memref<2x4x20xf32>) attributes {shared} {
func.func @pairing(%a: memref<2x4x8xf32>, %b: memref<1x10x32xf32>, %c: memref<2x4x20xf32>) {
  kernel.matmul ins(%a, %b : memref<2x4x8xf32>, memref<1x10x32xf32>) layout <pairing> outs(%c : memref<2x4x20xf32>) attributes {shared} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// Inner-product pairing multiplies windows, too.
// CHECK-LABEL: func @pairing_windows
// CHECK: kernel.convolution {{.*}} memref<1x38x32xf32>) layout <pairing(3, 3)>
func.func @pairing_windows(%x: memref<1x8x8x4xf32>, %w: memref<1x38x32xf32>, %y: memref<1x8x8x20xf32>) {
  kernel.convolution ins(%x, %w : memref<1x8x8x4xf32>, memref<1x38x32xf32>) layout <pairing(3, 3)> outs(%y : memref<1x8x8x20xf32>) attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 1, 1>, strides = array<i64: 1, 1>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// Panels for inner-product pairing have two trailer rows.
// CHECK-LABEL: func @pairing_panels
// CHECK: kernel.pack ins(%{{.*}} : memref<20x8xf32>) layout <pairing> outs(%{{.*}} : memref<1x10x32xf32>) {transpose_b}
func.func @pairing_panels(%b: memref<20x8xf32>, %p: memref<1x10x32xf32>) {
  kernel.pack ins(%b : memref<20x8xf32>) layout <pairing> outs(%p : memref<1x10x32xf32>) {transpose_b}
  return
}

// A kernel splits panels at run time, and a filter is split in tiles.
// CHECK-LABEL: func @split_at_run
// CHECK: kernel.matmul {{.*}} memref<3x70x32xf32>) layout <amx_panels(2, -100, 97)>
// CHECK: kernel.convolution {{.*}} memref<1x3x3x2x3x2x16x32xbf16>) layout <amx(3, -100, 97)>
func.func @split_at_run(%a: memref<40x70xf32>, %b: memref<3x70x32xf32>, %c: memref<40x90xf32>, %x: memref<1x8x8x40xf32>, %w: memref<1x3x3x2x3x2x16x32xbf16>, %y: memref<1x8x8x20xf32>) {
  kernel.matmul ins(%a, %b : memref<40x70xf32>, memref<3x70x32xf32>) layout <amx_panels(2, -100, 97)> outs(%c : memref<40x90xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  kernel.convolution ins(%x, %w : memref<1x8x8x40xf32>, memref<1x3x3x2x3x2x16x32xbf16>) layout <amx(3, -100, 97)> outs(%y : memref<1x8x8x20xf32>) attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 1, 1>, strides = array<i64: 1, 1>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// CHECK-LABEL: @corner
// CHECK: kernel.corner ins(%{{.*}} : memref<96xf32>) sizes(%{{.*}} : memref<i64>) along [1] order [0, 2, 1] outs(%{{.*}} : memref<2x6x8xf32>)
// CHECK: kernel.corner compacts ins(%{{.*}} : memref<2x6x8xf32>) sizes(%{{.*}} : memref<i64>) along [1] order [0, 1, 2] outs(%{{.*}} : memref<96xf32>)
func.func @corner(%x: memref<96xf32>, %n: memref<i64>, %y: memref<2x6x8xf32>) {
  kernel.corner ins(%x : memref<96xf32>) sizes(%n : memref<i64>) along [1] order [0, 2, 1] outs(%y : memref<2x6x8xf32>)
  kernel.corner compacts ins(%y : memref<2x6x8xf32>) sizes(%n : memref<i64>) along [1] order [0, 1, 2] outs(%x : memref<96xf32>)
  return
}

// -----

// CHECK-LABEL: @depth
// CHECK: kernel.matmul ins(%{{.*}}) depth(%{{.*}} : memref<i64>) outs(%{{.*}} : memref<4x16xf32>)
func.func @depth(%a: memref<4x64xf32>, %b: memref<64x16xf32>, %n: memref<i64>, %c: memref<4x16xf32>) {
  kernel.matmul ins(%a, %b : memref<4x64xf32>, memref<64x16xf32>) depth(%n : memref<i64>) outs(%c : memref<4x16xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
