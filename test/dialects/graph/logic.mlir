// Comparisons, logic and bit operations are parsed and printed.
// RUN: weir-opt %s | weir-opt | FileCheck %s

// CHECK-LABEL: @equal(
// CHECK: graph.equal %{{.*}}, %{{.*}} : tensor<4xf32>
func.func @equal(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  %p = graph.equal %x, %y : tensor<4xf32>
  return
}

// CHECK-LABEL: @not_equal(
// CHECK: graph.not_equal %{{.*}}, %{{.*}} : tensor<4xf32>
func.func @not_equal(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  %p = graph.not_equal %x, %y : tensor<4xf32>
  return
}

// CHECK-LABEL: @less(
// CHECK: graph.less %{{.*}}, %{{.*}} : tensor<4xf32>
func.func @less(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  %p = graph.less %x, %y : tensor<4xf32>
  return
}

// CHECK-LABEL: @less_equal(
// CHECK: graph.less_equal %{{.*}}, %{{.*}} : tensor<4xf32>
func.func @less_equal(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  %p = graph.less_equal %x, %y : tensor<4xf32>
  return
}

// CHECK-LABEL: @greater(
// CHECK: graph.greater %{{.*}}, %{{.*}} : tensor<4xf32>
func.func @greater(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  %p = graph.greater %x, %y : tensor<4xf32>
  return
}

// CHECK-LABEL: @greater_equal(
// CHECK: graph.greater_equal %{{.*}}, %{{.*}} : tensor<4xf32>
func.func @greater_equal(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  %p = graph.greater_equal %x, %y : tensor<4xf32>
  return
}

// CHECK-LABEL: @is_nan(
// CHECK: graph.is_nan %{{.*}} : tensor<4xf32>
func.func @is_nan(%x: tensor<4xf32>) {
  %p = graph.is_nan %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @is_inf(
// CHECK: graph.is_inf %{{.*}} : tensor<4xf32>
func.func @is_inf(%x: tensor<4xf32>) {
  %p = graph.is_inf %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @is_finite(
// CHECK: graph.is_finite %{{.*}} : tensor<4xf32>
func.func @is_finite(%x: tensor<4xf32>) {
  %p = graph.is_finite %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @logical_not(
// CHECK: graph.logical_not %{{.*}} : tensor<4xi1>
func.func @logical_not(%x: tensor<4xi1>) {
  %y = graph.logical_not %x : tensor<4xi1>
  return
}

// CHECK-LABEL: @logical_and(
// CHECK: graph.logical_and %{{.*}}, %{{.*}} : tensor<4xi1>
func.func @logical_and(%x: tensor<4xi1>, %y: tensor<4xi1>) {
  %z = graph.logical_and %x, %y : tensor<4xi1>
  return
}

// CHECK-LABEL: @logical_or(
// CHECK: graph.logical_or %{{.*}}, %{{.*}} : tensor<4xi1>
func.func @logical_or(%x: tensor<4xi1>, %y: tensor<4xi1>) {
  %z = graph.logical_or %x, %y : tensor<4xi1>
  return
}

// CHECK-LABEL: @logical_xor(
// CHECK: graph.logical_xor %{{.*}}, %{{.*}} : tensor<4xi1>
func.func @logical_xor(%x: tensor<4xi1>, %y: tensor<4xi1>) {
  %z = graph.logical_xor %x, %y : tensor<4xi1>
  return
}

// CHECK-LABEL: @bitwise_not(
// CHECK: graph.bitwise_not %{{.*}} : tensor<4xi32>
func.func @bitwise_not(%x: tensor<4xi32>) {
  %y = graph.bitwise_not %x : tensor<4xi32>
  return
}

// CHECK-LABEL: @bitwise_and(
// CHECK: graph.bitwise_and %{{.*}}, %{{.*}} : tensor<4xi32>
func.func @bitwise_and(%x: tensor<4xi32>, %y: tensor<4xi32>) {
  %z = graph.bitwise_and %x, %y : tensor<4xi32>
  return
}

// CHECK-LABEL: @bitwise_or(
// CHECK: graph.bitwise_or %{{.*}}, %{{.*}} : tensor<4xi32>
func.func @bitwise_or(%x: tensor<4xi32>, %y: tensor<4xi32>) {
  %z = graph.bitwise_or %x, %y : tensor<4xi32>
  return
}

// CHECK-LABEL: @bitwise_xor(
// CHECK: graph.bitwise_xor %{{.*}}, %{{.*}} : tensor<4xi32>
func.func @bitwise_xor(%x: tensor<4xi32>, %y: tensor<4xi32>) {
  %z = graph.bitwise_xor %x, %y : tensor<4xi32>
  return
}

// CHECK-LABEL: @shift_left(
// CHECK: graph.shift_left %{{.*}}, %{{.*}} : tensor<4xi32>
func.func @shift_left(%x: tensor<4xi32>, %y: tensor<4xi32>) {
  %z = graph.shift_left %x, %y : tensor<4xi32>
  return
}

// CHECK-LABEL: @shift_right(
// CHECK: graph.shift_right %{{.*}}, %{{.*}} : tensor<4xi32>
func.func @shift_right(%x: tensor<4xi32>, %y: tensor<4xi32>) {
  %z = graph.shift_right %x, %y : tensor<4xi32>
  return
}

// CHECK-LABEL: @population_count(
// CHECK: graph.population_count %{{.*}} : tensor<4xi32>
func.func @population_count(%x: tensor<4xi32>) {
  %n = graph.population_count %x : tensor<4xi32>
  return
}
