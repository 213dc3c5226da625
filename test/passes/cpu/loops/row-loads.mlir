// RUN: weir-opt %s -split-input-file --weir-vectorize-loops -canonicalize -cse | FileCheck %s

// The bodies of loops load elements from rows of buffers at indices from a table.

#places = affine_map<(d0, d1) -> (d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>

// The indices of a table never decrease, and those of 16 adjacent elements are close
// together. So the loop loads a vector and permutes its lanes. Near the end of the row
// it loads the last whole vector.
// CHECK-LABEL: func @enlarged
// CHECK: %[[NEAR:.*]] = scf.for %{{.*}} = %c0 to %c48 step %c1 iter_args({{.*}}) -> (i1)
// CHECK: arith.cmpi sle
// CHECK: arith.cmpi slt
// CHECK: scf.if %[[NEAR]]
// CHECK: %[[FIRST:.*]] = vector.extract %[[INDICES:.*]][0] : index from vector<16xindex>
// CHECK: %[[BASE:.*]] = arith.minsi %[[FIRST]], %c12
// CHECK: %[[X:.*]] = vector.load %arg0[%{{.*}}, %[[BASE]]] : memref<32x28xf32>, vector<16xf32>
// CHECK: %[[FROM:.*]] = vector.broadcast %[[BASE]]
// CHECK: %[[AWAY:.*]] = arith.subi %[[INDICES]], %[[FROM]]
// CHECK: %[[WHICH:.*]] = arith.index_cast %[[AWAY]] : vector<16xindex> to vector<16xi32>
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.permvar.sf.512"(%[[X]], %[[WHICH]])
// CHECK: } else {
// CHECK: linalg.generic
module attributes {weir.target = #weir.target<features = "+avx2,+avx512f">} {
  func.func @enlarged(%x: memref<32x28xf32>, %places: memref<48xi64>, %y: memref<32x48xf32>) {
    %c0 = arith.constant 0 : index
    %c27 = arith.constant 27 : index
    linalg.generic {indexing_maps = [#places, #id], iterator_types = ["parallel", "parallel"]} ins(%places : memref<48xi64>) outs(%y : memref<32x48xf32>) {
    ^bb0(%place: i64, %out: f32):
      %row = linalg.index 0 : index
      %0 = arith.index_cast %place : i64 to index
      %1 = arith.maxsi %0, %c0 : index
      %2 = arith.minsi %1, %c27 : index
      %3 = memref.load %x[%row, %2] : memref<32x28xf32>
      %4 = arith.mulf %3, %3 : f32
      linalg.yield %4 : f32
    }
    return
  }
}

// -----

#places = affine_map<(d0, d1) -> (d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>

// A row that is shorter than a vector is loaded whole, with eight lanes of 32 bits. The
// check of the table is before the outer loops.
// CHECK-LABEL: func @short
// CHECK: %[[NEAR:.*]] = scf.for %{{.*}} = %c0 to %c24 step %c1 iter_args({{.*}}) -> (i1)
// CHECK: scf.for %{{.*}} = %c0 to %c4
// CHECK: scf.if %[[NEAR]]
// CHECK: %[[MASK:.*]] = vector.constant_mask [5]
// CHECK: vector.maskedload %arg0[%{{.*}}, %{{.*}}, %c0], %[[MASK]]
// CHECK: vector.bitcast %{{.*}} : vector<8xi32> to vector<8xf32>
// CHECK: llvm.call_intrinsic "llvm.x86.avx2.permps"
module attributes {weir.target = #weir.target<features = "+avx2", vector_bits = 256>} {
  func.func @short(%x: memref<4x16x5xi32>, %places: memref<24xi32>, %y: memref<4x16x24xi32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    scf.for %i = %c0 to %c4 step %c1 {
      %out = memref.subview %y[%i, 0, 0] [1, 16, 24] [1, 1, 1] : memref<4x16x24xi32> to memref<16x24xi32, strided<[24, 1], offset: ?>>
      linalg.generic {indexing_maps = [#places, #id], iterator_types = ["parallel", "parallel"]} ins(%places : memref<24xi32>) outs(%out : memref<16x24xi32, strided<[24, 1], offset: ?>>) {
      ^bb0(%place: i32, %before: i32):
        %row = linalg.index 0 : index
        %0 = arith.index_cast %place : i32 to index
        %1 = arith.maxsi %0, %c0 : index
        %2 = arith.minsi %1, %c4 : index
        %3 = memref.load %x[%i, %row, %2] : memref<4x16x5xi32>
        linalg.yield %3 : i32
      }
    }
    return
  }
}

// -----

#places = affine_map<(d0, d1) -> (d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>

// If the outer loop fills the table, each iteration checks it.
// CHECK-LABEL: func @filled
// CHECK: scf.for %{{.*}} = %c0 to %c4
// CHECK: memref.store
// CHECK: scf.for %{{.*}} = %c0 to %c24 step %c1 iter_args({{.*}}) -> (i1)
module attributes {weir.target = #weir.target<features = "+avx2", vector_bits = 256>} {
  func.func @filled(%x: memref<16x5xi32>, %places: memref<24xi32>, %y: memref<4x16x24xi32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    scf.for %i = %c0 to %c4 step %c1 {
      %first = arith.index_cast %i : index to i32
      memref.store %first, %places[%c0] : memref<24xi32>
      %out = memref.subview %y[%i, 0, 0] [1, 16, 24] [1, 1, 1] : memref<4x16x24xi32> to memref<16x24xi32, strided<[24, 1], offset: ?>>
      linalg.generic {indexing_maps = [#places, #id], iterator_types = ["parallel", "parallel"]} ins(%places : memref<24xi32>) outs(%out : memref<16x24xi32, strided<[24, 1], offset: ?>>) {
      ^bb0(%place: i32, %before: i32):
        %row = linalg.index 0 : index
        %0 = arith.index_cast %place : i32 to index
        %1 = memref.load %x[%row, %0] : memref<16x5xi32>
        linalg.yield %1 : i32
      }
    }
    return
  }
}

// -----

#rows = affine_map<(d0, d1) -> (d0)>
#id = affine_map<(d0, d1) -> (d0, d1)>

// Adjacent indices are a vector of the row that all lanes share.
// CHECK-LABEL: func @neighbours
// CHECK-NOT: scf.if
// CHECK: scf.for %[[I:.*]] = %c0 to %c24
// CHECK: %[[INDEX:.*]] = memref.load %arg1[%[[I]]] : memref<24xi64>
// CHECK: %[[ROW:.*]] = arith.index_cast %[[INDEX]] : i64 to index
// CHECK: vector.load %arg0[%[[ROW]], %c0] : memref<8x50xf32>, vector<16xf32>
// CHECK: vector.load %arg0[%[[ROW]], %c16] : memref<8x50xf32>, vector<16xf32>
// CHECK-NOT: linalg
func.func @neighbours(%x: memref<8x50xf32>, %places: memref<24xi64>, %y: memref<24x50xf32>) {
  linalg.generic {indexing_maps = [#rows, #id], iterator_types = ["parallel", "parallel"]} ins(%places : memref<24xi64>) outs(%y : memref<24x50xf32>) {
  ^bb0(%place: i64, %out: f32):
    %0 = arith.index_cast %place : i64 to index
    %column = linalg.index 1 : index
    %1 = memref.load %x[%0, %column] : memref<8x50xf32>
    linalg.yield %1 : f32
  }
  return
}

// -----

#places = affine_map<(d0, d1) -> (d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>

// These loops load elements one by one. Their lanes have different rows, or there are
// fewer indices than the row has elements, or few rows. One has a table for each row,
// which one check cannot cover.
// CHECK-LABEL: func @otherwise
// CHECK-NOT: scf.if
// CHECK-COUNT-4: linalg.generic
module attributes {weir.target = #weir.target<features = "+avx2,+avx512f">} {
  func.func @otherwise(%x: memref<32x64xf32>, %places: memref<64xi64>, %few: memref<48xi64>, %y: memref<32x64xf32>, %z: memref<32x48xf32>, %v: memref<4x64xf32>, %own: memref<32x64xi64>) {
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%own : memref<32x64xi64>) outs(%y : memref<32x64xf32>) {
    ^bb0(%place: i64, %out: f32):
      %row = linalg.index 0 : index
      %0 = arith.index_cast %place : i64 to index
      %1 = memref.load %x[%row, %0] : memref<32x64xf32>
      linalg.yield %1 : f32
    }
    linalg.generic {indexing_maps = [#places, #id], iterator_types = ["parallel", "parallel"]} ins(%places : memref<64xi64>) outs(%y : memref<32x64xf32>) {
    ^bb0(%place: i64, %out: f32):
      %row = linalg.index 0 : index
      %0 = arith.index_cast %place : i64 to index
      %1 = memref.load %x[%0, %row] : memref<32x64xf32>
      linalg.yield %1 : f32
    }
    linalg.generic {indexing_maps = [#places, #id], iterator_types = ["parallel", "parallel"]} ins(%few : memref<48xi64>) outs(%z : memref<32x48xf32>) {
    ^bb0(%place: i64, %out: f32):
      %row = linalg.index 0 : index
      %0 = arith.index_cast %place : i64 to index
      %1 = memref.load %x[%row, %0] : memref<32x64xf32>
      linalg.yield %1 : f32
    }
    linalg.generic {indexing_maps = [#places, #id], iterator_types = ["parallel", "parallel"]} ins(%places : memref<64xi64>) outs(%v : memref<4x64xf32>) {
    ^bb0(%place: i64, %out: f32):
      %row = linalg.index 0 : index
      %0 = arith.index_cast %place : i64 to index
      %1 = memref.load %x[%row, %0] : memref<32x64xf32>
      linalg.yield %1 : f32
    }
    return
  }
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// An index that is also a value has no vector form.
// CHECK-LABEL: func @value
// CHECK: linalg.generic
func.func @value(%x: memref<32x48xi32>, %y: memref<32x48xi32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : memref<32x48xi32>) outs(%y : memref<32x48xi32>) {
  ^bb0(%in: i32, %out: i32):
    %column = linalg.index 1 : index
    %0 = arith.index_cast %column : index to i32
    %1 = arith.addi %0, %in : i32
    linalg.yield %1 : i32
  }
  return
}
