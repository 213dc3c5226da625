// Ops of family Elementwise fold by their scalar functions. So these folds also test
// the functions that C++ does not have.
// RUN: weir-opt %s -canonicalize | FileCheck %s

// The quotient is truncated; a division by 0 is 0, and the lowest number by -1 wraps.
// CHECK-LABEL: @div_never_traps
// CHECK: graph.constant dense<[3, -3, 0, -2147483648]> : tensor<4xi32>
// CHECK-NEXT: return
func.func @div_never_traps() -> tensor<4xi32> {
  %x = graph.constant dense<[7, -7, 7, -2147483648]> : tensor<4xi32>
  %y = graph.constant dense<[2, 2, 0, -1]> : tensor<4xi32>
  %z = graph.div %x, %y : tensor<4xi32>
  return %z : tensor<4xi32>
}

// CHECK-LABEL: @floor_div_rounds_down
// CHECK: graph.constant dense<[3, -4, 0, -2147483648]> : tensor<4xi32>
// CHECK-NEXT: return
func.func @floor_div_rounds_down() -> tensor<4xi32> {
  %x = graph.constant dense<[7, -7, 7, -2147483648]> : tensor<4xi32>
  %y = graph.constant dense<[2, 2, 0, -1]> : tensor<4xi32>
  %z = graph.floor_div %x, %y : tensor<4xi32>
  return %z : tensor<4xi32>
}

// CHECK-LABEL: @mod_has_the_sign_of_x
// CHECK: graph.constant dense<[1, -1, 0, 0]> : tensor<4xi32>
// CHECK-NEXT: return
func.func @mod_has_the_sign_of_x() -> tensor<4xi32> {
  %x = graph.constant dense<[7, -7, 7, -2147483648]> : tensor<4xi32>
  %y = graph.constant dense<[-3, 3, 0, -1]> : tensor<4xi32>
  %z = graph.mod %x, %y : tensor<4xi32>
  return %z : tensor<4xi32>
}

// CHECK-LABEL: @floor_mod_has_the_sign_of_y
// CHECK: graph.constant dense<[-2, 2, 0, 0]> : tensor<4xi32>
// CHECK-NEXT: return
func.func @floor_mod_has_the_sign_of_y() -> tensor<4xi32> {
  %x = graph.constant dense<[7, -7, 7, -2147483648]> : tensor<4xi32>
  %y = graph.constant dense<[-3, 3, 0, -1]> : tensor<4xi32>
  %z = graph.floor_mod %x, %y : tensor<4xi32>
  return %z : tensor<4xi32>
}

// CHECK-LABEL: @unsigned_division
// CHECK: graph.constant dense<[66, 0]> : tensor<2xui8>
// CHECK-NEXT: return
func.func @unsigned_division() -> tensor<2xui8> {
  %x = graph.constant dense<[200, 7]> : tensor<2xui8>
  %y = graph.constant dense<[3, 0]> : tensor<2xui8>
  %z = graph.div %x, %y : tensor<2xui8>
  return %z : tensor<2xui8>
}

// CHECK-LABEL: @unsigned_order
// CHECK: graph.constant dense<[200, 8]> : tensor<2xui8>
// CHECK-NEXT: return
func.func @unsigned_order() -> tensor<2xui8> {
  %x = graph.constant dense<[200, 7]> : tensor<2xui8>
  %y = graph.constant dense<[3, 8]> : tensor<2xui8>
  %z = graph.maximum %x, %y : tensor<2xui8>
  return %z : tensor<2xui8>
}

// CHECK-LABEL: @integer_powers
// CHECK: graph.constant dense<[81, -2147483648, 0, -1]> : tensor<4xi32>
// CHECK-NEXT: return
func.func @integer_powers() -> tensor<4xi32> {
  %x = graph.constant dense<[3, -2, 0, -1]> : tensor<4xi32>
  %y = graph.constant dense<[4, 31, -1, -3]> : tensor<4xi32>
  %z = graph.pow %x, %y : tensor<4xi32>
  return %z : tensor<4xi32>
}

// CHECK-LABEL: @small_powers
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[I:.*]]: tensor<4xi32>
// CHECK: %[[SQUARE:.*]] = graph.square %[[X]]
// CHECK: %[[OTHER:.*]] = graph.square %[[X]]
// CHECK: %[[CUBE:.*]] = graph.mul %[[OTHER]], %[[X]]
// CHECK: %[[INVERSE:.*]] = graph.reciprocal %[[X]]
// CHECK: %[[WHOLE:.*]] = graph.square %[[I]]
// CHECK: return %[[X]], %[[SQUARE]], %[[CUBE]], %[[INVERSE]], %[[WHOLE]]
func.func @small_powers(%x: tensor<4xf32>, %i: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>) {
  %1 = graph.constant dense<1.0> : tensor<4xf32>
  %a = graph.pow %x, %1 : tensor<4xf32>
  %2 = graph.constant dense<2.0> : tensor<4xf32>
  %b = graph.pow %x, %2 : tensor<4xf32>
  %3 = graph.constant dense<3.0> : tensor<4xf32>
  %c = graph.pow %x, %3 : tensor<4xf32>
  %4 = graph.constant dense<-1.0> : tensor<4xf32>
  %d = graph.pow %x, %4 : tensor<4xf32>
  %5 = graph.constant dense<2> : tensor<4xi32>
  %e = graph.pow %i, %5 : tensor<4xi32>
  return %a, %b, %c, %d, %e : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>
}

