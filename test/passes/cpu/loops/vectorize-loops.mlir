// RUN: weir-opt %s -split-input-file --weir-vectorize-loops -canonicalize -cse | FileCheck %s

// A row is contiguous: the loop uses four sums in turn, then a mask for the remainder.
// The lanes are added by halving the vector.
// CHECK-LABEL: func @rows
// CHECK: scf.for
// CHECK: scf.for %{{.*}} iter_args(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) -> (vector<[[N:[0-9]+]]xf32>
// CHECK-COUNT-4: vector.load
// CHECK: scf.yield
// CHECK: vector.constant_mask
// CHECK: vector.maskedload
// CHECK: vector.extract_strided_slice
// CHECK: %[[TOTAL:.*]] = arith.addf %{{.*}}, %{{.*}} : f32
// CHECK: memref.store %[[TOTAL]]
// CHECK-NOT: linalg
func.func @rows(%x: memref<8x1001xf32>, %y: memref<8xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%x : memref<8x1001xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %out, %in : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// If L2 does not hold an operand, the loop prefetches it: one cache line for each
// vector. The first of the two ops that read it does so. An operand that fits in L2 is
// not prefetched.
// CHECK-LABEL: func @stream
// CHECK: scf.for %[[I:[a-z0-9]+]] =
// CHECK: scf.for %[[K:[a-z0-9]+]] =
// CHECK: %[[AHEAD:.*]] = arith.addi %[[K]], %c1024
// CHECK: memref.prefetch %[[X:[a-z0-9]+]][%[[I]], %[[AHEAD]]], read, locality<3>
// CHECK-COUNT-3: memref.prefetch %[[X]]
// CHECK-NOT: memref.prefetch
// CHECK: return
module attributes {weir.target = #weir.target<fma_rate = 2>} {
  func.func @stream(%x: memref<512x1024xf32>, %few: memref<8x1024xf32>, %y: memref<8xf32>, %z: memref<8xf32>) {
    %rows = memref.subview %x[8, 0] [8, 1024] [1, 1] : memref<512x1024xf32> to memref<8x1024xf32, strided<[1024, 1], offset: 8192>>
    linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%rows : memref<8x1024xf32, strided<[1024, 1], offset: 8192>>) outs(%y : memref<8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %0 = arith.addf %out, %in : f32
      linalg.yield %0 : f32
    }
    linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%rows, %few : memref<8x1024xf32, strided<[1024, 1], offset: 8192>>, memref<8x1024xf32>) outs(%z : memref<8xf32>) {
    ^bb0(%in: f32, %other: f32, %out: f32):
      %0 = arith.mulf %in, %other : f32
      %1 = arith.addf %out, %0 : f32
      linalg.yield %1 : f32
    }
    return
  }
}

// -----

// Nothing is prefetched if the processor does so itself.
// CHECK-LABEL: func @fetched_by_itself
// CHECK-NOT: memref.prefetch
// CHECK: return
module attributes {weir.target = #weir.target<>} {
  func.func @fetched_by_itself(%x: memref<512x1024xf32>, %y: memref<512xf32>) {
    linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%x : memref<512x1024xf32>) outs(%y : memref<512xf32>) {
    ^bb0(%in: f32, %out: f32):
      %0 = arith.addf %out, %in : f32
      linalg.yield %0 : f32
    }
    return
  }
}

// -----

// The memory after a row of a slice of columns is not read. The distance is 1024
// elements, which are 16 rows of 64 columns.
// CHECK-LABEL: func @slice_of_columns
// CHECK: scf.for %[[I:[a-z0-9]+]] =
// CHECK: memref.prefetch %{{.*}}[%[[I]], %c16384], read, locality<3>
// CHECK-COUNT-3: memref.prefetch
// CHECK-NOT: memref.prefetch
// CHECK: return
module attributes {weir.target = #weir.target<fma_rate = 2>} {
  func.func @slice_of_columns(%x: memref<512x1024xf32>, %y: memref<512xf32>) {
    %columns = memref.subview %x[0, 0] [512, 64] [1, 1] : memref<512x1024xf32> to memref<512x64xf32, strided<[1024, 1]>>
    linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%columns : memref<512x64xf32, strided<[1024, 1]>>) outs(%y : memref<512xf32>) {
    ^bb0(%in: f32, %out: f32):
      %0 = arith.addf %out, %in : f32
      linalg.yield %0 : f32
    }
    return
  }
}

