// RUN: weir-opt %s --pass-pipeline='builtin.module(func.func(weir-mark-in-place))' | FileCheck %s

#d0 = affine_map<(d0) -> (d0)>
#zero = affine_map<(d0) -> ()>
#back = affine_map<(d0) -> (3 - d0)>

// What is read where the output is written may be the output.
// CHECK-LABEL: @elements
// CHECK-SAME: weir.in_place = array<i64: 0, 2>
func.func private @elements(%x: memref<4xf32>, %s: memref<f32>, %z: memref<4xf32>, %y: memref<4xf32>) attributes {weir.kernel} {
  linalg.generic {indexing_maps = [#d0, #zero, #d0, #d0], iterator_types = ["parallel"]} ins(%x, %s, %z : memref<4xf32>, memref<f32>, memref<4xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %out: f32):
    %d = arith.addf %a, %b : f32
    %e = arith.addf %d, %c : f32
    linalg.yield %e : f32
  }
  return
}

// Constants beside the loop are no reason against it.
// CHECK-LABEL: @decay
// CHECK-SAME: weir.in_place = array<i64: 0, 1>
func.func private @decay(%x: memref<4xf32>, %z: memref<4xf32>, %y: memref<4xf32>) attributes {weir.kernel} {
  %rate = arith.constant 1.000000e-01 : f32
  linalg.generic {indexing_maps = [#d0, #d0, #d0], iterator_types = ["parallel"]} ins(%x, %z : memref<4xf32>, memref<4xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %d = arith.mulf %b, %rate : f32
    %e = arith.addf %a, %d : f32
    linalg.yield %e : f32
  }
  return
}

// Any of several outputs: each element is read before it is written.
// CHECK-LABEL: @outputs
// CHECK-SAME: weir.in_place = array<i64: 0, 1>
func.func private @outputs(%x: memref<4xf32>, %z: memref<4xf32>, %y: memref<4xf32>, %w: memref<4xf32>) attributes {weir.kernel} {
  linalg.generic {indexing_maps = [#d0, #d0, #d0, #d0], iterator_types = ["parallel"]} ins(%x, %z : memref<4xf32>, memref<4xf32>) outs(%y, %w : memref<4xf32>, memref<4xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32, %also: f32):
    %d = arith.addf %a, %b : f32
    linalg.yield %d, %a : f32, f32
  }
  return
}

// But of outputs that are written in different orders, none.
// CHECK-LABEL: @orders
// CHECK-NOT: weir.in_place
// CHECK: linalg.generic
// CHECK-NOT: weir.in_place
// CHECK: return
func.func private @orders(%x: memref<4xf32>, %y: memref<4xf32>, %w: memref<4xf32>) attributes {weir.kernel} {
  linalg.generic {indexing_maps = [#d0, #d0, #back], iterator_types = ["parallel"]} ins(%x : memref<4xf32>) outs(%y, %w : memref<4xf32>, memref<4xf32>) {
  ^bb0(%a: f32, %out: f32, %also: f32):
    linalg.yield %a, %a : f32, f32
  }
  return
}

// Read elsewhere, it may not.
// CHECK-LABEL: @reverse
// CHECK-NOT: weir.in_place
// CHECK: arith.addf
// CHECK-NOT: weir.in_place
// CHECK: return
func.func private @reverse(%x: memref<4xf32>, %y: memref<4xf32>) attributes {weir.kernel} {
  linalg.generic {indexing_maps = [#d0, #back, #d0], iterator_types = ["parallel"]} ins(%x, %x : memref<4xf32>, memref<4xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %d = arith.addf %a, %b : f32
    linalg.yield %d : f32
  }
  return
}

// Nor where a second loop reads it again.
// CHECK-LABEL: @twice
// CHECK-NOT: weir.in_place
// CHECK: arith.mulf
// CHECK-NOT: weir.in_place
// CHECK: return
func.func private @twice(%x: memref<4xf32>, %y: memref<4xf32>) attributes {weir.kernel} {
  linalg.generic {indexing_maps = [#d0, #d0], iterator_types = ["parallel"]} ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%a: f32, %out: f32):
    linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [#d0, #d0], iterator_types = ["parallel"]} ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%a: f32, %out: f32):
    %b = arith.mulf %a, %out : f32
    linalg.yield %b : f32
  }
  return
}

// What is copied before a part is replaced may be where the result is.
// CHECK-LABEL: @part
// CHECK-SAME: weir.in_place = array<i64: 0>
func.func private @part(%x: memref<8x4xf32>, %row: memref<1x4xf32>, %i: memref<index>, %y: memref<8x4xf32>) attributes {weir.kernel} {
  %at = memref.load %i[] : memref<index>
  linalg.copy ins(%x : memref<8x4xf32>) outs(%y : memref<8x4xf32>)
  %place = memref.subview %y[%at, 0] [1, 4] [1, 1] : memref<8x4xf32> to memref<1x4xf32, strided<[4, 1], offset: ?>>
  memref.copy %row, %place : memref<1x4xf32> to memref<1x4xf32, strided<[4, 1], offset: ?>>
  return
}

// Not where it is read again.
// CHECK-LABEL: @again
// CHECK-NOT: weir.in_place
// CHECK: memref.copy
// CHECK-NOT: weir.in_place
// CHECK: return
func.func private @again(%x: memref<8x4xf32>, %i: memref<index>, %y: memref<8x4xf32>) attributes {weir.kernel} {
  %at = memref.load %i[] : memref<index>
  linalg.copy ins(%x : memref<8x4xf32>) outs(%y : memref<8x4xf32>)
  %row = memref.subview %x[0, 0] [1, 4] [1, 1] : memref<8x4xf32> to memref<1x4xf32, strided<[4, 1]>>
  %place = memref.subview %y[%at, 0] [1, 4] [1, 1] : memref<8x4xf32> to memref<1x4xf32, strided<[4, 1], offset: ?>>
  memref.copy %row, %place : memref<1x4xf32, strided<[4, 1]>> to memref<1x4xf32, strided<[4, 1], offset: ?>>
  return
}

// Nor what the loop's body loads, from any place.
// CHECK-LABEL: @loads
// CHECK-NOT: weir.in_place
// CHECK: memref.load
// CHECK-NOT: weir.in_place
// CHECK: return
func.func private @loads(%x: memref<4xf32>, %y: memref<4xf32>) attributes {weir.kernel} {
  %c3 = arith.constant 3 : index
  linalg.generic {indexing_maps = [#d0], iterator_types = ["parallel"]} outs(%y : memref<4xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = arith.subi %c3, %i : index
    %a = memref.load %x[%j] : memref<4xf32>
    linalg.yield %a : f32
  }
  return
}
