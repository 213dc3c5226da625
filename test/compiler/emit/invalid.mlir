// A module that cannot be emitted gets a message, and leaves no file behind.

// RUN: rm -rf %t && mkdir %t && split-file %s %t
// RUN: not weir-emit %t/nothing.mlir -o %t/out.a 2>&1 | FileCheck %s --check-prefix=NOTHING
// NOTHING: the module has no weir.entries: nothing to call
// RUN: not weir-emit %t/foreign.mlir -o %t/out.a 2>&1 | FileCheck %s --check-prefix=FOREIGN
// FOREIGN: the code refers to what is neither in libc nor in libm: mystery
// RUN: not weir-emit %t/symbol.mlir -o %t/out.a 2>&1 | FileCheck %s --check-prefix=SYMBOL
// SYMBOL: entry 'missing' is not i32 (ptr, ptr, ptr, ptr)
// RUN: not weir-emit %t/weights.mlir -o %t/out.a 2>&1 | FileCheck %s --check-prefix=WEIGHTS
// WEIGHTS: weir.weights end behind weir.weights_bytes
// RUN: not weir-emit %t/weights.mlir --cpu=pentium99 -o %t/out.a 2>&1 | FileCheck %s --check-prefix=CPU
// CPU: unknown processor 'pentium99'
// RUN: not weir-emit %t/weights.mlir --attr=+warp -o %t/out.a 2>&1 | FileCheck %s --check-prefix=FEATURE
// FEATURE: unknown processor feature 'warp'
// RUN: not weir-emit %t/weights.mlir --target=riscv64-linux -o %t/out.a 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: target 'riscv64-linux' is not supported

// Neither a product nor a temporary file is left.
// RUN: ls %t | FileCheck %s --check-prefix=LEFT --implicit-check-not=out
// LEFT: foreign.mlir

// A failure keeps an old product. A missing folder and a full disk are I/O errors.
// RUN: echo old > %t/out.a && not weir-emit %t/nothing.mlir -o %t/out.a
// RUN: FileCheck %s --check-prefix=OLD < %t/out.a
// OLD: old
// RUN: not weir-emit %S/affine.mlir -o %t/no/out.a 2>&1 | FileCheck %s --check-prefix=FOLDER
// FOLDER: cannot write '{{.*}}/no/out.a': No such file or directory
// RUN: not weir-emit %S/affine.mlir --emit=shared -o /dev/full 2>&1 | FileCheck %s --check-prefix=DEVICE
// DEVICE: cannot write '/dev/full'
// RUN: not bash -c 'ulimit -f 4; trap "" XFSZ; weir-emit %S/affine.mlir -o %t/full.a' 2>&1 | FileCheck %s --check-prefix=FULL
// FULL: cannot write '{{.*}}full.a{{.*}}': File too large
// RUN: ls %t | FileCheck %s --check-prefix=LEFT --implicit-check-not=full --implicit-check-not=tmp

//--- nothing.mlir
module {}

//--- foreign.mlir
module attributes {weir.entries = [#weir.entry<name = "f", symbol = "f">]} {
  llvm.func @mystery() -> i32
  llvm.func @f(%a: !llvm.ptr, %w: !llvm.ptr, %t: !llvm.ptr, %team: !llvm.ptr) -> i32 {
    %0 = llvm.call @mystery() : () -> i32
    llvm.return %0 : i32
  }
}

//--- symbol.mlir
module attributes {weir.entries = [#weir.entry<name = "f", symbol = "missing">]} {}

//--- weights.mlir
module attributes {
  weir.entries = [#weir.entry<name = "f", symbol = "f">], weir.weights_bytes = 64 : i64,
  weir.weights = [#weir.weight<offset = 64, elements = dense<1.0> : tensor<4xf32>>]} {}
