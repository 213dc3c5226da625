// RUN: weir-opt %s --split-input-file --weir-plan-arena --verify-diagnostics | FileCheck %s

// In a chain the first and the third buffer share bytes, and the result is written
// directly to the caller. So three buffers need two times 64 bytes.
// CHECK: weir.arena_bytes = 128
// CHECK-SAME: weir.entries = [#weir.entry<name = "serve", symbol = "weir_entry_0", inputs = [#weir.tensor<name = "x", type = tensor<4xf32>>], outputs = [#weir.tensor<name = "y", type = tensor<4xf32>>]>]
// CHECK-SAME: weir.max_live_bytes = 128
// CHECK: plan.program @weir_entry_0
// CHECK-DAG: %[[X:.*]] = plan.argument 0
// CHECK-DAG: %[[Y:.*]] = plan.argument 1
// CHECK-DAG: %[[A:.*]] = plan.buffer [[FIRST:[0-9]+]] live[0, 1]
// CHECK-DAG: %[[B:.*]] = plan.buffer {{[0-9]+}} live[1, 2]
// CHECK-DAG: %[[C:.*]] = plan.buffer [[FIRST]] live[2, 3]
// CHECK: plan.run @k(%[[X]], %[[A]])
// CHECK-NEXT: plan.run @k(%[[A]], %[[B]])
// CHECK-NEXT: plan.run @k(%[[B]], %[[C]])
// CHECK-NEXT: plan.run @k(%[[C]], %[[Y]])
func.func @chain(%x: tensor<4xf32> {weir.name = "x"}) -> (tensor<4xf32> {weir.name = "y"}) attributes {weir.entry = "serve"} {
  %a = plan.task @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %b = plan.task @k(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %c = plan.task @k(%b) : (tensor<4xf32>) -> tensor<4xf32>
  %d = plan.task @k(%c) : (tensor<4xf32>) -> tensor<4xf32>
  return %d : tensor<4xf32>
}
func.func private @k(%x: memref<4xf32>, %y: memref<4xf32>) attributes {weir.kernel}

// -----

// The tasks of a group run at the same time, even with views between them. So no two of
// these three buffers share bytes.
// CHECK: weir.arena_bytes = 192
// CHECK: plan.program
// CHECK-COUNT-3: plan.buffer {{[0-9]+}} live[0, 0]
// CHECK: plan.run @flat(%{{.*}}) {row_wise, task_group = 0 : i64}
// CHECK-NEXT: plan.run @tall(%{{.*}}) {row_wise, task_group = 0 : i64}
// CHECK-NEXT: plan.run @flat(%{{.*}}) {row_wise, task_group = 0 : i64}
// CHECK-NEXT: plan.run @tall(%{{.*}}) {row_wise, task_group = 0 : i64}
func.func @row_wise_group(%x: tensor<4xf32>) -> tensor<4x1xf32> attributes {weir.entry = "serve"} {
  %a = plan.task @flat(%x) {row_wise, task_group = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  %v = graph.reshape %a : tensor<4xf32> to tensor<4x1xf32>
  %b = plan.task @tall(%v) {row_wise, task_group = 0 : i64} : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %w = graph.reshape %b : tensor<4x1xf32> to tensor<4xf32>
  %c = plan.task @flat(%w) {row_wise, task_group = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  %u = graph.reshape %c : tensor<4xf32> to tensor<4x1xf32>
  %d = plan.task @tall(%u) {row_wise, task_group = 0 : i64} : (tensor<4x1xf32>) -> tensor<4x1xf32>
  return %d : tensor<4x1xf32>
}
func.func private @flat(%x: memref<4xf32>, %y: memref<4xf32>) attributes {weir.kernel}
func.func private @tall(%x: memref<4x1xf32>, %y: memref<4x1xf32>) attributes {weir.kernel}

// -----

// Equal constants share one offset; an input that is returned is copied.
// CHECK: weir.weights = [
// CHECK-SAME: #weir.weight<elements = dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>>]
// CHECK-SAME: weir.weights_bytes = 64
// CHECK: plan.copy %{{.*}} to %{{.*}} : memref<2xf32>
func.func @constants(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) attributes {weir.entry = "serve"} {
  %c = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %d = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %y = plan.task @k2(%c, %d) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %y, %x : tensor<2xf32>, tensor<2xf32>
}
func.func private @k2(%x: memref<2xf32>, %y: memref<2xf32>, %z: memref<2xf32>) attributes {weir.kernel}

// -----

// The scratch memory of a kernel is live during its task.
// CHECK: weir.arena_bytes = 256
// CHECK: plan.buffer 0 live[0, 0] : memref<256xi8>
func.func @scratch(%x: tensor<4xf32>) -> tensor<4xf32> attributes {weir.entry = "serve"} {
  %a = plan.task @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %a : tensor<4xf32>
}
func.func private @k(%x: memref<4xf32>, %y: memref<4xf32>, %s: memref<256xi8>) attributes {weir.kernel, weir.scratch_bytes = 256 : i64}

// -----

// Values that a loop reads are live until its end. Variables that are exchanged keep
// their old values in buffers.
// CHECK: plan.program
// CHECK: plan.while
// CHECK: } do {
// CHECK-COUNT-4: plan.copy
func.func @swap(%p: tensor<i1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> attributes {weir.entry = "serve"} {
  %r:2 = graph.while(%x, %y) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    graph.yield %p : tensor<i1>
  } do {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    graph.yield %b, %a : tensor<4xf32>, tensor<4xf32>
  }
  return %r#0 : tensor<4xf32>
}

// -----

func.func @without_kernel(%x: tensor<4xf32>) -> tensor<4xf32> attributes {weir.entry = "serve"} {
  // expected-error@below {{has no kernel: it stands outside a group}}
  %a = graph.exp %x : tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

// A value and its reshape are both results: one is written directly, and the other is
// copied.
// CHECK: plan.program
// CHECK-DAG: %[[Y:.*]] = plan.argument 1 : memref<4xf32>
// CHECK-DAG: %[[Z:.*]] = plan.argument 2 : memref<2x2xf32>
// CHECK: %[[V:.*]] = plan.view %[[Y]] : memref<4xf32> to memref<2x2xf32>
// CHECK: plan.run @k(%{{.*}}, %[[Y]])
// CHECK-NEXT: plan.copy %[[V]] to %[[Z]]
func.func @reshaped(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<2x2xf32>) attributes {weir.entry = "serve"} {
  %a = plan.task @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %b = graph.reshape %a : tensor<4xf32> to tensor<2x2xf32>
  return %a, %b : tensor<4xf32>, tensor<2x2xf32>
}
func.func private @k(%x: memref<4xf32>, %y: memref<4xf32>) attributes {weir.kernel}

// -----

// A contiguous slice is a view of its operand's buffer, which stays live as long.
// CHECK: plan.program
// CHECK-DAG: %[[X:.*]] = plan.argument 0
// CHECK-DAG: %[[V:.*]] = plan.view %[[X]] {offset = 32 : i64} : memref<2x3x4xf32> to memref<1x1x4xf32>
// CHECK-DAG: %[[A:.*]] = plan.buffer {{[0-9]+}} live[0, 2]
// CHECK-DAG: %[[W:.*]] = plan.view %[[A]] {offset = 8 : i64} : memref<1x1x4xf32> to memref<1x1x2xf32>
// CHECK: plan.run @k(%[[V]], %[[A]])
// CHECK-NEXT: plan.run @k(%[[V]], %{{.*}})
// CHECK-NEXT: plan.run @h(%[[W]], %{{.*}})
func.func @slice(%x: tensor<2x3x4xf32>) -> (tensor<1x1x4xf32>, tensor<1x1x2xf32>) attributes {weir.entry = "serve"} {
  %a = graph.slice %x [0, 2, 0] to [1, 3, 4] by [1, 1, 1] : tensor<2x3x4xf32>
  %b = plan.task @k(%a) : (tensor<1x1x4xf32>) -> tensor<1x1x4xf32>
  %c = graph.slice %b [0, 0, 2] to [1, 1, 4] by [1, 1, 1] : tensor<1x1x4xf32>
  %d = plan.task @k(%a) : (tensor<1x1x4xf32>) -> tensor<1x1x4xf32>
  %e = plan.task @h(%c) : (tensor<1x1x2xf32>) -> tensor<1x1x2xf32>
  return %d, %e : tensor<1x1x4xf32>, tensor<1x1x2xf32>
}
func.func private @k(%x: memref<1x1x4xf32>, %y: memref<1x1x4xf32>) attributes {weir.kernel}
func.func private @h(%x: memref<1x1x2xf32>, %y: memref<1x1x2xf32>) attributes {weir.kernel}

// -----

// A slice with gaps needs a kernel before this pass.
func.func @gaps(%x: tensor<4x4xf32>) -> tensor<4x2xf32> attributes {weir.entry = "serve"} {
  // expected-error @+1 {{has no kernel}}
  %a = graph.slice %x [0, 0] to [4, 2] by [1, 1] : tensor<4x4xf32>
  return %a : tensor<4x2xf32>
}

// -----

// Operands that are contiguous in a concatenation are computed in its buffer. This
// includes the operands of a nested concatenation. An operand that no task computes, or
// that has another buffer, is copied.
// CHECK: weir.arena_bytes = 0
// CHECK: plan.program
// CHECK-DAG: %[[X:.*]] = plan.argument 0
// CHECK-DAG: %[[Y:.*]] = plan.argument 1 : memref<1x16xf32>
// CHECK-DAG: %[[C:.*]] = plan.view %[[Y]] : memref<1x16xf32> to memref<1x8xf32>
// CHECK-DAG: %[[XX:.*]] = plan.view %[[Y]] {offset = 32 : i64}
// CHECK-DAG: %[[AA:.*]] = plan.view %[[Y]] {offset = 48 : i64}
// CHECK-DAG: %[[A:.*]] = plan.view %[[C]] : memref<1x8xf32> to memref<1x4xf32>
// CHECK-DAG: %[[B:.*]] = plan.view %[[C]] {offset = 16 : i64}
// CHECK: plan.run @k(%[[X]], %[[AA]])
// CHECK-NEXT: plan.run @k(%[[AA]], %[[B]])
// CHECK-NEXT: plan.copy %[[AA]] to %[[A]]
// CHECK-NEXT: plan.copy %[[X]] to %[[XX]]
func.func @concat(%x: tensor<1x4xf32>) -> tensor<1x16xf32> attributes {weir.entry = "serve"} {
  %a = plan.task @k(%x) : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %b = plan.task @k(%a) : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %c = graph.concat %a, %b axis 1 : tensor<1x4xf32>, tensor<1x4xf32>
  %d = graph.concat %c, %x, %a axis 1 : tensor<1x8xf32>, tensor<1x4xf32>, tensor<1x4xf32>
  return %d : tensor<1x16xf32>
}
func.func private @k(%x: memref<1x4xf32>, %y: memref<1x4xf32>) attributes {weir.kernel}

// -----

// The buffer of the result is live from its first operand on.
// CHECK: plan.buffer 0 live[1, 3] : memref<8xf32>
func.func @late(%x: tensor<4xf32>) -> tensor<8xf32> attributes {weir.entry = "serve"} {
  %a = plan.task @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %b = plan.task @k(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %c = plan.task @k(%b) : (tensor<4xf32>) -> tensor<4xf32>
  %d = graph.concat %b, %c axis 0 : tensor<4xf32>, tensor<4xf32>
  %e = plan.task @h(%d) : (tensor<8xf32>) -> tensor<8xf32>
  return %e : tensor<8xf32>
}
func.func private @k(%x: memref<4xf32>, %y: memref<4xf32>) attributes {weir.kernel}
func.func private @h(%x: memref<8xf32>, %y: memref<8xf32>) attributes {weir.kernel}

// -----

// Operands with gaps between their rows need a kernel before this pass.
func.func @rows(%x: tensor<2x2xf32>) -> tensor<2x4xf32> attributes {weir.entry = "serve"} {
  // expected-error @+1 {{has no kernel}}
  %a = graph.concat %x, %x axis 1 : tensor<2x2xf32>, tensor<2x2xf32>
  return %a : tensor<2x4xf32>
}

// -----

// The tasks of a group run at the same time, so their results share no bytes.
// CHECK: weir.arena_bytes = 192
// CHECK: plan.buffer {{[0-9]+}} live[0, 1]
// CHECK: plan.buffer {{[0-9]+}} live[1, 2]
// CHECK: plan.buffer {{[0-9]+}} live[1, 2]
// CHECK: plan.run @k({{.*}}) : (
// CHECK-NEXT: plan.run @k({{.*}}) {task_group = 0 : i64}
// CHECK-NEXT: plan.run @k({{.*}}) {task_group = 0 : i64}
func.func @group(%x: tensor<4xf32>) -> tensor<4xf32> attributes {weir.entry = "serve"} {
  %a = plan.task @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %b = plan.task @k(%a) {task_group = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  %c = plan.task @k(%a) {task_group = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  %d = plan.task @sum(%b, %c) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %d : tensor<4xf32>
}
func.func private @k(%x: memref<4xf32>, %y: memref<4xf32>) attributes {weir.kernel}
func.func private @sum(%x: memref<4xf32>, %y: memref<4xf32>, %z: memref<4xf32>) attributes {weir.kernel}

// -----

// The next value of a loop variable overwrites the last one if no later op reads that,
// or if the kernel reads it only at the offsets that it writes. A later read prevents
// this.
// CHECK: plan.program
// CHECK: plan.while
// CHECK: } do {
// CHECK-NEXT: plan.run @step(%[[X:[0-9]+]], %[[X]])
// CHECK-NEXT: plan.run @k(%[[Y:[0-9]+]], %[[N:[0-9]+]])
// CHECK-NEXT: plan.run @step(%[[Y]], %{{.*}})
// CHECK-NEXT: plan.copy %[[N]] to %[[Y]]
// CHECK-NEXT: }
// CHECK: func.func private @step(memref<4xf32>, memref<4xf32>) attributes {weir.aliases,
func.func @steps(%p: tensor<i1>, %x: tensor<4xf32>, %y: tensor<4xf32>, %z: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) attributes {weir.entry = "serve"} {
  %r:3 = graph.while(%x, %y, %z) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>):
    graph.yield %p : tensor<i1>
  } do {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>):
    %n = plan.task @step(%a) : (tensor<4xf32>) -> tensor<4xf32>
    %m = plan.task @k(%b) : (tensor<4xf32>) -> tensor<4xf32>
    %o = plan.task @step(%b) : (tensor<4xf32>) -> tensor<4xf32>
    graph.yield %n, %m, %o : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1, %r#2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
func.func private @step(%x: memref<4xf32> {llvm.noalias}, %y: memref<4xf32> {llvm.noalias}) attributes {weir.in_place = array<i64: 0>, weir.kernel}
func.func private @k(%x: memref<4xf32>, %y: memref<4xf32>) attributes {weir.kernel}

// -----

// A task that reads an input only at the offsets that it writes reuses its buffer, even
// with another shape. So does the next task. The arena has one tensor and the other
// operand.
// CHECK: weir.arena_bytes = 128
// CHECK: plan.program
// CHECK-DAG: %[[A:.*]] = plan.buffer {{[0-9]+}} live[0, 4] : memref<4xf32>
// CHECK-DAG: %[[V:.*]] = plan.view %[[A]]{{.*}} memref<2x2xf32>
// CHECK: plan.run @k(%{{.*}}, %[[A]])
// CHECK-NEXT: plan.run @k(%{{.*}}, %[[B:[0-9]+]])
// CHECK-NEXT: plan.run @add(%[[B]], %[[A]], %[[A]])
// CHECK-NEXT: plan.run @add2(%{{.*}}, %[[V]], %[[V]])
// CHECK-NEXT: plan.run @k2(%[[V]], %{{.*}})
// CHECK: func.func private @add(memref<4xf32> {llvm.noalias}, memref<4xf32>, memref<4xf32>) attributes {weir.aliases,
func.func @takes_over(%x: tensor<4xf32>, %y: tensor<2x2xf32>) -> tensor<2x2xf32> attributes {weir.entry = "serve"} {
  %a = plan.task @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %b = plan.task @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %c = plan.task @add(%b, %a) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %d = graph.reshape %c : tensor<4xf32> to tensor<2x2xf32>
  %e = plan.task @add2(%y, %d) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %f = plan.task @k2(%e) : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return %f : tensor<2x2xf32>
}
func.func private @k(%x: memref<4xf32>, %y: memref<4xf32>) attributes {weir.kernel}
func.func private @k2(%x: memref<2x2xf32>, %y: memref<2x2xf32>) attributes {weir.kernel}
func.func private @add(%x: memref<4xf32> {llvm.noalias}, %y: memref<4xf32> {llvm.noalias}, %z: memref<4xf32> {llvm.noalias}) attributes {weir.in_place = array<i64: 1>, weir.kernel}
func.func private @add2(%x: memref<2x2xf32>, %y: memref<2x2xf32>, %z: memref<2x2xf32>) attributes {weir.in_place = array<i64: 1>, weir.kernel}

// -----

// Some operands do not permit this: one that is read later, at the same time or at
// other offsets, one of the caller, and a part of a buffer. Another output that may be
// written before also prevents it. Each of these results has its own buffer.
// CHECK: plan.program
// CHECK-DAG: %[[X:[0-9]+]] = plan.argument 0
// CHECK: %[[WHOLE:[0-9]+]] = plan.buffer {{.*}} : memref<8xf32>
// CHECK: %[[PART:[0-9]+]] = plan.view %[[WHOLE]]{{.*}} memref<4xf32>
// CHECK: %[[A:[0-9]+]] = plan.buffer
// CHECK-NEXT: %[[B:[0-9]+]] = plan.buffer
// CHECK-NEXT: %[[C:[0-9]+]] = plan.buffer
// CHECK-NEXT: %[[D:[0-9]+]] = plan.buffer
// CHECK-NEXT: %[[E:[0-9]+]] = plan.buffer
// CHECK-NEXT: %[[F:[0-9]+]] = plan.buffer
// CHECK-NEXT: %[[G:[0-9]+]] = plan.buffer
// CHECK-NEXT: %[[H:[0-9]+]] = plan.buffer
// CHECK-NEXT: plan.run @step(%[[X]], %[[A]])
// CHECK-NEXT: plan.run @step(%[[A]], %[[B]])
// CHECK-NEXT: plan.run @step(%[[B]], %[[C]]) {task_group = 0 : i64}
// CHECK-NEXT: plan.run @k(%[[B]], %[[D]]) {task_group = 0 : i64}
// CHECK-NEXT: plan.run @add(%[[D]], %[[D]], %[[E]])
// CHECK-NEXT: plan.run @k(%[[A]], %[[PART]])
// CHECK: plan.run @step(%[[PART]], %[[F]])
// CHECK: plan.run @two(%[[F]], %[[G]], %[[H]])
func.func @keeps(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<8xf32>) attributes {weir.entry = "serve"} {
  %a = plan.task @step(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %b = plan.task @step(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %c = plan.task @step(%b) {task_group = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  %d = plan.task @k(%b) {task_group = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  %e = plan.task @add(%d, %d) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %part = plan.task @k(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %whole = graph.concat %part, %x axis 0 : tensor<4xf32>, tensor<4xf32>
  %f = plan.task @step(%part) : (tensor<4xf32>) -> tensor<4xf32>
  %g:2 = plan.task @two(%f) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %r = plan.task @k(%c) : (tensor<4xf32>) -> tensor<4xf32>
  %s = plan.task @k(%e) : (tensor<4xf32>) -> tensor<4xf32>
  %t = plan.task @k(%g#0) : (tensor<4xf32>) -> tensor<4xf32>
  %u = plan.task @k(%g#1) : (tensor<4xf32>) -> tensor<4xf32>
  %v = plan.task @eight(%whole) : (tensor<8xf32>) -> tensor<8xf32>
  return %r, %s, %t, %u, %v : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<8xf32>
}
func.func private @k(%x: memref<4xf32>, %y: memref<4xf32>) attributes {weir.kernel}
func.func private @eight(%x: memref<8xf32>, %y: memref<8xf32>) attributes {weir.kernel}
func.func private @step(%x: memref<4xf32>, %y: memref<4xf32>) attributes {weir.in_place = array<i64: 0>, weir.kernel}
func.func private @add(%x: memref<4xf32>, %y: memref<4xf32>, %z: memref<4xf32>) attributes {weir.in_place = array<i64: 1>, weir.kernel}
func.func private @two(%x: memref<4xf32>, %y: memref<4xf32>, %z: memref<4xf32>) attributes {weir.in_place = array<i64: 0>, weir.kernel}

// -----

// A value from outside of a loop is needed in each iteration.
// CHECK: plan.program
// CHECK: %[[A:[0-9]+]] = plan.buffer {{.*}} : memref<4xf32>
// CHECK: %[[B:[0-9]+]] = plan.buffer {{.*}} : memref<4xf32>
// CHECK: %[[N:[0-9]+]] = plan.buffer {{.*}} : memref<4xf32>
// CHECK: plan.run @k(%{{.*}}, %[[A]])
// CHECK: } do {
// CHECK-NEXT: plan.run @add(%[[B]], %[[A]], %[[N]])
func.func @rounds(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> attributes {weir.entry = "serve"} {
  %a = plan.task @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r = graph.while(%x) : (tensor<4xf32>) -> (tensor<4xf32>) {
  ^bb0(%b: tensor<4xf32>):
    graph.yield %p : tensor<i1>
  } do {
  ^bb0(%b: tensor<4xf32>):
    %n = plan.task @add(%b, %a) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %m = plan.task @k(%n) : (tensor<4xf32>) -> tensor<4xf32>
    graph.yield %m : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
func.func private @k(%x: memref<4xf32>, %y: memref<4xf32>) attributes {weir.kernel}
func.func private @add(%x: memref<4xf32>, %y: memref<4xf32>, %z: memref<4xf32>) attributes {weir.in_place = array<i64: 1>, weir.kernel}

// -----

// The padding after a result has no values, so there is no copy, and no more memory.
// CHECK: weir.arena_bytes = 0
// CHECK: plan.program
// CHECK-DAG: %[[X:.*]] = plan.argument 0
// CHECK-DAG: %[[Y:.*]] = plan.argument 1 : memref<12xf32>
// CHECK-DAG: %[[PART:.*]] = plan.view %[[Y]] : memref<12xf32> to memref<4xf32>
// CHECK: plan.run @k(%[[X]], %[[PART]])
// CHECK-NOT: plan.copy
func.func @room(%x: tensor<4xf32>) -> tensor<12xf32> attributes {weir.entry = "serve"} {
  %a = plan.task @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %rest = graph.empty : tensor<8xf32>
  %c = graph.concat %a, %rest axis 0 : tensor<4xf32>, tensor<8xf32>
  return %c : tensor<12xf32>
}
func.func private @k(%x: memref<4xf32>, %y: memref<4xf32>) attributes {weir.kernel}

// -----

// expected-error@below {{an input or output has no static shape}}
func.func @dynamic(%x: tensor<?xf32>) -> tensor<?xf32> attributes {weir.entry = "serve"} {
  return %x : tensor<?xf32>
}

// -----

// The runtime finds the numbers of a failed check in the arena, also a constant,
// which is copied there. Offsets are counted from 1; the first check has none.
// CHECK: weir.check_elements = array<i64: 0, 0, [[INDEX:[0-9]+]], [[VALUE:[0-9]+]]>
// CHECK-SAME: weir.checks = ["first", "second"]
// CHECK: plan.program
// CHECK: plan.check %{{.*}}, 1 : memref<i1>
// CHECK: plan.copy %{{.*}} to %[[V:.*]] : memref<f32>
// CHECK: plan.check %{{.*}}, 2 element(%{{.*}}, %[[V]] : memref<i64>, memref<f32>) : memref<i1>
func.func @elements() attributes {weir.entry = "serve"} {
  %p, %q, %i = plan.task @three() : () -> (tensor<i1>, tensor<i1>, tensor<i64>)
  %v = graph.constant dense<0x7FC00000> : tensor<f32>
  graph.check %p, "first" : tensor<i1>
  graph.check %q, "second" element(%i, %v : tensor<i64>, tensor<f32>) : tensor<i1>
  return
}
func.func private @three() attributes {weir.kernel}
