// Whole vectors of f16 are compared as vectors of f32. LLVM would narrow such
// comparisons, and split the vectors.

// RUN: weir-emit %s -o %t.o --cpu=x86-64-v4
// RUN: llvm-objdump -d --no-show-raw-insn %t.o | FileCheck %s
// CHECK: <weir.f>:
// CHECK: vcvtph2ps {{.*}}%zmm
// CHECK-NOT: ucomiss
// CHECK: vcmp{{.*}}%zmm{{.*}}%k
// CHECK-NOT: ucomiss
// CHECK: ret

module attributes {weir.entries = [
    #weir.entry<name = "f", symbol = "f",
      inputs = [#weir.tensor<name = "x", tensor = "x:0", type = tensor<16xf16>>],
      outputs = [#weir.tensor<name = "y", tensor = "y:0", type = tensor<16xf16>>]>]} {
  llvm.func @f(%arena: !llvm.ptr, %weights: !llvm.ptr, %args: !llvm.ptr, %team: !llvm.ptr) -> i32 {
    %ok = llvm.mlir.constant(0 : i32) : i32
    %a = llvm.getelementptr %args[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %px = llvm.load %args : !llvm.ptr -> !llvm.ptr
    %py = llvm.load %a : !llvm.ptr -> !llvm.ptr
    %h = llvm.load %px {alignment = 2} : !llvm.ptr -> vector<16xf16>
    %x = llvm.fpext %h : vector<16xf16> to vector<16xf32>
    %zero = llvm.mlir.constant(dense<0.0> : vector<16xf32>) : vector<16xf32>
    %below = llvm.fcmp "olt" %x, %zero : vector<16xf32>
    %r = llvm.select %below, %zero, %x : vector<16xi1>, vector<16xf32>
    %y = llvm.fptrunc %r : vector<16xf32> to vector<16xf16>
    llvm.store %y, %py {alignment = 2} : vector<16xf16>, !llvm.ptr
    llvm.return %ok : i32
  }
}
