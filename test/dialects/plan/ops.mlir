// RUN: weir-opt %s | weir-opt | FileCheck %s
// RUN: weir-opt %s --mlir-print-op-generic | weir-opt | FileCheck %s

// The program is empty.
// CHECK: plan.program @weir_entry_0 {
plan.program @weir_entry_0 {
}

// Each op of a plan is printed and parsed again.
// CHECK-LABEL: plan.program @all
plan.program @all {
  // CHECK: plan.argument 0 : memref<4x4xf32>
  %x = plan.argument 0 : memref<4x4xf32>
  // CHECK: plan.weight 128 : memref<4x4xf32>
  %w = plan.weight 128 : memref<4x4xf32>
  // CHECK: plan.state 64 : memref<4x4xf32>
  %s = plan.state 64 : memref<4x4xf32>
  // CHECK: %[[B:.*]] = plan.buffer 64 live[0, 1] : memref<4x4xf32>
  %b = plan.buffer 64 live [0, 1] : memref<4x4xf32>
  %p = plan.buffer 0 live [0, 9] : memref<i1>
  // CHECK: plan.view %[[B]] : memref<4x4xf32> to memref<16xf32>
  %v = plan.view %b : memref<4x4xf32> to memref<16xf32>
  // CHECK: plan.view %[[B]] {offset = 16 : i64} : memref<4x4xf32> to memref<4xf32>
  %part = plan.view %b {offset = 16 : i64} : memref<4x4xf32> to memref<4xf32>
  // CHECK: plan.run @kernel_0(%{{.*}}, %[[B]]) : (memref<4x4xf32>, memref<4x4xf32>)
  plan.run @kernel_0(%x, %b) : (memref<4x4xf32>, memref<4x4xf32>)
  // CHECK: plan.run @kernel_1(%{{.*}}, %[[B]]) {work_items = 160 : i64} : (memref<4x4xf32>, memref<4x4xf32>)
  plan.run @kernel_1(%x, %b) {work_items = 160 : i64} : (memref<4x4xf32>, memref<4x4xf32>)
  // CHECK: plan.run @kernel_1(%{{.*}}, %[[B]]) {row_wise, task_group = 0 : i64, work_items = 4 : i64} : (memref<4x4xf32>, memref<4x4xf32>)
  plan.run @kernel_1(%x, %b) {row_wise, task_group = 0 : i64, work_items = 4 : i64} : (memref<4x4xf32>, memref<4x4xf32>)
  // CHECK: plan.run @kernel_0(%{{.*}}, %[[B]]) {items = 64 : i64, task_group = 1 : i64} : (memref<4x4xf32>, memref<4x4xf32>)
  plan.run @kernel_0(%x, %b) {items = 64 : i64, task_group = 1 : i64} : (memref<4x4xf32>, memref<4x4xf32>)
  // CHECK: plan.copy %{{.*}} to %[[B]] : memref<4x4xf32>
  plan.copy %x to %b : memref<4x4xf32>
  // CHECK: plan.check %{{.*}}, 1 : memref<i1>
  plan.check %p, 1 : memref<i1>
  // CHECK: plan.if %{{.*}} : memref<i1> {
  // CHECK-NEXT: } else {
  plan.if %p : memref<i1> {
  } else {
  }
  // CHECK: plan.while %{{.*}} : memref<i1> {
  // CHECK-NEXT: } do {
  plan.while %p : memref<i1> {
  } do {
  }
}

