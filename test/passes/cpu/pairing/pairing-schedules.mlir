// Inner-product pairing obeys its schedule.

// RUN: weir-opt %s -split-input-file --weir-choose-schedules --weir-emit-kernels -canonicalize -cse | FileCheck %s

// Threads share seven slabs of one tile of two rows. A sum has three chains of five or six
// groups, with spilled partial sums, and a group is two times four terms of each row.
// CHECK-LABEL: func @slabs
// CHECK: kernel.parallel 7 coarse {
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<2x112xf32>
// CHECK: arith.cmpf ord
// CHECK: scf.if
// CHECK: scf.for %{{.*}} = %c0 to %c3 step %c1 {
// CHECK: scf.for {{.*}} iter_args
// CHECK-COUNT-8: vector.fma
// CHECK-NOT: vector.fma
// CHECK: "~{memory}"
func.func @slabs(%a: memref<14x96xf32>, %b: memref<1x98x32xf32>, %c: memref<14x32xf32>) {
  kernel.matmul ins(%a, %b : memref<14x96xf32>, memref<1x98x32xf32>) layout <pairing> outs(%c : memref<14x32xf32>) attributes {schedule = #kernel.pairing_schedule<tile_rows = 2, chain = 36, row_slabs = 7, share = slabs>} {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  }
  return
}

// -----

// The code of a tile prefetches the next panel before it begins: four tiles share 192
// rows.
// CHECK-LABEL: func @prefetch
// CHECK-COUNT-48: memref.prefetch %{{.*}}, read, locality<3>
// CHECK-NOT: memref.prefetch
func.func @prefetch(%a: memref<28x96xf32>, %b: memref<2x98x32xf32>, %c: memref<28x64xf32>) {
  kernel.matmul ins(%a, %b : memref<28x96xf32>, memref<2x98x32xf32>) layout <pairing> outs(%c : memref<28x64xf32>) attributes {schedule = #kernel.pairing_schedule<tile_rows = 7, prefetch = tile, prefetch_level = 1>} {
  ^bb0(%s: f32):
    kernel.yield %s : f32
  }
  return
}
