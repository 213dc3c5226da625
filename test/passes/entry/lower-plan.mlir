// RUN: weir-opt %s --split-input-file --weir-lower-plan | FileCheck %s

// Buffers are offsets from the entry's pointers, and tasks are calls.
// CHECK: llvm.func @weir_entry_0(%[[A:.*]]: !llvm.ptr, %[[W:.*]]: !llvm.ptr, %[[G:.*]]: !llvm.ptr, %[[T:.*]]: !llvm.ptr) -> i32
// CHECK: %[[S:.*]] = llvm.alloca
// CHECK: llvm.call @weir_entry_0_part_0(%[[A]], %[[W]], %[[G]], %[[T]], %[[S]])
// CHECK: llvm.return %{{.*}} : i32
// CHECK: llvm.func private @weir_entry_0_part_0({{.*}} attributes {passthrough = ["noinline"]}
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

// All threads copy a large buffer.
// CHECK-LABEL: llvm.func private @copies_part_0
// CHECK: %[[BYTES:.*]] = llvm.mlir.constant(262144 : i64)
// CHECK: llvm.call @weir_copy(%arg3, %{{.*}}, %{{.*}}, %[[BYTES]]) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, i64) -> ()
// CHECK: "llvm.intr.memcpy"
plan.program @copies {
  %x = plan.argument 0 : memref<65536xf32>
  %y = plan.argument 1 : memref<65536xf32>
  %z = plan.argument 2 : memref<65535xf32>
  %v = plan.argument 3 : memref<65535xf32>
  plan.copy %x to %y : memref<65536xf32>
  plan.copy %z to %v : memref<65535xf32>
}

// -----

// A loop computes its condition before each test; a check sets the status once.
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

// -----

// A view begins at the address of its buffer plus its offset.
// CHECK-LABEL: llvm.func private @views_part_0
// CHECK: llvm.mlir.constant(80 : i64)
// CHECK: %[[V:.*]] = llvm.getelementptr inbounds %arg0
// CHECK: %[[X:.*]] = llvm.load
// CHECK: %[[EIGHT:.*]] = llvm.mlir.constant(8 : i64)
// CHECK: %[[W:.*]] = llvm.getelementptr inbounds %[[X]][%[[EIGHT]]]
// CHECK: llvm.call @v(%[[V]], %[[W]])
llvm.func @v(!llvm.ptr, !llvm.ptr)
plan.program @views {
  %x = plan.argument 0 : memref<4xf32>
  %b = plan.buffer 64 live [0, 1] : memref<4x2xf32>
  %r = plan.view %b {offset = 8 : i64} : memref<4x2xf32> to memref<2x2xf32>
  %v = plan.view %r {offset = 8 : i64} : memref<2x2xf32> to memref<2xf32>
  %w = plan.view %x {offset = 8 : i64} : memref<4xf32> to memref<2xf32>
  plan.run @v(%v, %w) : (memref<2xf32>, memref<2xf32>)
}

// -----

// Threads share the work items, and a list has the operands.
// CHECK-LABEL: llvm.func private @shared_part_0
// CHECK: %[[LIST:.*]] = llvm.alloca %{{.*}} x !llvm.ptr
// CHECK: llvm.store %{{.*}}, %{{.*}} : !llvm.ptr, !llvm.ptr
// CHECK: %[[ITEMS:.*]] = llvm.mlir.constant(160 : i64)
// CHECK: %[[SLOTS:.*]] = llvm.mlir.constant(2 : i64)
// CHECK: %[[PART:.*]] = llvm.mlir.addressof @k.part
// CHECK: llvm.call @weir_parallel(%arg3, %[[ITEMS]], %[[SLOTS]], %{{.*}}, %[[PART]], %[[LIST]])
// CHECK: llvm.func private @k.part(%[[L:.*]]: !llvm.ptr, %[[F:.*]]: i64, %[[E:.*]]: i64, %[[S:.*]]: i64)
// CHECK: %[[X:.*]] = llvm.load
// CHECK: llvm.call @k(%[[X]], %[[F]], %[[E]], %[[S]])
llvm.func @k(!llvm.ptr, i64, i64, i64)
plan.program @shared {
  %b = plan.buffer 64 live [0, 1] : memref<4xf32>
  plan.run @k(%b) {slots = 2 : i64, work_items = 160 : i64} : (memref<4xf32>)
  plan.run @k(%b) {slots = 2 : i64, work_items = 160 : i64} : (memref<4xf32>)
}

// -----

