// RUN: weir-opt %s --pass-pipeline='builtin.module(func.func(weir-clip-loops))' | FileCheck %s

// The loop ends at the actual size.
// CHECK-LABEL: func.func private @rows
// CHECK: %[[N:.*]] = memref.load %{{.*}}[] : memref<i64>
// CHECK: %[[SIZE:.*]] = arith.index_cast %[[N]]
// CHECK: %[[LEFT:.*]] = arith.subi %[[SIZE]]
// CHECK: %[[END:.*]] = arith.minsi %{{.*}}, %[[LEFT]]
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[END]]
func.func private @rows(%x: memref<8xf32>, %n: memref<i64>, %y: memref<8xf32>) attributes {weir.kernel, weir.inputs = 2 : i64, weir.sizes = [[array<i64: 8, 1>]]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %v = memref.load %x[%i] : memref<8xf32>
    memref.store %v, %y[%i] : memref<8xf32>
  }
  return
}

// The first of the three rows of a tile decides, so the size is rounded up.
// CHECK-LABEL: func.func private @tiles
// CHECK: %[[MORE:.*]] = arith.addi %{{.*}}, %{{.*}} : index
// CHECK: arith.divsi %[[MORE]], %{{.*}} : index
// CHECK: scf.for
func.func private @tiles(%n: memref<i64>, %y: memref<12xf32>) attributes {weir.kernel, weir.inputs = 1 : i64, weir.sizes = [[array<i64: 12, 0>]]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %v = arith.constant 1.0 : f32
  scf.for %t = %c0 to %c4 step %c1 {
    %i = arith.muli %t, %c3 : index
    %j = arith.addi %i, %c1 : index
    %k = arith.addi %i, %c2 : index
    memref.store %v, %y[%i] : memref<12xf32>
    memref.store %v, %y[%j] : memref<12xf32>
    memref.store %v, %y[%k] : memref<12xf32>
  }
  return
}

// If an inner factor of the loop is dynamic, the loop skips the iterations beyond its
// size.
// CHECK-LABEL: func.func private @factors
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step
// CHECK: %[[AT:.*]] = arith.remsi %[[I]], %{{.*}}
// CHECK: %[[HOLDS:.*]] = arith.cmpi slt, %[[AT]]
// CHECK: scf.if %[[HOLDS]]
func.func private @factors(%n: memref<i64>, %m: memref<i64>, %y: memref<8xf32>) attributes {weir.kernel, weir.inputs = 2 : i64, weir.sizes = [[array<i64: 2, 0, 4, 1>]]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %v = arith.constant 1.0 : f32
  scf.for %i = %c0 to %c8 step %c1 {
    memref.store %v, %y[%i] : memref<8xf32>
  }
  return
}

// The pass ends a loop over several dimensions at the size of the first dimension.
// CHECK-LABEL: func.func private @joined
// CHECK: arith.muli
// CHECK: %[[END:.*]] = arith.minsi
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[END]]
func.func private @joined(%n: memref<i64>, %y: memref<8x4xf32>) attributes {weir.kernel, weir.inputs = 1 : i64, weir.sizes = [[array<i64: 8, 0>, array<i64: 4, -1>]]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %v = arith.constant 1.0 : f32
  scf.for %i = %c0 to %c32 step %c1 {
    %a = arith.divui %i, %c4 : index
    %b = arith.remui %i, %c4 : index
    memref.store %v, %y[%a, %b] : memref<8x4xf32>
  }
  return
}

// Two loops stay: one has another store, which other code may read, and one carries a
// sum, which has all iterations.
// CHECK-LABEL: func.func private @others
// CHECK-NOT: minsi
// CHECK: return
func.func private @others(%n: memref<i64>, %x: memref<8xf32>, %y: memref<8xf32>, %z: memref<8xf32>) attributes {weir.kernel, weir.inputs = 2 : i64, weir.sizes = [[array<i64: 8, 0>], []]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %c8 step %c1 {
    memref.store %zero, %y[%i] : memref<8xf32>
    memref.store %zero, %z[%i] : memref<8xf32>
  }
  %sum = scf.for %i = %c0 to %c8 step %c1 iter_args(%s = %zero) -> f32 {
    %v = memref.load %x[%i] : memref<8xf32>
    %t = arith.addf %s, %v : f32
    scf.yield %t : f32
  }
  memref.store %sum, %y[%c0] : memref<8xf32>
  return
}

// A loop over tiles of two dimensions skips the tiles that begin beyond the size of the
// inner one. Stores to the scratch memory of a tile do not matter.
// CHECK-LABEL: func.func private @tiles_of_two
// CHECK: scf.for %[[T:.*]] = %{{.*}} to %{{.*}} step
// CHECK: %[[AT:.*]] = arith.remui %[[T]], %{{.*}} : index
// CHECK: %[[FIRST:.*]] = arith.muli %[[AT]], %{{.*}} : index
// CHECK: %[[WITHIN:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : index
// CHECK: scf.if %[[WITHIN]]
// CHECK: memref.store %{{.*}}, %[[OWN:.*]][%{{.*}}] : memref<2xf32>
func.func private @tiles_of_two(%n: memref<i64>, %x: memref<3x8xf32>, %y: memref<3x8xf32>, %s: memref<64xi8>) attributes {weir.kernel, weir.inputs = 2 : i64, weir.sizes = [[array<i64: 3, -1>, array<i64: 8, 0>]]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c12 = arith.constant 12 : index
  %own = memref.view %s[%c0][] : memref<64xi8> to memref<2xf32>
  scf.for %t = %c0 to %c12 step %c1 {
    %r = arith.divui %t, %c4 : index
    %at = arith.remui %t, %c4 : index
    %first = arith.muli %at, %c2 : index
    scf.for %i = %c0 to %c2 step %c1 {
      %k = arith.addi %first, %i : index
      %v = memref.load %x[%r, %k] : memref<3x8xf32>
      memref.store %v, %own[%i] : memref<2xf32>
    }
    scf.for %i = %c0 to %c2 step %c1 {
      %k = arith.addi %first, %i : index
      %v = memref.load %own[%i] : memref<2xf32>
      memref.store %v, %y[%r, %k] : memref<3x8xf32>
    }
  }
  return
}

// Two dimensions of the buffer are one dimension of the view, with two factors.
// CHECK-LABEL: func.func private @collapsed
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step
// CHECK: %[[AT:.*]] = arith.remsi %[[I]], %{{.*}}
// CHECK: %[[HOLDS:.*]] = arith.cmpi slt, %[[AT]]
// CHECK: scf.if %[[HOLDS]]
func.func private @collapsed(%n: memref<i64>, %y: memref<2x4xf32>) attributes {weir.kernel, weir.inputs = 1 : i64, weir.sizes = [[array<i64: 2, -1>, array<i64: 4, 0>]]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %v = arith.constant 1.0 : f32
  %flat = memref.collapse_shape %y [[0, 1]] : memref<2x4xf32> into memref<8xf32>
  scf.for %i = %c0 to %c8 step %c1 {
    memref.store %v, %flat[%i] : memref<8xf32>
  }
  return
}
