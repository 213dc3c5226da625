// On a GPU cuBLASLt computes both products of y = relu(x w + b) t^T. The shapes are 3x4
// for x and 4x8 for w. Two consecutive matrices of 5x8 form t, so y is 2x3x5.
module attributes {
  weir.source = "gemm.pb", weir.arena_bytes = 128 : i64,
  weir.max_live_bytes = 96 : i64, weir.weights_bytes = 192 : i64,
  weir.weights = [
    #weir.weight<elements = dense<0.5> : tensor<4x8xf32>>,
    #weir.weight<offset = 128, elements = dense<[-10.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]> : tensor<8xf32>>],
  weir.gpu_images = [],
  weir.gpu_gemms = [
    #weir.gemm<m = 3, n = 8, k = 4, dtype = f32, bias = true, relu = true, workspace = 4096>,
    #weir.gemm<m = 3, n = 5, k = 8, batch = 2, dtype = f32, transpose_b = true, stride_a = 0, workspace = 2048>],
  weir.entries = [
    #weir.entry<name = "f", symbol = "weir_entry_0",
      inputs = [#weir.tensor<name = "x", tensor = "x:0", type = tensor<3x4xf32>>, #weir.tensor<name = "t", tensor = "t:0", type = tensor<2x5x8xf32>>],
      outputs = [#weir.tensor<name = "y", tensor = "y:0", type = tensor<2x3x5xf32>>], capturable = true>]
} {
  llvm.func @weir_gpu_multiply(!llvm.ptr, i32, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
  llvm.func @weir_entry_0(%arena: !llvm.ptr, %weights: !llvm.ptr, %tensors: !llvm.ptr, %stream: !llvm.ptr) -> i32 {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %null = llvm.mlir.zero : !llvm.ptr
    %x = llvm.load %tensors : !llvm.ptr -> !llvm.ptr
    %slot1 = llvm.getelementptr %tensors[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %t = llvm.load %slot1 : !llvm.ptr -> !llvm.ptr
    %slot2 = llvm.getelementptr %tensors[2] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %y = llvm.load %slot2 : !llvm.ptr -> !llvm.ptr
    %b = llvm.getelementptr %weights[128] : (!llvm.ptr) -> !llvm.ptr, i8
    %f0 = llvm.call @weir_gpu_multiply(%stream, %c0, %x, %weights, %b, %arena) : (!llvm.ptr, i32, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
    %bad = llvm.icmp "ne" %f0, %c0 : i32
    llvm.cond_br %bad, ^end(%f0 : i32), ^next
  ^next:
    %f1 = llvm.call @weir_gpu_multiply(%stream, %c1, %arena, %t, %null, %y) : (!llvm.ptr, i32, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
    llvm.br ^end(%f1 : i32)
  ^end(%status: i32):
    llvm.return %status : i32
  }
}
