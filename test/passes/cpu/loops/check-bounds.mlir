// RUN: weir-opt %s --split-input-file --weir-check-bounds --canonicalize --cse | FileCheck %s

// A load of an index that only the run knows happens if the index is in bounds. Otherwise
// the kernel records the number of the check and the index, and the load is 0. An index
// that is known needs no check.
// CHECK: module attributes {
// CHECK-SAME: weir.arena_bytes = 152 : i64
// CHECK-SAME: weir.check_elements = array<i64: 0, 0, 137, 0>
// CHECK-SAME: weir.checks = ["other", "node 'lookup' (kernel_0): reads outside of the input 'x', memref<8xf32>: dimension 0 has no index"]
module attributes {weir.checks_bounds, weir.arena_bytes = 70 : i64, weir.checks = ["other"],
    weir.entries = [#weir.entry<name = "main", symbol = "weir_entry_0",
      inputs = [#weir.tensor<name = "x", tensor = "x:0", type = tensor<8xf32>>, #weir.tensor<name = "n", tensor = "n:0", type = tensor<i64>>],
      outputs = [#weir.tensor<name = "y", tensor = "y:0", type = tensor<f32>>]>]} {
  // CHECK-LABEL: func.func private @kernel_0
  // CHECK-SAME: (%[[RECORD:.*]]: memref<3xi64>, %[[X:.*]]: memref<8xf32>, %[[N:.*]]: memref<i64>, %[[Y:.*]]: memref<f32>, %{{.*}}: memref<64xi8>)
  // CHECK-DAG: %[[SIZE:.*]] = arith.constant 8 : index
  // CHECK-DAG: %[[SITE:.*]] = arith.constant 1 : i64
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant 0.0
  // CHECK: %[[NUMBER:.*]] = memref.load %[[N]][]
  // CHECK: %[[I:.*]] = arith.index_cast %[[NUMBER]]
  // CHECK: %[[HOLDS:.*]] = arith.cmpi ult, %[[I]], %[[SIZE]]
  // CHECK: %[[V:.*]] = scf.if %[[HOLDS]] -> (f32)
  // CHECK-NEXT: %[[LOADED:.*]] = memref.load %[[X]][%[[I]]]
  // CHECK-NEXT: scf.yield %[[LOADED]]
  // CHECK: else
  // CHECK: func.call @weir_record_access(%[[RECORD]], %[[SITE]], %[[NUMBER]])
  // CHECK-NEXT: scf.yield %[[ZERO]]
  // CHECK: %[[FIRST:.*]] = memref.load %[[X]]
  // CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[V]], %[[FIRST]]
  // CHECK-NEXT: memref.store %[[SUM]], %[[Y]][]
  func.func private @kernel_0(%x: memref<8xf32>, %n: memref<i64>, %y: memref<f32>, %scratch: memref<64xi8>) attributes {weir.kernel, weir.scratch_bytes = 64 : i64} {
    %c3 = arith.constant 3 : index
    %number = memref.load %n[] : memref<i64>
    %i = arith.index_cast %number : i64 to index
    %v = memref.load %x[%i] : memref<8xf32>
    %first = memref.load %x[%c3] : memref<8xf32>
    %sum = arith.addf %v, %first : f32
    memref.store %sum, %y[] : memref<f32>
    return
  }
  // CHECK-LABEL: plan.program @weir_entry_0
  // CHECK: %[[RECORDS:.*]] = plan.buffer 128 live[0, 1] : memref<3xi64>
  // CHECK: %[[OWN:.*]] = plan.view %[[RECORDS]]
  // CHECK: plan.run @weir_clear_records(%[[RECORDS]])
  // CHECK: plan.run @kernel_0(%[[OWN]], %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}})
  // CHECK-NEXT: plan.check_accesses %[[OWN]], 2 : memref<3xi64>
  plan.program @weir_entry_0 {
    %x = plan.argument 0 : memref<8xf32>
    %n = plan.argument 1 : memref<i64>
    %y = plan.argument 2 : memref<f32>
    %scratch = plan.buffer 0 live [0, 0] : memref<64xi8>
    plan.run @kernel_0(%x, %n, %y, %scratch) : (memref<8xf32>, memref<i64>, memref<f32>, memref<64xi8>) loc("lookup")
  }
  // The first of several threads that violate a bound writes the record.
  // CHECK-LABEL: func.func private @weir_record_access
  // CHECK: %[[BEFORE:.*]] = memref.atomic_rmw addi
  // CHECK: arith.cmpi eq, %[[BEFORE]]
  // CHECK: scf.if
}

// -----

// A vector may end in the next row of its buffer, but not outside of the buffer. The place
// of a view is part of the sum. Lanes that a mask excludes do not count.
// CHECK: weir.checks =
// CHECK-SAME: "rows: writes outside of the buffer at byte 0 of the arena, memref<4x6xf32>: dimension 0 has no index"
// CHECK-SAME: "rows: writes outside of the buffer at byte 0 of the arena, memref<4x6xf32>: it has no element"
// CHECK-SAME: "rows: writes outside of the buffer at byte 0 of the arena, memref<2x6xf32, {{.*}}>: dimension 0 has no index"
module attributes {weir.checks_bounds, weir.arena_bytes = 256 : i64} {
  // CHECK-LABEL: func.func private @rows
  // CHECK-SAME: (%{{.*}}: memref<3xi64>, %[[Y:.*]]: memref<4x6xf32>, %[[I:[^:]*]]: index,
  // CHECK-DAG: %[[BYTES:.*]] = arith.constant 96 : index
  // CHECK-DAG: %[[ROW:.*]] = arith.constant 24 : index
  // CHECK-DAG: %[[LENGTH:.*]] = arith.constant 32 : index
  // CHECK: %[[START:.*]] = arith.muli %[[I]], %[[ROW]]
  // CHECK: %[[END:.*]] = arith.addi %[[START]], %[[LENGTH]]
  // CHECK: arith.cmpi sle, %[[END]], %[[BYTES]]
  // CHECK: scf.if
  // CHECK: vector.store %{{.*}}, %[[Y]]
  // CHECK: arith.cmpi ult
  // CHECK: scf.if
  // CHECK: vector.maskedstore
  func.func private @rows(%y: memref<4x6xf32>, %i: index, %last: index, %slot: index) attributes {weir.kernel} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant dense<0.0> : vector<8xf32>
    vector.store %cst, %y[%i, %c0] : memref<4x6xf32>, vector<8xf32>
    %mask = vector.constant_mask [6] : vector<8xi1>
    %view = memref.subview %y[%i, 0] [2, 6] [1, 1] : memref<4x6xf32> to memref<2x6xf32, strided<[6, 1], offset: ?>>
    vector.maskedstore %view[%slot, %c0], %mask, %cst : memref<2x6xf32, strided<[6, 1], offset: ?>>, vector<8xi1>, vector<8xf32>
    return
  }
  // The runs of a group have records of their own, and their checks are after the group.
  // CHECK-LABEL: plan.program
  // CHECK: %[[RECORDS:.*]] = plan.buffer 256 {{.*}} : memref<6xi64>
  // CHECK: %[[A:.*]] = plan.view %[[RECORDS]] : memref<6xi64> to memref<3xi64>
  // CHECK: %[[B:.*]] = plan.view %[[RECORDS]] {offset = 24 : i64}
  // CHECK: plan.run @rows(%[[A]], %{{.*}}) {task_group = 0 : i64, work_items = 4 : i64}
  // CHECK-NEXT: plan.run @rows(%[[B]], %{{.*}}) {task_group = 0 : i64, work_items = 4 : i64}
  // CHECK-NEXT: plan.check_accesses %[[A]], 1
  // CHECK-NEXT: plan.check_accesses %[[B]], 4
  plan.program @weir_entry_0 {
    %a = plan.buffer 0 live [0, 1] : memref<4x6xf32>
    %b = plan.buffer 128 live [0, 1] : memref<4x6xf32>
    plan.run @rows(%a) {task_group = 0 : i64, work_items = 4 : i64} : (memref<4x6xf32>)
    plan.run @rows(%b) {task_group = 0 : i64, work_items = 4 : i64} : (memref<4x6xf32>)
  }
}

// -----

// Without the attribute there are no checks.
// CHECK-LABEL: func.func private @plain
// CHECK-NOT: scf.if
// CHECK: plan.program
// CHECK-NOT: plan.check_accesses
func.func private @plain(%x: memref<8xf32>, %i: index, %last: index, %slot: index) attributes {weir.kernel} {
  %v = memref.load %x[%i] : memref<8xf32>
  memref.store %v, %x[%i] : memref<8xf32>
  return
}
plan.program @weir_entry_0 {
  %a = plan.buffer 0 live [0, 0] : memref<8xf32>
  plan.run @plain(%a) {work_items = 4 : i64} : (memref<8xf32>)
}
