// RUN: weir-opt %s -split-input-file --weir-shape-reductions | FileCheck %s

// The rows and columns of a channel are contiguous.
// CHECK-LABEL: func @channels
// CHECK: %[[Z:.*]] = memref.collapse_shape %arg0 {{\[\[}}0], [1, 2]] : memref<64x7x7xf32> into memref<64x49xf32>
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%[[Z]] : memref<64x49xf32>) outs(%arg1 : memref<64xf32>)
func.func @channels(%x: memref<64x7x7xf32>, %y: memref<64xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0)>], iterator_types = ["parallel", "reduction", "reduction"]} ins(%x : memref<64x7x7xf32>) outs(%y : memref<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %out, %in : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// This also holds for a slice of a larger buffer with its results in a slice.
// CHECK-LABEL: func @slices
// CHECK: memref.collapse_shape %arg0 {{\[\[}}0], [1], [2, 3]] : memref<1x8x7x7xf32, strided<[3136, 49, 7, 1], offset: ?>> into memref<1x8x49xf32, strided<[3136, 49, 1], offset: ?>>
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]} ins(%{{.*}} : memref<1x8x49xf32, strided<[3136, 49, 1], offset: ?>>) outs(%arg1 : memref<1x8xf32, strided<[64, 1], offset: ?>>)
func.func @slices(%x: memref<1x8x7x7xf32, strided<[3136, 49, 7, 1], offset: ?>>, %y: memref<1x8xf32, strided<[64, 1], offset: ?>>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%x : memref<1x8x7x7xf32, strided<[3136, 49, 7, 1], offset: ?>>) outs(%y : memref<1x8xf32, strided<[64, 1], offset: ?>>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.maximumf %out, %in : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// Rows that are not contiguous stay rows, and so do rows that another operand reads
// differently.
// CHECK-LABEL: func @apart
// CHECK-NOT: collapse_shape
// CHECK: return
func.func @apart(%x: memref<64x7x7xf32, strided<[81, 9, 1]>>, %y: memref<64xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0)>], iterator_types = ["parallel", "reduction", "reduction"]} ins(%x : memref<64x7x7xf32, strided<[81, 9, 1]>>) outs(%y : memref<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %out, %in : f32
    linalg.yield %0 : f32
  }
  return
}
// CHECK-LABEL: func @factors
// CHECK-NOT: collapse_shape
// CHECK: return
func.func @factors(%x: memref<64x7x7xf32>, %f: memref<7xf32>, %y: memref<64xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0)>], iterator_types = ["parallel", "reduction", "reduction"]} ins(%x, %f : memref<64x7x7xf32>, memref<7xf32>) outs(%y : memref<64xf32>) {
  ^bb0(%in: f32, %g: f32, %out: f32):
    %m = arith.mulf %in, %g : f32
    %0 = arith.addf %out, %m : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// The reduction moves into the short rows, and the loops over them become one.
// CHECK-LABEL: func @inside
// CHECK: memref.collapse_shape %arg0 {{\[\[}}0], [1], [2, 3]] : memref<2x64x7x7xf32> into memref<2x64x49xf32>
// CHECK: linalg.generic {indexing_maps = [#[[X:.*]], #[[Y:.*]]], iterator_types = ["parallel", "parallel", "reduction"]} ins(%{{.*}} : memref<2x64x49xf32>) outs(%{{.*}} : memref<2x49xf32>)
func.func @inside(%x: memref<2x64x7x7xf32>, %y: memref<2x7x7xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>], iterator_types = ["parallel", "reduction", "parallel", "parallel"]} ins(%x : memref<2x64x7x7xf32>) outs(%y : memref<2x7x7xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %out, %in : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// Long rows are read in memory order.
// CHECK-LABEL: func @long
// CHECK: linalg.generic {{.*}} iterator_types = ["reduction", "parallel"]
func.func @long(%x: memref<64x1000xf32>, %y: memref<1000xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>], iterator_types = ["reduction", "parallel"]} ins(%x : memref<64x1000xf32>) outs(%y : memref<1000xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %out, %in : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// A sum of millions of terms stays a sum of rows, and two reduction loops stay outside.
// CHECK-LABEL: func @many
// CHECK-NOT: collapse_shape
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction", "reduction"]
func.func @many(%x: memref<8x2048x2048xf32>, %y: memref<8xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0)>], iterator_types = ["parallel", "reduction", "reduction"]} ins(%x : memref<8x2048x2048xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %out, %in : f32
    linalg.yield %0 : f32
  }
  return
}
// CHECK-LABEL: func @two
// CHECK: linalg.generic {{.*}} iterator_types = ["reduction", "reduction", "parallel"]
func.func @two(%x: memref<8xf32>, %y: memref<4x16xf32>, %z: memref<16xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>], iterator_types = ["reduction", "reduction", "parallel"]} ins(%x, %y : memref<8xf32>, memref<4x16xf32>) outs(%z : memref<16xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  }
  return
}