// -----

// A loop that adds rows prefetches by the same rule.
// CHECK-LABEL: func @sums_of_columns
// CHECK: scf.for %[[I:[a-z0-9]+]] =
// CHECK: scf.for %[[K:[a-z0-9]+]] =
// CHECK: %[[AHEAD:.*]] = arith.addi %[[K]], %c4096
// CHECK: memref.prefetch %{{.*}}[%[[I]], %[[AHEAD]]], read, locality<3>
// CHECK-COUNT-3: memref.prefetch
// CHECK-NOT: memref.prefetch
// CHECK: return
module attributes {weir.target = #weir.target<fma_rate = 2>} {
  func.func @sums_of_columns(%x: memref<512x1024xf32>, %y: memref<256xf32>) {
    %columns = memref.subview %x[0, 0] [512, 256] [1, 1] : memref<512x1024xf32> to memref<512x256xf32, strided<[1024, 1]>>
    linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>], iterator_types = ["reduction", "parallel"]} ins(%columns : memref<512x256xf32, strided<[1024, 1]>>) outs(%y : memref<256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %0 = arith.addf %out, %in : f32
      linalg.yield %0 : f32
    }
    return
  }
}

// -----

// If the loop order differs from the memory order, the elements after a row are not
// read next, so nothing is prefetched.
// CHECK-LABEL: func @rows_in_turns
// CHECK-NOT: memref.prefetch
// CHECK: vector.load
// CHECK-NOT: memref.prefetch
// CHECK: return
module attributes {weir.target = #weir.target<fma_rate = 2>} {
  func.func @rows_in_turns(%x: memref<64x128x64xf32>, %y: memref<128x64xf32>) {
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d0, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : memref<64x128x64xf32>) outs(%y : memref<128x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %0 = arith.addf %out, %in : f32
      linalg.yield %0 : f32
    }
    return
  }
}

// -----

// The maximum ignores NaNs, so the loop finds them separately, by their bits.
// CHECK-LABEL: func @largest
// CHECK: %[[LAST:.*]]:8 = scf.for
// CHECK: %[[X:.*]] = vector.load
// CHECK: %[[BITS:.*]] = arith.bitcast %[[X]]
// CHECK: %[[MAGNITUDE:.*]] = arith.andi %[[BITS]]
// CHECK: arith.maxsi %{{.*}}, %[[MAGNITUDE]]
// CHECK: %[[BEYOND:.*]] = arith.cmpf ogt, %[[X]], %[[BEST:.*]] : vector
// CHECK: arith.select %[[BEYOND]], %[[X]], %[[BEST]]
// CHECK: scf.yield
// CHECK: %[[ANY:.*]] = arith.cmpi sgt
// CHECK: arith.select %[[ANY]]
func.func @largest(%x: memref<1024xf32>, %y: memref<f32>) {
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]} ins(%x : memref<1024xf32>) outs(%y : memref<f32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.maximumf %out, %in : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// The loops over a window run inside the loops over lanes, so the maximum stays in a
// register.
// CHECK-LABEL: func @window
// CHECK: %[[FIRST:.*]] = vector.load %{{.*}} : memref<4x32xf32>
// CHECK: %[[SECOND:.*]] = vector.load %{{.*}} : memref<4x32xf32>
// CHECK-NEXT: %[[LAST:.*]]:2 = scf.for %{{.*}} iter_args(%{{.*}} = %[[FIRST]], %{{.*}} = %[[SECOND]])
// CHECK-COUNT-2: vector.load %{{.*}} : memref<9x32xf32>
// CHECK: scf.yield
// CHECK: vector.store %[[LAST]]#0, %{{.*}} : memref<4x32xf32>
func.func @window(%x: memref<9x32xf32>, %w: memref<3xi8>, %y: memref<4x32xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0 * 2 + d2, d1)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : memref<9x32xf32>, memref<3xi8>) outs(%y : memref<4x32xf32>) {
  ^bb0(%in: f32, %unused: i8, %out: f32):
    %0 = arith.maximumf %out, %in : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// One loop writes elements and sums them.
// CHECK-LABEL: func @both
// CHECK: scf.for
// CHECK: %[[E:.*]] = math.exp %{{.*}} : vector
// CHECK: arith.addf %{{.*}}, %[[E]]
// CHECK: vector.store %[[E]]
func.func @both(%x: memref<1024xf32>, %e: memref<1024xf32>, %y: memref<f32>) {
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]} ins(%x : memref<1024xf32>) outs(%e, %y : memref<1024xf32>, memref<f32>) {
  ^bb0(%in: f32, %out: f32, %sum: f32):
    %0 = math.exp %in : f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %0, %1 : f32, f32
  }
  return
}

