// A store of the first elements of a vector by a constant mask needs no mask if their
// number is a power of two.

// RUN: weir-emit %s -o %t.o --cpu=x86-64-v4
// RUN: llvm-objdump -d --no-show-raw-insn %t.o | FileCheck %s
// CHECK: <weir.f>:
// CHECK-NOT: {%k
// CHECK: vmovss
// CHECK-NOT: {%k
// CHECK: vmovups %{{x|y}}mm
// CHECK: vmovups {{.*}}{%k
// CHECK: ret

module attributes {weir.entries = [
    #weir.entry<name = "f", symbol = "f",
      inputs = [#weir.tensor<name = "x", tensor = "x:0", type = tensor<16xf32>>],
      outputs = [#weir.tensor<name = "y", tensor = "y:0", type = tensor<64xf32>>]>]} {
  llvm.func @f(%arena: !llvm.ptr, %weights: !llvm.ptr, %args: !llvm.ptr, %team: !llvm.ptr) -> i32 {
    %ok = llvm.mlir.constant(0 : i32) : i32
    %a = llvm.getelementptr %args[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %px = llvm.load %args : !llvm.ptr -> !llvm.ptr
    %py = llvm.load %a : !llvm.ptr -> !llvm.ptr
    %x = llvm.load %px {alignment = 4} : !llvm.ptr -> vector<16xf32>
    %one = llvm.mlir.constant(dense<[1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]> : vector<16xi1>) : vector<16xi1>
    %four = llvm.mlir.constant(dense<[1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]> : vector<16xi1>) : vector<16xi1>
    %three = llvm.mlir.constant(dense<[1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]> : vector<16xi1>) : vector<16xi1>
    llvm.intr.masked.store %x, %py, %one {alignment = 4 : i32} : vector<16xf32>, vector<16xi1> into !llvm.ptr
    %p1 = llvm.getelementptr %py[20] : (!llvm.ptr) -> !llvm.ptr, f32
    llvm.intr.masked.store %x, %p1, %four {alignment = 4 : i32} : vector<16xf32>, vector<16xi1> into !llvm.ptr
    %p2 = llvm.getelementptr %py[40] : (!llvm.ptr) -> !llvm.ptr, f32
    llvm.intr.masked.store %x, %p2, %three {alignment = 4 : i32} : vector<16xf32>, vector<16xi1> into !llvm.ptr
    llvm.return %ok : i32
  }
}
