// A run ends at a kernel with a planted fault, with the node, the buffer and the index. The
// access does not happen, and the next run is not affected.

// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: weir-opt %s -weir-stage-loops -weir-stage-convert -weir-stage-entry -o checked.mlir
// RUN: weir-emit checked.mlir -o checked.so
// RUN: weir-run checked.so --input=n=7 --input=x=0,1,2,3,4,5,6,7 | FileCheck %s --check-prefix=FINE
// FINE: y: 8xf32=7,7,7,7,7,7,7,7
// RUN: %status 1 weir-run checked.so --input=n=8 --input=x=0,1,2,3,4,5,6,7 2>&1 | FileCheck %s --check-prefix=BEYOND
// BEYOND: error: node 'lookup' (kernel_0): reads outside of the input 'x', memref<8xf32>: dimension 0 has no index 8{{$}}
// RUN: %status 1 weir-run checked.so --input=n=-3 --input=x=0,1,2,3,4,5,6,7 2>&1 | FileCheck %s --check-prefix=BEFORE
// BEFORE: dimension 0 has no index -3{{$}}
// RUN: %status 1 weir-run checked.so --input=n=1000000000000 --input=x=0,1,2,3,4,5,6,7 2>&1 | FileCheck %s --check-prefix=FAR
// FAR: dimension 0 has no index 1000000000000{{$}}

// The second kernel writes a vector from index n - 7 on.
// RUN: sed 's/%c7 = arith.constant 7/%c7 = arith.constant 6/' %s > late.mlir
// RUN: weir-opt late.mlir -weir-stage-loops -weir-stage-convert -weir-stage-entry -o late-checked.mlir
// RUN: weir-emit late-checked.mlir -o late.so
// RUN: %status 1 weir-run late.so --input=n=7 --input=x=0,1,2,3,4,5,6,7 2>&1 | FileCheck %s --check-prefix=VECTOR
// VECTOR: error: node 'fill' (kernel_1): writes outside of the output 'y', memref<8xf32>: it has no element 8{{$}}
// RUN: weir-run late.so --input=n=6 --input=x=0,1,2,3,4,5,6,7 | FileCheck %s --check-prefix=AGAIN
// AGAIN: y: 8xf32=6,6,6,6,6,6,6,6

module attributes {weir.checks_bounds, weir.source = "planted", weir.arena_bytes = 64 : i64, weir.max_live_bytes = 64 : i64,
    weir.weights_bytes = 0 : i64, weir.threads = 1 : i64, weir.slots = 1 : i64,
    weir.entries = [#weir.entry<name = "main", symbol = "weir_entry_0",
      inputs = [#weir.tensor<name = "x", tensor = "x:0", type = tensor<8xf32>>, #weir.tensor<name = "n", tensor = "n:0", type = tensor<i64>>],
      outputs = [#weir.tensor<name = "y", tensor = "y:0", type = tensor<8xf32>>]>]} {
  func.func private @kernel_0(%x: memref<8xf32>, %n: memref<i64>, %v: memref<f32>) attributes {weir.kernel} {
    %number = memref.load %n[] : memref<i64>
    %i = arith.index_cast %number : i64 to index
    %read = memref.load %x[%i] : memref<8xf32>
    memref.store %read, %v[] : memref<f32>
    return
  }
  func.func private @kernel_1(%n: memref<i64>, %v: memref<f32>, %y: memref<8xf32>) attributes {weir.kernel} {
    %c7 = arith.constant 7 : index
    %number = memref.load %n[] : memref<i64>
    %i = arith.index_cast %number : i64 to index
    %at = arith.subi %i, %c7 : index
    %read = memref.load %v[] : memref<f32>
    %all = vector.broadcast %read : f32 to vector<8xf32>
    vector.store %all, %y[%at] : memref<8xf32>, vector<8xf32>
    return
  }
  plan.program @weir_entry_0 {
    %x = plan.argument 0 : memref<8xf32>
    %n = plan.argument 1 : memref<i64>
    %y = plan.argument 2 : memref<8xf32>
    %v = plan.buffer 0 live [0, 1] : memref<f32>
    plan.run @kernel_0(%x, %n, %v) : (memref<8xf32>, memref<i64>, memref<f32>) loc("lookup")
    plan.run @kernel_1(%n, %v, %y) : (memref<i64>, memref<f32>, memref<8xf32>) loc("fill")
  }
}