// -----

// These loops stay: a division of lanes that may be invalid, a load of every second
// element, and a loop over indices as values.
// CHECK-LABEL: func @left
// CHECK-COUNT-3: linalg.generic
func.func @left(%x: memref<9x9xi32>, %y: memref<9x9xi32>, %z: memref<9x18xi32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : memref<9x9xi32>) outs(%y : memref<9x9xi32>) {
  ^bb0(%in: i32, %out: i32):
    %0 = arith.divsi %in, %in : i32
    linalg.yield %0 : i32
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1 * 2)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%z : memref<9x18xi32>) outs(%y : memref<9x9xi32>) {
  ^bb0(%in: i32, %out: i32):
    %0 = arith.addi %in, %in : i32
    linalg.yield %0 : i32
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%y : memref<9x9xi32>) {
  ^bb0(%out: i32):
    %0 = linalg.index 1 : index
    %1 = arith.index_cast %0 : index to i32
    linalg.yield %1 : i32
  }
  return
}

// -----

// The loop has four vectors for each op in turn, or six if functions make the chain
// long. The remainder at the end has several vectors, too.
// CHECK-LABEL: func @turns
// CHECK: scf.for %{{.*}} = %c0 to %c128 step %c64
// CHECK-COUNT-4: vector.load
// CHECK-COUNT-4: arith.negf
// CHECK-COUNT-4: math.exp
// CHECK-COUNT-4: vector.store
// CHECK: }
// CHECK: vector.load
// CHECK: vector.maskedload
// CHECK-COUNT-2: arith.negf
// CHECK-COUNT-2: math.exp
// CHECK: vector.maskedstore
// CHECK-COUNT-6: math.exp
// CHECK-COUNT-6: math.tanh
func.func @turns(%x: memref<150xf32>, %y: memref<150xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : memref<150xf32>) outs(%y : memref<150xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.negf %in : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : memref<150xf32>) outs(%y : memref<150xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.exp %in : f32
    %1 = math.tanh %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// -----

// This maximum ignores NaNs by its definition.
// CHECK-LABEL: func @largest_number
// CHECK: arith.constant dense<0xFF800000> : vector
// CHECK: %[[X:.*]] = vector.load
// CHECK-NOT: arith.cmpf uno
// CHECK: return
func.func @largest_number(%x: memref<1024xf32>, %y: memref<f32>) {
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]} ins(%x : memref<1024xf32>) outs(%y : memref<f32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.maxnumf %out, %in : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// Operands with another contiguous dimension use register transpose blocks: rows are
// loaded, and columns are stored, with masks for partial blocks.
// CHECK-LABEL: func @transposed
// CHECK: scf.for %[[N:.*]] = %c0 to %c3
// CHECK: scf.for %[[I:[a-z0-9]+]] = %c0 to %c32
// CHECK: vector.load %arg0[%{{.*}}, %[[N]], %[[I]]]
// CHECK: vector.shuffle
// CHECK: vector.maskedstore %arg1[%[[N]], %[[I]], %{{.*}}]
// CHECK: vector.maskedload %arg0
// CHECK-NOT: linalg
func.func @transposed(%x: memref<20x3x40xf32>, %y: memref<3x40x20xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2, d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : memref<20x3x40xf32>) outs(%y : memref<3x40x20xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  return
}

// -----

// The body has transposed operands, operands in the order of the result, and one
// operand per row. It runs row by row after the transpose in registers.
// CHECK-LABEL: func @transposed_sum
// CHECK: vector.load %arg0[%[[J:.*]], %[[I:.*]]]
// CHECK: vector.shuffle
// CHECK: %[[ROW:.*]] = vector.shuffle
// CHECK: %[[LIKE:.*]] = vector.load %arg1[%[[I]], %[[J]]]
// CHECK: %[[OF:.*]] = memref.load %arg2[%[[I]]]
// CHECK: %[[ALL:.*]] = vector.broadcast %[[OF]]
// CHECK: %[[SUM:.*]] = arith.addf %{{.*}}, %[[LIKE]] : vector<16xf32>
// CHECK: %[[SCALED:.*]] = arith.mulf %[[SUM]], %[[ALL]] : vector<16xf32>
// CHECK: vector.store %[[SCALED]], %arg3[%[[I]], %[[J]]]
// CHECK-NOT: linalg
func.func @transposed_sum(%x: memref<32x16xf32>, %y: memref<16x32xf32>, %s: memref<16xf32>, %z: memref<16x32xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x, %y, %s : memref<32x16xf32>, memref<16x32xf32>, memref<16xf32>) outs(%z : memref<16x32xf32>) {
  ^bb0(%in: f32, %like: f32, %scale: f32, %out: f32):
    %0 = arith.addf %in, %like : f32
    %1 = arith.mulf %0, %scale : f32
    linalg.yield %1 : f32
  }
  return
}

