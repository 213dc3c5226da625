// Direct and depthwise convolutions.

// RUN: weir-opt %s -split-input-file --weir-choose-schedules --weir-emit-kernels -canonicalize -cse | FileCheck %s

// The filters are contiguous. Each pixel of a tile is loaded once for all columns of
// the window, and columns outside of the image are left out. The loop over the window
// skips rows outside.
// CHECK-LABEL: func @window_dots
// CHECK: memref.collapse_shape %arg1 {{.*}} into memref<2x3x3x32xf32>
// CHECK: scf.for %[[Y:.*]] = %c0 to %c9
// CHECK: scf.for %[[K:.*]] = %{{.*}} to %{{.*}} step %c1
// CHECK-COUNT-14: vector.fma %{{.*}} : vector<16xf32>
// CHECK: vector.maskedstore
// CHECK-NOT: kernel
func.func @window_dots(%x: memref<1x9x3x32xf32>, %w: memref<2x3x3x32x1xf32>, %y: memref<1x9x3x2xf32>) {
  kernel.convolution ins(%x, %w : memref<1x9x3x32xf32>, memref<2x3x3x32x1xf32>) layout <k_major> outs(%y : memref<1x9x3x2xf32>) attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 1, 1>, strides = array<i64: 1, 1>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// A row of the window has more taps than a chain of additions. So each column of it is
// one chain, and the rows are added.
// CHECK-LABEL: func @long_rows
// CHECK-COUNT-170: vector.fma
// CHECK: arith.addf
// CHECK-NOT: kernel
func.func @long_rows(%x: memref<1x170x16xf32>, %w: memref<1x170x16x1xf32>, %y: memref<1x1x1xf32>) {
  kernel.convolution ins(%x, %w : memref<1x170x16xf32>, memref<1x170x16x1xf32>) layout <k_major> outs(%y : memref<1x1x1xf32>) attributes {dilations = array<i64: 1>, groups = 1 : i64, padding = array<i64: 0>, strides = array<i64: 1>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// Threads share the tiles of a row, of a direct convolution and of one with dot
// products. They also share the copy of the image.
// CHECK-LABEL: func @image_rows
// CHECK: kernel.parallel 16 {
// CHECK: kernel.parallel 286 {
// CHECK: kernel.parallel 500 {
module attributes {weir.slots = 2 : i64} {
  func.func @image_rows(%x: memref<1x4000x16xf32>, %w: memref<1x3x16x32xf32>, %y: memref<1x4000x32xf32>, %v: memref<2x3x16x1xf32>, %z: memref<1x4000x2xf32>) {
    kernel.convolution ins(%x, %w : memref<1x4000x16xf32>, memref<1x3x16x32xf32>) layout <panels(32)> outs(%y : memref<1x4000x32xf32>) attributes {dilations = array<i64: 1>, groups = 1 : i64, padding = array<i64: 1>, strides = array<i64: 1>} {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    kernel.convolution ins(%x, %v : memref<1x4000x16xf32>, memref<2x3x16x1xf32>) layout <k_major> outs(%z : memref<1x4000x2xf32>) attributes {dilations = array<i64: 1>, groups = 1 : i64, padding = array<i64: 1>, strides = array<i64: 1>} {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return
  }
}

// -----

// A padded image is copied with a border of zeros. A row of the window, three pixels of
// four channels, is contiguous.
// CHECK-LABEL: func @convolution
// CHECK: %[[COPY:.*]] = memref.alloc() {alignment = 64 : i64} : memref<10x10x4xf32>
// CHECK-DAG: memref.collapse_shape %[[COPY]] {{\[\[}}0], [1, 2]] : memref<10x10x4xf32> into memref<10x40xf32>
// CHECK-DAG: memref.collapse_shape %arg1 {{.*}} : memref<1x3x3x4x32xf32> into memref<1x3x12x32xf32>
// CHECK: scf.for %{{.*}} iter_args
// CHECK: scf.for %{{.*}} iter_args
// CHECK: vector.fma
// CHECK: %[[TILE:.*]] = memref.subview %arg2
// CHECK: vector.maskedstore %[[TILE]]
func.func @convolution(%x: memref<1x8x8x4xf32>, %w: memref<1x3x3x4x32xf32>, %y: memref<1x8x8x20xf32>) {
  kernel.convolution ins(%x, %w : memref<1x8x8x4xf32>, memref<1x3x3x4x32xf32>) layout <panels(32)> outs(%y : memref<1x8x8x20xf32>) attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 1, 1>, strides = array<i64: 1, 1>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// Taps that are outside for all results of a tile are left out. Here the dilations are
// as large as the image, so the first and the last row of the window are outside. The
// kernel reads x without a copy.
// CHECK-LABEL: func @convolution_all_outside
// CHECK-NOT: memref.alloc
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK: vector.fma
// CHECK: return
func.func @convolution_all_outside(%x: memref<1x8x8x40xf32>, %w: memref<1x3x3x40x32xf32>, %y: memref<1x8x8x20xf32>) {
  kernel.convolution ins(%x, %w : memref<1x8x8x40xf32>, memref<1x3x3x40x32xf32>) layout <panels(32)> outs(%y : memref<1x8x8x20xf32>) attributes {dilations = array<i64: 8, 8>, groups = 1 : i64, padding = array<i64: 8, 8>, strides = array<i64: 1, 1>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// Only some tiles have rows of the window outside of the image. The loop of each tile
// has its own bounds, and the copy has no rows above or below the image.
// CHECK-LABEL: func @convolution_some_outside
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<24x32x40xf32>
// CHECK: arith.minsi %{{.*}}, %c3
// CHECK: scf.for %{{.*}} = %{{[0-9]+}} to %{{[0-9]+}} step %c1 iter_args
func.func @convolution_some_outside(%x: memref<1x24x24x40xf32>, %w: memref<1x3x3x40x32xf32>, %y: memref<1x24x24x20xf32>) {
  kernel.convolution ins(%x, %w : memref<1x24x24x40xf32>, memref<1x3x3x40x32xf32>) layout <panels(32)> outs(%y : memref<1x24x24x20xf32>) attributes {dilations = array<i64: 4, 4>, groups = 1 : i64, padding = array<i64: 4, 4>, strides = array<i64: 1, 1>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// The windows are about as wide as the image. A row has three tiles of nine or ten
// results, and the outer tiles leave out a column of taps. Two tiles of fourteen
// results could leave out none.
// CHECK-LABEL: func @convolution_narrow_tiles
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<28x33x144xf32>
// CHECK: scf.for %{{.*}} = %c1 to %c3 step %c1 iter_args
// CHECK-COUNT-20: vector.fma
// CHECK: scf.for %{{.*}} = %c10 to %c28 step %c9 {
// CHECK: arith.minsi %{{.*}}, %c3
// CHECK-COUNT-18: vector.fma
func.func @convolution_narrow_tiles(%x: memref<1x28x28x128xf32>, %w: memref<1x3x3x128x32xf32>, %y: memref<1x28x28x32xf32>) {
  kernel.convolution ins(%x, %w : memref<1x28x28x128xf32>, memref<1x3x3x128x32xf32>) layout <panels(32)> outs(%y : memref<1x28x28x32xf32>) attributes {dilations = array<i64: 12, 12>, groups = 1 : i64, padding = array<i64: 12, 12>, strides = array<i64: 1, 1>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// A large image has few tiles with rows outside, so all tiles use a border.
// CHECK-LABEL: func @convolution_few_outside
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<66x66x40xf32>
// CHECK: scf.for %{{.*}} = %c0 to %c3 step %c1 iter_args
func.func @convolution_few_outside(%x: memref<1x64x64x40xf32>, %w: memref<1x3x3x40x32xf32>, %y: memref<1x64x64x20xf32>) {
  kernel.convolution ins(%x, %w : memref<1x64x64x40xf32>, memref<1x3x3x40x32xf32>) layout <panels(32)> outs(%y : memref<1x64x64x20xf32>) attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 1, 1>, strides = array<i64: 1, 1>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// The border of a depthwise convolution is not copied; instead the loop over the rows
// of the window has bounds.
// CHECK-LABEL: func @depthwise
// CHECK-NOT: memref.alloc
// CHECK: arith.maxsi
// CHECK: arith.minsi
// CHECK: scf.for
// CHECK: vector.fma
// CHECK: vector.maskedload
func.func @depthwise(%x: memref<1x8x8x20xf32>, %w: memref<3x3x20xf32>, %y: memref<1x8x8x20xf32>) {
  kernel.depthwise ins(%x, %w : memref<1x8x8x20xf32>, memref<3x3x20xf32>) outs(%y : memref<1x8x8x20xf32>) attributes {dilations = array<i64: 1, 1>, padding = array<i64: 1, 1>, strides = array<i64: 1, 1>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// A long direct sum has several parts: some channels of a row, or some rows.
// CHECK-LABEL: func @deep
// CHECK: memref.alloca() {{.*}} : memref<2x16xf32>
// CHECK: scf.for %{{.*}} = %c0 to %c3 step
// CHECK: vector.store
// CHECK: scf.for %{{.*}} = %c0 to %c144 step %c48
// CHECK: vector.store
// CHECK: scf.for %{{.*}} = %c144 to %c192 step
func.func @deep(%x: memref<1x3x3x64xf32>, %w: memref<1x3x3x64x32xf32>, %y: memref<1x1x1x32xf32>) {
  kernel.convolution ins(%x, %w : memref<1x3x3x64xf32>, memref<1x3x3x64x32xf32>) layout <panels(32)> outs(%y : memref<1x1x1x32xf32>) attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 0, 0>, strides = array<i64: 1, 1>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
// CHECK-LABEL: func @rows_of_window
// CHECK: memref.alloca() {{.*}} : memref<2x16xf32>
// CHECK: scf.for %{{.*}} = %c0 to %c2 step %c1
// CHECK: vector.store %{{.*}} : memref<2x16xf32>
// CHECK: scf.for %{{.*}} = %c2 to %c6 step %c2
func.func @rows_of_window(%x: memref<1x7x7x3xf32>, %w: memref<1x7x7x3x32xf32>, %y: memref<1x1x1x32xf32>) {
  kernel.convolution ins(%x, %w : memref<1x7x7x3xf32>, memref<1x7x7x3x32xf32>) layout <panels(32)> outs(%y : memref<1x1x1x32xf32>) attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 0, 0>, strides = array<i64: 1, 1>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// With two multiply-adds a cycle, a tile has six pixels of two panels.
// CHECK-LABEL: func @two_panels
// CHECK: vector.load %[[W:.*]][%c0, %{{.*}}, %{{.*}}, %c0] : memref<2x3x12x32xf32>
// CHECK: vector.load %[[W]][%c0, %{{.*}}, %{{.*}}, %c16]
// CHECK: vector.load %[[W]][%c1, %{{.*}}, %{{.*}}, %c0]
// CHECK: vector.load %[[W]][%c1, %{{.*}}, %{{.*}}, %c16]
// CHECK-COUNT-24: vector.fma
// CHECK-NEXT: scf.yield
module attributes {weir.target = #weir.target<fma_rate = 2>} {
  func.func @two_panels(%x: memref<1x26x26x4xf32>, %w: memref<2x3x3x4x32xf32>, %y: memref<1x24x24x64xf32>) {
    kernel.convolution ins(%x, %w : memref<1x26x26x4xf32>, memref<2x3x3x4x32xf32>) layout <panels(32)> outs(%y : memref<1x24x24x64xf32>) attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 0, 0>, strides = array<i64: 1, 1>} {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return
  }
}

// -----

// Threads copy the image row by row, with its border, and then share its tiles.
// CHECK-LABEL: func @image
// CHECK: memref.alloc
// CHECK: kernel.parallel 58 {
// CHECK: kernel.parallel 56 {
// CHECK: vector.fma
func.func @image(%x: memref<1x56x56x64xf32>, %w: memref<2x3x3x64x32xf32>, %y: memref<1x56x56x64xf32>) {
  kernel.convolution ins(%x, %w : memref<1x56x56x64xf32>, memref<2x3x3x64x32xf32>) layout <panels(32)> outs(%y : memref<1x56x56x64xf32>) attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 1, 1>, strides = array<i64: 1, 1>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// The groups have four channels. Each channel of a pixel is copied to the lanes of its
// group, once for all results with this pixel in their window.
// CHECK-LABEL: func @small_groups
// CHECK: %[[PIXEL:.*]] = vector.load %arg0[{{.*}}, vector<16xf32>
// CHECK: vector.shuffle %[[PIXEL]], %[[PIXEL]] [0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12]
// CHECK: vector.shuffle %[[PIXEL]], %[[PIXEL]] [1, 1, 1, 1, 5, 5, 5, 5, 9, 9, 9, 9, 13, 13, 13, 13]
// CHECK-COUNT-10: vector.shuffle
// CHECK-NOT: vector.shuffle
// CHECK: return
func.func @small_groups(%x: memref<1x3x16xf32>, %w: memref<2x4x16xf32>, %y: memref<1x2x16xf32>) {
  kernel.depthwise ins(%x, %w : memref<1x3x16xf32>, memref<2x4x16xf32>) outs(%y : memref<1x2x16xf32>) attributes {dilations = array<i64: 1>, padding = array<i64: 0>, strides = array<i64: 1>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// A filter that L2 does not hold is prefetched one panel ahead, and a small one is not.
// CHECK-LABEL: func @fetched_ahead
// CHECK: memref.prefetch %{{.*}} : memref<16x147456xf32>
func.func @fetched_ahead(%x: memref<1x9x9x512xf32>, %w: memref<16x3x3x512x32xf32>, %y: memref<1x7x7x512xf32>) {
  kernel.convolution ins(%x, %w : memref<1x9x9x512xf32>, memref<16x3x3x512x32xf32>) layout <panels(32)> outs(%y : memref<1x7x7x512xf32>) attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 0, 0>, strides = array<i64: 1, 1>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// A panel that L2 does not hold would be evicted before its use.
// CHECK-LABEL: func @large_panels
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @large_panels(%x: memref<1x9x9x2048xf32>, %w: memref<4x3x3x2048x32xf32>, %y: memref<1x7x7x128xf32>) {
  kernel.convolution ins(%x, %w : memref<1x9x9x2048xf32>, memref<4x3x3x2048x32xf32>) layout <panels(32)> outs(%y : memref<1x7x7x128xf32>) attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 0, 0>, strides = array<i64: 1, 1>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// CHECK-LABEL: func @not_fetched
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @not_fetched(%x: memref<1x9x9x32xf32>, %w: memref<1x3x3x32x32xf32>, %y: memref<1x7x7x32xf32>) {
  kernel.convolution ins(%x, %w : memref<1x9x9x32xf32>, memref<1x3x3x32x32xf32>) layout <panels(32)> outs(%y : memref<1x7x7x32xf32>) attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 0, 0>, strides = array<i64: 1, 1>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
