// RUN: weir-opt %s --weir-prune-empty | FileCheck %s

// A step of 0 between rows is one that upstream refuses.
// CHECK-LABEL: func.func @rows_of_nothing
// CHECK-SAME: (%{{.*}}: memref<0xf32>, %{{.*}}: memref<4xf32>)
func.func @rows_of_nothing(%x: memref<5x0xf32>, %y: memref<4xf32>) {
  return
}

// What is used stays.
// CHECK-LABEL: func.func @used
// CHECK-SAME: memref<0x4xf32>
func.func @used(%x: memref<0x4xf32>) -> index {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<0x4xf32>
  return %n : index
}
