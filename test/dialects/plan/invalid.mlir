// RUN: weir-opt %s --split-input-file --verify-diagnostics

plan.program @copy_of_another_type {
  %a = plan.argument 0 : memref<4xf32>
  %b = plan.argument 1 : memref<5xf32>
  // expected-error@below {{failed to verify that all of {source, target} have same type}}
  "plan.copy"(%a, %b) : (memref<4xf32>, memref<5xf32>) -> ()
}

// -----

plan.program @place_is_memory {
  // expected-error@below {{result #0 must be memref of any type values}}
  %a = "plan.argument"() {index = 0 : i64} : () -> tensor<4xf32>
}

// -----

// (C1)
func.func @there_already(%x: tensor<4xf32>) {
  %y = plan.task @k(%x) {host} : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error@below {{copies a tensor to where it is}}
  %h = plan.transfer %y to host : tensor<4xf32>
  return
}

// -----

// (C1)
plan.program @items_of_no_group {
  %x = plan.buffer 0 live [0, 0] : memref<4xf32>
  // expected-error@below {{counts as 4 items of a group}}
  plan.run @k(%x) {items = 4 : i64} : (memref<4xf32>)
}

// -----

// (C1)
plan.program @no_items {
  %x = plan.buffer 0 live [0, 0] : memref<4xf32>
  // expected-error@below {{counts as 0 items of a group}}
  plan.run @k(%x) {items = 0 : i64, task_group = 0 : i64} : (memref<4xf32>)
}

// -----

// (C1) A task reads the result of another one of its group: the barrier between them is
// missing.
plan.program @reads_result {
  %x = plan.argument 0 : memref<4xf32>
  %y = plan.argument 1 : memref<4xf32>
  %b = plan.buffer 64 live [0, 0] : memref<4xf32>
  // expected-note@below {{the other run}}
  plan.run @k(%x, %b) {task_group = 0 : i64} : (memref<4xf32>, memref<4xf32>)
  // expected-error@below {{'plan.run' op of kernel 'k' reads bytes of the result of kernel 'k', which runs in the same group}}
  plan.run @k(%b, %y) {task_group = 0 : i64} : (memref<4xf32>, memref<4xf32>)
}

// -----

// (C1) A result overwrites a part of an operand.
plan.program @writes_operand {
  %x = plan.argument 0 : memref<8xf32>
  %y = plan.argument 1 : memref<8xf32>
  %part = plan.view %x {offset = 16 : i64} : memref<8xf32> to memref<4xf32>
  // expected-note@below {{the other run}}
  plan.run @k(%x, %y) {task_group = 0 : i64} : (memref<8xf32>, memref<8xf32>)
  // expected-error@below {{writes bytes of an operand of kernel 'k'}}
  plan.run @half(%part, %part) {task_group = 0 : i64} : (memref<4xf32>, memref<4xf32>)
}

// -----

// (C1) A task reads the first of two results.
plan.program @two_outputs {
  %x = plan.argument 0 : memref<4xf32>
  %y = plan.argument 1 : memref<4xf32>
  %a = plan.buffer 64 live [0, 0] : memref<4xf32>
  %b = plan.buffer 128 live [0, 0] : memref<4xf32>
  // expected-note@below {{the other run}}
  plan.run @k(%x, %a, %b) {outputs = 2 : i64, task_group = 0 : i64} : (memref<4xf32>, memref<4xf32>, memref<4xf32>)
  // expected-error@below {{reads bytes of the result of kernel 'k'}}
  plan.run @half(%a, %y) {task_group = 0 : i64} : (memref<4xf32>, memref<4xf32>)
}

// -----

// (C1) Two kernels have one scratch memory.
plan.program @shares_scratch {
  %x = plan.argument 0 : memref<4xf32>
  %y = plan.argument 1 : memref<4xf32>
  %z = plan.argument 2 : memref<4xf32>
  %s = plan.buffer 0 live [0, 0] : memref<64xi8>
  // expected-note@below {{the other run}}
  plan.run @k(%x, %y, %s) {task_group = 0 : i64} : (memref<4xf32>, memref<4xf32>, memref<64xi8>)
  // expected-error@below {{writes bytes of the result of kernel 'k'}}
  plan.run @k(%x, %z, %s) {task_group = 0 : i64} : (memref<4xf32>, memref<4xf32>, memref<64xi8>)
}
func.func private @k(memref<4xf32>, memref<4xf32>, memref<64xi8>) attributes {weir.scratch_bytes = 64 : i64}

