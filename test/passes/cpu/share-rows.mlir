// RUN: weir-opt %s -split-input-file --weir-share-rows | FileCheck %s

// Each chunk has its own copy of a buffer that the loops of a row overwrite. It reads
// values from outside.
// CHECK-LABEL: func @rows
// CHECK: %[[KEYS:.*]] = memref.alloc() : memref<64x100xf32>
// CHECK-NOT: memref.alloc
// CHECK: kernel.parallel 64 {
// CHECK-NEXT: ^bb0(%[[FIRST:.*]]: index, %[[END:.*]]: index, %{{.*}}: index):
// CHECK: %[[SCRATCH:.*]] = memref.alloc() : memref<100xf32>
// CHECK: scf.for %[[ROW:.*]] = %[[FIRST]] to %[[END]]
// CHECK: memref.load %[[KEYS]][%[[ROW]], %{{.*}}]
// CHECK: memref.store %{{.*}}, %[[SCRATCH]]
// CHECK-NOT: weir.rows_apart
func.func @rows(%x: memref<64x100xf32>, %y: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c100 = arith.constant 100 : index
  %keys = memref.alloc() : memref<64x100xf32>
  %scratch = memref.alloc() : memref<100xf32>
  memref.copy %x, %keys : memref<64x100xf32> to memref<64x100xf32>
  scf.for %row = %c0 to %c64 step %c1 {
    scf.for %i = %c0 to %c100 step %c1 {
      %0 = memref.load %keys[%row, %i] : memref<64x100xf32>
      memref.store %0, %scratch[%i] : memref<100xf32>
    }
    %1 = memref.load %scratch[%c1] : memref<100xf32>
    memref.store %1, %y[%row] : memref<64xf32>
  } {weir.rows_apart = 8.0e4 : f64}
  memref.dealloc %scratch : memref<100xf32>
  return
}

// -----

// A loop with little work stays sequential, and so does a loop without the mark.
// CHECK-LABEL: func @quick
// CHECK-NOT: kernel.parallel
// CHECK: memref.store
// CHECK-NOT: kernel.parallel
// CHECK: return
func.func @quick(%x: memref<64xf32>, %y: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %row = %c0 to %c64 step %c1 {
    %0 = memref.load %x[%row] : memref<64xf32>
    memref.store %0, %y[%row] : memref<64xf32>
  } {weir.rows_apart = 2.0e2 : f64}
  scf.for %row = %c0 to %c64 step %c1 {
    %0 = memref.load %y[%row] : memref<64xf32>
    memref.store %0, %x[%row] : memref<64xf32>
  }
  return
}

// -----

// CHECK-LABEL: func private @elsewhere
// CHECK-SAME: (memref<64xf32>)
func.func private @elsewhere(memref<64xf32>)
