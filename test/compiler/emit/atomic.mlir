// If the compiler is stopped at any time, its product is complete or unchanged.

// RUN: rm -rf %t && mkdir %t
// RUN: /usr/bin/python3 %S/Inputs/interrupt.py %t %s

// The 16 MB of a splat are written without a buffer of that size.
module attributes {
  weir.weights_bytes = 16777216 : i64,
  weir.weights = [#weir.weight<elements = dense<1.5> : tensor<4194304xf32>>],
  weir.entries = [
    #weir.entry<name = "f", symbol = "f",
      outputs = [#weir.tensor<name = "y", type = tensor<f32>>]>]
} {
  llvm.func @f(%arena: !llvm.ptr, %weights: !llvm.ptr, %args: !llvm.ptr, %team: !llvm.ptr) -> i32 {
    %ok = llvm.mlir.constant(0 : i32) : i32
    %y = llvm.load %args : !llvm.ptr -> !llvm.ptr
    %last = llvm.getelementptr %weights[4194303] : (!llvm.ptr) -> !llvm.ptr, f32
    %value = llvm.load %last : !llvm.ptr -> f32
    llvm.store %value, %y : f32, !llvm.ptr
    llvm.return %ok : i32
  }
}