// A task group is one region with the work items of all its runs, one run after
// another. A run without work items is one item. A coarse run contributes four items at
// most.
// CHECK-LABEL: llvm.func private @group_part_0
// CHECK: %[[COUNT:.*]] = llvm.mlir.constant(11 : i64)
// CHECK: %[[SLOTS:.*]] = llvm.mlir.constant(2 : i64)
// CHECK: llvm.mlir.addressof @weir_task_group_0
// CHECK: llvm.call @weir_parallel(%{{.*}}, %[[COUNT]], %[[SLOTS]]
// CHECK-NOT: llvm.call
// CHECK-LABEL: llvm.func private @weir_task_group_0
// CHECK-SAME: (%{{.*}}: !llvm.ptr, %[[FIRST:.*]]: i64, %[[LAST:.*]]: i64, %[[SLOT:.*]]: i64)
// CHECK: llvm.intr.smax
// CHECK: llvm.intr.smin
// CHECK: llvm.cond_br
// CHECK: llvm.call @many(%{{.*}}, %{{.*}}, %{{.*}}, %[[SLOT]])
// CHECK: llvm.cond_br
// CHECK: llvm.call @single(%{{.*}}) : (!llvm.ptr) -> ()
// CHECK: llvm.cond_br
// CHECK: llvm.call @few(%{{.*}}, %{{.*}}, %{{.*}}, %[[SLOT]])
llvm.func @many(!llvm.ptr, i64, i64, i64)
llvm.func @single(!llvm.ptr)
llvm.func @few(!llvm.ptr, i64, i64, i64)
plan.program @group {
  %x = plan.buffer 0 live [0, 0] : memref<8xf32>
  %y = plan.buffer 64 live [0, 0] : memref<8xf32>
  %z = plan.buffer 128 live [0, 0] : memref<8xf32>
  plan.run @many(%x) {slots = 3 : i64, task_group = 0 : i64, work_items = 6 : i64} : (memref<8xf32>)
  plan.run @single(%y) {task_group = 0 : i64} : (memref<8xf32>)
  plan.run @few(%z) {coarse, slots = 2 : i64, task_group = 0 : i64, work_items = 9 : i64} : (memref<8xf32>)
}

// -----

// In a balanced group each run counts as its items. The chunk with the first item of a run
// without work items runs it. Work items are in proportion to items.
// CHECK-LABEL: llvm.func private @balanced_part_0
// CHECK: %[[COUNT:.*]] = llvm.mlir.constant(128 : i64)
// CHECK: llvm.call @weir_parallel(%{{.*}}, %[[COUNT]],
// CHECK-LABEL: llvm.func private @weir_task_group_0
// CHECK: %[[LOW:.*]] = llvm.intr.smax
// CHECK: %[[ANY:.*]] = llvm.icmp "slt" %[[LOW]], %{{.*}} : i64
// CHECK: %[[IS_FIRST:.*]] = llvm.icmp "eq" %[[LOW]], %{{.*}} : i64
// CHECK: %[[RUNS:.*]] = llvm.and %[[ANY]], %[[IS_FIRST]]
// CHECK: llvm.cond_br %[[RUNS]],
// CHECK: llvm.call @single(%{{.*}}) : (!llvm.ptr) -> ()
// CHECK: %[[MANY:.*]] = llvm.icmp "slt"
// CHECK: llvm.cond_br %[[MANY]],
// CHECK: %[[SCALED:.*]] = llvm.mul
// CHECK: llvm.sdiv %[[SCALED]], %{{.*}}
// CHECK: llvm.call @many(
llvm.func @many(!llvm.ptr, i64, i64, i64)
llvm.func @single(!llvm.ptr)
plan.program @balanced {
  %x = plan.buffer 0 live [0, 0] : memref<8xf32>
  %y = plan.buffer 64 live [0, 0] : memref<8xf32>
  plan.run @single(%y) {items = 28 : i64, task_group = 0 : i64} : (memref<8xf32>)
  plan.run @many(%x) {items = 100 : i64, task_group = 0 : i64, work_items = 6 : i64} : (memref<8xf32>)
}

// -----

// A model with variables passes their block on; a check that fails ends the run.
// CHECK: llvm.func @stateful(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %[[STATE:.*]]: !llvm.ptr) -> i32
// CHECK: llvm.call @stateful_part_0(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[STATE]], %{{.*}})
// CHECK: llvm.func private @stateful_part_0
// CHECK: llvm.store %{{.*}}, %arg5 : i32
// CHECK: llvm.cond_br %{{.*}}, ^[[LEAVE:.*]], ^[[GO:.*]]
// CHECK: ^[[LEAVE]]:
// CHECK-NEXT: llvm.return
// CHECK: ^[[GO]]:
// CHECK: llvm.getelementptr inbounds %arg4
// CHECK: "llvm.intr.memcpy"
module attributes {weir.state_bytes = 128 : i64} {
  plan.program @stateful {
    %x = plan.argument 0 : memref<4xf32>
    %p = plan.buffer 0 live [0, 1] : memref<i1>
    %w = plan.state 64 : memref<4xf32>
    plan.check %p, 1 : memref<i1>
    plan.copy %x to %w : memref<4xf32>
  }
}

