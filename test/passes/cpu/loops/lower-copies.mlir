// RUN: weir-opt %s --weir-lower-copies | FileCheck %s

// Loops copy strided memory.
// CHECK-LABEL: func.func @strided
// CHECK-NOT: memref.copy
// CHECK: linalg.generic
func.func @strided(%a: memref<2x4xf32, strided<[8, 1]>>, %b: memref<2x4xf32>) {
  memref.copy %a, %b : memref<2x4xf32, strided<[8, 1]>> to memref<2x4xf32>
  return
}

// A contiguous copy stays a copy.
// CHECK-LABEL: func.func @run
// CHECK-NOT: linalg
// CHECK: memref.copy
func.func @run(%a: memref<2x4xf32>, %b: memref<2x4xf32>) {
  memref.copy %a, %b : memref<2x4xf32> to memref<2x4xf32>
  return
}

// The copy is skipped if the output and the input are the same memory.
// CHECK-LABEL: func.func @aliases
// CHECK: %[[A:.*]] = memref.extract_aligned_pointer_as_index %arg0
// CHECK: %[[B:.*]] = memref.extract_aligned_pointer_as_index %arg1
// CHECK: %[[D:.*]] = arith.cmpi ne, %[[A]], %[[B]]
// CHECK: scf.if %[[D]] {
// CHECK-NEXT: memref.copy
// CHECK-NEXT: }
func.func @aliases(%a: memref<2x4xf32>, %b: memref<2x4xf32>) attributes {weir.aliases} {
  memref.copy %a, %b : memref<2x4xf32> to memref<2x4xf32>
  return
}
