// RUN: weir-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(weir-share-threads,canonicalize,cse))' --verify-diagnostics | FileCheck %s

// A work item computes one element of the result, and its sum stays in a register.
// CHECK-LABEL: func.func private @rows
// CHECK-SAME: (%[[X:.*]]: memref<8x50xf32>, %[[Y:.*]]: memref<8xf32>)
// CHECK: kernel.parallel 8 {
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step
// CHECK: %[[INIT:.*]] = memref.load %[[Y]]
// CHECK: %[[SUM:.*]] = scf.for %[[K:.*]] = %c0 to %c50 step %c1 iter_args(%[[PART:.*]] = %[[INIT]])
// CHECK-NEXT: %[[V:.*]] = memref.load %[[X]][%{{.*}}, %[[K]]]
// CHECK-NEXT: arith.addf %[[PART]], %[[V]]
// CHECK: memref.store %[[SUM]], %[[Y]]
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func private @rows(%x: memref<8x50xf32>, %y: memref<8xf32>) attributes {weir.kernel} {
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : memref<8x50xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %s = arith.addf %sum, %v : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// Indices are those of the work item, and a copy is a loop nest.
// CHECK-LABEL: func.func private @indices
// CHECK: kernel.parallel 12 {
// CHECK: %[[COLUMN:.*]] = arith.remui %{{.*}}, %c4_i32
// CHECK: %[[ROW:.*]] = arith.divui %{{.*}}, %c4_i32
// CHECK: memref.store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] : memref<3x4xindex>
// CHECK: kernel.parallel 12 {
#plain = affine_map<(d0, d1) -> (d0, d1)>
func.func private @indices(%y: memref<3x4xindex>, %z: memref<3x4xindex>) attributes {weir.kernel} {
  linalg.generic {indexing_maps = [#plain], iterator_types = ["parallel", "parallel"]} outs(%y : memref<3x4xindex>) {
  ^bb0(%old: index):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %s = arith.addi %i, %j : index
    linalg.yield %s : index
  }
  memref.copy %y, %z : memref<3x4xindex> to memref<3x4xindex>
  return
}

// -----

// A dimension is a loop if its values share an element of the result.
// CHECK-LABEL: func.func private @overlapping
// CHECK: kernel.parallel 5 {
// CHECK: scf.for %{{.*}} = %c0 to %c3
#in = affine_map<(d0, d1) -> (d0, d1)>
#out = affine_map<(d0, d1) -> (d1)>
func.func private @overlapping(%x: memref<3x5xf32>, %y: memref<5xf32>) attributes {weir.kernel} {
  linalg.generic {indexing_maps = [#in, #out], iterator_types = ["parallel", "parallel"]} ins(%x : memref<3x5xf32>) outs(%y : memref<5xf32>) {
  ^bb0(%v: f32, %old: f32):
    linalg.yield %v : f32
  }
  return
}

// -----

// A product reads panels and has an epilogue.
// CHECK-LABEL: func.func private @product
// CHECK-SAME: (%[[A:.*]]: memref<4x8xf32>, %[[B:.*]]: memref<1x8x32xf32>, %[[BIAS:.*]]: memref<20xf32>, %[[C:.*]]: memref<4x20xf32>)
// CHECK: kernel.parallel 80 {
// CHECK: %[[SUM:.*]] = scf.for %[[K:.*]] = %c0 to %c8 step %c1 iter_args
// CHECK: memref.load %[[A]][%[[ROW:.*]], %[[K]]]
// CHECK: memref.load %[[B]][%{{.*}}, %[[K]], %{{.*}}]
// CHECK: math.fma
// CHECK: %[[E:.*]] = memref.load %[[BIAS]][%[[COLUMN:.*]]]
// CHECK: %[[V:.*]] = arith.addf %[[SUM]], %[[E]]
// CHECK: memref.store %[[V]], %[[C]][%[[ROW]], %[[COLUMN]]]
func.func private @product(%a: memref<4x8xf32>, %b: memref<1x8x32xf32>, %bias: memref<20xf32>, %c: memref<4x20xf32>) attributes {weir.kernel} {
  kernel.matmul ins(%a, %b : memref<4x8xf32>, memref<1x8x32xf32>) layout <panels(32)> extras(%bias : memref<20xf32>) outs(%c : memref<4x20xf32>) attributes {extra_maps = [affine_map<(d0, d1) -> (d1)>]} {
  ^bb0(%sum: f32, %e: f32):
    %v = arith.addf %sum, %e : f32
    kernel.yield %v : f32
  }
  return
}

// -----

// The loops over a window add only pixels inside of the image.
// CHECK-LABEL: func.func private @window
// CHECK: kernel.parallel 320 {
// CHECK: scf.for %{{.*}} = %c0 to %c3
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult, %{{.*}}, %c8
// CHECK: scf.if %[[INSIDE]]
// CHECK: scf.for %{{.*}} = %c0 to %c3
// CHECK: scf.for %{{.*}} = %c0 to %c3
// CHECK: math.fma
func.func private @window(%x: memref<1x8x8x3xf32>, %w: memref<1x3x3x3x32xf32>, %y: memref<1x4x4x20xf32>) attributes {weir.kernel} {
  kernel.convolution ins(%x, %w : memref<1x8x8x3xf32>, memref<1x3x3x3x32xf32>) layout <panels(32)> outs(%y : memref<1x4x4x20xf32>) attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 1, 1>, strides = array<i64: 2, 2>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// Other functions than kernels stay.
// CHECK-LABEL: func.func private @other
// CHECK-NEXT: linalg.fill
func.func private @other(%v: f32, %y: memref<4xf32>) {
  linalg.fill ins(%v : f32) outs(%y : memref<4xf32>)
  return
}

// -----

func.func private @tensors(%a: tensor<4x8xf32>, %b: tensor<8x20xf32>, %c: tensor<4x20xf32>) -> tensor<4x20xf32> attributes {weir.kernel} {
  // expected-error @below {{is not bufferized}}
  %y = kernel.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x20xf32>) outs(%c : tensor<4x20xf32>) -> tensor<4x20xf32> {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return %y : tensor<4x20xf32>
}

// -----

func.func private @filtered(%x: memref<1x8x8x16xf32>, %w: memref<1x16x16x32xf32>, %y: memref<1x8x8x20xf32>) attributes {weir.kernel} {
  // expected-error @below {{has no form for a GPU}}
  kernel.winograd ins(%x, %w : memref<1x8x8x16xf32>, memref<1x16x16x32xf32>) layout <winograd(32, 2, 2, 1, 1)> outs(%y : memref<1x8x8x20xf32>) attributes {padding = array<i64: 1, 1>, strides = array<i64: 1, 1>, windows = array<i64: 3, 3>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// A warp reduces each long row, and its lanes exchange their partial results.
// CHECK-LABEL: func.func private @long_rows
// CHECK: kernel.parallel 8 attributes {weir.block = 32 : i64} {
// CHECK: %[[LANE:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK: scf.for %{{.*}} = %{{.*}} to %c500 step %c32 iter_args
// CHECK-COUNT-5: nvvm.shfl.sync bfly
// CHECK: scf.if
// CHECK: memref.store
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func private @long_rows(%x: memref<8x500xf32>, %y: memref<8xf32>) attributes {weir.kernel} {
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : memref<8x500xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %s = arith.addf %sum, %v : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// Each warp of a block stores its result to shared memory. The order of subtractions
// matters, so one thread computes those.
// CHECK-LABEL: func.func private @longer_rows
// CHECK: kernel.parallel 8 attributes {weir.block = 256 : i64} {
// CHECK: memref.alloca() : memref<8xf32, 3>
// CHECK: nvvm.barrier0
// CHECK: kernel.parallel 8 {
// CHECK-NOT: nvvm
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func private @longer_rows(%x: memref<8x5000xf32>, %y: memref<8xf32>) attributes {weir.kernel} {
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : memref<8x5000xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%v: f32, %max: f32):
    %s = arith.maximumf %max, %v : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : memref<8x5000xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%v: f32, %rest: f32):
    %s = arith.subf %rest, %v : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// Loop nests over the same rows become one block per row. Values between the nests stay
// in registers, so their buffers disappear.
// CHECK-LABEL: func.func private @softmax
// CHECK-SAME: (%[[X:.*]]: memref<8x100xf32>, %[[Y:.*]]: memref<8x100xf32>)
// CHECK-NOT: memref.alloc()
// CHECK: kernel.parallel 8 attributes {weir.block = 32 : i64} {
// CHECK: scf.for %[[ROW:.*]] = %{{.*}} to %{{.*}} step
// CHECK: %[[LANE:.*]] = arith.index_castui
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult, %[[FOURTH:.*]], %c100
// CHECK: memref.load %[[X]][%[[ROW]], %[[LANE]]]
// CHECK-COUNT-5: nvvm.shfl.sync bfly
// CHECK: %[[E:.*]] = math.exp
// CHECK: %[[LAST:.*]] = math.exp
// CHECK: arith.select %[[INSIDE]]
// CHECK-COUNT-5: nvvm.shfl.sync bfly
// CHECK: %[[FACTOR:.*]] = arith.divf
// CHECK: %[[FIRST:.*]] = arith.mulf %[[E]], %[[FACTOR]]
// CHECK: memref.store %[[FIRST]], %[[Y]][%[[ROW]], %[[LANE]]]
// CHECK: scf.if %[[INSIDE]]
// CHECK-NEXT: memref.store
// CHECK-NOT: kernel.parallel
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func private @softmax(%x: memref<8x100xf32>, %y: memref<8x100xf32>) attributes {weir.kernel} {
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %max = memref.alloc() : memref<8xf32>
  linalg.fill ins(%least : f32) outs(%max : memref<8xf32>)
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : memref<8x100xf32>) outs(%max : memref<8xf32>) {
  ^bb0(%v: f32, %m: f32):
    %s = arith.maxnumf %m, %v : f32
    linalg.yield %s : f32
  }
  %sum = memref.alloc() : memref<8xf32>
  linalg.fill ins(%zero : f32) outs(%sum : memref<8xf32>)
  %e = memref.alloc() : memref<8x100xf32>
  linalg.generic {indexing_maps = [#all, #row, #all, #row], iterator_types = ["parallel", "reduction"]} ins(%x, %max : memref<8x100xf32>, memref<8xf32>) outs(%e, %sum : memref<8x100xf32>, memref<8xf32>) {
  ^bb0(%v: f32, %m: f32, %old: f32, %s: f32):
    %d = arith.subf %v, %m : f32
    %p = math.exp %d : f32
    %n = arith.addf %s, %p : f32
    linalg.yield %p, %n : f32, f32
  }
  linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%e, %sum : memref<8x100xf32>, memref<8xf32>) outs(%y : memref<8x100xf32>) {
  ^bb0(%p: f32, %s: f32, %old: f32):
    %f = arith.divf %one, %s : f32
    %r = arith.mulf %p, %f : f32
    linalg.yield %r : f32
  }
  return
}

// -----

// One thread stores the reduction of a row if other code needs it. One thread computes
// a short row as a whole.
// CHECK-LABEL: func.func private @kept
// CHECK: kernel.parallel 8 {
// CHECK-NOT: nvvm
// CHECK-COUNT-3: arith.addf
// CHECK-COUNT-3: memref.store %{{.*}}, %arg2
// CHECK: memref.store %{{.*}}, %arg1
// CHECK-NOT: kernel.parallel
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func private @kept(%x: memref<8x3xf32>, %sum: memref<8xf32>, %y: memref<8x3xf32>) attributes {weir.kernel} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%sum : memref<8xf32>)
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : memref<8x3xf32>) outs(%sum : memref<8xf32>) {
  ^bb0(%v: f32, %s: f32):
    %n = arith.addf %s, %v : f32
    linalg.yield %n : f32
  }
  linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %sum : memref<8x3xf32>, memref<8xf32>) outs(%y : memref<8x3xf32>) {
  ^bb0(%v: f32, %s: f32, %old: f32):
    %r = arith.subf %v, %s : f32
    linalg.yield %r : f32
  }
  return
}

// -----

// A nest that reads other rows' results needs a launch of its own. So does a nest over
// few rows that are too long for one block each.
// CHECK-LABEL: func.func private @other_rows
// CHECK: kernel.parallel 8 attributes {weir.block = 32 : i64}
// CHECK: kernel.parallel 8 attributes {weir.block = 32 : i64}
// A row does not fit in registers, so each thread has a loop over its elements for each
// nest. The values between the nests are in memory.
// CHECK-LABEL: func.func private @long
// CHECK: kernel.parallel 8 attributes {weir.block = 1024 : i64}
// CHECK: %[[SUM:.*]] = scf.for %{{.*}} = %c0{{.*}} to %c10{{.*}} step %{{.*}} iter_args
// CHECK: memref.load %arg0
// CHECK: arith.addf
// CHECK: scf.if
// CHECK: memref.store %{{.*}}, %[[KEPT:.*]][
// CHECK: nvvm.shfl.sync
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c10{{.*}} step
// CHECK-NOT: nvvm.shfl.sync
// CHECK: memref.load %[[KEPT]][
// CHECK: memref.store %{{.*}}, %arg1
// CHECK-NOT: kernel.parallel
// CHECK-LABEL: func.func private @very_long
// CHECK: kernel.parallel 8 {
// CHECK: kernel.parallel 8 attributes {weir.block = 256 : i64}
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#back = affine_map<(d0, d1) -> (7 - d0)>
func.func private @other_rows(%x: memref<8x100xf32>, %y: memref<8xf32>, %z: memref<8xf32>) attributes {weir.kernel} {
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : memref<8x100xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%v: f32, %s: f32):
    %n = arith.addf %s, %v : f32
    linalg.yield %n : f32
  }
  linalg.generic {indexing_maps = [#all, #back, #row], iterator_types = ["parallel", "reduction"]} ins(%x, %y : memref<8x100xf32>, memref<8xf32>) outs(%z : memref<8xf32>) {
  ^bb0(%v: f32, %w: f32, %s: f32):
    %p = arith.mulf %v, %w : f32
    %n = arith.addf %s, %p : f32
    linalg.yield %n : f32
  }
  return
}
func.func private @long(%x: memref<8x10000xf32>, %y: memref<8x10000xf32>) attributes {weir.kernel} {
  %zero = arith.constant 0.0 : f32
  %kept = memref.alloc() : memref<8x10000xf32>
  %sum = memref.alloc() : memref<8xf32>
  linalg.fill ins(%zero : f32) outs(%sum : memref<8xf32>)
  linalg.generic {indexing_maps = [#all, #all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : memref<8x10000xf32>) outs(%kept, %sum : memref<8x10000xf32>, memref<8xf32>) {
  ^bb0(%v: f32, %k: f32, %s: f32):
    %e = math.exp %v : f32
    %n = arith.addf %s, %e : f32
    linalg.yield %e, %n : f32, f32
  }
  linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%kept, %sum : memref<8x10000xf32>, memref<8xf32>) outs(%y : memref<8x10000xf32>) {
  ^bb0(%e: f32, %s: f32, %old: f32):
    %q = arith.divf %e, %s : f32
    linalg.yield %q : f32
  }
  return
}
func.func private @very_long(%x: memref<8x70000xf32>, %y: memref<8xf32>) attributes {weir.kernel} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<8xf32>)
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : memref<8x70000xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%v: f32, %s: f32):
    %n = arith.addf %s, %v : f32
    linalg.yield %n : f32
  }
  return
}

