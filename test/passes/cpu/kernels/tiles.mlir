// Matrix products by AMX tiles, and by dot-product instructions with inner-product
// pairing of bf16.

// RUN: weir-opt %s -split-input-file --weir-choose-schedules --weir-emit-kernels -canonicalize -cse | FileCheck %s

// Weights are in the AMX tile layout. The kernel splits a block of rows into bf16 terms
// and compares its magnitudes with the safe exponent range. Each step has six tile
// products, or else vector registers compute the sums; the epilogue follows.
// CHECK-LABEL: func @tiles
// CHECK: llvm.call_intrinsic "llvm.x86.ldtilecfg"
// CHECK: arith.minui
// CHECK: arith.maxui
// CHECK-COUNT-3: vector.shuffle {{.*}} : vector<32xi16>, vector<32xi16>
// CHECK: vector.reduction <minui>
// CHECK: scf.if
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.x86.tilezero"
// CHECK-COUNT-24: llvm.call_intrinsic "llvm.x86.tdpbf16ps"
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.x86.tilestored64"
// CHECK: } else {
// CHECK: arith.shli
// CHECK: vector.fma
// CHECK: arith.maximumf %{{.*}} : vector<16xf32>
// CHECK: llvm.call_intrinsic "llvm.x86.tilerelease"
// CHECK-NOT: kernel
module attributes {weir.target = #weir.target<features = "+amx-tile,+amx-bf16,+avx512f">} {
func.func @tiles(%a: memref<64x64xf32>, %b: memref<2x2x3x2x16x32xbf16>, %c: memref<64x64xf32>) {
  kernel.matmul ins(%a, %b : memref<64x64xf32>, memref<2x2x3x2x16x32xbf16>) layout <amx(3, -100, 97)> outs(%c : memref<64x64xf32>) {
  ^bb0(%sum: f32):
    %zero = arith.constant 0.0 : f32
    %r = arith.maximumf %sum, %zero : f32
    kernel.yield %r : f32
  }
  return
}
}

// -----

