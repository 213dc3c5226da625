// The names of the model are hostile: kernels, tensors and the signature have the names
// of libc's functions, or end a comment.

// RUN: rm -rf %t && mkdir %t
// RUN: weir-emit %s -o %t/libhostile.a --header=%t/hostile.h --cpp-class=demo::class
// RUN: weir-emit %S/affine.mlir -o %t/libaffine.a --header=%t/affine.h
// RUN: weir-emit %S/affine.mlir -o %t/libsecond.a --header=%t/second.h

// The header is plain C11 and C++17 for both compilers.
// RUN: FileCheck %s --check-prefix=HEADER < %t/hostile.h
// RUN: gcc -x c -std=c11 -Wall -Wextra -Werror -pedantic -fsyntax-only %t/hostile.h
// RUN: clang -x c -std=c11 -Wall -Wextra -Werror -pedantic -Wno-pragma-once-outside-header -fsyntax-only %t/hostile.h
// RUN: g++ -x c++ -std=c++17 -Wall -Wextra -Werror -pedantic -fsyntax-only %t/hostile.h
// RUN: clang++ -x c++ -std=c++17 -Wall -Wextra -Werror -pedantic -fsyntax-only %t/hostile.h

// HEADER: from *_ system("rm"); /_ __/_#error.
// HEADER: class class_ {

// Three models link into one program.
// RUN: cc -std=c11 -Wall -Werror -I%t %S/Inputs/three.c %t/libaffine.a %t/libsecond.a %t/libhostile.a -lm -o %t/three
// RUN: %t/three | FileCheck %s
// CHECK: 16.5 66.5, 7

// Only libc's names are undefined (those of threads are weak), and only the model's are
// visible. The library requests tiles from the system if the processor has them.
// RUN: nm -u %t/libhostile.a | grep -v ' syscall$' | FileCheck %s --check-prefix=UNDEFINED --implicit-check-not=" U "
// UNDEFINED: U aligned_alloc
// UNDEFINED-NEXT: U free
// UNDEFINED-NEXT: U getpid
// UNDEFINED-NEXT: U madvise
// UNDEFINED-NEXT: U memcpy
// UNDEFINED-NEXT: U memset
// UNDEFINED-NEXT: U mmap
// UNDEFINED-NEXT: U munmap
// UNDEFINED: U sched_getaffinity
// RUN: nm -g --defined-only %t/libhostile.a | FileCheck %s --check-prefix=DEFINED --implicit-check-not=" T "
// DEFINED: T hostile_create
// DEFINED-NEXT: T hostile_destroy
// DEFINED-NEXT: T hostile_info
// DEFINED-NEXT: T hostile_last_error
// DEFINED-NEXT: T hostile_run
// DEFINED-NEXT: T hostile_status_text
// DEFINED-NEXT: T hostile_system_exit

module attributes {
  weir.source = "*/ system(\22rm\22); /* ??/\0A#error",
  weir.checks = ["node '%s%n\0A': \1b[31m"],
  weir.entries = [
    #weir.entry<name = "*/ system(\22exit\22) /*", symbol = "main",
      inputs = [#weir.tensor<name = "main", tensor = "main:0", type = tensor<f32>>, #weir.tensor<name = "free", tensor = "free:0", type = tensor<1xf32>>],
      outputs = [#weir.tensor<name = "malloc */\0A#include <x> /\5C", tensor = "malloc:0", type = tensor<1x1xf32>>]>]
} {
  llvm.func @free(%a: f32, %b: f32) -> f32 attributes {passthrough = ["noinline"]} {
    %sum = llvm.fadd %a, %b : f32
    llvm.return %sum : f32
  }
  llvm.func @main(%arena: !llvm.ptr, %weights: !llvm.ptr, %args: !llvm.ptr, %team: !llvm.ptr) -> i32 {
    %ok = llvm.mlir.constant(0 : i32) : i32
    %a = llvm.load %args : !llvm.ptr -> !llvm.ptr
    %second = llvm.getelementptr %args[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %b = llvm.load %second : !llvm.ptr -> !llvm.ptr
    %third = llvm.getelementptr %args[2] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %c = llvm.load %third : !llvm.ptr -> !llvm.ptr
    %x = llvm.load %a : !llvm.ptr -> f32
    %y = llvm.load %b : !llvm.ptr -> f32
    %z = llvm.call @free(%x, %y) : (f32, f32) -> f32
    llvm.store %z, %c : f32, !llvm.ptr
    llvm.return %ok : i32
  }
}
