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
