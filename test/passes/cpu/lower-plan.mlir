// RUN: weir-opt %s --split-input-file --weir-lower-plan | FileCheck %s

// Places are offsets from the entry's pointers, tasks are calls.
// CHECK: llvm.func @weir_entry_0(%[[A:.*]]: !llvm.ptr, %[[W:.*]]: !llvm.ptr, %[[G:.*]]: !llvm.ptr, %[[T:.*]]: !llvm.ptr) -> i32
// CHECK: %[[S:.*]] = llvm.alloca
// CHECK: llvm.call @weir_entry_0_part_0(%[[A]], %[[W]], %[[G]], %[[T]], %[[S]])
// CHECK: llvm.return %{{.*}} : i32
// CHECK: llvm.func private @weir_entry_0_part_0(
// CHECK: %[[X:.*]] = llvm.load %{{.*}} : !llvm.ptr -> !llvm.ptr
// CHECK: llvm.mlir.constant(128 : i64)
// CHECK: %[[V:.*]] = llvm.getelementptr inbounds %arg1
// CHECK: llvm.mlir.constant(64 : i64)
// CHECK: %[[B:.*]] = llvm.getelementptr inbounds %arg0
// CHECK: llvm.call @k(%[[X]], %[[V]], %[[B]])
// CHECK: "llvm.intr.memcpy"
// CHECK: llvm.return
llvm.func @k(!llvm.ptr, !llvm.ptr, !llvm.ptr)
plan.program @weir_entry_0 {
  %x = plan.argument 0 : memref<4xf32>
  %w = plan.weight 128 : memref<4xf32>
  %b = plan.buffer 64 live [0, 1] : memref<4xf32>
  plan.run @k(%x, %w, %b) : (memref<4xf32>, memref<4xf32>, memref<4xf32>)
  plan.copy %x to %b : memref<4xf32>
}

// -----

// A loop tests after computing its condition; a check sets the status once.
// CHECK-LABEL: llvm.func private @loop_part_0
// CHECK: llvm.br ^[[HEAD:.*]]
// CHECK: ^[[HEAD]]:
// CHECK: llvm.cond_br %{{.*}}, ^[[BODY:.*]], ^[[AFTER:.*]]
// CHECK: ^[[BODY]]:
// CHECK: llvm.select
// CHECK: llvm.br ^[[HEAD]]
// CHECK: ^[[AFTER]]:
plan.program @loop {
  %p = plan.argument 0 : memref<i1>
  plan.while %p : memref<i1> {
  } do {
    plan.check %p, 1 : memref<i1>
  }
}
