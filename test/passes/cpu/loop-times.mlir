// RUN: weir-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(weir-emit-kernels))' | FileCheck %s

// The iterations of loops with constant bounds multiply the cycles of their ops. One thread
// computes them. 1000 x 100 x 2 ops of 1.2 cycles take 60 us.
// CHECK-LABEL: func.func @nest
// CHECK-SAME: weir.nanoseconds = 60000 : i64, weir.sequential_nanoseconds = 60000 : i64
func.func @nest(%x: memref<100xf32>, %y: memref<100xf32>) attributes {weir.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  %c1000 = arith.constant 1000 : index
  scf.for %i = %c0 to %c1000 step %c1 {
    scf.for %j = %c0 to %c100 step %c1 {
      %0 = memref.load %x[%j] : memref<100xf32>
      memref.store %0, %y[%j] : memref<100xf32>
    }
  }
  return
}

// -----

// The bound of the inner loop is the variable of the outer one, or one more: it has half
// of the iterations. 1000 x 500.5 x 2 ops of 1.2 cycles take 300 us.
// CHECK-LABEL: func.func @triangle
// CHECK-SAME: weir.nanoseconds = 3{{[0-9][0-9][0-9][0-9][0-9]}} : i64, weir.sequential_nanoseconds = 3
func.func @triangle(%x: memref<1000xf32>, %y: memref<1000xf32>) attributes {weir.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1000 = arith.constant 1000 : index
  scf.for %i = %c0 to %c1000 step %c1 {
    %end = arith.addi %i, %c1 : index
    scf.for %j = %c0 to %end step %c1 {
      %0 = memref.load %x[%j] : memref<1000xf32>
      memref.store %0, %y[%j] : memref<1000xf32>
    }
  }
  return
}

// -----

// A loop with an estimate has those cycles, whatever is in it. Threads share the rows of
// another one, if they take long enough. Loops over elements are shared, too.
// CHECK-LABEL: func.func @recorded
// CHECK-SAME: weir.nanoseconds = 26000 : i64, weir.sequential_nanoseconds = 11000 : i64
func.func @recorded(%x: memref<100xf32>, %n: memref<index>) attributes {weir.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  %zero = arith.constant 0.0 : f32
  %end = memref.load %n[] : memref<index>
  scf.for %i = %c0 to %end step %c1 {
    memref.store %zero, %x[%i] : memref<100xf32>
  } {weir.cycles = 4.0e4 : f64}
  scf.for %i = %c0 to %c100 step %c1 {
    memref.store %zero, %x[%i] : memref<100xf32>
  } {weir.rows_apart = 6.0e4 : f64}
  scf.for %i = %c0 to %c100 step %c1 {
    memref.store %zero, %x[%i] : memref<100xf32>
  } {weir.rows_apart = 4.0e3 : f64}
  return
}

// -----

// The time is unknown if data determine the iterations.
// CHECK-LABEL: func.func @unknown
// CHECK-NOT: nanoseconds
// CHECK: return
func.func @unknown(%x: memref<100xf32>, %n: memref<index>) attributes {weir.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %end = memref.load %n[] : memref<index>
  scf.for %i = %c0 to %end step %c1 {
    memref.store %zero, %x[%i] : memref<100xf32>
  }
  return
}
