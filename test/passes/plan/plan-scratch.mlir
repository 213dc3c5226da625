// RUN: weir-opt %s --split-input-file --weir-plan-scratch --verify-diagnostics | FileCheck %s

// Buffers that are live at different times share bytes: 2 x 64 instead of 3 x 64.
// CHECK-LABEL: func.func private @share
// CHECK-SAME: %[[S:arg2]]: memref<128xi8> {llvm.noalias}
// CHECK-SAME: weir.scratch_bytes = 128 : i64
// CHECK-NOT: memref.alloc
// CHECK-COUNT-3: memref.view %[[S]]
func.func private @share(%x: memref<16xf32>, %y: memref<16xf32>) attributes {weir.kernel} {
  %a = memref.alloc() : memref<16xf32>
  %b = memref.alloc() : memref<16xf32>
  %c = memref.alloc() : memref<16xf32>
  linalg.copy ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
  linalg.copy ins(%a : memref<16xf32>) outs(%b : memref<16xf32>)
  linalg.copy ins(%b : memref<16xf32>) outs(%c : memref<16xf32>)
  linalg.copy ins(%c : memref<16xf32>) outs(%y : memref<16xf32>)
  return
}

// -----

// A kernel without internal buffers has no scratch memory.
// CHECK-LABEL: func.func private @none(%{{.*}}: memref<16xf32>) attributes {weir.kernel}
// CHECK: return
func.func private @none(%x: memref<16xf32>) attributes {weir.kernel} {
  return
}

// -----

func.func private @unbounded(%n: index) attributes {weir.kernel} {
  // expected-error@below {{buffer without a fixed size cannot be placed}}
  %a = memref.alloc(%n) : memref<?xf32>
  return
}

// -----

// Chunks that run at the same time have a block of the scratch memory for each slot. A
// buffer outside of the parallel region is common to all.
// CHECK-LABEL: func.func private @slots
// CHECK-SAME: %[[S:arg1]]: memref<320xi8>
// CHECK: memref.view %[[S]][%{{.*}}][] : memref<320xi8> to memref<16xf32>
// CHECK: kernel.parallel 8 slots 2
// CHECK: ^bb0(%{{.*}}: index, %{{.*}}: index, %[[SLOT:.*]]: index):
// CHECK: %[[BYTES:.*]] = arith.constant 128
// CHECK: arith.muli %[[SLOT]], %[[BYTES]]
// CHECK: memref.view %[[S]]
// CHECK: memref.view %[[S]]
module attributes {weir.slots = 2} {
  func.func private @slots(%x: memref<16xf32>) attributes {weir.kernel} {
    %shared = memref.alloc() : memref<16xf32>
    linalg.copy ins(%x : memref<16xf32>) outs(%shared : memref<16xf32>)
    kernel.parallel 8 {
    ^bb0(%first: index, %last: index, %slot: index):
      %a = memref.alloc() : memref<16xf32>
      %b = memref.alloc() : memref<4xf32>
      linalg.copy ins(%shared : memref<16xf32>) outs(%a : memref<16xf32>)
      memref.dealloc %b : memref<4xf32>
    }
    return
  }
}

// -----

// The source of a transposed view is live until the view is read.
// CHECK-LABEL: func.func @transposed
// CHECK-SAME: weir.scratch_bytes = 128
func.func @transposed(%x: memref<4x4xf32>, %y: memref<4x4xf32>) attributes {weir.kernel} {
  %a = memref.alloc() : memref<4x4xf32>
  memref.copy %x, %a : memref<4x4xf32> to memref<4x4xf32>
  %t = memref.transpose %a (d0, d1) -> (d1, d0) : memref<4x4xf32> to memref<4x4xf32, strided<[1, 4]>>
  %b = memref.alloc() : memref<4x4xf32>
  memref.copy %x, %b : memref<4x4xf32> to memref<4x4xf32>
  memref.copy %t, %y : memref<4x4xf32, strided<[1, 4]>> to memref<4x4xf32>
  memref.copy %b, %y : memref<4x4xf32> to memref<4x4xf32>
  return
}
