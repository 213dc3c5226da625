// RUN: weir-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(weir-share-threads,canonicalize,cse))' --verify-diagnostics | FileCheck %s

// A block of one launch computes 64 rows of a batch. It reads q, k and v and writes the
// result in place, without copies, panels or scores in memory.
// CHECK-LABEL: func.func private @f16
// CHECK-SAME: (%[[Q:.*]]: memref<2x100x3x64xf16>, %[[K:.*]]: memref<2x130x3x64xf16>, %[[V:.*]]: memref<2x130x3x64xf16>, %[[M:.*]]: memref<2x1x1x130xf16>, %[[O:.*]]: memref<2x100x3x64xf16>)
// CHECK-NOT: memref.alloc()
// CHECK: kernel.parallel 12 attributes {weir.block = 128 : i64}
// CHECK: llvm.nvvm.cp.async.cg.shared.global.16
// CHECK: scf.for %{{.*}} = %c0 to %c3
// CHECK: nvvm.cp.async.wait.group 0
// CHECK: nvvm.barrier0
// CHECK: nvvm.ldmatrix
// CHECK: llvm.nvvm.mma.m16n8k16.row.col.f32.f32
// CHECK: memref.load %[[M]]
// CHECK: nvvm.shfl.sync bfly
// CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f"
// CHECK: nvvm.cp.async.wait.group 1
// CHECK: llvm.nvvm.mma.m16n8k16.row.col.f32.f32
// CHECK: scf.yield
// CHECK: arith.divf
// CHECK: memref.store
// CHECK-NOT: kernel.parallel
// CHECK: return
func.func private @f16(%q: memref<2x100x3x64xf16>, %k: memref<2x130x3x64xf16>, %v: memref<2x130x3x64xf16>, %m: memref<2x1x1x130xf16>, %o: memref<2x100x3x64xf16>) attributes {weir.kernel} {
  %eighth = arith.constant 0.125 : f16
  %qt = memref.alloc() : memref<2x3x100x64xf16>
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d2, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%q : memref<2x100x3x64xf16>) outs(%qt : memref<2x3x100x64xf16>) {
  ^bb0(%x: f16, %y: f16):
    linalg.yield %x : f16
  }
  %kt = memref.alloc() : memref<2x3x130x64xf16>
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d2, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%k : memref<2x130x3x64xf16>) outs(%kt : memref<2x3x130x64xf16>) {
  ^bb0(%x: f16, %y: f16):
    linalg.yield %x : f16
  }
  %kp = memref.alloc() : memref<2x3x5x64x32xf16>
  kernel.pack ins(%kt : memref<2x3x130x64xf16>) layout <panels(32)> outs(%kp : memref<2x3x5x64x32xf16>) {transpose_b}
  %vt = memref.alloc() : memref<2x3x130x64xf16>
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d2, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v : memref<2x130x3x64xf16>) outs(%vt : memref<2x3x130x64xf16>) {
  ^bb0(%x: f16, %y: f16):
    linalg.yield %x : f16
  }
  %vp = memref.alloc() : memref<2x3x2x130x32xf16>
  kernel.pack ins(%vt : memref<2x3x130x64xf16>) layout <panels(32)> outs(%vp : memref<2x3x2x130x32xf16>)
  %ot = memref.alloc() : memref<2x3x100x64xf16>
  kernel.attention ins(%qt, %kp, %vp : memref<2x3x100x64xf16>, memref<2x3x5x64x32xf16>, memref<2x3x2x130x32xf16>) k_layout <panels(32)> v_layout <panels(32)> score_extras(%m : memref<2x1x1x130xf16>) outs(%ot : memref<2x3x100x64xf16>) attributes {score_maps = [affine_map<(d0, d1, d2, d3) -> (d0, 0, 0, d3)>]} scores {
  ^bb0(%x: f32, %y: f16):
    %0 = arith.truncf %x : f32 to f16
    %1 = arith.mulf %0, %eighth : f16
    %2 = arith.addf %1, %y : f16
    kernel.yield %2 : f16
  } weights {
  ^bb0(%x: f32):
    %0 = arith.truncf %x : f32 to f16
    kernel.yield %0 : f16
  } epilogue {
  ^bb0(%x: f32):
    %0 = arith.truncf %x : f32 to f16
    kernel.yield %0 : f16
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d2, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%ot : memref<2x3x100x64xf16>) outs(%o : memref<2x100x3x64xf16>) {
  ^bb0(%x: f16, %y: f16):
    linalg.yield %x : f16
  }
  return
}

