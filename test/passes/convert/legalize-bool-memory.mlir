// RUN: weir-opt %s -pass-pipeline='builtin.module(llvm.func(weir-legalize-bool-memory))' | FileCheck %s
// RUN: weir-opt %s -pass-pipeline='builtin.module(llvm.func(weir-legalize-bool-memory))' | mlir-translate --mlir-to-llvmir | opt -O1 -S | FileCheck %s --check-prefix=LLVM

// Every byte except 0 is true, and stores write 0 or 1.
// CHECK-LABEL: llvm.func @invert
// CHECK: %[[BYTE:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i8
// CHECK: %[[ZERO:.*]] = llvm.mlir.constant(0 : i8) : i8
// CHECK: %[[BOOLEAN:.*]] = llvm.icmp "ne" %[[BYTE]], %[[ZERO]] : i8
// CHECK: %[[NOT:.*]] = llvm.xor %[[BOOLEAN]]
// CHECK: %[[WIDE:.*]] = llvm.zext %[[NOT]] : i1 to i8
// CHECK: llvm.store %[[WIDE]], %{{.*}} : i8, !llvm.ptr
llvm.func @invert(%from: !llvm.ptr, %to: !llvm.ptr) {
  %true = llvm.mlir.constant(true) : i1
  %x = llvm.load %from : !llvm.ptr -> i1
  %y = llvm.xor %x, %true : i1
  llvm.store %y, %to : i1, !llvm.ptr
  llvm.return
}

// LLVM forwards a Boolean through memory.
// LLVM-LABEL: define {{.*}}@same
// LLVM-NOT: load
// LLVM: ret i1 %0
llvm.func @same(%x: i1, %at: !llvm.ptr) -> i1 {
  llvm.store %x, %at : i1, !llvm.ptr
  %y = llvm.load %at : !llvm.ptr -> i1
  llvm.return %y : i1
}

// Bytes stay as they are.
// CHECK-LABEL: llvm.func @byte
// CHECK-NEXT: llvm.load
// CHECK-NEXT: llvm.return
llvm.func @byte(%from: !llvm.ptr) -> i8 {
  %x = llvm.load %from : !llvm.ptr -> i8
  llvm.return %x : i8
}