// -----

// An op stays if two operands have different contiguous dimensions, neither that of the
// result.
// CHECK-LABEL: func @two_ways
// CHECK: linalg.generic
func.func @two_ways(%x: memref<16x16x16xf32>, %y: memref<16x16x16xf32>, %z: memref<16x16x16xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2, d1)>, affine_map<(d0, d1, d2) -> (d2, d1, d0)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %y : memref<16x16x16xf32>, memref<16x16x16xf32>) outs(%z : memref<16x16x16xf32>) {
  ^bb0(%in: f32, %other: f32, %out: f32):
    %0 = arith.addf %in, %other : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// Few of many elements are adjacent, so the columns of the transpose blocks are mostly
// empty.
// CHECK-LABEL: func @fives
// CHECK-COUNT-5: vector.load %arg0
// CHECK: vector.shuffle
// CHECK-COUNT-16: vector.maskedstore %arg1
// CHECK-NOT: linalg
func.func @fives(%x: memref<5x64xf32>, %y: memref<64x5xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : memref<5x64xf32>) outs(%y : memref<64x5xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  return
}

// -----

// Result rows of four elements, and of two, are computed one vector at a time.
// CHECK-LABEL: func @interleaved
// CHECK: scf.for %[[N:.*]] = %c0 to %c5
// CHECK: %[[FLAT:.*]] = memref.collapse_shape %arg1 {{.*}} : memref<5x20x4xf32> into memref<5x80xf32>
// CHECK: vector.load %arg0[%[[N]], %c3, %c0]
// CHECK: %[[FIRST:.*]] = vector.shuffle %{{.*}}, %{{.*}} [0, 16, 1, 17
// CHECK: %[[LAST:.*]] = vector.shuffle %{{.*}}, %{{.*}} [8, 24, 9, 25
// CHECK: vector.store %{{.*}}, %[[FLAT]][%[[N]], %c0]
// CHECK: vector.store %{{.*}}, %[[FLAT]][%[[N]], %c48]
// CHECK: vector.maskedload %arg0[%[[N]], %c0, %c16]
// CHECK: vector.store %{{.*}}, %[[FLAT]][%[[N]], %c64]
// CHECK: memref.collapse_shape %arg3
// CHECK-COUNT-2: vector.shuffle
// CHECK: math.absf %{{.*}} : vector<16xf32>
// CHECK-NOT: linalg
func.func @interleaved(%x: memref<5x4x20xf32>, %y: memref<5x20x4xf32>, %z: memref<2x64xf32>, %u: memref<64x2xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : memref<5x4x20xf32>) outs(%y : memref<5x20x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%z : memref<2x64xf32>) outs(%u : memref<64x2xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.absf %in : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// An op with fewer adjacent elements stays.
// CHECK-LABEL: func @two_neighbors
// CHECK: linalg.generic
func.func @two_neighbors(%x: memref<40x2xf32>, %y: memref<2x40xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : memref<40x2xf32>) outs(%y : memref<2x40xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  return
}

// -----

// Vectors of f16 have as many lanes as vectors of f32. They are widened and rounded in
// registers.
// CHECK-LABEL: func @f16
// CHECK: vector.load %{{.*}} : memref<8x100xf16>, vector<[[N:[0-9]+]]xf16>
// CHECK: arith.extf %{{.*}} : vector<[[N]]xf16> to vector<[[N]]xf32>
// CHECK: arith.cmpf olt, %{{.*}} : vector<[[N]]xf32>
// CHECK: arith.truncf %{{.*}} : vector<[[N]]xf32> to vector<[[N]]xbf16>
// CHECK: vector.store %{{.*}} : memref<8x100xbf16>, vector<[[N]]xbf16>
func.func @f16(%x: memref<8x100xf16>, %y: memref<8x100xbf16>) {
  %zero = arith.constant 0.0 : f32
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : memref<8x100xf16>) outs(%y : memref<8x100xbf16>) {
  ^bb0(%in: f16, %out: bf16):
    %0 = arith.extf %in : f16 to f32
    %1 = arith.cmpf olt, %0, %zero : f32
    %2 = arith.select %1, %zero, %0 : f32
    %3 = arith.truncf %2 : f32 to bf16
    linalg.yield %3 : bf16
  }
  return
}

// -----

// Sums of f16 stay loops, because each addition rounds.
// CHECK-LABEL: func @f16_sums
// CHECK-NOT: vector
// CHECK: arith.addf
// CHECK-NOT: vector
// CHECK: return
func.func @f16_sums(%x: memref<8x100xf16>, %y: memref<8xf16>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%x : memref<8x100xf16>) outs(%y : memref<8xf16>) {
  ^bb0(%in: f16, %out: f16):
    %0 = arith.addf %out, %in : f16
    linalg.yield %0 : f16
  }
  return
}

