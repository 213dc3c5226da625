// Ops of family Reduce fold.
// RUN: weir-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: @sum_of_rows
// CHECK: graph.constant dense<[6, 3]> : tensor<2xi32>
// CHECK-NEXT: return
func.func @sum_of_rows() -> tensor<2xi32> {
  %x = graph.constant dense<[[1, 2, 3], [4, 5, -6]]> : tensor<2x3xi32>
  %z = graph.reduce_sum %x [1] : tensor<2x3xi32>
  return %z : tensor<2xi32>
}

// CHECK-LABEL: @sum_of_columns
// CHECK: graph.constant dense<[5, 7, -3]> : tensor<3xi32>
// CHECK-NEXT: return
func.func @sum_of_columns() -> tensor<3xi32> {
  %x = graph.constant dense<[[1, 2, 3], [4, 5, -6]]> : tensor<2x3xi32>
  %z = graph.reduce_sum %x [0] : tensor<2x3xi32>
  return %z : tensor<3xi32>
}

// CHECK-LABEL: @product_of_all
// CHECK: graph.constant dense<-720> : tensor<i32>
// CHECK-NEXT: return
func.func @product_of_all() -> tensor<i32> {
  %x = graph.constant dense<[[1, 2, 3], [4, 5, -6]]> : tensor<2x3xi32>
  %z = graph.reduce_prod %x [0, 1] : tensor<2x3xi32>
  return %z : tensor<i32>
}

// CHECK-LABEL: @maximum
// CHECK: graph.constant dense<[3, 5]> : tensor<2xi32>
// CHECK-NEXT: return
func.func @maximum() -> tensor<2xi32> {
  %x = graph.constant dense<[[1, 2, 3], [4, 5, -6]]> : tensor<2x3xi32>
  %z = graph.reduce_max %x [1] : tensor<2x3xi32>
  return %z : tensor<2xi32>
}

// CHECK-LABEL: @minimum_of_unsigned
// CHECK: graph.constant dense<7> : tensor<ui8>
// CHECK-NEXT: return
func.func @minimum_of_unsigned() -> tensor<ui8> {
  %x = graph.constant dense<[200, 7]> : tensor<2xui8>
  %z = graph.reduce_min %x [0] : tensor<2xui8>
  return %z : tensor<ui8>
}

// CHECK-LABEL: @nan_wins
// CHECK: graph.constant dense<0x7FC00000> : tensor<f32>
// CHECK-NEXT: return
func.func @nan_wins() -> tensor<f32> {
  %x = graph.constant dense<[1.0, 0x7FC00000]> : tensor<2xf32>
  %z = graph.reduce_min %x [0] : tensor<2xf32>
  return %z : tensor<f32>
}

// A reduction of no elements folds to its initial value.
// CHECK-LABEL: @of_nothing
// CHECK: graph.constant dense<0xFF800000> : tensor<2xf32>
// CHECK-NEXT: return
func.func @of_nothing() -> tensor<2xf32> {
  %x = graph.constant dense<> : tensor<0x2xf32>
  %z = graph.reduce_max %x [0] : tensor<0x2xf32>
  return %z : tensor<2xf32>
}

// CHECK-LABEL: @all_and
// CHECK: graph.constant dense<[false, true]> : tensor<2xi1>
// CHECK-NEXT: return
func.func @all_and() -> tensor<2xi1> {
  %x = graph.constant dense<[[true, false], [true, true]]> : tensor<2x2xi1>
  %z = graph.reduce_and %x [1] : tensor<2x2xi1>
  return %z : tensor<2xi1>
}

// CHECK-LABEL: @any_or
// CHECK: graph.constant dense<[true, false]> : tensor<2xi1>
// CHECK-NEXT: return
func.func @any_or() -> tensor<2xi1> {
  %x = graph.constant dense<[[true, false], [false, false]]> : tensor<2x2xi1>
  %z = graph.reduce_or %x [1] : tensor<2x2xi1>
  return %z : tensor<2xi1>
}

// A sum in f16 would stay 2048.
// CHECK-LABEL: @f16_sums_in_f32
// CHECK: graph.constant dense<2.050000e+03> : tensor<f16>
// CHECK-NEXT: return
func.func @f16_sums_in_f32() -> tensor<f16> {
  %x = graph.constant dense<[2048.0, 1.0, 1.0]> : tensor<3xf16>
  %z = graph.reduce_sum %x [0] : tensor<3xf16>
  return %z : tensor<f16>
}

