// Convolutions, pools and softmax become generic linalg.
// RUN: weir-opt %s -split-input-file -weir-lower-graph | FileCheck %s

// No kernel has three spatial dimensions.
// CHECK-DAG: #[[X:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8) -> (d0, d1 * 2 + d5 * 3, d2 + d6, d3 + d7, d8)>
// CHECK-DAG: #[[W:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8) -> (d5, d6, d7, d8, d4)>
// CHECK-LABEL: @convolution
func.func @convolution(%x: tensor<2x9x4x4x4xf32>, %w: tensor<3x1x1x4x8xf32>) -> tensor<2x3x4x4x8xf32> {
  // CHECK: %[[BORDER:.*]] = linalg.fill {{.*}} -> tensor<2x11x4x4x4xf32>
  // CHECK: %[[PADDED:.*]] = tensor.insert_slice %arg0 into %[[BORDER]][0, 1, 0, 0, 0] [2, 9, 4, 4, 4] [1, 1, 1, 1, 1]
  // CHECK: linalg.generic {indexing_maps = [#[[X]], #[[W]], #{{.*}}]
  // CHECK-SAME: ins(%[[PADDED]], %arg1
  %y = graph.convolution %x, %w strides [2, 1, 1] padding_low [1, 0, 0] padding_high [1, 0, 0] dilations [3, 1, 1] groups 1 : tensor<2x9x4x4x4xf32>, tensor<3x1x1x4x8xf32>
  return %y : tensor<2x3x4x4x8xf32>
}

// -----

// No kernel has several filters per channel, either.
// CHECK-LABEL: @grouped
func.func @grouped(%x: tensor<2x9x7x2xf32>, %w: tensor<3x3x1x6xf32>) -> tensor<2x7x5x6xf32> {
  // CHECK: tensor.expand_shape %arg0 {{.*}} into tensor<2x9x7x2x1xf32>
  // CHECK: tensor.expand_shape %arg1 {{.*}} into tensor<3x3x1x2x3xf32>
  // CHECK: linalg.generic
  // CHECK: tensor.collapse_shape {{.*}} : tensor<2x7x5x2x3xf32> into tensor<2x7x5x6xf32>
  %y = graph.convolution %x, %w strides [1, 1] padding_low [0, 0] padding_high [0, 0] dilations [1, 1] groups 2 : tensor<2x9x7x2xf32>, tensor<3x3x1x6xf32>
  return %y : tensor<2x7x5x6xf32>
}

// -----

// CHECK-LABEL: @pool_max
func.func @pool_max(%x: tensor<1x8x3xf32>) -> tensor<1x4x3xf32> {
  // CHECK: kernel.pool ins(%arg0 : tensor<1x8x3xf32>) {{.*}} attributes {dilations = array<i64: 1>, largest, padding = array<i64: 0>, strides = array<i64: 2>, window = array<i64: 3>}
  %y = graph.pool_max %x window [3] strides [2] padding_low [0] padding_high [1] : tensor<1x8x3xf32>
  return %y : tensor<1x4x3xf32>
}

// -----

// A large window reduces each row first.
// CHECK-LABEL: @pool_max_twice
func.func @pool_max_twice(%x: tensor<1x9x9x3xf16>) -> tensor<1x5x9x3xf16> {
  // CHECK: %[[ROWS:.*]] = kernel.pool ins(%arg0 : {{.*}}) outs({{.*}} : tensor<1x9x9x3xf16>) {{.*}} padding = array<i64: 0, 2>, strides = array<i64: 1, 1>, window = array<i64: 1, 5>}
  // CHECK: ^bb0(%[[MOST:.*]]: f32):
  // CHECK: arith.truncf %[[MOST]] : f32 to f16
  // CHECK: kernel.pool ins(%[[ROWS]] : {{.*}}) outs({{.*}} : tensor<1x5x9x3xf16>) {{.*}} padding = array<i64: 2, 0>, strides = array<i64: 2, 1>, window = array<i64: 5, 1>}
  %y = graph.pool_max %x window [5, 5] strides [2, 1] padding_low [2, 2] padding_high [2, 2] : tensor<1x9x9x3xf16>
  return %y : tensor<1x5x9x3xf16>
}

// -----

// Windows over columns are no loop, and a cast from f32 to bf16 may flush denormals.
// CHECK-LABEL: @pool_max_loops
// CHECK: return
func.func @pool_max_loops(%x: tensor<1x80x3xf32>, %z: tensor<1x8x3xbf16>) -> (tensor<1x64x3xf32>, tensor<1x4x3xbf16>) {
  // CHECK-NOT: kernel.pool
  %y = graph.pool_max %x window [17] strides [1] padding_low [0] padding_high [0] : tensor<1x80x3xf32>
  %u = graph.pool_max %z window [2] strides [2] padding_low [0] padding_high [0] : tensor<1x8x3xbf16>
  return %y, %u : tensor<1x64x3xf32>, tensor<1x4x3xbf16>
}

