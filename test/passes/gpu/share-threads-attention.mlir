// RUN: weir-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(weir-share-threads,canonicalize,cse))' --verify-diagnostics | FileCheck %s

// One launch of a block for 64 rows of a batch, which reads q, k and v where
// they lie and leaves the result there: no copy, no panel, no score in memory.
// CHECK-LABEL: func.func private @halves
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
func.func private @halves(%q: memref<2x100x3x64xf16>, %k: memref<2x130x3x64xf16>, %v: memref<2x130x3x64xf16>, %m: memref<2x1x1x130xf16>, %o: memref<2x100x3x64xf16>) attributes {weir.kernel} {
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

// Threads multiply f32 themselves; the weights go by way of shared memory. The
// sides need neither panels nor copies.
// CHECK-LABEL: func.func private @floats
// CHECK: kernel.parallel 2 attributes {weir.block = 128 : i64}
// CHECK: memref.alloca() : memref<16384xi8, 3>
// CHECK-NOT: llvm.nvvm.mma
// CHECK: llvm.store %{{.*}} : f32, !llvm.ptr<3>
// CHECK: nvvm.cp.async.wait.group 1
// CHECK-NOT: kernel.parallel
func.func private @floats(%q: memref<128x64xf32>, %k: memref<64x64xf32>, %v: memref<64x64xf32>, %o: memref<128x64xf32>) attributes {weir.kernel} {
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

// Weights that are another function of the softmax, here its square, stay launches
// of their own, with the scores in memory.
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

// With a mask of all columns a row is 0: 1 divides its sum, which is 0.
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

// A row of each of 8 heads: 13 blocks share its 800 columns, 64 each. They
// leave sums, largest scores and totals to a second launch.
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

// So few columns are one block's.
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

// Blocks of so many heads fill a GPU.
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

// Below 64 columns a row is less than a block's work: launches stay.
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

// Weights that are no numbers are 0, and so is then the result of the row.
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

// Three blocks share the results of rows of 300 elements, each of which makes
// their scores.
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

// Those of so many would make them too often.
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

// Slices of a deep head that may be outside are copied by loops: the 1024 chunks
// of k and of q, two of each of 128 threads a round.
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

// So is one of whose pieces a thread copies many: here a chunk of v is eight.
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
