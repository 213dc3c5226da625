// Copies between padded buffers and elements without gaps.

// RUN: weir-opt %s -split-input-file --weir-choose-schedules --weir-emit-kernels -canonicalize -cse | FileCheck %s

// The rows of the last two dimensions are contiguous in both buffers.
// CHECK-LABEL: func @runs
// CHECK: %[[SIZE:.*]] = memref.load %arg1[] : memref<i64>
// CHECK: %[[INDEX:.*]] = arith.index_cast %[[SIZE]]
// CHECK: %[[NOTNEGATIVE:.*]] = arith.maxsi %[[INDEX]]
// CHECK: %[[END:.*]] = arith.minsi %[[NOTNEGATIVE]]
// CHECK: %[[LENGTH:.*]] = arith.muli %[[END]]
// CHECK: memref.collapse_shape %arg2 {{\[\[}}0], [1, 2]] : memref<4x6x8xf32> into memref<4x48xf32>
// CHECK: arith.divui %[[LENGTH]]
// CHECK: scf.for
// CHECK: vector.load %arg0
// CHECK: vector.store %{{.*}} : memref<4x48xf32>
// CHECK: memref.load %arg0
// CHECK: memref.store %{{.*}} : memref<4x48xf32>
func.func @runs(%x: memref<192xf32>, %n: memref<i64>, %y: memref<4x6x8xf32>) {
  kernel.corner ins(%x : memref<192xf32>) sizes(%n : memref<i64>) along [1] order [0, 1, 2] outs(%y : memref<4x6x8xf32>)
  return
}

// -----

// Registers transpose whole blocks; the remaining elements are moved one by one.
// CHECK-LABEL: func @blocks
// CHECK: vector.load %arg0
// CHECK: vector.shuffle
// CHECK: vector.store %{{.*}}, %arg2
// CHECK: memref.load %arg0
// CHECK: memref.store %{{.*}}, %arg2
func.func @blocks(%x: memref<3072xf32>, %n: memref<i64>, %y: memref<2x48x32xf32>) {
  kernel.corner ins(%x : memref<3072xf32>) sizes(%n : memref<i64>) along [1] order [0, 2, 1] outs(%y : memref<2x48x32xf32>)
  return
}

// -----

// CHECK-LABEL: func @back
// CHECK: vector.load %arg0
// CHECK: vector.shuffle
// CHECK: vector.store %{{.*}}, %arg2
func.func @back(%x: memref<2x48x32xf32>, %n: memref<i64>, %y: memref<3072xf32>) {
  kernel.corner compacts ins(%x : memref<2x48x32xf32>) sizes(%n : memref<i64>) along [1] order [0, 2, 1] outs(%y : memref<3072xf32>)
  return
}