// -----

// No pooling kernel has three dimensions.
// CHECK-LABEL: @pool_max_volumes
func.func @pool_max_volumes(%x: tensor<1x8x2x2x3xf32>) -> tensor<1x4x2x2x3xf32> {
  // CHECK: %[[LOWEST:.*]] = arith.constant 0xFF800000 : f32
  // CHECK: linalg.fill ins(%[[LOWEST]]
  // CHECK: arith.maximumf
  %y = graph.pool_max %x window [3, 1, 1] strides [2, 1, 1] padding_low [0, 0, 0] padding_high [1, 0, 0] : tensor<1x8x2x2x3xf32>
  return %y : tensor<1x4x2x2x3xf32>
}

// -----

// CHECK-LABEL: @pool_max_unsigned
func.func @pool_max_unsigned(%x: tensor<1x8x3xui8>) -> tensor<1x4x3xui8> {
  // CHECK: arith.maxui
  %y = graph.pool_max %x window [2] strides [2] padding_low [0] padding_high [0] : tensor<1x8x3xui8>
  return %y : tensor<1x4x3xui8>
}

// -----

// CHECK-LABEL: @pool_average
func.func @pool_average(%x: tensor<1x8x3xf32>) -> tensor<1x8x3xf32> {
  // CHECK: kernel.pool ins(%arg0 : tensor<1x8x3xf32>) {{.*}} attributes {dilations = array<i64: 1>, padding = array<i64: 1>, strides = array<i64: 1>, window = array<i64: 3>}
  %y = graph.pool_average %x window [3] strides [1] padding_low [1] padding_high [1] : tensor<1x8x3xf32>
  return %y : tensor<1x8x3xf32>
}

// -----

// CHECK-LABEL: @pool_average_with_padding
func.func @pool_average_with_padding(%x: tensor<1x8x3xf32>) -> tensor<1x8x3xf32> {
  // CHECK: kernel.pool {{.*}} attributes {counts_padding, dilations = array<i64: 1>, padding = array<i64: 1>, strides = array<i64: 1>, window = array<i64: 3>}
  %y = graph.pool_average %x window [3] strides [1] padding_low [1] padding_high [1] {counts_padding} : tensor<1x8x3xf32>
  return %y : tensor<1x8x3xf32>
}
// CHECK-LABEL: @pool_average_wide_with_padding
func.func @pool_average_wide_with_padding(%x: tensor<1x80x3xf32>) -> tensor<1x18x3xf32> {
  // CHECK: arith.addf
  // CHECK-NOT: linalg.index
  // CHECK: arith.divf
  %y = graph.pool_average %x window [65] strides [1] padding_low [1] padding_high [1] {counts_padding} : tensor<1x80x3xf32>
  return %y : tensor<1x18x3xf32>
}

// -----

// The mean excludes padding, so the divisor depends on the position.
// CHECK-LABEL: @pool_average_wide(
func.func @pool_average_wide(%x: tensor<1x80x3xf32>) -> tensor<1x18x3xf32> {
  // CHECK: arith.addf
  // CHECK: linalg.index 1
  // CHECK: arith.maxsi
  // CHECK: arith.minsi
  // CHECK: arith.divf
  %y = graph.pool_average %x window [65] strides [1] padding_low [1] padding_high [1] : tensor<1x80x3xf32>
  return %y : tensor<1x18x3xf32>
}

// -----

// CHECK-LABEL: @pool_arg_max
func.func @pool_arg_max(%x: tensor<1x8x3xf32>) -> tensor<1x4x3xi64> {
  // CHECK: %[[FOUND:.*]]:2 = linalg.generic
  // CHECK: arith.cmpf ogt
  // CHECK: return %[[FOUND]]#1
  %i = graph.pool_arg_max %x window [2] strides [2] padding_low [0] padding_high [0] : tensor<1x8x3xf32>
  return %i : tensor<1x4x3xi64>
}

// -----

// One loop stores exponentials and adds them, and a row has one quotient.
// CHECK-LABEL: @softmax
func.func @softmax(%x: tensor<2x5xf32>) -> tensor<2x5xf32> {
  // CHECK: arith.maxnumf
  // CHECK: %{{.*}}:2 = linalg.generic
  // CHECK: %[[E:.*]] = math.exp {{.*}} {weir.nonpositive}
  // CHECK: %[[SUM:.*]] = arith.addf %{{.*}}, %[[E]]
  // CHECK: linalg.yield %[[E]], %[[SUM]]
  // CHECK: arith.divf
  // CHECK: arith.mulf
  %y = graph.softmax %x : tensor<2x5xf32>
  return %y : tensor<2x5xf32>
}