// -----

// Threads multiply f32 without matrix units, and the weights pass through shared
// memory. The operands need neither panels nor copies.
// CHECK-LABEL: func.func private @f32
// CHECK: kernel.parallel 2 attributes {weir.block = 128 : i64}
// CHECK: memref.alloca() : memref<16384xi8, 3>
// CHECK-NOT: llvm.nvvm.mma
// CHECK: llvm.store %{{.*}} : f32, !llvm.ptr<3>
// CHECK: nvvm.cp.async.wait.group 1
// CHECK-NOT: kernel.parallel
func.func private @f32(%q: memref<128x64xf32>, %k: memref<64x64xf32>, %v: memref<64x64xf32>, %o: memref<128x64xf32>) attributes {weir.kernel} {
  kernel.attention ins(%q, %k, %v : memref<128x64xf32>, memref<64x64xf32>, memref<64x64xf32>) outs(%o : memref<128x64xf32>) scores {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  } weights {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  } epilogue {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  }
  return
}

// -----

// Weights that are not the softmax itself, here its square, keep their own launches,
// with the scores in memory.
// CHECK-LABEL: func.func private @other
// CHECK: memref.alloc() {{.*}} : memref<128x64xf32>
// CHECK-COUNT-3: kernel.parallel
func.func private @other(%q: memref<128x64xf32>, %k: memref<64x64xf32>, %v: memref<64x64xf32>, %o: memref<128x64xf32>) attributes {weir.kernel} {
  kernel.attention ins(%q, %k, %v : memref<128x64xf32>, memref<64x64xf32>, memref<64x64xf32>) outs(%o : memref<128x64xf32>) scores {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  } weights {
  ^bb0(%x: f32):
    %0 = arith.mulf %x, %x : f32
    kernel.yield %0 : f32
  } epilogue {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  }
  return
}

// -----

// If the mask hides all columns of a row, its result is 0: its sum is 0 and is divided
// by 1.
// CHECK-LABEL: func.func private @masked
// CHECK: kernel.parallel 2 attributes {weir.block = 128 : i64}
// CHECK: arith.divf %[[ONE:.*]], %[[D:.*]] : f32
// CHECK-NEXT: %[[N:.*]] = arith.cmpf oeq, %[[T:.*]], %
// CHECK-NEXT: %[[S:.*]] = arith.select %[[N]], %[[ONE]], %[[T]]
// CHECK-NEXT: arith.divf %[[ONE]], %[[S]]
// CHECK-NOT: kernel.parallel
// CHECK: return
func.func private @masked(%q: memref<128x64xf32>, %k: memref<64x64xf32>, %v: memref<64x64xf32>, %o: memref<128x64xf32>) attributes {weir.kernel} {
  kernel.attention ins(%q, %k, %v : memref<128x64xf32>, memref<64x64xf32>, memref<64x64xf32>) outs(%o : memref<128x64xf32>) attributes {masked} scores {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  } weights {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  } epilogue {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  }
  return
}

// -----

// The attention has one row in each of 8 heads. Blocks of 64 columns share its 800
// columns, so there are 13. A second launch combines their results, maxima and sums.
// CHECK-LABEL: func.func private @few
// CHECK-DAG: %[[S:.*]] = memref.alloc() : memref<13x8x1x64xf32>
// CHECK-DAG: %[[M:.*]] = memref.alloc() : memref<13x8x1xf32>
// CHECK: kernel.parallel 104 attributes {weir.block = 32 : i64}
// CHECK: memref.store %{{.*}}, %[[M]]
// CHECK: memref.store %{{.*}}, %[[S]]
// CHECK: kernel.parallel 128 {
// CHECK: memref.load %[[M]]
// CHECK: arith.maxnumf
// CHECK: math.exp
// CHECK: memref.load %[[S]]
// CHECK: arith.divf
// CHECK-NOT: kernel.parallel
// CHECK: return
func.func private @few(%q: memref<8x1x64xf32>, %k: memref<8x64x800xf32>, %v: memref<8x800x64xf32>, %o: memref<8x1x64xf32>) attributes {weir.kernel} {
  kernel.attention ins(%q, %k, %v : memref<8x1x64xf32>, memref<8x64x800xf32>, memref<8x800x64xf32>) outs(%o : memref<8x1x64xf32>) scores {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  } weights {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  } epilogue {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  }
  return
}