// -----

// (C2)
plan.program @other_work_items {
  %x = plan.argument 0 : memref<4xf32>
  %y = plan.argument 1 : memref<4xf32>
  // expected-note@below {{the other run}}
  plan.run @k(%x, %y) {row_wise, task_group = 0 : i64, work_items = 4 : i64} : (memref<4xf32>, memref<4xf32>)
  // expected-error@below {{has another number of work items than row-wise kernel 'k'}}
  plan.run @k(%x, %y) {row_wise, task_group = 0 : i64, work_items = 2 : i64} : (memref<4xf32>, memref<4xf32>)
}

// -----

// (C3)
plan.program @shared_bytes {
  // expected-note@below {{the other buffer}}
  %a = plan.buffer 0 live [0, 2] : memref<4x4xf32>
  // expected-error@below {{shares bytes with another buffer that is live at the same time}}
  %b = plan.buffer 32 live [2, 3] : memref<4xf32>
}

// -----

// (C4)
plan.program @uses_in_air {
  %x = plan.argument 0 : memref<4xf32>
  %b = plan.buffer 0 live [0, 2] : memref<4xf32>
  %s = plan.buffer 64 live [0, 2] : memref<16xi8>
  // expected-note@below {{the start}}
  plan.start 0(%b, %s) : memref<4xf32>, memref<16xi8>
  // expected-error@below {{uses bytes that ranks exchange until wait 0}}
  plan.copy %b to %x : memref<4xf32>
  plan.wait 0
}

// -----

// (C4) A buffer that the planner takes for dead.
plan.program @shares_in_air {
  %x = plan.argument 0 : memref<4xf32>
  %b = plan.buffer 0 live [0, 0] : memref<4xf32>
  %s = plan.buffer 64 live [0, 0] : memref<16xi8>
  %c = plan.buffer 64 live [1, 1] : memref<4xf32>
  %p = plan.argument 1 : memref<i1>
  // expected-note@below {{the start}}
  plan.start 0(%b, %s) : memref<4xf32>, memref<16xi8>
  plan.if %p : memref<i1> {
    // expected-error@below {{uses bytes that ranks exchange until wait 0}}
    plan.copy %x to %c : memref<4xf32>
  } else {
  }
  plan.wait 0
}

// -----

// (C4)
plan.program @no_wait {
  %b = plan.buffer 0 live [0, 0] : memref<4xf32>
  %s = plan.buffer 64 live [0, 0] : memref<16xi8>
  // expected-error@below {{has no wait in its block}}
  plan.start 0(%b, %s) : memref<4xf32>, memref<16xi8>
}

// -----

// (C4)
plan.program @waits_inside {
  %b = plan.buffer 0 live [0, 0] : memref<4xf32>
  %s = plan.buffer 64 live [0, 0] : memref<16xi8>
  %p = plan.argument 0 : memref<i1>
  plan.start 0(%b, %s) : memref<4xf32>, memref<16xi8>
  plan.if %p : memref<i1> {
    // expected-error@below {{has no start in its block}}
    plan.wait 0
  } else {
  }
}

// -----

// (C4)
plan.program @starts_twice {
  %b = plan.buffer 0 live [0, 0] : memref<4xf32>
  %s = plan.buffer 64 live [0, 0] : memref<16xi8>
  %c = plan.buffer 128 live [0, 0] : memref<4xf32>
  %t = plan.buffer 192 live [0, 0] : memref<16xi8>
  plan.start 0(%b, %s) : memref<4xf32>, memref<16xi8>
  // expected-error@below {{begins a second time before its wait}}
  plan.start 0(%c, %t) : memref<4xf32>, memref<16xi8>
}
