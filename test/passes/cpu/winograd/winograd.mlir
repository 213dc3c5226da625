// Winograd convolutions.

// RUN: weir-opt %s -split-input-file --weir-choose-schedules --weir-emit-kernels -canonicalize -cse | FileCheck %s

// Input tiles are transformed to rows of 16 matrices. Pixels outside of the image are a
// row of zeros. A panel has 16 products, and a tile has 2 x 2 results, or fewer at the
// end of the image. Threads share even the few input tiles, because L2 holds the
// filter.
// CHECK-LABEL: func @winograd
// CHECK: kernel.parallel 2 {
// CHECK: memref.alloc() {{.*}} : memref<16x13x48xf32>
// CHECK: scf.if
// CHECK: vector.load %{{.*}} : memref<1x9x9x32xf32>
// CHECK: vector.store %{{.*}} : memref<16x13x48xf32>
// CHECK: else
// CHECK-COUNT-16: arith.select {{.*}} : memref<32xf32, strided<[1], offset: ?>>
// CHECK: vector.fma
// CHECK: %[[SUMS:.*]] = memref.subview {{.*}} : memref<16x13x32xf32>
// CHECK: vector.store %{{.*}}, %[[SUMS]]
// CHECK-NOT: kernel.parallel
// CHECK: scf.if
// CHECK: %[[INPUT_TILE:.*]] = memref.subview {{.*}} : memref<1x9x9x40xf32>
// CHECK: vector.store %{{.*}}, %[[INPUT_TILE]]
// CHECK: else
func.func @winograd(%x: memref<1x9x9x32xf32>, %w: memref<2x16x32x32xf32>, %y: memref<1x9x9x40xf32>) {
  kernel.winograd ins(%x, %w : memref<1x9x9x32xf32>, memref<2x16x32x32xf32>) layout <winograd(32, 2, 2, 1, 1)> outs(%y : memref<1x9x9x40xf32>) attributes {padding = array<i64: 1, 1>, strides = array<i64: 1, 1>, windows = array<i64: 3, 3>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// With a dilation of two, the results and the pixels of a tile are two apart, so a tile
// is a strided view. Nine results are phases of five and four. Tiles have two results,
// and the last tile of a phase has one or none.
// CHECK-LABEL: func @winograd_dilated
// CHECK: memref.alloc() {{.*}} : memref<16x{{[0-9]+}}x48xf32>
// CHECK: memref.subview %arg2{{.*}} [1, 1, 2, 16] [1, 1, 2, 1] : memref<1x9x9x40xf32>
// CHECK: memref.subview %arg2{{.*}} [1, 1, 1, 16] [1, 1, 2, 1] : memref<1x9x9x40xf32>
func.func @winograd_dilated(%x: memref<1x9x9x32xf32>, %w: memref<2x16x32x32xf32>, %y: memref<1x9x9x40xf32>) {
  kernel.winograd ins(%x, %w : memref<1x9x9x32xf32>, memref<2x16x32x32xf32>) layout <winograd(32, 2, 2, 1, 1)> outs(%y : memref<1x9x9x40xf32>) attributes {dilations = array<i64: 2, 2>, padding = array<i64: 2, 2>, strides = array<i64: 1, 1>, windows = array<i64: 3, 3>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// Three channels are loaded with a mask and stored as a vector of four. With 20
// channels, the last four are stored before the first 16, which overwrite the excess.
// CHECK-LABEL: func @winograd_narrow
// CHECK: vector.maskedload {{.*}} into vector<4xf32>
// CHECK-NOT: vector.maskedstore
// CHECK: vector.store %{{.*}} : memref<9x{{.*}}>, vector<4xf32>
// CHECK: vector.fma
// CHECK-LABEL: func @winograd_rest
// CHECK: scf.if
// CHECK: vector.load %{{.*}}, %c16{{.*}} : memref<1x9x9x20xf32>, vector<4xf32>
// CHECK: vector.store %{{.*}} : memref<16x{{.*}}>, vector<4xf32>
// CHECK: vector.load %{{.*}} : memref<1x9x9x20xf32>, vector<16xf32>
// CHECK: vector.store %{{.*}} : memref<16x{{.*}}>, vector<16xf32>
// CHECK: else
func.func @winograd_narrow(%x: memref<1x32x32x3xf32>, %w: memref<2x100x3x32xf32>, %y: memref<1x16x16x40xf32>) {
  kernel.winograd ins(%x, %w : memref<1x32x32x3xf32>, memref<2x100x3x32xf32>) layout <winograd(32, 2, 2, 2, 2)> outs(%y : memref<1x16x16x40xf32>) attributes {padding = array<i64: 2, 2>, strides = array<i64: 2, 2>, windows = array<i64: 7, 7>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
func.func @winograd_rest(%x: memref<1x9x9x20xf32>, %w: memref<2x16x20x32xf32>, %y: memref<1x9x9x40xf32>) {
  kernel.winograd ins(%x, %w : memref<1x9x9x20xf32>, memref<2x16x20x32xf32>) layout <winograd(32, 2, 2, 1, 1)> outs(%y : memref<1x9x9x40xf32>) attributes {padding = array<i64: 1, 1>, strides = array<i64: 1, 1>, windows = array<i64: 3, 3>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// The kernel does not confuse a pixel of one channel with a column of one element.
// CHECK-LABEL: func @winograd_of_one
// CHECK: memref.cast %{{.*}} : memref<1xf32> to memref<1xf32, strided<[1], offset: ?>>
func.func @winograd_of_one(%x: memref<1x20x20x1xf32>, %w: memref<1x100x1x16xf32>, %y: memref<1x20x20x16xf32>) {
  kernel.winograd ins(%x, %w : memref<1x20x20x1xf32>, memref<1x100x1x16xf32>) layout <winograd(16, 2, 2, 1, 1)> outs(%y : memref<1x20x20x16xf32>) attributes {padding = array<i64: 3, 3>, strides = array<i64: 1, 1>, windows = array<i64: 7, 7>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// CHECK-LABEL: func @transform_filter
// CHECK-COUNT-3: vector.maskedload
// CHECK: vector.store
// CHECK: arith.mulf
// CHECK: vector.store
func.func @transform_filter(%w: memref<3x3x4x7xf32>, %e: memref<1x16x4x16xf32>) {
  kernel.transform_filter ins(%w : memref<3x3x4x7xf32>) layout <winograd(16, 2, 2, 1, 1)> outs(%e : memref<1x16x4x16xf32>)
  return
}

// -----

// A window of 5 x 5 is one part of 3 and one of 2 taps along each axis. So 2 x 2
// results need 49 products, which form 16 sums. Nine sums have four products, six have
// two, and one has one.
// CHECK-LABEL: func @split
// CHECK: memref.alloc() {{.*}} : memref<9x1x80xf32>
// CHECK: memref.alloc() {{.*}} : memref<6x1x48xf32>
// CHECK: memref.alloc() {{.*}} : memref<1x1x32xf32>
// CHECK: memref.alloc() {{.*}} : memref<16x1x16xf32>
// CHECK: memref.subview %{{.*}}[0, 0] [576, 16] [1, 1]
// CHECK: memref.subview %{{.*}}[576, 0] [192, 16] [1, 1]
// CHECK: memref.subview %{{.*}}[768, 0] [16, 16] [1, 1]
func.func @split(%x: memref<1x6x6x16xf32>, %w: memref<1x49x16x16xf32>, %y: memref<1x2x2x16xf32>) {
  kernel.winograd ins(%x, %w : memref<1x6x6x16xf32>, memref<1x49x16x16xf32>) layout <winograd(16, 2, 2, 1, 1)> outs(%y : memref<1x2x2x16xf32>) attributes {padding = array<i64: 0, 0>, strides = array<i64: 1, 1>, windows = array<i64: 5, 5>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// With more panels than blocks of a few input tiles, threads share the input tiles and then
// the panels.
// CHECK-LABEL: func @winograd_panels
// CHECK: kernel.parallel 25 {
// CHECK: kernel.parallel 8 {
func.func @winograd_panels(%x: memref<1x9x9x32xf32>, %w: memref<8x16x32x32xf32>, %y: memref<1x9x9x256xf32>) {
  kernel.winograd ins(%x, %w : memref<1x9x9x32xf32>, memref<8x16x32x32xf32>) layout <winograd(32, 2, 2, 1, 1)> outs(%y : memref<1x9x9x256xf32>) attributes {padding = array<i64: 1, 1>, strides = array<i64: 1, 1>, windows = array<i64: 3, 3>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// Threads share blocks, or the input tiles of one block and then its panels.
// CHECK-LABEL: func @winograd_shared
// CHECK: memref.alloc() {{.*}} : memref<16x49x272xf32>
// CHECK: kernel.parallel 49 {
// CHECK: kernel.parallel 8 {
// CHECK-NOT: memref<16x49x272xf32>
// CHECK: memref.alloc() {{.*}} : memref<16x49x32xf32>
// CHECK: kernel.parallel 13 {
// CHECK: memref.alloc() {{.*}} : memref<16x61x80xf32>
// CHECK: memref.alloc() {{.*}} : memref<16x61x32xf32>
func.func @winograd_shared(%x: memref<1x14x14x256xf32>, %w: memref<8x16x256x32xf32>, %y: memref<1x14x14x256xf32>, %x2: memref<1x56x56x64xf32>, %w2: memref<2x16x64x32xf32>, %y2: memref<1x56x56x64xf32>) {
  kernel.winograd ins(%x, %w : memref<1x14x14x256xf32>, memref<8x16x256x32xf32>) layout <winograd(32, 2, 2, 1, 1)> outs(%y : memref<1x14x14x256xf32>) attributes {padding = array<i64: 1, 1>, strides = array<i64: 1, 1>, windows = array<i64: 3, 3>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  kernel.winograd ins(%x2, %w2 : memref<1x56x56x64xf32>, memref<2x16x64x32xf32>) layout <winograd(32, 2, 2, 1, 1)> outs(%y2 : memref<1x56x56x64xf32>) attributes {padding = array<i64: 1, 1>, strides = array<i64: 1, 1>, windows = array<i64: 3, 3>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// A filter that is not constant is transformed one panel at a time if each panel is
// used once. Otherwise it is transformed as a whole, before.
// CHECK-LABEL: func @winograd_of_filter
// CHECK-NOT: memref<8x16x256x32xf32>
// CHECK: kernel.parallel 49 {
// CHECK: kernel.parallel 8 {
// CHECK: %[[PANEL:.*]] = memref.alloc() {{.*}} : memref<1x16x256x32xf32>
// CHECK: vector.load %arg1[%c0{{.*}}] : memref<3x3x256x256xf32>
// CHECK: vector.store %{{.*}}, %[[PANEL]]
// CHECK: vector.fma
// CHECK-LABEL: func @winograd_of_blocks
// CHECK: %[[ALL:.*]] = memref.alloc() {{.*}} : memref<2x16x64x32xf32>
// CHECK: kernel.parallel 64 {
// CHECK: vector.store %{{.*}}, %[[ALL]]
// CHECK: kernel.parallel 13 {
func.func @winograd_of_filter(%x: memref<1x14x14x256xf32>, %f: memref<3x3x256x256xf32>, %y: memref<1x14x14x256xf32>) {
  %w = memref.alloc() {alignment = 64 : i64} : memref<8x16x256x32xf32>
  kernel.transform_filter ins(%f : memref<3x3x256x256xf32>) layout <winograd(32, 2, 2, 1, 1)> outs(%w : memref<8x16x256x32xf32>)
  kernel.winograd ins(%x, %w : memref<1x14x14x256xf32>, memref<8x16x256x32xf32>) layout <winograd(32, 2, 2, 1, 1)> outs(%y : memref<1x14x14x256xf32>) attributes {padding = array<i64: 1, 1>, strides = array<i64: 1, 1>, windows = array<i64: 3, 3>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
func.func @winograd_of_blocks(%x: memref<1x56x56x64xf32>, %f: memref<3x3x64x64xf32>, %y: memref<1x56x56x64xf32>) {
  %w = memref.alloc() {alignment = 64 : i64} : memref<2x16x64x32xf32>
  kernel.transform_filter ins(%f : memref<3x3x64x64xf32>) layout <winograd(32, 2, 2, 1, 1)> outs(%w : memref<2x16x64x32xf32>)
  kernel.winograd ins(%x, %w : memref<1x56x56x64xf32>, memref<2x16x64x32xf32>) layout <winograd(32, 2, 2, 1, 1)> outs(%y : memref<1x56x56x64xf32>) attributes {padding = array<i64: 1, 1>, strides = array<i64: 1, 1>, windows = array<i64: 3, 3>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// An image with few channels prefetches nine rows of later input tiles.
// CHECK-LABEL: func @fetch_rows_of_image
// CHECK-COUNT-9: memref.prefetch %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}], read, locality<3>
// CHECK-NOT: locality<3>
// CHECK-NOT: kernel
func.func @fetch_rows_of_image(%x: memref<1x224x224x3xf32>, %w: memref<1x100x3x32xf32>, %y: memref<1x112x112x32xf32>) {
  kernel.winograd ins(%x, %w : memref<1x224x224x3xf32>, memref<1x100x3x32xf32>) layout <winograd(32, 2, 2, 2, 2)> outs(%y : memref<1x112x112x32xf32>) attributes {dilations = array<i64: 1, 1>, padding = array<i64: 3, 3>, strides = array<i64: 2, 2>, windows = array<i64: 7, 7>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// The width of the images is dynamic, and it determines the number of input tiles.
// Blocks that begin beyond them do nothing.
// CHECK-LABEL: func @winograd_dynamic
// CHECK: kernel.parallel
// CHECK: %[[SIZE:.*]] = memref.load %arg2[] : memref<i64>
// CHECK: %[[INDEX:.*]] = arith.index_cast %[[SIZE]]
// CHECK: %[[WIDTH:.*]] = arith.minsi %[[INDEX]]
// CHECK: %[[MORE:.*]] = arith.addi %[[WIDTH]]
// CHECK: %[[ACROSS:.*]] = arith.divui %[[MORE]]
// CHECK: %[[INPUT_TILES:.*]] = arith.muli %[[ACROSS]]
// CHECK: arith.cmpi slt, %{{.*}}, %[[INPUT_TILES]]
// CHECK: arith.divui %{{.*}}, %[[ACROSS]]
func.func @winograd_dynamic(%x: memref<1x9x64x32xf32>, %w: memref<2x16x32x32xf32>, %n: memref<i64>, %y: memref<1x9x64x40xf32>) attributes {weir.kernel, weir.inputs = 3 : i64, weir.sizes = [[array<i64: 1, -1>, array<i64: 9, -1>, array<i64: 64, 2>, array<i64: 40, -1>]]} {
  kernel.winograd ins(%x, %w : memref<1x9x64x32xf32>, memref<2x16x32x32xf32>) layout <winograd(32, 2, 2, 1, 1)> outs(%y : memref<1x9x64x40xf32>) attributes {padding = array<i64: 1, 1>, strides = array<i64: 1, 1>, windows = array<i64: 3, 3>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
