// RUN: weir-opt %s --split-input-file --weir-outline-parallel-loops --canonicalize | FileCheck %s

// Sequential code and parallel regions become phases, in their order. Only a parallel
// region has a range as arguments.
// CHECK-LABEL: func.func private @k_phase_0
// CHECK-SAME: (%[[X:.*]]: memref<8xf32>, %{{.*}}: memref<8xf32>) attributes {weir.kernel}
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0.0
// CHECK-NEXT: linalg.fill ins(%[[ZERO]] : f32) outs(%[[X]] : memref<8xf32>)
// CHECK-NEXT: return
// CHECK: func.func private @k_phase_1
// CHECK-SAME: %{{.*}}: memref<8xf32>, %[[Y:.*]]: memref<8xf32>, %[[FIRST:.*]]: index, %[[LAST:.*]]: index, %[[SLOT:.*]]: index)
// CHECK: scf.for %[[I:.*]] = %[[FIRST]] to %[[LAST]]
// CHECK: memref.store %{{.*}}, %[[Y]][%[[I]]]
// CHECK: plan.run @k_phase_0(%[[A:.*]], %[[B:.*]]) : (memref<8xf32>, memref<8xf32>)
// CHECK-NEXT: plan.run @k_phase_1(%[[A]], %[[B]]) {coarse, slots = 3 : i64, work_items = 8 : i64}
func.func private @k(%x: memref<8xf32>, %y: memref<8xf32>) attributes {weir.kernel} {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1 : index
  linalg.fill ins(%zero : f32) outs(%x : memref<8xf32>)
  kernel.parallel 8 slots 3 coarse {
  ^bb0(%first: index, %last: index, %slot: index):
    scf.for %i = %first to %last step %one {
      memref.store %zero, %y[%i] : memref<8xf32>
    }
  }
  return
}
plan.program @weir_entry_0 {
  %x = plan.buffer 0 live [0, 0] : memref<8xf32>
  %y = plan.buffer 64 live [0, 0] : memref<8xf32>
  plan.run @k(%x, %y) : (memref<8xf32>, memref<8xf32>)
}

// -----

// If one phase loads a value that another one needs, the kernel stays whole. One thread
// then runs all work items.
// CHECK-LABEL: func.func private @whole
// CHECK: %[[V:.*]] = memref.load
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c8
// CHECK: plan.run @whole(%{{.*}}, %{{.*}}) : (memref<8xf32>, memref<8xf32>)
func.func private @whole(%x: memref<8xf32>, %y: memref<8xf32>) attributes {weir.kernel} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %v = memref.load %x[%zero] : memref<8xf32>
  kernel.parallel 8 {
  ^bb0(%first: index, %last: index, %slot: index):
    scf.for %i = %first to %last step %one {
      memref.store %v, %y[%i] : memref<8xf32>
    }
  }
  return
}
plan.program @weir_entry_0 {
  %x = plan.buffer 0 live [0, 0] : memref<8xf32>
  %y = plan.buffer 64 live [0, 0] : memref<8xf32>
  plan.run @whole(%x, %y) : (memref<8xf32>, memref<8xf32>)
}

// -----

// Arithmetic on a value that a phase loads becomes a part of that phase.
// CHECK-LABEL: func.func private @then_phase_0
// CHECK-NOT: arith.addf
// CHECK: memref.store
// CHECK-NOT: arith.addf
// CHECK: return
// CHECK-LABEL: func.func private @then_phase_1
// CHECK: %[[V:.*]] = memref.load
// CHECK: %[[S:.*]] = arith.addf %[[V]], %[[V]]
// CHECK: memref.store %[[S]]
// CHECK: plan.run @then_phase_0({{.*}}) {work_items = 8 : i64}
// CHECK-NEXT: plan.run @then_phase_1(
func.func private @then(%x: memref<8xf32>, %y: memref<8xf32>) attributes {weir.kernel} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %c = arith.constant 0.0 : f32
  kernel.parallel 8 {
  ^bb0(%first: index, %last: index, %slot: index):
    scf.for %i = %first to %last step %one {
      memref.store %c, %x[%i] : memref<8xf32>
    }
  }
  %v = memref.load %x[%zero] : memref<8xf32>
  %s = arith.addf %v, %v : f32
  memref.store %s, %y[%zero] : memref<8xf32>
  return
}
plan.program @weir_entry_0 {
  %x = plan.buffer 0 live [0, 0] : memref<8xf32>
  %y = plan.buffer 64 live [0, 0] : memref<8xf32>
  plan.run @then(%x, %y) : (memref<8xf32>, memref<8xf32>)
}