// A power of 1/2 is no square root at -0 and -infinity.
// CHECK-LABEL: @other_powers
// CHECK-COUNT-3: graph.pow
func.func @other_powers(%x: tensor<2xf32>, %i: tensor<2xi32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xi32>) {
  %1 = graph.constant dense<0.5> : tensor<2xf32>
  %a = graph.pow %x, %1 : tensor<2xf32>
  %2 = graph.constant dense<[2.0, 3.0]> : tensor<2xf32>
  %b = graph.pow %x, %2 : tensor<2xf32>
  %3 = graph.constant dense<-1> : tensor<2xi32>
  %c = graph.pow %i, %3 : tensor<2xi32>
  return %a, %b, %c : tensor<2xf32>, tensor<2xf32>, tensor<2xi32>
}

// CHECK-LABEL: @shifts_stay_within_the_width
// CHECK: graph.constant dense<[8, -2147483648, -8, 1]> : tensor<4xi32>
// CHECK-NEXT: return
func.func @shifts_stay_within_the_width() -> tensor<4xi32> {
  %x = graph.constant dense<[1, 1, -8, 1]> : tensor<4xi32>
  %y = graph.constant dense<[3, 40, 0, -1]> : tensor<4xi32>
  %z = graph.shift_left %x, %y : tensor<4xi32>
  return %z : tensor<4xi32>
}

// CHECK-LABEL: @signed_right_shift
// CHECK: graph.constant dense<[-4, -1, 2, 8]> : tensor<4xi32>
// CHECK-NEXT: return
func.func @signed_right_shift() -> tensor<4xi32> {
  %x = graph.constant dense<[-8, -8, 8, 8]> : tensor<4xi32>
  %y = graph.constant dense<[1, 99, 2, -5]> : tensor<4xi32>
  %z = graph.shift_right %x, %y : tensor<4xi32>
  return %z : tensor<4xi32>
}

// CHECK-LABEL: @round_half_to_even
// CHECK: graph.constant dense<[0.000000e+00, 2.000000e+00, -2.000000e+00, 3.000000e+00]> : tensor<4xf32>
// CHECK-NEXT: return
func.func @round_half_to_even() -> tensor<4xf32> {
  %x = graph.constant dense<[0.5, 1.5, -2.5, 2.6]> : tensor<4xf32>
  %z = graph.round %x : tensor<4xf32>
  return %z : tensor<4xf32>
}

// CHECK-LABEL: @cast_saturates
// CHECK: graph.constant dense<[0, 2147483647, -2147483648, -1]> : tensor<4xi32>
// CHECK-NEXT: return
func.func @cast_saturates() -> tensor<4xi32> {
  %x = graph.constant dense<[0x7FC00000, 3.0e9, -3.0e9, -1.9]> : tensor<4xf32>
  %z = graph.cast %x : tensor<4xf32> to tensor<4xi32>
  return %z : tensor<4xi32>
}

// CHECK-LABEL: @cast_to_unsigned
// CHECK: graph.constant dense<[0, 255]> : tensor<2xui8>
// CHECK-NEXT: return
func.func @cast_to_unsigned() -> tensor<2xui8> {
  %x = graph.constant dense<[-1.0, 300.0]> : tensor<2xf32>
  %z = graph.cast %x : tensor<2xf32> to tensor<2xui8>
  return %z : tensor<2xui8>
}

// CHECK-LABEL: @cast_from_unsigned
// CHECK: graph.constant dense<[200, 7]> : tensor<2xi32>
// CHECK-NEXT: return
func.func @cast_from_unsigned() -> tensor<2xi32> {
  %x = graph.constant dense<[200, 7]> : tensor<2xui8>
  %z = graph.cast %x : tensor<2xui8> to tensor<2xi32>
  return %z : tensor<2xi32>
}

// CHECK-LABEL: @cast_to_boolean
// CHECK: graph.constant dense<[false, true, false, true]> : tensor<4xi1>
// CHECK-NEXT: return
func.func @cast_to_boolean() -> tensor<4xi1> {
  %x = graph.constant dense<[0.0, 0.25, -0.0, 0x7FC00000]> : tensor<4xf32>
  %z = graph.cast %x : tensor<4xf32> to tensor<4xi1>
  return %z : tensor<4xi1>
}

// CHECK-LABEL: @cast_boolean_to_number
// CHECK: graph.constant dense<[1, 0]> : tensor<2xi32>
// CHECK-NEXT: return
func.func @cast_boolean_to_number() -> tensor<2xi32> {
  %x = graph.constant dense<[true, false]> : tensor<2xi1>
  %z = graph.cast %x : tensor<2xi1> to tensor<2xi32>
  return %z : tensor<2xi32>
}