// -----

// The exponentials of a row of -inf are 0, and nothing divides them.
// CHECK-LABEL: @masked
func.func @masked(%x: tensor<2x5xf32>) -> tensor<2x5xf32> {
  // CHECK: arith.constant -3.40282347E+38
  // CHECK: math.exp
  // CHECK: %[[NONE:.*]] = arith.cmpf oeq
  // CHECK: %[[SUM:.*]] = arith.select %[[NONE]]
  // CHECK: arith.divf %{{.*}}, %[[SUM]]
  %y = graph.softmax %x masked : tensor<2x5xf32>
  return %y : tensor<2x5xf32>
}

// -----

// CHECK-LABEL: @log_softmax
func.func @log_softmax(%x: tensor<2x5xbf16>) -> tensor<2x5xbf16> {
  // CHECK: arith.extf {{.*}} : bf16 to f32
  // CHECK: math.exp {{.*}} {weir.nonpositive} : f32
  // CHECK: math.log {{.*}} : f32
  // CHECK: arith.truncf {{.*}} : f32 to bf16
  %y = graph.log_softmax %x : tensor<2x5xbf16>
  return %y : tensor<2x5xbf16>
}

// -----

// First the boxes above the lowest score are selected. Then each selected box removes
// others.
// CHECK-LABEL: @suppress
func.func @suppress(%b: tensor<8x4xf32>, %c: tensor<8xf32>, %t: tensor<f32>, %m: tensor<i32>) -> (tensor<5xi32>, tensor<5xf32>, tensor<i32>) {
  // CHECK: scf.for
  // CHECK: arith.cmpf ogt
  // CHECK: %[[LIMIT:.*]] = arith.minsi %{{.*}}, %{{.*}} : index
  // CHECK: %[[MOST:.*]] = arith.minsi %[[LIMIT]], %{{.*}} : index
  // CHECK: scf.for %{{.*}} = %{{.*}} to %[[MOST]]
  // CHECK: scf.for
  // CHECK: math.exp
  // CHECK: tensor.from_elements {{.*}} : tensor<i32>
  %i, %s, %n = graph.suppress %b, %c, %t, %t, %t, %m limit 5 : tensor<8x4xf32>, tensor<8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i32>
  return %i, %s, %n : tensor<5xi32>, tensor<5xf32>, tensor<i32>
}

// -----

// If scores do not decrease, boxes are visited from the best one on. A tree of 8 scores
// finds each.
// CHECK-LABEL: @suppress_hard
func.func @suppress_hard(%b: tensor<7x4xf32>, %c: tensor<7xf32>, %t: tensor<f32>, %m: tensor<i32>) -> (tensor<5xi32>, tensor<5xf32>, tensor<i32>) {
  // CHECK-DAG: tensor.empty() : tensor<16xi32>
  // CHECK-DAG: tensor.empty() : tensor<8xf32>
  // CHECK-NOT: math.exp
  // CHECK: arith.shrui
  // CHECK-NOT: math.exp
  // CHECK: tensor.from_elements {{.*}} : tensor<i32>
  %zero = graph.constant dense<0.0> : tensor<f32>
  %i, %s, %n = graph.suppress %b, %c, %t, %t, %zero, %m limit 5 : tensor<7x4xf32>, tensor<7xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i32>
  return %i, %s, %n : tensor<5xi32>, tensor<5xf32>, tensor<i32>
}

// -----

// A gradient by a filter is a sum of products, too. It excludes pixels beyond the last
// window.
// CHECK-DAG: #[[X:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d4, d5 * 2 + d2 * 3, d0, d3)>
// CHECK-DAG: #[[R:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d4, d5, d0, d1)>
// CHECK-DAG: #[[G:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>
// CHECK-LABEL: @filter_gradient
func.func @filter_gradient(%x: tensor<2x9x4xf32>, %r: tensor<2x3x6xf32>) -> tensor<6x3x2xf32> {
  // CHECK: linalg.fill {{.*}} -> tensor<2x11x4xf32>
  // CHECK: tensor.insert_slice %arg0 {{.*}}[0, 1, 0] [2, 9, 4]
  // CHECK: tensor.expand_shape {{.*}} into tensor<2x11x2x2xf32>
  // CHECK: tensor.expand_shape %arg1 {{.*}} into tensor<2x3x2x3xf32>
  // CHECK: linalg.generic {indexing_maps = [#[[X]], #[[R]], #[[G]]], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
  // CHECK: tensor.collapse_shape {{.*}} : tensor<2x3x3x2xf32> into tensor<6x3x2xf32>
  %g = graph.filter_gradient %x, %r window [3] strides [2] padding_low [1] dilations [3] groups 2 : tensor<2x9x4xf32>, tensor<2x3x6xf32>
  return %g : tensor<6x3x2xf32>
}