// -----

// Bytes are transposed as bytes, and widened to i32 in the rows of the result.
// CHECK-LABEL: func @transposed_bytes
// CHECK: vector.load %{{.*}} : memref<64x32xi8>, vector<[[N:[0-9]+]]xi8>
// CHECK: vector.shuffle %{{.*}} : vector<[[N]]xi8>, vector<[[N]]xi8>
// CHECK: arith.extui %{{.*}} : vector<[[N]]xi8> to vector<[[N]]xi32>
// CHECK: vector.store %{{.*}} : memref<32x64xf32>, vector<[[N]]xf32>
func.func @transposed_bytes(%x: memref<64x32xi8>, %y: memref<32x64xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : memref<64x32xi8>) outs(%y : memref<32x64xf32>) {
  ^bb0(%in: i8, %out: f32):
    %0 = arith.extui %in : i8 to i32
    %1 = arith.sitofp %0 : i32 to f32
    linalg.yield %1 : f32
  }
  return
}

// -----

// A row that is reduced is the innermost loop, or the op has no lanes.
// CHECK-LABEL: func @two_reductions
// CHECK-NOT: vector
// CHECK: return
func.func @two_reductions(%x: memref<8xf32>, %y: memref<4x16xf32>, %z: memref<16xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1)>, affine_map<(d0, d1, d2) -> (d2, d0)>, affine_map<(d0, d1, d2) -> (d0)>], iterator_types = ["parallel", "reduction", "reduction"]} ins(%x, %y : memref<8xf32>, memref<4x16xf32>) outs(%z : memref<16xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  }
  return
}