// CHECK-LABEL: @half_rounds_once
// CHECK: graph.constant dense<[1.000000e+00, 2.048000e+03]> : tensor<2xf16>
// CHECK-NEXT: return
func.func @half_rounds_once() -> tensor<2xf16> {
  %x = graph.constant dense<[1.0, 2048.0]> : tensor<2xf16>
  %y = graph.constant dense<[0.00048828125, 1.0]> : tensor<2xf16>
  %z = graph.add %x, %y : tensor<2xf16>
  return %z : tensor<2xf16>
}

// CHECK-LABEL: @maximum_keeps_nan
// CHECK: graph.constant dense<[0x7FC00000, 2.000000e+00]> : tensor<2xf32>
// CHECK-NEXT: return
func.func @maximum_keeps_nan() -> tensor<2xf32> {
  %x = graph.constant dense<[0x7FC00000, 1.0]> : tensor<2xf32>
  %y = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %z = graph.maximum %x, %y : tensor<2xf32>
  return %z : tensor<2xf32>
}

// CHECK-LABEL: @relu_keeps_nan
// CHECK: graph.constant dense<[0x7FC00000, 0.000000e+00]> : tensor<2xf32>
// CHECK-NEXT: return
func.func @relu_keeps_nan() -> tensor<2xf32> {
  %x = graph.constant dense<[0x7FC00000, -1.0]> : tensor<2xf32>
  %z = graph.relu %x : tensor<2xf32>
  return %z : tensor<2xf32>
}

// CHECK-LABEL: @next_floats
// CHECK: graph.constant dense<[1.401300e-45, -1.401300e-45, 1.00000012, -0.99999994]> : tensor<4xf32>
// CHECK-NEXT: return
func.func @next_floats() -> tensor<4xf32> {
  %x = graph.constant dense<[0.0, 0.0, 1.0, -1.0]> : tensor<4xf32>
  %y = graph.constant dense<[1.0, -1.0, 2.0, 0.0]> : tensor<4xf32>
  %z = graph.next_after %x, %y : tensor<4xf32>
  return %z : tensor<4xf32>
}

// CHECK-LABEL: @count_bits
// CHECK: graph.constant dense<[0, 1, 8, 32]> : tensor<4xui8>
// CHECK-NEXT: return
func.func @count_bits() -> tensor<4xui8> {
  %x = graph.constant dense<[0, 1, 255, -1]> : tensor<4xi32>
  %z = graph.population_count %x : tensor<4xi32>
  return %z : tensor<4xui8>
}

// A scalar folds like any tensor.
// CHECK-LABEL: @bits_of_a_float
// CHECK: graph.constant dense<1065353216> : tensor<i32>
// CHECK-NEXT: return
func.func @bits_of_a_float() -> tensor<i32> {
  %x = graph.constant dense<1.0> : tensor<f32>
  %z = graph.bitcast %x : tensor<f32> to tensor<i32>
  return %z : tensor<i32>
}

// CHECK-LABEL: @select_by_element
// CHECK: graph.constant dense<[1, 4]> : tensor<2xi64>
// CHECK-NEXT: return
func.func @select_by_element() -> tensor<2xi64> {
  %p = graph.constant dense<[true, false]> : tensor<2xi1>
  %x = graph.constant dense<[1, 2]> : tensor<2xi64>
  %y = graph.constant dense<[3, 4]> : tensor<2xi64>
  %z = graph.select %p, %x, %y : tensor<2xi1>, tensor<2xi64>
  return %z : tensor<2xi64>
}

// CHECK-LABEL: @clamp_limits
// CHECK: graph.constant dense<[0.000000e+00, 5.000000e-01, 1.000000e+00, 0x7FC00000]> : tensor<4xf32>
// CHECK-NEXT: return
func.func @clamp_limits() -> tensor<4xf32> {
  %x = graph.constant dense<[-1.0, 0.5, 9.0, 0x7FC00000]> : tensor<4xf32>
  %l = graph.constant dense<0.0> : tensor<4xf32>
  %h = graph.constant dense<1.0> : tensor<4xf32>
  %z = graph.clamp %x, %l, %h : tensor<4xf32>
  return %z : tensor<4xf32>
}

// CHECK-LABEL: @no_nan
// CHECK: graph.constant dense<0.000000e+00> : tensor<2xf32>
// CHECK-NEXT: return
func.func @no_nan() -> tensor<2xf32> {
  %x = graph.constant dense<[1.0, 0x7F800000]> : tensor<2xf32>
  %y = graph.constant dense<0.0> : tensor<2xf32>
  %z = graph.mul_no_nan %x, %y : tensor<2xf32>
  return %z : tensor<2xf32>
}

// A splat of any size folds.
// CHECK-LABEL: @splat_of_a_large_shape
// CHECK: graph.constant dense<2.71828175> : tensor<1000000xf32>
// CHECK-NEXT: return
func.func @splat_of_a_large_shape() -> tensor<1000000xf32> {
  %x = graph.constant dense<1.0> : tensor<1000000xf32>
  %z = graph.exp %x : tensor<1000000xf32>
  return %z : tensor<1000000xf32>
}
