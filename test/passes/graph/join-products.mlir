// RUN: weir-opt %s -split-input-file --weir-join-products -canonicalize | FileCheck %s

// The inputs of the steps are adjacent rows of one tensor, so their products become
// one. Each step multiplies its state by the rest of the matrix.
// CHECK-LABEL: @steps
// CHECK-SAME: %[[X:.*]]: tensor<4x1x2xf32>, %[[H:.*]]: tensor<1x3xf32>
// CHECK-DAG: %[[ROWS:.*]] = graph.reshape %[[X]] : tensor<4x1x2xf32> to tensor<4x2xf32>
// CHECK-DAG: %[[WX:.*]] = graph.constant {{.*}} : tensor<2x3xf32>
// CHECK-DAG: %[[ALL:.*]] = graph.matmul %[[ROWS]], %[[WX]]
// CHECK-DAG: %[[WH:.*]] = graph.constant {{.*}} : tensor<3x3xf32>
// CHECK-DAG: %[[STATE:.*]] = graph.matmul %[[H]], %[[WH]]
// CHECK-DAG: %[[OWN:.*]] = graph.slice %[[ALL]] [0, 0] to [1, 3] by [1, 1]
// CHECK: %[[H1:.*]] = graph.add %[[STATE]], %[[OWN]]
// CHECK: graph.slice %[[ALL]] [1, 0] to [2, 3]
// CHECK: graph.slice %[[ALL]] [2, 0] to [3, 3]
// CHECK: graph.slice %[[ALL]] [3, 0] to [4, 3]
// CHECK-NOT: graph.concat
func.func @steps(%x: tensor<4x1x2xf32>, %h: tensor<1x3xf32>) -> tensor<1x3xf32> {
  %w = graph.constant dense<[[1., 2., 3.], [4., 5., 6.], [7., 8., 9.], [1., 3., 5.], [2., 4., 6.]]> : tensor<5x3xf32>
  %s0 = graph.slice %x [0, 0, 0] to [1, 1, 2] by [1, 1, 1] : tensor<4x1x2xf32>
  %x0 = graph.reshape %s0 : tensor<1x1x2xf32> to tensor<1x2xf32>
  %s1 = graph.slice %x [1, 0, 0] to [2, 1, 2] by [1, 1, 1] : tensor<4x1x2xf32>
  %x1 = graph.reshape %s1 : tensor<1x1x2xf32> to tensor<1x2xf32>
  %s2 = graph.slice %x [2, 0, 0] to [3, 1, 2] by [1, 1, 1] : tensor<4x1x2xf32>
  %x2 = graph.reshape %s2 : tensor<1x1x2xf32> to tensor<1x2xf32>
  %s3 = graph.slice %x [3, 0, 0] to [4, 1, 2] by [1, 1, 1] : tensor<4x1x2xf32>
  %x3 = graph.reshape %s3 : tensor<1x1x2xf32> to tensor<1x2xf32>
  %c0 = graph.concat %x0, %h axis 1 : tensor<1x2xf32>, tensor<1x3xf32>
  %h1 = graph.matmul %c0, %w : tensor<1x5xf32>, tensor<5x3xf32>
  %c1 = graph.concat %x1, %h1 axis 1 : tensor<1x2xf32>, tensor<1x3xf32>
  %h2 = graph.matmul %c1, %w : tensor<1x5xf32>, tensor<5x3xf32>
  %c2 = graph.concat %x2, %h2 axis 1 : tensor<1x2xf32>, tensor<1x3xf32>
  %h3 = graph.matmul %c2, %w : tensor<1x5xf32>, tensor<5x3xf32>
  %c3 = graph.concat %x3, %h3 axis 1 : tensor<1x2xf32>, tensor<1x3xf32>
  %h4 = graph.matmul %c3, %w : tensor<1x5xf32>, tensor<5x3xf32>
  return %h4 : tensor<1x3xf32>
}

// -----

// The operands are whole rows, and some are computed after the first product. So the
// joined product moves after them.
// CHECK-LABEL: @rows
// CHECK: %[[E:.*]] = graph.exp
// CHECK: %[[ROWS:.*]] = graph.concat %arg0, %arg1, %arg2, %[[E]] axis 0
// CHECK: %[[ALL:.*]] = graph.matmul %[[ROWS]]
// CHECK: graph.slice %[[ALL]] [0, 0] to [2, 2]
func.func @rows(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>, %c: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) {
  %w = graph.constant dense<[[1., 2.], [3., 4.]]> : tensor<2x2xf32>
  %0 = graph.matmul %a, %w : tensor<2x2xf32>, tensor<2x2xf32>
  %1 = graph.matmul %b, %w : tensor<2x2xf32>, tensor<2x2xf32>
  %2 = graph.matmul %c, %w : tensor<2x2xf32>, tensor<2x2xf32>
  %e = graph.exp %a : tensor<2x2xf32>
  %3 = graph.matmul %e, %w : tensor<2x2xf32>, tensor<2x2xf32>
  return %0, %1, %2, %3 : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>
}

// -----

// Each product depends on the one before, so nothing is joined. Three products are not
// joined, either.
// CHECK-LABEL: @chain
// CHECK-COUNT-4: graph.matmul %{{.*}}, %{{.*}} : tensor<1x2xf32>, tensor<2x2xf32>
// CHECK-NOT: graph.add
func.func @chain(%a: tensor<1x2xf32>) -> tensor<1x2xf32> {
  %w = graph.constant dense<[[1., 2.], [3., 4.]]> : tensor<2x2xf32>
  %0 = graph.matmul %a, %w : tensor<1x2xf32>, tensor<2x2xf32>
  %1 = graph.matmul %0, %w : tensor<1x2xf32>, tensor<2x2xf32>
  %2 = graph.matmul %1, %w : tensor<1x2xf32>, tensor<2x2xf32>
  %3 = graph.matmul %2, %w : tensor<1x2xf32>, tensor<2x2xf32>
  return %3 : tensor<1x2xf32>
}
// CHECK-LABEL: @few
// CHECK-COUNT-3: graph.matmul
func.func @few(%a: tensor<1x2xf32>, %b: tensor<1x2xf32>, %c: tensor<1x2xf32>) -> (tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>) {
  %w = graph.constant dense<[[1., 2.], [3., 4.]]> : tensor<2x2xf32>
  %0 = graph.matmul %a, %w : tensor<1x2xf32>, tensor<2x2xf32>
  %1 = graph.matmul %b, %w : tensor<1x2xf32>, tensor<2x2xf32>
  %2 = graph.matmul %c, %w : tensor<1x2xf32>, tensor<2x2xf32>
  return %0, %1, %2 : tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>
}
