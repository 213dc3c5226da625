// RUN: weir-opt %s --pass-pipeline='builtin.module(func.func(weir-mark-in-place))' | FileCheck %s

#d0 = affine_map<(d0) -> (d0)>
#zero = affine_map<(d0) -> ()>
#back = affine_map<(d0) -> (3 - d0)>

// The output may overwrite an operand that is read at the same offsets as the output is
// written.
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

// Constants outside of the loop do not prevent this.
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

// This holds for each of several outputs, because an element is read before it is
// written.
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

// It does not hold if the outputs are written in different orders.
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

// It does not hold for an operand that is read at other offsets.
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

// It does not hold if a second loop reads the operand again.
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

// The result may overwrite an operand that is copied before a part of it is replaced.
// CHECK-LABEL: @part
// CHECK-SAME: weir.in_place = array<i64: 0>
func.func private @part(%x: memref<8x4xf32>, %row: memref<1x4xf32>, %i: memref<index>, %y: memref<8x4xf32>) attributes {weir.kernel} {
  %at = memref.load %i[] : memref<index>
  linalg.copy ins(%x : memref<8x4xf32>) outs(%y : memref<8x4xf32>)
  %place = memref.subview %y[%at, 0] [1, 4] [1, 1] : memref<8x4xf32> to memref<1x4xf32, strided<[4, 1], offset: ?>>
  memref.copy %row, %place : memref<1x4xf32> to memref<1x4xf32, strided<[4, 1], offset: ?>>
  return
}

// It may not if the operand is read again.
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

// It may not if the body of the loop loads the operand at any index.
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
