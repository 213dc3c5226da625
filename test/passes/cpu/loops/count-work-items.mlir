// RUN: weir-opt %s --split-input-file --weir-count-work-items | FileCheck %s

// The loop over work items ends at a dynamic size. A function computes the number of
// work items from the sizes alone.
// CHECK-LABEL: func.func private @k_work_items
// CHECK-SAME: (%[[N:.*]]: memref<i64>, %{{.*}}: memref<8xf32>) -> index
// CHECK-DAG: %[[SIZE:.*]] = memref.load %[[N]][]
// CHECK-DAG: %[[END:.*]] = arith.index_cast %[[SIZE]]
// CHECK-DAG: %[[ALL:.*]] = arith.constant 8 : index
// CHECK: %[[LEAST:.*]] = arith.minsi %{{.*}}, %[[END]]
// CHECK: %[[MOST:.*]] = arith.maxsi %{{.*}}, %[[LEAST]]
// CHECK-NEXT: return %[[MOST]]
// CHECK: plan.run @k(%{{.*}}, %{{.*}}) {count = @k_work_items, work_items = 8 : i64}
func.func private @k(%n: memref<i64>, %y: memref<8xf32>, %first: index, %last: index, %slot: index)
    attributes {weir.kernel, weir.inputs = 1 : i64, weir.sizes = [[array<i64: 8, 0>]]} {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1 : index
  %size = memref.load %n[] : memref<i64>
  %end = arith.index_cast %size : i64 to index
  %bound = arith.minsi %last, %end : index
  scf.for %i = %first to %bound step %one {
    memref.store %zero, %y[%i] : memref<8xf32>
  }
  return
}
plan.program @entry {
  %n = plan.buffer 64 live [0, 0] : memref<i64>
  %y = plan.buffer 0 live [0, 0] : memref<8xf32>
  plan.run @k(%n, %y) {work_items = 8 : i64} : (memref<i64>, memref<8xf32>)
}

// -----

// The later end of two loops counts. A kernel with a loop that no size ends needs all
// work items.
// CHECK-LABEL: func.func private @all
// CHECK-NOT: @all_work_items
// CHECK: plan.run @all(%{{.*}}, %{{.*}}) {work_items = 8 : i64}
func.func private @all(%n: memref<i64>, %y: memref<8xf32>, %first: index, %last: index, %slot: index)
    attributes {weir.kernel, weir.inputs = 1 : i64, weir.sizes = [[array<i64: 8, 0>]]} {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1 : index
  %size = memref.load %n[] : memref<i64>
  %end = arith.index_cast %size : i64 to index
  %bound = arith.minsi %last, %end : index
  scf.for %i = %first to %bound step %one {
    memref.store %zero, %y[%i] : memref<8xf32>
  }
  scf.for %i = %first to %last step %one {
    memref.store %zero, %y[%i] : memref<8xf32>
  }
  return
}
plan.program @entry {
  %n = plan.buffer 64 live [0, 0] : memref<i64>
  %y = plan.buffer 0 live [0, 0] : memref<8xf32>
  plan.run @all(%n, %y) {work_items = 8 : i64} : (memref<i64>, memref<8xf32>)
}

// -----

// A work item is two rows, and a chunk runs blocks of work items. The inner loop ends
// at the size, and its rows are rounded up to whole work items.
// CHECK-LABEL: func.func private @blocks_work_items
// CHECK-DAG: %[[ALL:.*]] = arith.constant 16 : index
// CHECK: %[[ROWS:.*]] = arith.minsi %[[ALL]], %{{.*}}
// CHECK: %[[RAISED:.*]] = arith.addi %[[ROWS]], %{{.*}}
// CHECK: %[[ITEMS:.*]] = arith.divsi %[[RAISED]], %{{.*}}
// CHECK: arith.maxsi %{{.*}}, %[[ITEMS]]
// CHECK: plan.run @blocks(%{{.*}}, %{{.*}}) {count = @blocks_work_items, work_items = 8 : i64}
func.func private @blocks(%n: memref<i64>, %y: memref<16xf32>, %first: index, %last: index, %slot: index)
    attributes {weir.kernel, weir.inputs = 1 : i64, weir.sizes = [[array<i64: 16, 0>]]} {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %four = arith.constant 4 : index
  %size = memref.load %n[] : memref<i64>
  %end = arith.index_cast %size : i64 to index
  scf.for %block = %first to %last step %four {
    %next = arith.addi %block, %four : index
    %stop = arith.minsi %next, %last : index
    %from = arith.muli %block, %two : index
    %to = arith.muli %stop, %two : index
    %bound = arith.minsi %to, %end : index
    scf.for %i = %from to %bound step %one {
      memref.store %zero, %y[%i] : memref<16xf32>
    }
  }
  return
}
plan.program @entry {
  %n = plan.buffer 64 live [0, 0] : memref<i64>
  %y = plan.buffer 0 live [0, 0] : memref<16xf32>
  plan.run @blocks(%n, %y) {work_items = 8 : i64} : (memref<i64>, memref<16xf32>)
}