// Two consecutive tile products share one operand, so twelve products load eight tiles.
// The kernel loads a tile as soon as its register is free. Meanwhile it prefetches the
// next panel to L2, or the first panel after the last one. Each of the two tiles of a
// block fetches half of it.
// CHECK-LABEL: func @two_terms
// CHECK: %[[LAST:.*]] = arith.cmpi eq, %[[AFTER:.*]], %c2{{.*}} : index
// CHECK: %[[NEXT:.*]] = arith.select %[[LAST]], %c0{{.*}}, %[[AFTER]] : index
// CHECK-COUNT-4: "llvm.x86.tileloadd64"
// CHECK: "llvm.x86.tdpbf16ps"
// CHECK: memref.prefetch %{{.*}}[%[[NEXT]], %{{.*}}], read, locality<2>, data : memref<2x4096xbf16>
// CHECK: "llvm.x86.tdpbf16ps"
// CHECK: "llvm.x86.tileloadd64"
// CHECK-COUNT-2: "llvm.x86.tdpbf16ps"
// CHECK: "llvm.x86.tileloadd64"
// CHECK-COUNT-2: "llvm.x86.tdpbf16ps"
// CHECK: "llvm.x86.tileloadd64"
// CHECK-COUNT-2: "llvm.x86.tdpbf16ps"
// CHECK: "llvm.x86.tileloadd64"
// CHECK-COUNT-4: "llvm.x86.tdpbf16ps"
// CHECK-NOT: "llvm.x86.tileloadd64"
// CHECK: return
module attributes {weir.target = #weir.target<features = "+amx-tile,+amx-bf16,+avx512f">} {
func.func @two_terms(%a: memref<64x64xf32>, %b: memref<2x2x2x2x16x32xbf16>, %c: memref<64x64xf32>) {
  kernel.matmul ins(%a, %b : memref<64x64xf32>, memref<2x2x2x2x16x32xbf16>) layout <amx(2, -100, 97)> outs(%c : memref<64x64xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

// The joined rows of a batch are split into as many bf16 terms as the products of the
// batch need.
// CHECK-LABEL: func @two_terms_of_a_batch
// CHECK-COUNT-12: "llvm.x86.tdpbf16ps"
// CHECK-NOT: "llvm.x86.tdpbf16ps"
// CHECK: return
module attributes {weir.target = #weir.target<features = "+amx-tile,+amx-bf16,+avx512f">} {
func.func @two_terms_of_a_batch(%a: memref<2x32x64xf32>, %b: memref<1x2x2x2x16x32xbf16>, %c: memref<2x32x32xf32>) {
  kernel.matmul ins(%a, %b : memref<2x32x64xf32>, memref<1x2x2x2x16x32xbf16>) layout <amx(2, -100, 97)> outs(%c : memref<2x32x32xf32>) attributes {shared} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

// Half of L2 does not hold the split rows, so they are slabs, the same number for each
// of two threads. Blocks have nearly equal sizes: ten blocks of two times fifteen rows,
// and the tile configuration has this size.
// CHECK-LABEL: func @slabs
// CHECK: dense<[1, 0, 0, 0, 4194368, 4194368, 4194368, 4194368, 0, 0, 0, 0, 252645135, 269487887, 0, 0]>
// CHECK: kernel.parallel 4 coarse
// CHECK: memref.alloc() {{.*}} : memref<3x32x3x2x15x32xbf16>
// CHECK: "llvm.x86.tdpbf16ps"
// CHECK-NOT: kernel.parallel
// CHECK: return
module attributes {weir.slots = 2, weir.target = #weir.target<features = "+amx-tile,+amx-bf16,+avx512f", l2 = 2097152>} {
func.func @slabs(%a: memref<300x1024xf32>, %b: memref<32x32x3x2x16x32xbf16>, %c: memref<300x1024xf32>) {
  kernel.matmul ins(%a, %b : memref<300x1024xf32>, memref<32x32x3x2x16x32xbf16>) layout <amx(3, -100, 97)> outs(%c : memref<300x1024xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

// One slab has all rows. Threads share the panels, which L2 does not hold, and each
// thread has all split rows.
// CHECK-LABEL: func @panels_of_few_rows
// CHECK: kernel.parallel 64 coarse {
// CHECK-NEXT: ^bb0(%[[FIRST:.*]]: index, %[[END:.*]]: index,
// CHECK: memref.alloc() {{.*}} : memref<2x16x3x2x13x32xbf16>
// CHECK: scf.for %{{.*}} = %[[FIRST]] to %[[END]]
// CHECK: "llvm.x86.tdpbf16ps"
// CHECK-NOT: kernel.parallel
// CHECK: return
module attributes {weir.slots = 2, weir.target = #weir.target<features = "+amx-tile,+amx-bf16,+avx512f", l2 = 2097152>} {
func.func @panels_of_few_rows(%a: memref<49x512xf32>, %b: memref<64x16x3x2x16x32xbf16>, %c: memref<49x2048xf32>) {
  kernel.matmul ins(%a, %b : memref<49x512xf32>, memref<64x16x3x2x16x32xbf16>) layout <amx(3, -100, 97)> outs(%c : memref<49x2048xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

// The epilogue of a block runs during the next block: each step has some of its rows,
// between the products. The rows of the last block follow at the end. Meanwhile the
// block's own results are prefetched to L1.
// CHECK-LABEL: func @epilogue_meanwhile
// CHECK: memref.alloc() {{.*}} : memref<2x1x32x32xf32>
// CHECK: "llvm.x86.tdpbf16ps"
// CHECK: arith.maximumf
// CHECK: memref.prefetch %{{.*}}, write, locality<3>
// CHECK: "llvm.x86.tdpbf16ps"
// CHECK: "llvm.x86.tilestored64"
// CHECK: arith.maximumf
// CHECK: "llvm.x86.tilerelease"
module attributes {weir.target = #weir.target<features = "+amx-tile,+amx-bf16,+avx512f", l2 = 2097152>} {
func.func @epilogue_meanwhile(%a: memref<1x8x16x64xf32>, %b: memref<2x2x3x2x16x32xbf16>, %c: memref<1x8x16x64xf32>) {
  kernel.matmul ins(%a, %b : memref<1x8x16x64xf32>, memref<2x2x3x2x16x32xbf16>) layout <amx(3, -100, 97)> outs(%c : memref<1x8x16x64xf32>) attributes {shared} {
  ^bb0(%sum: f32):
    %zero = arith.constant 0.0 : f32
    %r = arith.maximumf %sum, %zero : f32
    kernel.yield %r : f32
  }
  return
}
}

// -----

// One thread splits a slab before its products, and then continues with the next slab.
// CHECK-LABEL: func @slab_by_slab
// CHECK: kernel.parallel 3 coarse
// CHECK: scf.for
// CHECK: scf.for
// CHECK: vector.shuffle
// CHECK: "llvm.x86.tdpbf16ps"
// CHECK-NOT: kernel.parallel
// CHECK: return
module attributes {weir.target = #weir.target<features = "+amx-tile,+amx-bf16,+avx512f", l2 = 2097152>} {
func.func @slab_by_slab(%a: memref<300x1024xf32>, %b: memref<32x32x3x2x16x32xbf16>, %c: memref<300x1024xf32>) {
  kernel.matmul ins(%a, %b : memref<300x1024xf32>, memref<32x32x3x2x16x32xbf16>) layout <amx(3, -100, 97)> outs(%c : memref<300x1024xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

// Dot-product instructions multiply bytes. The kernel finds the range of a block and
// subtracts the least element. The sums begin with the correction term of the column.
// CHECK-LABEL: func @dots
// CHECK: arith.minsi
// CHECK: arith.maxsi
// CHECK: %[[LEAST:.*]] = vector.reduction <minsi>
// CHECK: arith.cmpi ule, %{{.*}}, %c255
// CHECK: %[[LOW:.*]] = vector.broadcast %[[LEAST]] : i32 to vector<16xi32>
// CHECK: arith.subi %{{.*}}, %[[LOW]]
// CHECK: arith.trunci {{.*}} to vector<16xi8>
// CHECK-COUNT-16: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"
// CHECK: arith.muli
// CHECK-COUNT-88: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"
// CHECK: } else {
// CHECK: arith.muli
// CHECK: arith.maxsi %{{.*}} : vector<16xi32>
// CHECK-NOT: kernel
module attributes {weir.target = #weir.target<features = "+avx512f,+avx512vnni">} {
func.func @dots(%a: memref<64x64xi32>, %b: memref<2x1x1x2x16x64xi8>, %c: memref<64x64xi32>) {
  kernel.matmul ins(%a, %b : memref<64x64xi32>, memref<2x1x1x2x16x64xi8>) layout <amx> outs(%c : memref<64x64xi32>) {
  ^bb0(%sum: i32):
    %zero = arith.constant 0 : i32
    %r = arith.maxsi %sum, %zero : i32
    kernel.yield %r : i32
  }
  return
}
}

// -----

// Dot-product instructions multiply pairs of bf16. Rows are copied to find their range,
// and blocks with elements outside of it use f32. The weights are prefetched meanwhile,
// once for all rows of a block.
// CHECK-LABEL: func @bf16_dots
// CHECK-NOT: vector.reduction <minsi>
// CHECK: vector.store %{{.*}}, %[[SPLIT:.*]][{{.*}} : memref<2x2x1x2x16x32xbf16>, vector<16xbf16>
// CHECK: vector.store %{{.*}}, %[[SPLIT]][{{.*}}, vector<16xbf16>
// CHECK: memref.prefetch
// CHECK: memref.prefetch
// CHECK: vector.load %[[SPLIT]][{{.*}}, vector<2xbf16>
// CHECK-NOT: memref.prefetch
// CHECK-COUNT-24: llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"{{.*}} -> vector<16xf32>
// CHECK: } else {
// CHECK: vector.fma
module attributes {weir.target = #weir.target<features = "+avx512f,+avx512bf16">} {
func.func @bf16_dots(%a: memref<64x64xbf16>, %b: memref<2x2x1x2x16x32xbf16>, %c: memref<64x64xf32>) {
  kernel.matmul ins(%a, %b : memref<64x64xbf16>, memref<2x2x1x2x16x32xbf16>) layout <amx(1, -100, 97)> outs(%c : memref<64x64xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

// One row has four sets of sums, and the kernel reads each half of the columns in
// memory order.
// CHECK-LABEL: func @bf16_dots_of_a_row
// CHECK-NOT: memref.prefetch
// CHECK: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK: scf.for %{{.*}} = %c0 to %c16 step %c4
// CHECK-COUNT-4: dpbf16ps.512
// CHECK: scf.for %{{.*}} = %c0 to %c16 step %c4
// CHECK-COUNT-4: dpbf16ps.512
// CHECK-COUNT-3: arith.addf %{{.*}} : vector<16xf32>
// CHECK: vector.store
module attributes {weir.target = #weir.target<features = "+avx512f,+avx512bf16">} {
func.func @bf16_dots_of_a_row(%a: memref<1x64xbf16>, %b: memref<2x2x1x2x16x32xbf16>, %c: memref<1x64xf32>) {
  kernel.matmul ins(%a, %b : memref<1x64xbf16>, memref<2x2x1x2x16x32xbf16>) layout <amx(1, -100, 97)> outs(%c : memref<1x64xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

// The image is split into bf16 terms with a border of zeros: 16 lines of 16 positions,
// and one more position and block. A tile has 14 results of a line and may read from
// any position. The depth of 18 steps is one chain.
// CHECK-LABEL: func @tile_convolution
// CHECK: dense<[1, 0, 0, 0, 4194368, 4194368, 4194368, 4194368, 0, 0, 0, 0, 235802126, 269487630, 0, 0]>
// CHECK: memref.alloc() {{.*}} : memref<2x3x1x300x32xbf16>
// CHECK: vector.reduction <minui>
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c18
// CHECK-COUNT-24: "llvm.x86.tdpbf16ps"
// CHECK: "llvm.x86.tilestored64"
// CHECK: vector.fma
// CHECK-NOT: kernel
module attributes {weir.target = #weir.target<features = "+amx-tile,+amx-bf16,+avx512f", l2 = 2097152>} {
func.func @tile_convolution(%x: memref<1x14x14x64xf32>, %w: memref<2x3x3x2x3x2x16x32xbf16>, %y: memref<1x14x14x64xf32>) {
  kernel.convolution ins(%x, %w : memref<1x14x14x64xf32>, memref<2x3x3x2x3x2x16x32xbf16>) layout <amx(3, -100, 97)> outs(%y : memref<1x14x14x64xf32>) attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 1, 1>, strides = array<i64: 1, 1>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

// With a stride of two, the pixels are four images, one per phase. Each has 8 lines of
// 8 positions. Tiles have positions of all lines, with their borders.
// CHECK-LABEL: func @tile_convolution_strides
// CHECK: memref.alloc() {{.*}} : memref<2x3x4x100x32xbf16>
// CHECK: "llvm.x86.tdpbf16ps"
// CHECK: arith.cmpi ult
// CHECK-NOT: kernel
module attributes {weir.target = #weir.target<features = "+amx-tile,+amx-bf16,+avx512f", l2 = 2097152>} {
func.func @tile_convolution_strides(%x: memref<1x14x14x64xf32>, %w: memref<2x3x3x64x32xf32>, %y: memref<1x7x7x64xf32>) {
  kernel.convolution ins(%x, %w : memref<1x14x14x64xf32>, memref<2x3x3x64x32xf32>) layout <amx_panels(3, -100, 97)> outs(%y : memref<1x7x7x64xf32>) attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 0, 0>, strides = array<i64: 2, 2>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

// Each panel of f32 is split while the kernel uses the one before it; the first one is
// split before. The upper halves of two rows become one row of a tile. The remainders
// become the next terms. Later rows are prefetched meanwhile.
// CHECK-LABEL: func @apart_in_use
// CHECK: memref.alloc() {{.*}} : memref<2x24x3x2x16x32xbf16>
// CHECK: scf.for
// CHECK-COUNT-3: "llvm.x86.avx512.pternlog.d.512"
// CHECK: "llvm.x86.tilezero"
// CHECK: "llvm.x86.tdpbf16ps"
// CHECK: memref.prefetch %{{.*}}, read, locality<2>, data : memref<24x768x32xf32>
// CHECK: arith.shrui
// CHECK: "llvm.x86.avx512.pternlog.d.512"
// CHECK: "llvm.x86.tdpbf16ps"
// CHECK: "llvm.x86.tilestored64"
// CHECK: return
module attributes {weir.target = #weir.target<features = "+amx-tile,+amx-bf16,+avx512f", l2 = 2097152>} {
func.func @apart_in_use(%a: memref<64x768xf32>, %b: memref<24x768x32xf32>, %c: memref<64x768xf32>) {
  kernel.matmul ins(%a, %b : memref<64x768xf32>, memref<24x768x32xf32>) layout <amx_panels(3, -100, 97)> outs(%c : memref<64x768xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

// The emitter obeys the schedule: blocks of one tile of eight rows, three slabs, two steps of
// the depth at once, and nothing is fetched.
// CHECK-LABEL: func @obeys
// CHECK: kernel.parallel 3 {
// CHECK: memref.alloc() {{.*}} : memref<3x2x3x1x8x32xbf16>
// CHECK: memref.alloc() {{.*}} : memref<3x2x32x32xf32>
// CHECK-NOT: memref.prefetch
// CHECK: return
module attributes {weir.target = #weir.target<features = "+amx-tile,+amx-bf16,+avx512f">} {
func.func @obeys(%a: memref<64x128xf32>, %b: memref<2x4x3x2x16x32xbf16>, %c: memref<64x64xf32>) {
  kernel.matmul ins(%a, %b : memref<64x128xf32>, memref<2x4x3x2x16x32xbf16>) layout <amx(3, -100, 97)> outs(%c : memref<64x64xf32>) attributes {schedule = #kernel.tiles_schedule<tile_rows = 8, block_rows = 8, depth_block = 2, slabs = 3, share = slabs>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

// Dot products with tiles of four rows obey the schedule, too. An iteration has two
// rows of weights, with their sums in two sets. The kernel uses no tile registers,
// although the target has them.
// CHECK-LABEL: func @obeys_dots
// CHECK-NOT: ldtilecfg
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c16{{.*}} step %c2
// CHECK-COUNT-8: dpbf16ps.512
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c16{{.*}} step %c2
// CHECK-NOT: memref.prefetch
// CHECK: return
module attributes {weir.target = #weir.target<features = "+amx-tile,+amx-bf16,+avx512f,+avx512bf16">} {
func.func @obeys_dots(%a: memref<64x64xbf16>, %b: memref<2x2x1x2x16x32xbf16>, %c: memref<64x64xf32>) {
  kernel.matmul ins(%a, %b : memref<64x64xbf16>, memref<2x2x1x2x16x32xbf16>) layout <amx(1, -100, 97)> outs(%c : memref<64x64xf32>) attributes {schedule = #kernel.tiles_schedule<instructions = dots, tile_rows = 4, block_rows = 32, accumulator_sets = 2, unroll = 2, depth_block = 2>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}
