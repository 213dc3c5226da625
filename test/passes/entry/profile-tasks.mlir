// RUN: weir-opt %s --split-input-file --weir-lower-plan | FileCheck %s

// With weir.profile an entry counts its tasks, and the module has their table. The
// first phase of a kernel has the bytes and the multiply-adds; scratch memory is
// neither read nor written.
// CHECK: weir.profile_tasks = [
// CHECK-SAME: #weir.profile_task<entry = 1, kernel = "kernel_0_phase_0", nodes = ["conv", "relu"], bytes_read = 48, bytes_written = 16, multiply_adds = 24>,
// CHECK-SAME: #weir.profile_task<entry = 1, kernel = "kernel_0_phase_1", nodes = ["conv", "relu"], phase = 1>,
// CHECK-SAME: #weir.profile_task<entry = 1, kernel = "copy", bytes_read = 16, bytes_written = 16>]
// CHECK: llvm.func @serve(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %[[T:.*]]: !llvm.ptr) -> i32
// CHECK: llvm.call @weir_profile_begin(%[[T]]) : (!llvm.ptr) -> ()
// CHECK: llvm.call @serve_part_0(
// CHECK-NEXT: %[[F:.*]] = llvm.mlir.constant(1 : i32) : i32
// CHECK-NEXT: llvm.call @weir_profile_end(%[[T]], %[[F]]) : (!llvm.ptr, i32) -> ()
// CHECK-NEXT: llvm.load
// CHECK-NEXT: llvm.return
// CHECK: llvm.func private @serve_part_0
// CHECK: llvm.call @kernel_0_phase_0(
// CHECK-NEXT: %[[FIRST:.*]] = llvm.mlir.constant(0 : i32) : i32
// CHECK-NEXT: llvm.call @weir_profile_task_end(%arg3, %[[FIRST]]) : (!llvm.ptr, i32) -> ()
// CHECK: llvm.mlir.addressof @kernel_0_phase_1.part
// CHECK-NEXT: %[[SECOND:.*]] = llvm.mlir.constant(1 : i32) : i32
// CHECK-NEXT: llvm.call @weir_profile_parallel(%arg3, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[SECOND]])
// CHECK-NEXT: %[[AGAIN:.*]] = llvm.mlir.constant(1 : i32) : i32
// CHECK-NEXT: llvm.call @weir_profile_task_end(%arg3, %[[AGAIN]])
// CHECK: "llvm.intr.memcpy"
// CHECK-NEXT: %[[THIRD:.*]] = llvm.mlir.constant(2 : i32) : i32
// CHECK-NEXT: llvm.call @weir_profile_task_end(%arg3, %[[THIRD]])
// CHECK-NEXT: llvm.return
module attributes {weir.profile, weir.entries = [#weir.entry<name = "f", symbol = "other">, #weir.entry<name = "g", symbol = "serve">]} {
  llvm.func @kernel_0_phase_0(!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) attributes {weir.phase = 0 : i64, weir.scratch_bytes = 64 : i64, weir.work = #weir.work<inputs = 2, multiply_adds = 24>}
  llvm.func @kernel_0_phase_1(!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i64, i64) attributes {weir.phase = 1 : i64, weir.scratch_bytes = 64 : i64, weir.work = #weir.work<inputs = 2, multiply_adds = 24>}
  plan.program @serve {
    %x = plan.argument 0 : memref<4xf32>
    %y = plan.argument 1 : memref<4xf32>
    %w = plan.weight 0 : memref<8xf32>
    %s = plan.buffer 0 live [0, 1] : memref<64xi8>
    plan.run @kernel_0_phase_0(%x, %w, %y, %s) : (memref<4xf32>, memref<8xf32>, memref<4xf32>, memref<64xi8>) loc(fused["conv", "relu"])
    plan.run @kernel_0_phase_1(%x, %w, %y, %s) {work_items = 8 : i64} : (memref<4xf32>, memref<8xf32>, memref<4xf32>, memref<64xi8>) loc(fused["conv", "relu"])
    plan.copy %x to %y : memref<4xf32>
  }
}

// -----

// Kernels that share a region are one task. Each of them is in the table, too, for the
// chunks of a trace, which a part of the region ends after its call. A kernel without a record writes its
// last operand. Tasks in a loop count, too.
// CHECK: weir.profile_tasks = [
// CHECK-SAME: #weir.profile_task<kernel = "one + two", nodes = ["a", "b"], bytes_read = 32, bytes_written = 64>,
// CHECK-SAME: #weir.profile_task<kernel = "one", nodes = ["a"], bytes_read = 32, bytes_written = 32>,
// CHECK-SAME: #weir.profile_task<kernel = "two", nodes = ["b"], bytes_written = 32>,
// CHECK-SAME: #weir.profile_task<kernel = "one", nodes = ["c"], bytes_read = 32, bytes_written = 32>]
// CHECK-LABEL: llvm.func private @groups_part_0
// CHECK: llvm.mlir.addressof @weir_task_group_0
// CHECK: llvm.call @weir_profile_parallel(
// CHECK: llvm.call @weir_profile_task_end(
// CHECK: llvm.br
// CHECK: llvm.cond_br
// CHECK: llvm.call @one(
// CHECK: llvm.call @weir_profile_task_end(
// CHECK: llvm.br
// CHECK-NOT: weir_parallel
// CHECK-LABEL: llvm.func private @weir_task_group_0
// CHECK: llvm.call @one(
// CHECK: llvm.call @weir_profile_chunk_end(%{{.*}}, %arg3, %{{.*}}) : (!llvm.ptr, i64, i32) -> ()
// CHECK: llvm.call @two(
// CHECK: llvm.call @weir_profile_chunk_end(%{{.*}}, %arg3, %{{.*}})
module attributes {weir.profile} {
  llvm.func @one(!llvm.ptr, !llvm.ptr)
  llvm.func @two(!llvm.ptr)
  plan.program @groups {
    %p = plan.argument 0 : memref<i1>
    %x = plan.buffer 0 live [0, 1] : memref<8xf32>
    %y = plan.buffer 64 live [0, 1] : memref<8xf32>
    %z = plan.buffer 128 live [0, 1] : memref<8xf32>
    plan.run @one(%x, %y) {task_group = 0 : i64} : (memref<8xf32>, memref<8xf32>) loc("a")
    plan.run @two(%z) {task_group = 0 : i64} : (memref<8xf32>) loc("b")
    plan.while %p : memref<i1> {
    } do {
      plan.run @one(%x, %y) : (memref<8xf32>, memref<8xf32>) loc("c")
    }
  }
}

// -----

// Other modules have nothing of it.
// CHECK-LABEL: llvm.func private @plain_part_0
// CHECK: llvm.call @one(
// CHECK-NEXT: llvm.return
// CHECK-NOT: weir_profile
llvm.func @one(!llvm.ptr)
plan.program @plain {
  %x = plan.buffer 0 live [0, 1] : memref<8xf32>
  plan.run @one(%x) : (memref<8xf32>)
}