// -----

// One block computes these few columns.
// CHECK-LABEL: func.func private @short
// CHECK: kernel.parallel 8 attributes {weir.block = 32 : i64}
// CHECK-NOT: kernel.parallel
// CHECK: return
func.func private @short(%q: memref<8x1x64xf32>, %k: memref<8x64x128xf32>, %v: memref<8x128x64xf32>, %o: memref<8x1x64xf32>) attributes {weir.kernel} {
  kernel.attention ins(%q, %k, %v : memref<8x1x64xf32>, memref<8x64x128xf32>, memref<8x128x64xf32>) outs(%o : memref<8x1x64xf32>) scores {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  } weights {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  } epilogue {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  }
  return
}

// -----

// The blocks of so many heads fill a GPU.
// CHECK-LABEL: func.func private @many
// CHECK: kernel.parallel 500 attributes {weir.block = 32 : i64}
// CHECK-NOT: kernel.parallel
// CHECK: return
func.func private @many(%q: memref<500x1x64xf32>, %k: memref<500x64x800xf32>, %v: memref<500x800x64xf32>, %o: memref<500x1x64xf32>) attributes {weir.kernel} {
  kernel.attention ins(%q, %k, %v : memref<500x1x64xf32>, memref<500x64x800xf32>, memref<500x800x64xf32>) outs(%o : memref<500x1x64xf32>) scores {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  } weights {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  } epilogue {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  }
  return
}

// -----

// A row of fewer than 64 columns is too little work for a block, so the launches stay.
// CHECK-LABEL: func.func private @little
// CHECK-COUNT-3: kernel.parallel
func.func private @little(%q: memref<8x1x16xf32>, %k: memref<8x16x40xf32>, %v: memref<8x40x16xf32>, %o: memref<8x1x16xf32>) attributes {weir.kernel} {
  kernel.attention ins(%q, %k, %v : memref<8x1x16xf32>, memref<8x16x40xf32>, memref<8x40x16xf32>) outs(%o : memref<8x1x16xf32>) scores {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  } weights {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  } epilogue {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  }
  return
}

// -----

// Weights that are NaN become 0, and then the result of the row is 0, too.
// CHECK-LABEL: func.func private @no_nan
// CHECK: kernel.parallel 104 attributes {weir.block = 32 : i64}
// CHECK: kernel.parallel 128 {
// CHECK: %[[D:.*]] = arith.divf
// CHECK-NEXT: %[[N:.*]] = arith.cmpf ogt, %[[T:.*]], %
// CHECK-NEXT: %[[R:.*]] = arith.mulf %{{.*}}, %[[D]]
// CHECK-NEXT: arith.select %[[N]], %[[R]], %
// CHECK-NOT: kernel.parallel
// CHECK: return
func.func private @no_nan(%q: memref<8x1x64xf32>, %k: memref<8x64x800xf32>, %v: memref<8x800x64xf32>, %o: memref<8x1x64xf32>) attributes {weir.kernel} {
  %zero = arith.constant 0.0 : f32
  kernel.attention ins(%q, %k, %v : memref<8x1x64xf32>, memref<8x64x800xf32>, memref<8x800x64xf32>) outs(%o : memref<8x1x64xf32>) scores {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  } weights {
  ^bb0(%x: f32):
    %0 = arith.cmpf une, %x, %x : f32
    %1 = arith.select %0, %zero, %x : f32
    kernel.yield %1 : f32
  } epilogue {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  }
  return
}

// -----

