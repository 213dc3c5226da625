// The ops of family Reduce are parsed and printed.
// RUN: weir-opt %s | weir-opt | FileCheck %s

// CHECK-LABEL: @reduce_sum(
// CHECK: graph.reduce_sum %{{.*}} [1] : tensor<2x3xf32>
func.func @reduce_sum(%x: tensor<2x3xf32>) {
  %y = graph.reduce_sum %x [1] : tensor<2x3xf32>
  return
}

// CHECK-LABEL: @reduce_prod(
// CHECK: graph.reduce_prod %{{.*}} [1] : tensor<2x3xf32>
func.func @reduce_prod(%x: tensor<2x3xf32>) {
  %y = graph.reduce_prod %x [1] : tensor<2x3xf32>
  return
}

// CHECK-LABEL: @reduce_max(
// CHECK: graph.reduce_max %{{.*}} [1] : tensor<2x3xf32>
func.func @reduce_max(%x: tensor<2x3xf32>) {
  %y = graph.reduce_max %x [1] : tensor<2x3xf32>
  return
}

// CHECK-LABEL: @reduce_min(
// CHECK: graph.reduce_min %{{.*}} [1] : tensor<2x3xf32>
func.func @reduce_min(%x: tensor<2x3xf32>) {
  %y = graph.reduce_min %x [1] : tensor<2x3xf32>
  return
}

// CHECK-LABEL: @reduce_and(
// CHECK: graph.reduce_and %{{.*}} [1] : tensor<2x3xi1>
func.func @reduce_and(%x: tensor<2x3xi1>) {
  %y = graph.reduce_and %x [1] : tensor<2x3xi1>
  return
}

// CHECK-LABEL: @reduce_or(
// CHECK: graph.reduce_or %{{.*}} [1] : tensor<2x3xi1>
func.func @reduce_or(%x: tensor<2x3xi1>) {
  %y = graph.reduce_or %x [1] : tensor<2x3xi1>
  return
}

// CHECK-LABEL: @arg_max(
// CHECK: graph.arg_max %{{.*}} axis 1 : tensor<2x3xf32> to tensor<2xi64>
func.func @arg_max(%x: tensor<2x3xf32>) {
  %i = graph.arg_max %x axis 1 : tensor<2x3xf32> to tensor<2xi64>
  return
}

// CHECK-LABEL: @arg_min(
// CHECK: graph.arg_min %{{.*}} axis 1 : tensor<2x3xf32> to tensor<2xi64>
func.func @arg_min(%x: tensor<2x3xf32>) {
  %i = graph.arg_min %x axis 1 : tensor<2x3xf32> to tensor<2xi64>
  return
}

// CHECK-LABEL: @cumulative_sum(
// CHECK: graph.cumulative_sum %{{.*}} axis 1 exclusive : tensor<2x3xf32>
func.func @cumulative_sum(%x: tensor<2x3xf32>) {
  %y = graph.cumulative_sum %x axis 1 exclusive : tensor<2x3xf32>
  return
}

// CHECK-LABEL: @cumulative_prod(
// CHECK: graph.cumulative_prod %{{.*}} axis 1 reverse : tensor<2x3xf32>
func.func @cumulative_prod(%x: tensor<2x3xf32>) {
  %y = graph.cumulative_prod %x axis 1 reverse : tensor<2x3xf32>
  return
}

// CHECK-LABEL: @cumulative_log_sum_exp(
// CHECK: graph.cumulative_log_sum_exp %{{.*}} axis 1 : tensor<2x3xf32>
func.func @cumulative_log_sum_exp(%x: tensor<2x3xf32>) {
  %y = graph.cumulative_log_sum_exp %x axis 1 : tensor<2x3xf32>
  return
}