// -----

// The first phases of the kernels of a task group form a group, and so do the second
// phases. A phase without a counterpart is in no group.
// CHECK-LABEL: plan.program @task_groups
// CHECK: plan.run @k_phase_0(%[[A:.*]], %[[B:.*]]) {task_group = 0 : i64}
// CHECK-NEXT: plan.run @one(%{{.*}}) {task_group = 0 : i64}
// CHECK-NEXT: plan.run @k_phase_0(%[[C:.*]], %[[D:.*]]) {task_group = 0 : i64}
// CHECK-NEXT: plan.run @k_phase_1(%[[A]], %[[B]]) {task_group = 1 : i64, work_items = 8 : i64}
// CHECK-NEXT: plan.run @k_phase_1(%[[C]], %[[D]]) {task_group = 1 : i64, work_items = 8 : i64}
// CHECK-NEXT: plan.run @k_phase_0(%{{.*}}) {task_group = 2 : i64}
// CHECK-NEXT: plan.run @one(%{{.*}}) {task_group = 2 : i64}
// CHECK-NEXT: plan.run @k_phase_1(%{{.*}}) {work_items = 8 : i64} : (
func.func private @k(%x: memref<8xf32>, %y: memref<8xf32>) attributes {weir.kernel} {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1 : index
  linalg.fill ins(%zero : f32) outs(%x : memref<8xf32>)
  kernel.parallel 8 {
  ^bb0(%first: index, %last: index, %slot: index):
    scf.for %i = %first to %last step %one {
      memref.store %zero, %y[%i] : memref<8xf32>
    }
  }
  return
}
func.func private @one(%x: memref<8xf32>) attributes {weir.kernel} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%x : memref<8xf32>)
  return
}
plan.program @task_groups {
  %x = plan.buffer 0 live [0, 0] : memref<8xf32>
  %y = plan.buffer 64 live [0, 0] : memref<8xf32>
  %z = plan.buffer 128 live [0, 0] : memref<8xf32>
  %u = plan.buffer 192 live [0, 0] : memref<8xf32>
  %v = plan.buffer 256 live [0, 0] : memref<8xf32>
  plan.run @k(%x, %y) {task_group = 0 : i64} : (memref<8xf32>, memref<8xf32>)
  plan.run @one(%z) {task_group = 0 : i64} : (memref<8xf32>)
  plan.run @k(%u, %v) {task_group = 0 : i64} : (memref<8xf32>, memref<8xf32>)
  plan.run @k(%x, %y) {task_group = 1 : i64} : (memref<8xf32>, memref<8xf32>)
  plan.run @one(%z) {task_group = 1 : i64} : (memref<8xf32>)
}

// -----

