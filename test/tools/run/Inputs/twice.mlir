// Two outputs of one tensor, as a SavedModel's signature may have them.
module attributes {
  weir.entries = [
    #weir.entry<name = "f", symbol = "f",
      outputs = [#weir.tensor<name = "first", tensor = "y:0", type = tensor<f32>>, #weir.tensor<name = "second", tensor = "y:0", type = tensor<f32>>]>]
} {
  llvm.func @f(%arena: !llvm.ptr, %weights: !llvm.ptr, %args: !llvm.ptr, %team: !llvm.ptr) -> i32 {
    %ok = llvm.mlir.constant(0 : i32) : i32
    %value = llvm.mlir.constant(2.0 : f32) : f32
    %first = llvm.load %args : !llvm.ptr -> !llvm.ptr
    llvm.store %value, %first : f32, !llvm.ptr
    %at = llvm.getelementptr %args[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %second = llvm.load %at : !llvm.ptr -> !llvm.ptr
    llvm.store %value, %second : f32, !llvm.ptr
    llvm.return %ok : i32
  }
}