// -----

// A nest that transposes uses square tiles in shared memory. Lanes load adjacent
// elements and store adjacent elements.
// CHECK-LABEL: func.func private @transposed
// CHECK-SAME: (%[[X:.*]]: memref<70x100xf32>, %[[Y:.*]]: memref<100x70xf32>)
// CHECK: kernel.parallel 12 attributes {weir.block = 256 : i64} {
// CHECK: %[[ACROSS:.*]] = arith.remui %{{.*}}, %c32
// CHECK: %[[TRANSPOSED:.*]] = memref.alloca() : memref<32x33xf32, 3>
// CHECK: memref.load %[[X]]
// CHECK-NEXT: memref.store %{{.*}}, %[[TRANSPOSED]][%[[LINE:.*]], %[[ACROSS]]]
// CHECK: nvvm.barrier0
// CHECK: scf.if
// CHECK-NEXT: %[[V:.*]] = memref.load %[[TRANSPOSED]][%[[ACROSS]], %[[LINE]]]
// CHECK-NEXT: %[[E:.*]] = math.exp %[[V]]
// CHECK-NEXT: memref.store %[[E]], %[[Y]]
// If there are few elements, each thread moves one.
// CHECK-LABEL: func.func private @few
// CHECK: kernel.parallel 600 {
// CHECK-NOT: nvvm
#plain = affine_map<(d0, d1) -> (d0, d1)>
#swapped = affine_map<(d0, d1) -> (d1, d0)>
func.func private @transposed(%x: memref<70x100xf32>, %y: memref<100x70xf32>) attributes {weir.kernel} {
  linalg.generic {indexing_maps = [#swapped, #plain], iterator_types = ["parallel", "parallel"]} ins(%x : memref<70x100xf32>) outs(%y : memref<100x70xf32>) {
  ^bb0(%v: f32, %old: f32):
    %e = math.exp %v : f32
    linalg.yield %e : f32
  }
  return
}
func.func private @few(%x: memref<20x30xf32>, %y: memref<30x20xf32>) attributes {weir.kernel} {
  linalg.generic {indexing_maps = [#swapped, #plain], iterator_types = ["parallel", "parallel"]} ins(%x : memref<20x30xf32>) outs(%y : memref<30x20xf32>) {
  ^bb0(%v: f32, %old: f32):
    linalg.yield %v : f32
  }
  return
}

// -----

// If there are many elements, a thread computes four adjacent ones before it stores
// any, with vector loads and stores. An operand may be broadcast along them. Rows must
// be divisible by four.
// CHECK-LABEL: func.func private @many
// CHECK-SAME: (%[[X:.*]]: memref<256x260xf32>, %[[C:.*]]: memref<256xf32>, %[[Y:.*]]: memref<256x260xf32>)
// CHECK: kernel.parallel 16640 {
// CHECK: %[[FIRST:.*]] = arith.muli %{{.*}}, %c4
// CHECK: %[[SECOND:.*]] = arith.addi %[[FIRST]], %c1
// CHECK-COUNT-4: arith.addf
// CHECK-NEXT: memref.store %{{.*}}, %[[Y]][%{{.*}}, %[[FIRST]]]
// CHECK-NEXT: memref.store %{{.*}}, %[[Y]][%{{.*}}, %[[SECOND]]]
// CHECK-NEXT: memref.store
// CHECK-NEXT: memref.store
// CHECK-LABEL: func.func private @odd
// CHECK: kernel.parallel 65792 {
#plain = affine_map<(d0, d1) -> (d0, d1)>
#first = affine_map<(d0, d1) -> (d0)>
func.func private @many(%x: memref<256x260xf32>, %c: memref<256xf32>, %y: memref<256x260xf32>) attributes {weir.kernel} {
  linalg.generic {indexing_maps = [#plain, #first, #plain], iterator_types = ["parallel", "parallel"]} ins(%x, %c : memref<256x260xf32>, memref<256xf32>) outs(%y : memref<256x260xf32>) {
  ^bb0(%v: f32, %w: f32, %old: f32):
    %s = arith.addf %v, %w : f32
    linalg.yield %s : f32
  }
  return
}
func.func private @odd(%x: memref<256x257xf32>, %y: memref<256x257xf32>) attributes {weir.kernel} {
  linalg.generic {indexing_maps = [#plain, #plain], iterator_types = ["parallel", "parallel"]} ins(%x : memref<256x257xf32>) outs(%y : memref<256x257xf32>) {
  ^bb0(%v: f32, %old: f32):
    %s = arith.negf %v : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// A product reads the source of a packing op directly if no other op uses the panels. A
// transposed source gets a transposed view.
// CHECK-LABEL: func.func private @unpacked
// CHECK-SAME: (%[[A:.*]]: memref<4x8xf32>, %[[B:.*]]: memref<20x8xf32>, %[[C:.*]]: memref<4x20xf32>)
// CHECK: %[[TRANSPOSED:.*]] = memref.transpose %[[B]] (d0, d1) -> (d1, d0)
// CHECK-NOT: memref.alloc
// CHECK: kernel.parallel 80 {
// CHECK: memref.load %[[A]]
// CHECK: memref.load %[[TRANSPOSED]]
// CHECK-NOT: kernel.parallel
func.func private @unpacked(%a: memref<4x8xf32>, %b: memref<20x8xf32>, %c: memref<4x20xf32>) attributes {weir.kernel} {
  %p = memref.alloc() : memref<1x8x32xf32>
  kernel.pack ins(%b : memref<20x8xf32>) layout <panels(32)> outs(%p : memref<1x8x32xf32>) {transpose_b}
  kernel.matmul ins(%a, %p : memref<4x8xf32>, memref<1x8x32xf32>) layout <panels(32)> outs(%c : memref<4x20xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// A large product has tiles, with slices of both operands in three buffers of shared
// memory. One is multiplied while copies to the others are in flight. A thread loads
// four adjacent elements at once and has 8 x 8 sums.
// CHECK-LABEL: func.func private @tiles
// CHECK: kernel.parallel 8 attributes {weir.block = 32 : i64} {
// CHECK: memref.alloca() : memref<18432xi8, 3>
// CHECK-COUNT-12: llvm.call_intrinsic "llvm.nvvm.cp.async.cg.shared.global.16.s"
// CHECK: nvvm.cp.async.commit.group
// CHECK-COUNT-12: llvm.call_intrinsic "llvm.nvvm.cp.async.cg.shared.global.16.s"
// CHECK: nvvm.cp.async.commit.group
// CHECK: scf.for %{{.*}} = %c0 to %c3 step %c1 iter_args
// CHECK: nvvm.cp.async.wait.group 1
// CHECK-NEXT: nvvm.barrier0
// CHECK: scf.if
// CHECK-COUNT-12: llvm.call_intrinsic "llvm.nvvm.cp.async.cg.shared.global.16.s"
// CHECK: nvvm.cp.async.commit.group
// CHECK-COUNT-16: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
// CHECK-COUNT-256: math.fma
// CHECK-NOT: nvvm.barrier0
// CHECK: scf.if
// CHECK-COUNT-4: memref.store %{{.*}}, %arg2
func.func private @tiles(%a: memref<100x40xf32>, %b: memref<40x100xf32>, %c: memref<100x100xf32>) attributes {weir.kernel} {
  kernel.matmul ins(%a, %b : memref<100x40xf32>, memref<40x100xf32>) outs(%c : memref<100x100xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// Matrix units multiply tiles of 16-bit floats, with operands from ldmatrix. Lanes
// exchange their sums before the stores, so that each has eight adjacent ones. If
// nothing is beyond the edges, copies need no byte counts.
// CHECK-LABEL: func.func private @f16
// CHECK: kernel.parallel 4 attributes {weir.block = 128 : i64} {
// CHECK: memref.alloca() : memref<24576xi8, 3>
// CHECK: llvm.call_intrinsic "llvm.nvvm.cp.async.cg.shared.global.16"(%{{.*}}, %{{.*}}) :
// CHECK: nvvm.cp.async.wait.group 1
// CHECK-NEXT: nvvm.barrier0
// CHECK-COUNT-2: nvvm.ldmatrix %{{.*}} {layout = #nvvm.mma_layout<row>, num = 4 : i32}
// CHECK-COUNT-2: nvvm.ldmatrix %{{.*}} {layout = #nvvm.mma_layout<col>, num = 4 : i32}
// CHECK-COUNT-8: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k16.row.col.bf16"
// CHECK-COUNT-4: nvvm.ldmatrix
// CHECK-COUNT-8: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k16.row.col.bf16"
// CHECK-NOT: nvvm.barrier0
// CHECK-COUNT-8: nvvm.shfl.sync bfly
// CHECK-COUNT-8: arith.truncf
// CHECK-COUNT-8: memref.store
// Rows that do not begin at multiples of four bytes cannot use asynchronous copies. A
// thread loads and stores two bytes.
// CHECK-LABEL: func.func private @odd_rows
// CHECK: llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr<1> -> i16
// CHECK: llvm.store %{{.*}} {alignment = 2 : i64} : i16, !llvm.ptr<3>
// CHECK: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k16.row.col.bf16"
// The matrix units would round each element of f32.
// CHECK-LABEL: func.func private @f32
// CHECK-NOT: mma
// CHECK-COUNT-256: math.fma
// CHECK-NOT: mma
func.func private @f16(%a: memref<128x96xbf16>, %b: memref<96x128xbf16>, %c: memref<128x128xbf16>) attributes {weir.kernel} {
  kernel.matmul ins(%a, %b : memref<128x96xbf16>, memref<96x128xbf16>) outs(%c : memref<128x128xbf16>) {
  ^bb0(%sum: f32):
    %r = arith.truncf %sum : f32 to bf16
    kernel.yield %r : bf16
  }
  return
}
func.func private @odd_rows(%a: memref<100x41xbf16>, %b: memref<41x100xbf16>, %c: memref<100x100xbf16>) attributes {weir.kernel} {
  kernel.matmul ins(%a, %b : memref<100x41xbf16>, memref<41x100xbf16>) outs(%c : memref<100x100xbf16>) {
  ^bb0(%sum: f32):
    %r = arith.truncf %sum : f32 to bf16
    kernel.yield %r : bf16
  }
  return
}
func.func private @f32(%a: memref<100x40xf32>, %b: memref<40x100xf32>, %c: memref<100x100xf32>) attributes {weir.kernel} {
  kernel.matmul ins(%a, %b : memref<100x40xf32>, memref<40x100xf32>) outs(%c : memref<100x100xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// A value from memory controls the code that follows, so one thread may have to run all
// of it. There is no barrier.
// CHECK-LABEL: func.func private @whole
// CHECK-NOT: nvvm
// CHECK: memref.store
// CHECK-NOT: nvvm
// CHECK: return
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func private @whole(%x: memref<8x500xf32>, %y: memref<8xf32>, %z: memref<8xf32>) attributes {weir.kernel} {
  %zero = arith.constant 0 : index
  %first = memref.load %z[%zero] : memref<8xf32>
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : memref<8x500xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %s = arith.addf %sum, %v : f32
    linalg.yield %s : f32
  }
  memref.store %first, %y[%zero] : memref<8xf32>
  return
}

// -----

// With the option, f32 is rounded to tf32, in 32 bits per element.
// CHECK-LABEL: func.func private @rounded
// CHECK: kernel.parallel 4 attributes {weir.block = 128 : i64} {
// CHECK: nvvm.barrier0
// CHECK: nvvm.ldmatrix %{{.*}} {layout = #nvvm.mma_layout<row>, num = 4 : i32}
// CHECK: llvm.call_intrinsic "llvm.nvvm.f2tf32.rna"(%{{.*}}) : (f32) -> i32
// CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> i32
// CHECK-COUNT-16: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k8.row.col.tf32"
// CHECK-NOT: nvvm.barrier0
module attributes {weir.precision = "tf32"} {
  func.func private @rounded(%a: memref<100x40xf32>, %b: memref<40x100xf32>, %c: memref<100x100xf32>) attributes {weir.kernel} {
    kernel.matmul ins(%a, %b : memref<100x40xf32>, memref<40x100xf32>) outs(%c : memref<100x100xf32>) {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    }
    return
  }
}

// -----

// A few tiles would leave most of the GPU idle, so blocks share the depth. A second
// launch adds their partial sums in the order of the depth.
// CHECK-LABEL: func.func private @deep
// CHECK-SAME: (%[[A:.*]]: memref<64x4096xf16>, %[[B:.*]]: memref<4096x64xf16>, %[[BIAS:.*]]: memref<64xf16>, %[[C:.*]]: memref<64x64xf16>)
// CHECK: %[[PARTS:.*]] = memref.alloc() : memref<[[SPLITS:[0-9]+]]x1x64x64xf32>
// CHECK: kernel.parallel {{[0-9]+}} attributes {weir.block = {{[0-9]+}} : i64} {
// CHECK: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k16.row.col.f32.f32"
// CHECK: memref.store %{{.*}}, %[[PARTS]]
// CHECK: kernel.parallel 1024 {
// CHECK: %[[FIRST:.*]] = memref.load %[[PARTS]][%c0, %c0, %[[ROW:.*]], %[[COLUMN:.*]]]
// CHECK: %[[SECOND:.*]] = memref.load %[[PARTS]][%c1, %c0, %[[ROW]], %[[COLUMN]]]
// CHECK: arith.addf %[[FIRST]], %[[SECOND]]
// CHECK: memref.load %[[BIAS]][%[[COLUMN]]]
// CHECK-COUNT-4: memref.store %{{.*}}, %[[C]]
func.func private @deep(%a: memref<64x4096xf16>, %b: memref<4096x64xf16>, %bias: memref<64xf16>, %c: memref<64x64xf16>) attributes {weir.kernel} {
  kernel.matmul ins(%a, %b : memref<64x4096xf16>, memref<4096x64xf16>) extras(%bias : memref<64xf16>) outs(%c : memref<64x64xf16>) attributes {extra_maps = [affine_map<(d0, d1) -> (d1)>]} {
  ^bb0(%sum: f32, %e: f16):
    %r = arith.truncf %sum : f32 to f16
    %v = arith.addf %r, %e : f16
    kernel.yield %v : f16
  }
  return
}

// -----

// Windows are the rows of a product with elements in the image. Channels are copied in
// chunks, which are zero outside of the image.
// CHECK-LABEL: func.func private @windows
// CHECK: kernel.parallel {{[0-9]+}} attributes {weir.block = {{[0-9]+}} : i64} {
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult, %{{.*}}, %c28
// CHECK: %[[BOTH:.*]] = arith.andi
// CHECK: %[[BYTES:.*]] = arith.select %[[BOTH]], %{{.*}}, %{{.*}} : i32
// CHECK: llvm.call_intrinsic "llvm.nvvm.cp.async.cg.shared.global.16.s"(%{{.*}}, %{{.*}}, %[[BYTES]])
// CHECK: nvvm.ldmatrix
// CHECK: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k16.row.col.f32.f32"
// CHECK-NOT: kernel.parallel
func.func private @windows(%x: memref<8x28x28x64xf16>, %w: memref<2x3x3x64x32xf16>, %y: memref<8x28x28x64xf16>) attributes {weir.kernel} {
  kernel.convolution ins(%x, %w : memref<8x28x28x64xf16>, memref<2x3x3x64x32xf16>) layout <panels(32)> outs(%y : memref<8x28x28x64xf16>) attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 1, 1>, strides = array<i64: 1, 1>} {
  ^bb0(%sum: f32):
    %r = arith.truncf %sum : f32 to f16
    kernel.yield %r : f16
  }
  return
}

// -----

// A row of a large depth is shared, too, because one thread per element would leave
// most of the GPU idle. A row of a smaller depth is not.
// CHECK-LABEL: func.func private @one_row
// CHECK: memref.alloc() : memref<{{[0-9]+}}x1x1x1000xf32>
// CHECK: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k16.row.col.f32.f32"
// CHECK: kernel.parallel 250 {
// CHECK-LABEL: func.func private @short_row
// CHECK: kernel.parallel 1000 {
// CHECK-NOT: mma
func.func private @one_row(%a: memref<1x1024xf16>, %b: memref<1024x1000xf16>, %c: memref<1x1000xf32>) attributes {weir.kernel} {
  kernel.matmul ins(%a, %b : memref<1x1024xf16>, memref<1024x1000xf16>) outs(%c : memref<1x1000xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
func.func private @short_row(%a: memref<1x64xf16>, %b: memref<64x1000xf16>, %c: memref<1x1000xf32>) attributes {weir.kernel} {
  kernel.matmul ins(%a, %b : memref<1x64xf16>, memref<64x1000xf16>) outs(%c : memref<1x1000xf32>) {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

// Groups of four warps multiply on a Hopper GPU, 64 rows each. Their products are
// asynchronous: a round starts the copies for the slice after the next, and does not
// wait for its own products.
// CHECK-LABEL: func.func private @groups
// CHECK: kernel.parallel 4 attributes {weir.block = 128 : i64} {
// CHECK: memref.alloca() {alignment = 1024 : i64} : memref<65536xi8, 3>
// CHECK: nvvm.cp.async.commit.group
// CHECK: nvvm.cp.async.commit.group
// CHECK: scf.for
// CHECK-NEXT: nvvm.cp.async.wait.group 1
// CHECK-NEXT: llvm.inline_asm has_side_effects "fence.proxy.async.shared::cta;", "~{memory}"
// CHECK-NEXT: nvvm.barrier0
// CHECK: llvm.inline_asm has_side_effects "wgmma.fence.sync.aligned;"
// CHECK-COUNT-4: llvm.inline_asm has_side_effects "{ .reg .pred p; setp.ne.b32 p, 1, 0; wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {{.*}}, $32, $33, p, 1, 1, 0, 1; }"
// CHECK: llvm.inline_asm has_side_effects "wgmma.commit_group.sync.aligned;"
// CHECK: scf.if
// CHECK: nvvm.cp.async.commit.group
// CHECK: llvm.inline_asm has_side_effects "wgmma.wait_group.sync.aligned 1;", "~{memory}"
// CHECK: scf.yield
// CHECK: llvm.inline_asm has_side_effects "wgmma.wait_group.sync.aligned 0;"
// CHECK-COUNT-8: nvvm.shfl.sync bfly
// CHECK-COUNT-8: memref.store
// With few rows, most of a tile would be unused.
// CHECK-LABEL: func.func private @few
// CHECK-NOT: wgmma
// CHECK: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k16.row.col.bf16"
// CHECK-NOT: wgmma
module attributes {weir.gpu = #weir.gpu<archs = ["sm_90a"]>} {
  func.func private @groups(%a: memref<128x320xbf16>, %b: memref<320x128xbf16>, %c: memref<128x128xbf16>) attributes {weir.kernel} {
    kernel.matmul ins(%a, %b : memref<128x320xbf16>, memref<320x128xbf16>) outs(%c : memref<128x128xbf16>) {
    ^bb0(%sum: f32):
      %r = arith.truncf %sum : f32 to bf16
      kernel.yield %r : bf16
    }
    return
  }
  func.func private @few(%a: memref<16x320xbf16>, %b: memref<320x128xbf16>, %c: memref<16x128xbf16>) attributes {weir.kernel} {
    kernel.matmul ins(%a, %b : memref<16x320xbf16>, memref<320x128xbf16>) outs(%c : memref<16x128xbf16>) {
    ^bb0(%sum: f32):
      %r = arith.truncf %sum : f32 to bf16
      kernel.yield %r : bf16
    }
    return
  }
}