// In a row-wise group, consecutive runs with the same blocks of rows stay together. A
// run leaves the group if its region has no row blocks, if it has other blocks, or if
// it has two phases.
// CHECK-LABEL: plan.program @row_wise_groups
// CHECK: plan.run @rows_phase_0(%{{.*}}) {row_wise, task_group = 0 : i64, work_items = 8 : i64}
// CHECK-NEXT: plan.run @rows_phase_0(%{{.*}}) {row_wise, task_group = 0 : i64, work_items = 8 : i64}
// CHECK-NEXT: plan.run @others_phase_0(%{{.*}}) {work_items = 8 : i64} : (
// CHECK-NEXT: plan.run @rows_phase_0(%{{.*}}) {work_items = 8 : i64} : (
// CHECK-NEXT: plan.run @fewer_phase_0(%{{.*}}) {work_items = 4 : i64} : (
// CHECK-NEXT: plan.run @twice_phase_0(%{{.*}}) {work_items = 4 : i64} : (
// CHECK-NEXT: plan.run @twice_phase_1(%{{.*}}) {work_items = 4 : i64} : (
// CHECK-NEXT: plan.run @fewer_phase_0(%{{.*}}) {row_wise, task_group = 1 : i64, work_items = 4 : i64}
// CHECK-NEXT: plan.run @fewer_phase_0(%{{.*}}) {row_wise, task_group = 1 : i64, work_items = 4 : i64}
// CHECK-NEXT: plan.run @one(%{{.*}}) : (
func.func private @one(%x: memref<8xf32>) attributes {weir.kernel} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%x : memref<8xf32>)
  return
}
func.func private @rows(%x: memref<8xf32>) attributes {weir.kernel} {
  %zero = arith.constant 0.0 : f32
  kernel.parallel 8 row_wise {
  ^bb0(%first: index, %last: index, %slot: index):
    memref.store %zero, %x[%first] : memref<8xf32>
  }
  return
}
func.func private @others(%x: memref<8xf32>) attributes {weir.kernel} {
  %one = arith.constant 1.0 : f32
  kernel.parallel 8 {
  ^bb0(%first: index, %last: index, %slot: index):
    memref.store %one, %x[%first] : memref<8xf32>
  }
  return
}
func.func private @fewer(%x: memref<8xf32>) attributes {weir.kernel} {
  %zero = arith.constant 0.0 : f32
  kernel.parallel 4 row_wise {
  ^bb0(%first: index, %last: index, %slot: index):
    memref.store %zero, %x[%first] : memref<8xf32>
  }
  return
}
func.func private @twice(%x: memref<8xf32>) attributes {weir.kernel} {
  %zero = arith.constant 0.0 : f32
  kernel.parallel 4 row_wise {
  ^bb0(%first: index, %last: index, %slot: index):
    memref.store %zero, %x[%first] : memref<8xf32>
  }
  kernel.parallel 4 row_wise {
  ^bb0(%first: index, %last: index, %slot: index):
    memref.store %zero, %x[%first] : memref<8xf32>
  }
  return
}
plan.program @row_wise_groups {
  %x = plan.buffer 0 live [0, 0] : memref<8xf32>
  plan.run @rows(%x) {row_wise, task_group = 3 : i64} : (memref<8xf32>)
  plan.run @rows(%x) {row_wise, task_group = 3 : i64} : (memref<8xf32>)
  plan.run @others(%x) {row_wise, task_group = 3 : i64} : (memref<8xf32>)
  plan.run @rows(%x) {row_wise, task_group = 3 : i64} : (memref<8xf32>)
  plan.run @fewer(%x) {row_wise, task_group = 3 : i64} : (memref<8xf32>)
  plan.run @twice(%x) {row_wise, task_group = 3 : i64} : (memref<8xf32>)
  plan.run @fewer(%x) {row_wise, task_group = 3 : i64} : (memref<8xf32>)
  plan.run @fewer(%x) {row_wise, task_group = 3 : i64} : (memref<8xf32>)
  plan.run @one(%x) {row_wise, task_group = 3 : i64} : (memref<8xf32>)
}

// -----

// A profile tells the phases of a kernel from kernels.
// CHECK-LABEL: func.func private @numbered_phase_0
// CHECK-SAME: attributes {weir.kernel, weir.phase = 0 : i64, weir.work = #weir.work<inputs = 1>}
// CHECK-LABEL: func.func private @numbered_phase_1
// CHECK-SAME: attributes {weir.kernel, weir.phase = 1 : i64, weir.work = #weir.work<inputs = 1>}
module attributes {weir.profile} {
  func.func private @numbered(%x: memref<8xf32>, %y: memref<8xf32>) attributes {weir.kernel, weir.work = #weir.work<inputs = 1>} {
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1 : index
    linalg.fill ins(%zero : f32) outs(%x : memref<8xf32>)
    kernel.parallel 8 slots 3 {
    ^bb0(%first: index, %last: index, %slot: index):
      scf.for %i = %first to %last step %one {
        memref.store %zero, %y[%i] : memref<8xf32>
      }
    }
    return
  }
  plan.program @weir_entry_0 {
    %x = plan.buffer 0 live [0, 0] : memref<8xf32>
    %y = plan.buffer 64 live [0, 0] : memref<8xf32>
    plan.run @numbered(%x, %y) : (memref<8xf32>, memref<8xf32>)
  }
}

// -----