// CHECK-LABEL: func.func @task
func.func @task(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: plan.task @kernel_0(%{{.*}}) : (tensor<4xf32>) -> tensor<4xf32>
  %y = plan.task @kernel_0(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// Tensors are in the memory of a GPU or of its host.
// CHECK-LABEL: func.func @transfers
func.func @transfers(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[H:.*]] = plan.transfer %{{.*}} to host : tensor<4xf32>
  %h = plan.transfer %x to host : tensor<4xf32>
  // CHECK: %[[Y:.*]] = plan.task @kernel_0(%[[H]]) {host} : (tensor<4xf32>) -> tensor<4xf32>
  %y = plan.task @kernel_0(%h) {host} : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: plan.transfer %[[Y]] to device : tensor<4xf32>
  %d = plan.transfer %y to device : tensor<4xf32>
  return %d : tensor<4xf32>
}

// CHECK-LABEL: plan.program @element
plan.program @element {
  %q = plan.buffer 0 live [0, 0] : memref<i1>
  %i = plan.buffer 64 live [0, 0] : memref<i64>
  %x = plan.buffer 128 live [0, 0] : memref<f32>
  // CHECK: plan.check %{{.*}}, 2 element(%{{.*}}, %{{.*}} : memref<i64>, memref<f32>) : memref<i1>
  plan.check %q, 2 element(%i, %x : memref<i64>, memref<f32>) : memref<i1>
}

// CHECK-LABEL: plan.program @exchange
plan.program @exchange {
  %b = plan.buffer 0 live [0, 0] : memref<4xf32>
  %s = plan.buffer 64 live [0, 0] : memref<16xi8>
  %c = plan.buffer 128 live [1, 1] : memref<1xi64>
  %t = plan.buffer 192 live [1, 1] : memref<8xi8>
  // CHECK: plan.exchange 0(%{{.*}}, %{{.*}}) : memref<4xf32>, memref<16xi8>
  plan.exchange 0(%b, %s) : memref<4xf32>, memref<16xi8>
  // CHECK: plan.exchange 1(%{{.*}}, %{{.*}}) agrees : memref<1xi64>, memref<8xi8>
  plan.exchange 1(%c, %t) agrees : memref<1xi64>, memref<8xi8>
}

// CHECK-LABEL: plan.program @in_air
plan.program @in_air {
  %b = plan.buffer 0 live [0, 1] : memref<4xf32>
  %s = plan.buffer 64 live [0, 1] : memref<16xi8>
  // CHECK: plan.start 0(%{{.*}}, %{{.*}}) : memref<4xf32>, memref<16xi8>
  plan.start 0(%b, %s) : memref<4xf32>, memref<16xi8>
  // CHECK: plan.progress
  plan.progress
  // CHECK: plan.wait 0
  plan.wait 0
}

// CHECK-LABEL: plan.program @accesses
plan.program @accesses {
  %record = plan.buffer 0 live [0, 0] : memref<3xi64>
  // CHECK: plan.check_accesses %{{.*}}, 5 : memref<3xi64>
  plan.check_accesses %record, 5 : memref<3xi64>
}

// Independent tasks of a group read one operand. Their results share bytes with buffers
// that are dead, and the tasks of the next group read them.
// CHECK-LABEL: plan.program @groups
plan.program @groups {
  %x = plan.argument 0 : memref<4xf32>
  %old = plan.buffer 64 live [0, 0] : memref<4xf32>
  %a = plan.buffer 64 live [1, 2] : memref<4xf32>
  %b = plan.buffer 128 live [1, 2] : memref<4xf32>
  %s = plan.state 0 : memref<4xf32>
  // CHECK-COUNT-2: plan.run @kernel_0({{.*}}) {task_group = 0 : i64}
  plan.run @kernel_0(%x, %a) {task_group = 0 : i64} : (memref<4xf32>, memref<4xf32>)
  plan.run @kernel_0(%x, %b) {task_group = 0 : i64} : (memref<4xf32>, memref<4xf32>)
  // CHECK: plan.run @kernel_0({{.*}}) {task_group = 1 : i64}
  plan.run @kernel_0(%a, %s) {task_group = 1 : i64} : (memref<4xf32>, memref<4xf32>)
  plan.run @kernel_0(%b, %b) {task_group = 1 : i64} : (memref<4xf32>, memref<4xf32>)
}
