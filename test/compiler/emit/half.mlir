// Conversions of 16-bit floats need no library if the processor has no instruction for
// them. They round once, to nearest even: x and its double are narrowed.

// RUN: rm -rf %t && mkdir %t
// RUN: weir-emit %s -o %t/half.so --cpu=x86-64
// RUN: weir-emit %s -o %t/half3.so --cpu=x86-64-v3
// RUN: nm -u %t/half.so | FileCheck %s --check-prefix=UNDEFINED --implicit-check-not=__
// UNDEFINED: free

// 2049 and 2051 are midway between two f16 numbers; 65519 is the last number below
// infinity.
// RUN: weir-run %t/half.so --input=x=8xf32=1.5,2049,2051,65519,65520,6e-8,-1e-9,3.3895314e38 | FileCheck %s
// RUN: weir-run %t/half3.so --input=x=8xf32=1.5,2049,2051,65519,65520,6e-8,-1e-9,3.3895314e38 | FileCheck %s
// CHECK: h: 8xf16=1.5,2048,2052,65504,inf,5.96046448e-08,-0,inf
// CHECK: b: 8xbf16=1.5,2048,2048,65536,65536,6.00703061e-08,-9.96806193e-10,3.38953139e+38
// CHECK: w: 8xf32=3,4096,4104,131008,inf,1.1920929e-07,-0,inf
// CHECK: d: 8xf16=1.5,2050,2052,65504,inf,5.96046448e-08,-0,inf

// NumPy has no bf16, so a file has it as f32.
// RUN: weir-run %t/half.so --input=x=8xf32=2049 --output-dir=%t --expect=b=8xbf16=2048
// RUN: weir-run %t/half.so --input=x=8xf32=2049 --expect=b=@%t/b.npy --rtol=0
// RUN: FileCheck %s --check-prefix=FILE < %t/b.npy
// FILE: 'descr': '<f4'

module attributes {weir.entries = [
    #weir.entry<name = "f", symbol = "f",
      inputs = [#weir.tensor<name = "x", tensor = "x:0", type = tensor<8xf32>>],
      outputs = [#weir.tensor<name = "h", tensor = "h:0", type = tensor<8xf16>>, #weir.tensor<name = "b", tensor = "b:0", type = tensor<8xbf16>>, #weir.tensor<name = "w", tensor = "w:0", type = tensor<8xf32>>, #weir.tensor<name = "d", tensor = "d:0", type = tensor<8xf16>>]>]} {
  llvm.func @f(%arena: !llvm.ptr, %weights: !llvm.ptr, %args: !llvm.ptr, %team: !llvm.ptr) -> i32 {
    %ok = llvm.mlir.constant(0 : i32) : i32
    %a = llvm.getelementptr %args[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %b = llvm.getelementptr %args[2] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %c = llvm.getelementptr %args[3] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %d = llvm.getelementptr %args[4] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %px = llvm.load %args : !llvm.ptr -> !llvm.ptr
    %ph = llvm.load %a : !llvm.ptr -> !llvm.ptr
    %pb = llvm.load %b : !llvm.ptr -> !llvm.ptr
    %pw = llvm.load %c : !llvm.ptr -> !llvm.ptr
    %pd = llvm.load %d : !llvm.ptr -> !llvm.ptr
    %x = llvm.load %px {alignment = 4} : !llvm.ptr -> vector<8xf32>
    %h = llvm.fptrunc %x : vector<8xf32> to vector<8xf16>
    llvm.store %h, %ph {alignment = 2} : vector<8xf16>, !llvm.ptr
    %n = llvm.fptrunc %x : vector<8xf32> to vector<8xbf16>
    llvm.store %n, %pb {alignment = 2} : vector<8xbf16>, !llvm.ptr
    // The results are those of f16 arithmetic: exact in f32, rounded once.
    %e = llvm.fpext %h : vector<8xf16> to vector<8xf32>
    %w = llvm.fadd %e, %e : vector<8xf32>
    llvm.store %w, %pw {alignment = 4} : vector<8xf32>, !llvm.ptr
    // The number is just above the midpoint in f64, and at the midpoint once it is
    // rounded to f32.
    %wide = llvm.fpext %x : vector<8xf32> to vector<8xf64>
    %more = llvm.mlir.constant(dense<1.00000000001> : vector<8xf64>) : vector<8xf64>
    %above = llvm.fmul %wide, %more : vector<8xf64>
    %narrow = llvm.fptrunc %above : vector<8xf64> to vector<8xf16>
    llvm.store %narrow, %pd {alignment = 2} : vector<8xf16>, !llvm.ptr
    llvm.return %ok : i32
  }
}