// If one thread computes long phases, these are in one step with the work items that
// fill the idle threads. A run counts as items by its time: a thread has 64 of them. The
// two threads get 9 and 4 + 5 ms.
// CHECK-LABEL: plan.program @balanced
// CHECK: plan.run @search_phase_0({{.*}}) {work_items = 8 : i64}
// CHECK-NEXT: plan.run @sort({{.*}}) {items = 64 : i64, task_group = 0 : i64}
// CHECK-NEXT: plan.run @search_phase_1({{.*}}) {items = 28 : i64, task_group = 0 : i64}
// CHECK-NEXT: plan.run @product_phase_0({{.*}}) {items = 36 : i64, task_group = 0 : i64, work_items = 100 : i64}
// CHECK-NEXT: }
module attributes {weir.slots = 2 : i64} {
  func.func private @search(%x: memref<8xf32>) attributes {weir.kernel, weir.nanoseconds = 4100000 : i64, weir.sequential_nanoseconds = 4000000 : i64} {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %c = arith.constant 0.0 : f32
    kernel.parallel 8 {
    ^bb0(%first: index, %last: index, %slot: index):
      scf.for %i = %first to %last step %one {
        memref.store %c, %x[%i] : memref<8xf32>
      }
    }
    memref.store %c, %x[%zero] : memref<8xf32>
    return
  }
  func.func private @product(%x: memref<8xf32>) attributes {weir.kernel, weir.nanoseconds = 5000000 : i64} {
    %one = arith.constant 1 : index
    %c = arith.constant 0.0 : f32
    kernel.parallel 100 {
    ^bb0(%first: index, %last: index, %slot: index):
      scf.for %i = %first to %last step %one {
        memref.store %c, %x[%one] : memref<8xf32>
      }
    }
    return
  }
  func.func private @sort(%x: memref<8xf32>) attributes {weir.kernel, weir.nanoseconds = 9000000 : i64, weir.sequential_nanoseconds = 9000000 : i64} {
    return
  }
  plan.program @balanced {
    %x = plan.buffer 0 live [0, 0] : memref<8xf32>
    %y = plan.buffer 64 live [0, 0] : memref<8xf32>
    %z = plan.buffer 128 live [0, 0] : memref<8xf32>
    plan.run @search(%x) {task_group = 0 : i64} : (memref<8xf32>)
    plan.run @product(%y) {task_group = 0 : i64} : (memref<8xf32>)
    plan.run @sort(%z) {task_group = 0 : i64} : (memref<8xf32>)
  }
}

// -----

// Each thread gets the longest run that is left when it has the least to do: 4 + 3 and
// 5 ms. Both have 64 items.
// CHECK-LABEL: plan.program @longest_first
// CHECK: plan.run @four({{.*}}) {items = 37 : i64, task_group = 0 : i64}
// CHECK-NEXT: plan.run @three({{.*}}) {items = 27 : i64, task_group = 0 : i64}
// CHECK-NEXT: plan.run @five({{.*}}) {items = 64 : i64, task_group = 0 : i64}
module attributes {weir.slots = 2 : i64} {
  func.func private @three(%x: memref<8xf32>) attributes {weir.kernel, weir.nanoseconds = 3000000 : i64, weir.sequential_nanoseconds = 3000000 : i64} {
    return
  }
  func.func private @four(%x: memref<8xf32>) attributes {weir.kernel, weir.nanoseconds = 4000000 : i64, weir.sequential_nanoseconds = 4000000 : i64} {
    return
  }
  func.func private @five(%x: memref<8xf32>) attributes {weir.kernel, weir.nanoseconds = 5000000 : i64, weir.sequential_nanoseconds = 5000000 : i64} {
    return
  }
  plan.program @longest_first {
    %x = plan.buffer 0 live [0, 0] : memref<8xf32>
    %y = plan.buffer 64 live [0, 0] : memref<8xf32>
    %z = plan.buffer 128 live [0, 0] : memref<8xf32>
    plan.run @three(%x) {task_group = 0 : i64} : (memref<8xf32>)
    plan.run @four(%y) {task_group = 0 : i64} : (memref<8xf32>)
    plan.run @five(%z) {task_group = 0 : i64} : (memref<8xf32>)
  }
}

// -----

// Groups of short tasks count their work items, and each run without any as one.
// CHECK-LABEL: plan.program @short
// CHECK: plan.run @quick({{.*}}) {task_group = 0 : i64}
// CHECK-NEXT: plan.run @quick({{.*}}) {task_group = 0 : i64}
module attributes {weir.slots = 2 : i64} {
  func.func private @quick(%x: memref<8xf32>) attributes {weir.kernel, weir.nanoseconds = 5000 : i64, weir.sequential_nanoseconds = 5000 : i64} {
    return
  }
  plan.program @short {
    %x = plan.buffer 0 live [0, 0] : memref<8xf32>
    %y = plan.buffer 64 live [0, 0] : memref<8xf32>
    plan.run @quick(%x) {task_group = 0 : i64} : (memref<8xf32>)
    plan.run @quick(%y) {task_group = 0 : i64} : (memref<8xf32>)
  }
}