// -----

// A check of an element ends the run, because later tasks would overwrite its numbers.
// CHECK: llvm.func private @of_element_part_0
// CHECK: llvm.store %{{.*}}, %arg4 : i32
// CHECK: llvm.cond_br %{{.*}}, ^[[LEAVE:.*]], ^[[GO:.*]]
// CHECK: ^[[LEAVE]]:
// CHECK-NEXT: llvm.return
// CHECK: ^[[GO]]:
// CHECK: "llvm.intr.memcpy"
module attributes {weir.check_elements = array<i64: 65, 129>} {
  plan.program @of_element {
    %p = plan.buffer 0 live [0, 1] : memref<i1>
    %i = plan.buffer 64 live [0, 1] : memref<i64>
    %v = plan.buffer 128 live [0, 1] : memref<f32>
    %x = plan.argument 0 : memref<4xf32>
    %y = plan.argument 1 : memref<4xf32>
    plan.check %p, 1 element(%i, %v : memref<i64>, memref<f32>) : memref<i1>
    plan.copy %x to %y : memref<4xf32>
  }
}

// -----

// A record of an access has the number of its message, and ends the run.
// CHECK-LABEL: llvm.func private @accesses_part_0
// CHECK: %[[SITE:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i64
// CHECK: %[[FAILED:.*]] = llvm.icmp "ne" %[[SITE]], %{{.*}} : i64
// CHECK: %[[NUMBER:.*]] = llvm.trunc %[[SITE]] : i64 to i32
// CHECK: %[[BEFORE:.*]] = llvm.mlir.constant(4 : i32)
// CHECK: %[[CODE:.*]] = llvm.add %[[NUMBER]], %[[BEFORE]] : i32
// CHECK: %[[NEW:.*]] = llvm.select %{{.*}}, %[[CODE]], %{{.*}} : i1, i32
// CHECK: llvm.store %[[NEW]], %arg4 : i32
// CHECK: llvm.cond_br %[[FAILED]],
module attributes {weir.check_elements = array<i64: 0, 0>} {
  plan.program @accesses {
    %record = plan.buffer 0 live [0, 1] : memref<3xi64>
    plan.check_accesses %record, 5 : memref<3xi64>
  }
}

// -----

// The runs of an alternating kernel go forward and backward in turn. The order of a
// chunk's ends tells the kernel the direction, and each run stores the direction for
// the next.
// CHECK-LABEL: llvm.func private @turns_part_0
// CHECK: %[[TURN:.*]] = llvm.alloca %{{.*}} x i64
// CHECK: llvm.store %{{.*}}, %[[TURN]] : i64, !llvm.ptr
// CHECK: %[[NOW:.*]] = llvm.load %[[TURN]] : !llvm.ptr -> i64
// CHECK: llvm.store %[[NOW]], %{{.*}} : i64, !llvm.ptr
// CHECK: %[[NEXT:.*]] = llvm.xor %[[NOW]], %{{.*}}
// CHECK: llvm.store %[[NEXT]], %[[TURN]]
// CHECK: llvm.call @weir_parallel
// CHECK: llvm.func private @k.part(%{{.*}}: !llvm.ptr, %[[F:.*]]: i64, %[[E:.*]]: i64, %[[S:.*]]: i64)
// CHECK: %[[ODD:.*]] = llvm.icmp "ne" %{{.*}}, %{{.*}} : i64
// CHECK-DAG: %[[FROM:.*]] = llvm.select %[[ODD]], %[[E]], %[[F]]
// CHECK-DAG: %[[TO:.*]] = llvm.select %[[ODD]], %[[F]], %[[E]]
// CHECK: llvm.call @k(%{{.*}}, %[[FROM]], %[[TO]], %[[S]])
llvm.func @k(!llvm.ptr, i64, i64, i64)
plan.program @turns {
  %b = plan.buffer 64 live [0, 1] : memref<4xf32>
  plan.run @k(%b) {slots = 2 : i64, weir.alternates, work_items = 160 : i64} : (memref<4xf32>)
  plan.run @k(%b) {slots = 2 : i64, weir.alternates, work_items = 160 : i64} : (memref<4xf32>)
}

// -----

