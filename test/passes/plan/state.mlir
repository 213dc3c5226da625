// RUN: weir-opt %s --split-input-file --weir-plan-arena | FileCheck %s

// A variable is read in place. Its new value overwrites the old one if the kernel reads
// that only at the offsets that it writes. There is no buffer and no copy.
// CHECK: weir.arena_bytes = 0
// CHECK-SAME: weir.entries = [#weir.entry<name = "f", symbol = "weir_entry_0", inputs = [#weir.tensor<type = tensor<4xf32>>], state = true>]
// CHECK-SAME: weir.state_bytes = 128
// CHECK-SAME: weir.variables = [#weir.variable<name = "w", key = "w", type = tensor<4xf32>>, #weir.variable<name = "n", key = "k", offset = 64, type = tensor<i64>>]
// CHECK-NOT: graph.variable
// CHECK: plan.program
// CHECK-DAG: %[[X:.*]] = plan.argument 0
// CHECK-DAG: %[[W:.*]] = plan.state 0 : memref<4xf32>
// CHECK: plan.run @k(%[[W]], %[[X]], %[[W]])
// CHECK-NOT: plan.copy
// CHECK: func.func private @k(memref<4xf32>, memref<4xf32> {llvm.noalias}, memref<4xf32>) attributes
graph.variable @w : tensor<4xf32>
graph.variable @symbol : tensor<i64> {called = "n", key = "k"}
func.func @f(%x: tensor<4xf32>) attributes {weir.entry = "f"} {
  %w = graph.read_variable @w : tensor<4xf32>
  %v = plan.task @k(%w, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  graph.write_variable @w, %v : tensor<4xf32>
  return
}
func.func private @k(%x: memref<4xf32> {llvm.noalias}, %y: memref<4xf32> {llvm.noalias}, %z: memref<4xf32> {llvm.noalias}) attributes {weir.kernel, weir.in_place = array<i64: 0>}

// -----

// The variables of a kernel with several results are updated in place, too.
// CHECK: weir.arena_bytes = 0
// CHECK: plan.program
// CHECK-DAG: %[[X:.*]] = plan.argument 0
// CHECK-DAG: %[[W:.*]] = plan.state 0 : memref<4xf32>
// CHECK-DAG: %[[M:.*]] = plan.state 64 : memref<4xf32>
// CHECK: plan.run @k(%[[X]], %[[M]], %[[W]], %[[W]], %[[M]])
// CHECK-NOT: plan.copy
// CHECK: func.func private @k(memref<4xf32>, memref<4xf32>, memref<4xf32>, memref<4xf32>, memref<4xf32>) attributes
graph.variable @w : tensor<4xf32>
graph.variable @m : tensor<4xf32>
func.func @f(%x: tensor<4xf32>) attributes {weir.entry = "f"} {
  %w = graph.read_variable @w : tensor<4xf32>
  %m = graph.read_variable @m : tensor<4xf32>
  %v:2 = plan.task @k(%x, %m, %w) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  graph.write_variable @m, %v#1 : tensor<4xf32>
  graph.write_variable @w, %v#0 : tensor<4xf32>
  return
}
func.func private @k(%x: memref<4xf32> {llvm.noalias}, %m: memref<4xf32> {llvm.noalias}, %w: memref<4xf32> {llvm.noalias}, %v: memref<4xf32> {llvm.noalias}, %n: memref<4xf32> {llvm.noalias}) attributes {weir.kernel, weir.in_place = array<i64: 0, 1, 2>}

// -----

// A kernel that may read the old value after its writes needs a buffer.
// CHECK: plan.program
// CHECK-DAG: %[[W:.*]] = plan.state 0 : memref<4xf32>
// CHECK-DAG: %[[B:.*]] = plan.buffer
// CHECK: plan.run @k(%[[W]], %{{.*}}, %[[B]])
// CHECK-NEXT: plan.copy %[[B]] to %[[W]]
graph.variable @w : tensor<4xf32>
func.func @f(%x: tensor<4xf32>) attributes {weir.entry = "f"} {
  %w = graph.read_variable @w : tensor<4xf32>
  %v = plan.task @k(%w, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  graph.write_variable @w, %v : tensor<4xf32>
  return
}
func.func private @k(%x: memref<4xf32>, %y: memref<4xf32>, %z: memref<4xf32>) attributes {weir.kernel, weir.in_place = array<i64: 1>}

// -----

// The old value is a result, so it is copied before the assignment.
// CHECK: plan.program
// CHECK-DAG: %[[X:.*]] = plan.argument 0
// CHECK-DAG: %[[Y:.*]] = plan.argument 1
// CHECK-DAG: %[[W:.*]] = plan.state 0 : memref<4xf32>
// CHECK-DAG: %[[OLD:.*]] = plan.buffer
// CHECK: plan.copy %[[W]] to %[[OLD]]
// CHECK-NEXT: plan.copy %[[X]] to %[[W]]
// CHECK-NEXT: plan.copy %[[OLD]] to %[[Y]]
graph.variable @w : tensor<4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> attributes {weir.entry = "f"} {
  %w = graph.read_variable @w : tensor<4xf32>
  graph.write_variable @w, %x : tensor<4xf32>
  return %w : tensor<4xf32>
}

// -----

// Two variables exchange their values through one buffer.
// CHECK: plan.program
// CHECK-DAG: %[[A:.*]] = plan.state 0 : memref<4xf32>
// CHECK-DAG: %[[B:.*]] = plan.state 64 : memref<4xf32>
// CHECK-DAG: %[[OLD:.*]] = plan.buffer
// CHECK: plan.copy %[[A]] to %[[OLD]]
// CHECK-NEXT: plan.copy %[[B]] to %[[A]]
// CHECK-NEXT: plan.copy %[[OLD]] to %[[B]]
// CHECK-NOT: plan.copy
graph.variable @a : tensor<4xf32>
graph.variable @b : tensor<4xf32>
func.func @f() attributes {weir.entry = "f"} {
  %a = graph.read_variable @a : tensor<4xf32>
  %b = graph.read_variable @b : tensor<4xf32>
  graph.write_variable @a, %b : tensor<4xf32>
  graph.write_variable @b, %a : tensor<4xf32>
  return
}

// -----

// Another task reads the old value when the new one is written: at the same time, in a
// task group, or later, in each iteration of the loop.
// CHECK: plan.program
// CHECK-DAG: %[[W:.*]] = plan.state 0 : memref<4xf32>
// CHECK: plan.run @k(%[[W]], %[[NEW:[0-9]+]]) {task_group = 0 : i64}
// CHECK-NEXT: plan.run @k(%[[W]], %{{.*}}) {task_group = 0 : i64}
// CHECK-NEXT: plan.copy %[[NEW]] to %[[W]]
graph.variable @w : tensor<4xf32>
func.func @group() -> tensor<4xf32> attributes {weir.entry = "f"} {
  %w = graph.read_variable @w : tensor<4xf32>
  %v = plan.task @k(%w) {task_group = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  %y = plan.task @k(%w) {task_group = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  graph.write_variable @w, %v : tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func private @k(%x: memref<4xf32>, %z: memref<4xf32>) attributes {weir.kernel, weir.in_place = array<i64: 0>}

// -----

// CHECK: plan.program
// CHECK-DAG: %[[W:.*]] = plan.state 0 : memref<4xf32>
// CHECK-DAG: %[[OLD:.*]] = plan.buffer {{.*}} : memref<4xf32>
// CHECK: plan.copy %[[W]] to %[[OLD]]
// CHECK: plan.while
// CHECK: plan.run @k(%[[OLD]], %[[W]])
graph.variable @w : tensor<4xf32>
func.func @loop(%p: tensor<i1>) attributes {weir.entry = "f"} {
  %w = graph.read_variable @w : tensor<4xf32>
  %q = graph.while(%p) : (tensor<i1>) -> tensor<i1> {
  ^bb0(%a: tensor<i1>):
    graph.yield %a : tensor<i1>
  } do {
  ^bb0(%a: tensor<i1>):
    %v = plan.task @k(%w) : (tensor<4xf32>) -> tensor<4xf32>
    graph.write_variable @w, %v : tensor<4xf32>
    graph.yield %a : tensor<i1>
  }
  return
}
func.func private @k(%x: memref<4xf32>, %z: memref<4xf32>) attributes {weir.kernel, weir.in_place = array<i64: 0>}

// -----

// In a task group one task writes a variable while others read it, even with views
// between them. The old value is still needed then.
// CHECK: plan.program
// CHECK-DAG: %[[W:.*]] = plan.state 0 : memref<4xf32>
// CHECK-DAG: %[[V:.*]] = plan.buffer 64 live[0, 1]
// CHECK: plan.run @k(%[[W]], %{{.*}}) {row_wise, task_group = 0 : i64}
// CHECK-NEXT: plan.run @tall(%{{.*}}) {row_wise, task_group = 0 : i64}
// CHECK-NEXT: plan.run @k(%[[W]], %[[V]]) {row_wise, task_group = 0 : i64}
// CHECK-NEXT: plan.copy %[[V]] to %[[W]]
graph.variable @w : tensor<4xf32>
func.func @f() -> tensor<4x1xf32> attributes {weir.entry = "f"} {
  %w = graph.read_variable @w : tensor<4xf32>
  %a = plan.task @k(%w) {row_wise, task_group = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  %s = graph.reshape %a : tensor<4xf32> to tensor<4x1xf32>
  %b = plan.task @tall(%s) {row_wise, task_group = 0 : i64} : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %v = plan.task @k(%w) {row_wise, task_group = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  graph.write_variable @w, %v : tensor<4xf32>
  return %b : tensor<4x1xf32>
}
func.func private @k(%x: memref<4xf32>, %y: memref<4xf32>) attributes {weir.kernel, weir.in_place = array<i64: 0>}
func.func private @tall(%x: memref<4x1xf32>, %y: memref<4x1xf32>) attributes {weir.kernel}