// Rows have 300 elements, so three blocks share the results of a row. Each of them
// computes the scores.
// CHECK-LABEL: func.func private @wide
// CHECK: kernel.parallel 48 attributes {weir.block = 128 : i64}
// CHECK-NOT: kernel.parallel
// CHECK: return
func.func private @wide(%q: memref<8x100x64xf32>, %k: memref<8x64x160xf32>, %v: memref<8x160x300xf32>, %o: memref<8x100x300xf32>) attributes {weir.kernel} {
  kernel.attention ins(%q, %k, %v : memref<8x100x64xf32>, memref<8x64x160xf32>, memref<8x160x300xf32>) outs(%o : memref<8x100x300xf32>) scores {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  } weights {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  } epilogue {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  }
  return
}

// -----

// Rows with more elements would need too many blocks that compute the scores again.
// CHECK-LABEL: func.func private @too_wide
// CHECK-COUNT-3: kernel.parallel
func.func private @too_wide(%q: memref<8x100x64xf32>, %k: memref<8x64x800xf32>, %v: memref<8x800x520xf32>, %o: memref<8x100x520xf32>) attributes {weir.kernel} {
  kernel.attention ins(%q, %k, %v : memref<8x100x64xf32>, memref<8x64x800xf32>, memref<8x800x520xf32>) outs(%o : memref<8x100x520xf32>) scores {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  } weights {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  } epilogue {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  }
  return
}

// -----

// Loops copy the slices of a deep head with bounds checks. The 1024 chunks of k and of
// q are copied by 128 threads, two at a time each.
// CHECK-LABEL: func.func private @deep
// CHECK: %[[T:.*]] = arith.index_castui
// CHECK-COUNT-2: scf.for %{{.*}} = %[[T]] to %c1024 step %c256 {
// CHECK: scf.for %{{.*}} = %c0 to %c3
// CHECK: scf.for %{{.*}} = %[[T]] to %c1024 step %c256 {
// CHECK-COUNT-2: llvm.nvvm.cp.async.cg.shared.global.16.s
// CHECK-NEXT: }
// CHECK: return
func.func private @deep(%q: memref<8x100x256xf16>, %k: memref<8x256x136xf16>, %v: memref<8x136x256xf16>, %o: memref<8x100x256xf16>) attributes {weir.kernel} {
  kernel.attention ins(%q, %k, %v : memref<8x100x256xf16>, memref<8x256x136xf16>, memref<8x136x256xf16>) outs(%o : memref<8x100x256xf16>) scores {
  ^bb0(%x: f32):
    %0 = arith.truncf %x : f32 to f16
    kernel.yield %0 : f16
  } weights {
  ^bb0(%x: f32):
    %0 = arith.truncf %x : f32 to f16
    kernel.yield %0 : f16
  } epilogue {
  ^bb0(%x: f32):
    %0 = arith.truncf %x : f32 to f16
    kernel.yield %0 : f16
  }
  return
}

// -----

// Loops also copy a slice if a thread has many pieces of it: here a chunk of v has
// eight.
// CHECK-LABEL: func.func private @narrow
// CHECK: weir.block = 32
// CHECK: %[[T:.*]] = arith.index_castui
// CHECK: scf.for %{{.*}} = %[[T]] to %c512 step %c64 {
// CHECK-COUNT-16: llvm.store %{{.*}} : i16, !llvm.ptr<3>
// CHECK-NEXT: }
// CHECK: return
func.func private @narrow(%q: memref<8x1x63xf16>, %k: memref<8x63x300xf16>, %v: memref<8x300x63xf16>, %o: memref<8x1x63xf16>) attributes {weir.kernel} {
  kernel.attention ins(%q, %k, %v : memref<8x1x63xf16>, memref<8x63x300xf16>, memref<8x300x63xf16>) outs(%o : memref<8x1x63xf16>) scores {
  ^bb0(%x: f32):
    %0 = arith.truncf %x : f32 to f16
    kernel.yield %0 : f16
  } weights {
  ^bb0(%x: f32):
    %0 = arith.truncf %x : f32 to f16
    kernel.yield %0 : f16
  } epilogue {
  ^bb0(%x: f32):
    %0 = arith.truncf %x : f32 to f16
    kernel.yield %0 : f16
  }
  return
}
