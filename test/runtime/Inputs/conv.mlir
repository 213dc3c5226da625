// On a GPU cuDNN computes h = relu(x * w + b + r) with windows of 3 x 3 and padding. It
// also computes y = h * v for every other pixel. x is 2x5x6x3, r and h are 2x5x6x4, and
// y is 2x3x3x2. Filters have their outputs first: w is 4x3x3x3, and v is 2x1x1x4.
module attributes {
  weir.source = "conv.pb", weir.arena_bytes = 960 : i64,
  weir.max_live_bytes = 960 : i64, weir.weights_bytes = 576 : i64,
  weir.weights = [
    #weir.weight<elements = dense<0.25> : tensor<4x3x3x3xf32>>,
    #weir.weight<offset = 448, elements = dense<[-3.0, 0.0, 0.5, 1.0]> : tensor<4xf32>>,
    #weir.weight<offset = 512, elements = dense<[[[[1.0, 2.0, 3.0, 4.0]]], [[[5.0, 6.0, 7.0, 8.0]]]]> : tensor<2x1x1x4xf32>>],
  weir.gpu_images = [],
  weir.gpu_convs = [
    #weir.conv<images = 2, inputs = 3, outputs = 4, size = [5, 6],
      window = [3, 3], strides = [1, 1], dilations = [1, 1],
      padding_low = [1, 1], padding_high = [1, 1],
      dtype = f32, bias = true, residual = true, relu = true, workspace = 4096>,
    #weir.conv<images = 2, inputs = 4, outputs = 2, size = [5, 6],
      window = [1, 1], strides = [2, 2], dilations = [1, 1],
      padding_low = [0, 0], padding_high = [0, 0],
      dtype = f32, workspace = 2048>],
  weir.entries = [
    #weir.entry<name = "f", symbol = "weir_entry_0",
      inputs = [#weir.tensor<name = "x", tensor = "x:0", type = tensor<2x5x6x3xf32>>, #weir.tensor<name = "r", tensor = "r:0", type = tensor<2x5x6x4xf32>>],
      outputs = [#weir.tensor<name = "y", tensor = "y:0", type = tensor<2x3x3x2xf32>>], capturable = true>]
} {
  llvm.func @weir_gpu_convolve(!llvm.ptr, i32, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
  llvm.func @weir_entry_0(%arena: !llvm.ptr, %weights: !llvm.ptr, %tensors: !llvm.ptr, %stream: !llvm.ptr) -> i32 {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %null = llvm.mlir.zero : !llvm.ptr
    %x = llvm.load %tensors : !llvm.ptr -> !llvm.ptr
    %slot1 = llvm.getelementptr %tensors[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %r = llvm.load %slot1 : !llvm.ptr -> !llvm.ptr
    %slot2 = llvm.getelementptr %tensors[2] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %y = llvm.load %slot2 : !llvm.ptr -> !llvm.ptr
    %b = llvm.getelementptr %weights[448] : (!llvm.ptr) -> !llvm.ptr, i8
    %v = llvm.getelementptr %weights[512] : (!llvm.ptr) -> !llvm.ptr, i8
    %f0 = llvm.call @weir_gpu_convolve(%stream, %c0, %x, %weights, %b, %r, %arena) : (!llvm.ptr, i32, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
    %bad = llvm.icmp "ne" %f0, %c0 : i32
    llvm.cond_br %bad, ^end(%f0 : i32), ^next
  ^next:
    %f1 = llvm.call @weir_gpu_convolve(%stream, %c1, %arena, %v, %null, %null, %y) : (!llvm.ptr, i32, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
    llvm.br ^end(%f1 : i32)
  ^end(%status: i32):
    llvm.return %status : i32
  }
}
