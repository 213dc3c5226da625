// The model y = x * w + b on four floats has a check that x[0] is not negative. A C
// program links with it statically and as a shared library.

// RUN: rm -rf %t && mkdir %t
// RUN: weir-emit %s -o %t/libaffine.a --header=%t/affine.h
// RUN: weir-emit %s -o %t/libaffine.so
// RUN: weir-emit %s -o %t/affine.o
// RUN: cc -std=c11 -Wall -Wextra -Werror -pedantic -I%t %S/Inputs/affine.c %t/libaffine.a -lm -o %t/archive
// RUN: cc -I%t %S/Inputs/affine.c %t/libaffine.a -lm -static -o %t/static
// RUN: cc -I%t %S/Inputs/affine.c %t/affine.o -lm -o %t/object
// RUN: cc -I%t %S/Inputs/affine.c %t/libaffine.so -o %t/shared
// RUN: %t/archive | FileCheck %s
// RUN: %t/static | FileCheck %s
// RUN: %t/object | FileCheck %s
// RUN: env LD_LIBRARY_PATH=%t %t/shared | FileCheck %s

// RUN: weir-emit %s -o %t/affine.o --header=%t/affine.h --cpp-class=demo::Affine
// RUN: g++ -std=c++17 -Wall -Wextra -Werror -pedantic -I%t %S/Inputs/affine.cpp %t/affine.o -lm -o %t/class
// RUN: %t/class | FileCheck %s

// CHECK: 0: 1.5 4.5 9.5 16.5
// CHECK-NEXT: 11: node 'assert': x must not be negative

// A library for another processor is compiled in the same way.
// RUN: weir-emit %s --target=aarch64-linux-gnu -o %t/arm.so
// RUN: llvm-readelf -h -S -s %t/arm.so | FileCheck %s --check-prefix=ARM
// ARM: Machine: AArch64
// ARM: .weir.weights PROGBITS {{[0-9a-f]+ [0-9a-f]+}} 000080
// ARM: arm_create

// A library with a weights file refuses to start without it.
// RUN: weir-emit %s -o %t/apart.a --prefix=affine --weights=file
// RUN: cc -I%t %S/Inputs/affine.c %t/apart.a -lm -o %t/apart
// RUN: not %t/apart | FileCheck %s --check-prefix=APART
// APART: the weights are missing or not those of this model

module attributes {
  weir.source = "affine.pb", weir.arena_bytes = 64 : i64,
  weir.max_live_bytes = 16 : i64, weir.weights_bytes = 128 : i64,
  weir.weights = [
    #weir.weight<elements = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>>,
    #weir.weight<offset = 64, elements = dense<0.5> : tensor<4xf32>>],
  weir.checks = ["node 'assert': x must not be negative"],
  weir.entries = [
    #weir.entry<name = "serving_default", symbol = "weir_entry_0",
      inputs = [#weir.tensor<name = "x", tensor = "x:0", type = tensor<4xf32>>],
      outputs = [#weir.tensor<name = "y", tensor = "add:0", type = tensor<4xf32>>]>]
} {
  llvm.func @weir_entry_0(%arena: !llvm.ptr, %weights: !llvm.ptr, %args: !llvm.ptr, %team: !llvm.ptr) -> i32 {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %zero = llvm.mlir.constant(0.0 : f32) : f32
    %x = llvm.load %args : !llvm.ptr -> !llvm.ptr
    %slot = llvm.getelementptr %args[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %y = llvm.load %slot : !llvm.ptr -> !llvm.ptr
    %first = llvm.load %x : !llvm.ptr -> f32
    %bad = llvm.fcmp "olt" %first, %zero : f32
    llvm.cond_br %bad, ^fail, ^good
  ^good:
    %xs = llvm.load %x {alignment = 4} : !llvm.ptr -> vector<4xf32>
    %w = llvm.load %weights : !llvm.ptr -> vector<4xf32>
    %where = llvm.getelementptr %weights[16] : (!llvm.ptr) -> !llvm.ptr, f32
    %b = llvm.load %where : !llvm.ptr -> vector<4xf32>
    %product = llvm.fmul %xs, %w : vector<4xf32>
    llvm.store %product, %arena : vector<4xf32>, !llvm.ptr
    %again = llvm.load %arena : !llvm.ptr -> vector<4xf32>
    %sum = llvm.fadd %again, %b : vector<4xf32>
    llvm.store %sum, %y {alignment = 4} : vector<4xf32>, !llvm.ptr
    llvm.return %c0 : i32
  ^fail:
    llvm.return %c1 : i32
  }
}