// In a row-wise group, a chunk computes its work items of all runs, one run after
// another. The region has as many work items as each run, and the smallest number of
// slots of any run.
// CHECK-LABEL: llvm.func private @by_rows_part_0
// CHECK: %[[COUNT:.*]] = llvm.mlir.constant(4 : i64)
// CHECK: %[[SLOTS:.*]] = llvm.mlir.constant(2 : i64)
// CHECK: llvm.mlir.addressof @weir_task_group_0
// CHECK: llvm.call @weir_parallel(%{{.*}}, %[[COUNT]], %[[SLOTS]]
// CHECK-NOT: llvm.call
// CHECK-LABEL: llvm.func private @weir_task_group_0
// CHECK-SAME: (%{{.*}}: !llvm.ptr, %[[FIRST:.*]]: i64, %[[LAST:.*]]: i64, %[[SLOT:.*]]: i64)
// CHECK: llvm.br ^[[HEAD:.*]](%[[FIRST]] : i64)
// CHECK: ^[[HEAD]](%[[ITEM:.*]]: i64):
// CHECK-NEXT: %[[MORE:.*]] = llvm.icmp "slt" %[[ITEM]], %[[LAST]]
// CHECK-NEXT: llvm.cond_br %[[MORE]], ^[[BODY:.*]], ^[[AFTER:.*]]
// CHECK: ^[[BODY]]:
// CHECK: %[[NEXT:.*]] = llvm.add %[[ITEM]], %{{.*}}
// CHECK: llvm.call @one(%{{.*}}, %[[ITEM]], %[[NEXT]], %[[SLOT]])
// CHECK: llvm.call @two(%{{.*}}, %{{.*}}, %[[ITEM]], %[[NEXT]], %[[SLOT]])
// CHECK-NEXT: llvm.br ^[[HEAD]](%[[NEXT]] : i64)
// CHECK: ^[[AFTER]]:
// CHECK-NEXT: llvm.return
llvm.func @one(!llvm.ptr, i64, i64, i64)
llvm.func @two(!llvm.ptr, !llvm.ptr, i64, i64, i64)
plan.program @by_rows {
  %x = plan.buffer 0 live [0, 0] : memref<8xf32>
  %y = plan.buffer 64 live [0, 0] : memref<8xf32>
  plan.run @one(%x) {row_wise, slots = 2 : i64, task_group = 0 : i64, work_items = 4 : i64} : (memref<8xf32>)
  plan.run @two(%x, %y) {row_wise, task_group = 0 : i64, work_items = 4 : i64} : (memref<8xf32>, memref<8xf32>)
}

// -----

// Without work items, the runs of the group are sequential.
// CHECK-LABEL: llvm.func private @in_order_part_0
// CHECK: llvm.call @one(
// CHECK: llvm.call @one(
// CHECK-NOT: weir_parallel
llvm.func @one(!llvm.ptr)
plan.program @in_order {
  %x = plan.buffer 0 live [0, 0] : memref<8xf32>
  plan.run @one(%x) {row_wise, task_group = 0 : i64} : (memref<8xf32>)
  plan.run @one(%x) {row_wise, task_group = 0 : i64} : (memref<8xf32>)
}

// -----

// The run counts the work items that the actual sizes need. It does so for a single run
// and for a group, whose chunks count the items of each run again.
// CHECK-LABEL: llvm.func private @counted_part_0
// CHECK: %[[COUNT:.*]] = llvm.call @many_work_items(%{{.*}}) : (!llvm.ptr) -> i64
// CHECK: llvm.call @weir_parallel(%{{.*}}, %[[COUNT]],
// CHECK: %[[AGAIN:.*]] = llvm.call @many_work_items(
// CHECK: %[[SOME:.*]] = llvm.add %{{.*}}, %[[AGAIN]] : i64
// CHECK: %[[TOTAL:.*]] = llvm.add %[[SOME]], %{{.*}} : i64
// CHECK: llvm.call @weir_parallel(%{{.*}}, %[[TOTAL]],
// CHECK-LABEL: llvm.func private @weir_task_group_0
// CHECK: llvm.call @many_work_items(
// CHECK: llvm.call @many(
// CHECK: llvm.call @single(
llvm.func @many(!llvm.ptr, i64, i64, i64)
llvm.func @many_work_items(!llvm.ptr) -> i64
llvm.func @single(!llvm.ptr)
plan.program @counted {
  %x = plan.buffer 0 live [0, 0] : memref<8xf32>
  %y = plan.buffer 64 live [0, 0] : memref<8xf32>
  plan.run @many(%x) {count = @many_work_items, work_items = 6 : i64} : (memref<8xf32>)
  plan.run @many(%x) {count = @many_work_items, task_group = 0 : i64, work_items = 6 : i64} : (memref<8xf32>)
  plan.run @single(%y) {task_group = 0 : i64} : (memref<8xf32>)
}