// CHECK-LABEL: @first_index_wins
// CHECK: graph.constant dense<0> : tensor<2xi64>
// CHECK-NEXT: return
func.func @first_index_wins() -> tensor<2xi64> {
  %x = graph.constant dense<[[3, 1, 3], [1, 1, 0]]> : tensor<2x3xi32>
  %z = graph.arg_max %x axis 1 : tensor<2x3xi32> to tensor<2xi64>
  return %z : tensor<2xi64>
}

// CHECK-LABEL: @first_nan_wins
// CHECK: graph.constant dense<1> : tensor<i32>
// CHECK-NEXT: return
func.func @first_nan_wins() -> tensor<i32> {
  %x = graph.constant dense<[2.0, 0x7FC00000, 1.0, 0x7FC00000]> : tensor<4xf32>
  %z = graph.arg_min %x axis 0 : tensor<4xf32> to tensor<i32>
  return %z : tensor<i32>
}

// CHECK-LABEL: @running_sum
// CHECK: graph.constant dense<{{\[\[}}1, 3, 6], [4, 9, 3]]> : tensor<2x3xi32>
// CHECK-NEXT: return
func.func @running_sum() -> tensor<2x3xi32> {
  %x = graph.constant dense<[[1, 2, 3], [4, 5, -6]]> : tensor<2x3xi32>
  %z = graph.cumulative_sum %x axis 1 : tensor<2x3xi32>
  return %z : tensor<2x3xi32>
}

// CHECK-LABEL: @exclusive_from_the_end
// CHECK: graph.constant dense<{{\[\[}}5, 3, 0], [-1, -6, 0]]> : tensor<2x3xi32>
// CHECK-NEXT: return
func.func @exclusive_from_the_end() -> tensor<2x3xi32> {
  %x = graph.constant dense<[[1, 2, 3], [4, 5, -6]]> : tensor<2x3xi32>
  %z = graph.cumulative_sum %x axis 1 exclusive reverse : tensor<2x3xi32>
  return %z : tensor<2x3xi32>
}

// CHECK-LABEL: @running_product
// CHECK: graph.constant dense<{{\[\[}}1, 2, 3], [4, 10, -18]]> : tensor<2x3xi32>
// CHECK-NEXT: return
func.func @running_product() -> tensor<2x3xi32> {
  %x = graph.constant dense<[[1, 2, 3], [4, 5, -6]]> : tensor<2x3xi32>
  %z = graph.cumulative_prod %x axis 0 : tensor<2x3xi32>
  return %z : tensor<2x3xi32>
}

// CHECK-LABEL: @of_no_dimension
// CHECK-NEXT: return %arg0
func.func @of_no_dimension(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = graph.reduce_max %x [] : tensor<2xf32>
  return %y : tensor<2xf32>
}

// A reduction of no elements folds, also if its operand is no constant.
// CHECK-LABEL: @of_an_empty_operand
// CHECK: %[[C:.*]] = graph.constant dense<1.000000e+00> : tensor<2xf32>
// CHECK-NEXT: return %[[C]]
func.func @of_an_empty_operand(%x: tensor<0x2xf32>) -> tensor<2xf32> {
  %y = graph.reduce_prod %x [0] : tensor<0x2xf32>
  return %y : tensor<2xf32>
}

// The dimensions before the axis become one, and so do those after it.
// CHECK-LABEL: @around_the_axis
// CHECK: %[[X:.*]] = graph.reshape %arg0 : tensor<2x3x4x5x6xf32> to tensor<6x4x30xf32>
// CHECK-NEXT: %[[Y:.*]] = graph.cumulative_sum %[[X]] axis 1 exclusive : tensor<6x4x30xf32>
// CHECK-NEXT: graph.reshape %[[Y]] : tensor<6x4x30xf32> to tensor<2x3x4x5x6xf32>
func.func @around_the_axis(%x: tensor<2x3x4x5x6xf32>) -> tensor<2x3x4x5x6xf32> {
  %y = graph.cumulative_sum %x axis 2 exclusive : tensor<2x3x4x5x6xf32>
  return %y : tensor<2x3x4x5x6xf32>
}

// CHECK-LABEL: @from_the_first
// CHECK: graph.cumulative_prod %{{.*}} axis 0 : tensor<2x12xf32>
func.func @from_the_first(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %y = graph.cumulative_prod %x axis 0 : tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}
