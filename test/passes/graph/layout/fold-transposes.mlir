// RUN: weir-opt %s -weir-fold-transposes | FileCheck %s

// Two transposes that cancel disappear, also with an elementwise op between them.
// CHECK-LABEL: @cancels
// CHECK-NEXT: %[[Y:.*]] = graph.relu %arg0 : tensor<1x8x8x4xf32>
// CHECK-NEXT: return %[[Y]]
func.func @cancels(%0: tensor<1x8x8x4xf32>) -> tensor<1x8x8x4xf32> {
  %1 = graph.transpose %0 [0, 3, 1, 2] : tensor<1x8x8x4xf32>
  %2 = graph.relu %1 : tensor<1x4x8x8xf32>
  %3 = graph.transpose %2 [0, 2, 3, 1] : tensor<1x4x8x8xf32>
  return %3 : tensor<1x8x8x4xf32>
}

// Both operands have the same transpose.
// CHECK-LABEL: @two_operands
// CHECK-NEXT: %[[SUM:.*]] = graph.add %arg0, %arg1 : tensor<2x3x4xf32>
// CHECK-NEXT: %[[T:.*]] = graph.transpose %[[SUM]] [2, 0, 1]
// CHECK-NEXT: return %[[T]]
func.func @two_operands(%a: tensor<2x3x4xf32>, %b: tensor<2x3x4xf32>)
    -> tensor<4x2x3xf32> {
  %0 = graph.transpose %a [2, 0, 1] : tensor<2x3x4xf32>
  %1 = graph.transpose %b [2, 0, 1] : tensor<2x3x4xf32>
  %2 = graph.add %0, %1 : tensor<4x2x3xf32>
  return %2 : tensor<4x2x3xf32>
}

// Operands with different transposes stay.
// CHECK-LABEL: @differ
// CHECK: graph.transpose %arg0 [1, 0]
// CHECK: graph.add
// CHECK-NEXT: return
func.func @differ(%a: tensor<3x3xf32>, %b: tensor<3x3xf32>) -> tensor<3x3xf32> {
  %0 = graph.transpose %a [1, 0] : tensor<3x3xf32>
  %1 = graph.add %0, %b : tensor<3x3xf32>
  return %1 : tensor<3x3xf32>
}

// A bias of channels first becomes a bias of channels last.
// CHECK-LABEL: @broadcast
// CHECK: %[[B:.*]] = graph.broadcast %arg1 [3] : tensor<4xf32> to tensor<1x8x8x4xf32>
// CHECK: %[[SUM:.*]] = graph.add %arg0, %[[B]]
// CHECK-NEXT: return %[[SUM]]
func.func @broadcast(%x: tensor<1x8x8x4xf32>, %bias: tensor<4xf32>)
    -> tensor<1x8x8x4xf32> {
  %0 = graph.transpose %x [0, 3, 1, 2] : tensor<1x8x8x4xf32>
  %1 = graph.broadcast %bias [1] : tensor<4xf32> to tensor<1x4x8x8xf32>
  %2 = graph.add %0, %1 : tensor<1x4x8x8xf32>
  %3 = graph.transpose %2 [0, 2, 3, 1] : tensor<1x4x8x8xf32>
  return %3 : tensor<1x8x8x4xf32>
}

// The operand of a broadcast is transposed if its dimensions change order.
// CHECK-LABEL: @dimensions_change_order
// CHECK: %[[T:.*]] = graph.transpose %arg1 [1, 0] : tensor<3x2xf32>
// CHECK: graph.broadcast %[[T]] [0, 1] : tensor<2x3xf32> to tensor<2x3x4xf32>
func.func @dimensions_change_order(%x: tensor<2x3x4xf32>, %y: tensor<3x2xf32>)
    -> tensor<4x3x2xf32> {
  %0 = graph.transpose %x [2, 1, 0] : tensor<2x3x4xf32>
  %1 = graph.broadcast %y [1, 2] : tensor<3x2xf32> to tensor<4x3x2xf32>
  %2 = graph.mul %0, %1 : tensor<4x3x2xf32>
  return %2 : tensor<4x3x2xf32>
}

// The transpose of a constant folds; a splat takes the new shape.
// CHECK-LABEL: @constants
// CHECK-DAG: graph.constant dense<1.000000e+00> : tensor<2x3xf32>
// CHECK-DAG: graph.constant dense<{{\[\[}}1.000000e+00, 3.000000e+00, 5.000000e+00], [2.000000e+00, 4.000000e+00, 6.000000e+00]]> : tensor<2x3xf32>
// CHECK: graph.transpose %{{.*}} [1, 0] : tensor<2x3xf32>
// CHECK-NEXT: return
func.func @constants(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %one = graph.constant dense<1.0> : tensor<3x2xf32>
  %c = graph.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %0 = graph.transpose %x [1, 0] : tensor<2x3xf32>
  %1 = graph.add %0, %one : tensor<3x2xf32>
  %2 = graph.mul %1, %c : tensor<3x2xf32>
  return %2 : tensor<3x2xf32>
}

// Constant folding handles transposes of constants alone, so the pass does not loop
// forever.
// CHECK-LABEL: @constants_alone
// CHECK: graph.transpose
// CHECK: graph.add
func.func @constants_alone() -> tensor<2x2xf32> {
  %c = graph.constant dense_resource<four> : tensor<2x2xf32>
  %d = graph.constant dense_resource<four> : tensor<2x2xf32>
  %0 = graph.transpose %c [1, 0] : tensor<2x2xf32>
  %1 = graph.add %0, %d : tensor<2x2xf32>
  return %1 : tensor<2x2xf32>
}

// CHECK-LABEL: @concat
// CHECK: graph.concat %arg0, %arg1 axis 3
func.func @concat(%a: tensor<1x8x8x4xf32>, %b: tensor<1x8x8x2xf32>)
    -> tensor<1x6x8x8xf32> {
  %0 = graph.transpose %a [0, 3, 1, 2] : tensor<1x8x8x4xf32>
  %1 = graph.transpose %b [0, 3, 1, 2] : tensor<1x8x8x2xf32>
  %2 = graph.concat %0, %1 axis 1 : tensor<1x4x8x8xf32>, tensor<1x2x8x8xf32>
  return %2 : tensor<1x6x8x8xf32>
}

// CHECK-LABEL: @slice
// CHECK: graph.slice %arg0 [0, 2] to [3, 4] by [2, 1] : tensor<3x4xf32>
// CHECK-NEXT: graph.transpose %{{.*}} [1, 0] : tensor<2x2xf32>
func.func @slice(%x: tensor<3x4xf32>) -> tensor<2x2xf32> {
  %0 = graph.transpose %x [1, 0] : tensor<3x4xf32>
  %1 = graph.slice %0 [2, 0] to [4, 3] by [1, 2] : tensor<4x3xf32>
  return %1 : tensor<2x2xf32>
}

// CHECK-LABEL: @pad
// CHECK: graph.pad %arg0, %arg1 low [0, 1, 1, 0] high [0, 2, 2, 0] interior [0, 0, 0, 0] : tensor<1x8x8x4xf32>
func.func @pad(%x: tensor<1x8x8x4xf32>, %v: tensor<f32>) -> tensor<1x4x11x11xf32> {
  %0 = graph.transpose %x [0, 3, 1, 2] : tensor<1x8x8x4xf32>
  %1 = graph.pad %0, %v low [0, 0, 1, 1] high [0, 0, 2, 2] interior [0, 0, 0, 0] : tensor<1x4x8x8xf32>
  return %1 : tensor<1x4x11x11xf32>
}

// CHECK-LABEL: @reverse
// CHECK: graph.reverse %arg0 [0, 1] : tensor<2x3x4xf32>
func.func @reverse(%x: tensor<2x3x4xf32>) -> tensor<4x2x3xf32> {
  %0 = graph.transpose %x [2, 0, 1] : tensor<2x3x4xf32>
  %1 = graph.reverse %0 [1, 2] : tensor<4x2x3xf32>
  return %1 : tensor<4x2x3xf32>
}

// A sum over the spatial dimensions needs no transpose.
// CHECK-LABEL: @reduce
// CHECK-NEXT: %[[SUM:.*]] = graph.reduce_sum %arg0 [1, 2] : tensor<1x8x8x4xf32>
// CHECK-NEXT: return %[[SUM]]
func.func @reduce(%x: tensor<1x8x8x4xf32>) -> tensor<1x4xf32> {
  %0 = graph.transpose %x [0, 3, 1, 2] : tensor<1x8x8x4xf32>
  %1 = graph.reduce_sum %0 [2, 3] : tensor<1x4x8x8xf32>
  return %1 : tensor<1x4xf32>
}

// The remaining dimensions of a reduction are transposed as before.
// CHECK-LABEL: @between
// CHECK-NEXT: %[[SUM:.*]] = graph.reduce_sum %arg0 [1] : tensor<2x3x4xf32>
// CHECK-NEXT: graph.transpose %[[SUM]] [1, 0] : tensor<2x4xf32>
func.func @between(%x: tensor<2x3x4xf32>) -> tensor<4x2xf32> {
  %0 = graph.transpose %x [2, 1, 0] : tensor<2x3x4xf32>
  %1 = graph.reduce_sum %0 [1] : tensor<4x3x2xf32>
  return %1 : tensor<4x2xf32>
}

// A product accepts transposed matrices, but no other order.
// CHECK-LABEL: func @product
// CHECK-SAME: %[[A:.*]]: tensor<8x1x2xf32>, %[[B:.*]]: tensor<8x4x2xf32>, %[[E:.*]]: tensor<2x8x4xf32>
// CHECK-DAG: %[[C:.*]] = graph.matmul %[[A]], %[[B]] transpose_b
// CHECK-DAG: %[[T:.*]] = graph.transpose %[[E]]
// CHECK: %[[D:.*]] = graph.matmul %[[C]], %[[T]] :
// CHECK: return %[[D]]
func.func @product(%a: tensor<8x1x2xf32>, %b: tensor<8x4x2xf32>, %e: tensor<2x8x4xf32>) -> tensor<8x1x2xf32> {
  %t = graph.transpose %b [0, 2, 1] : tensor<8x4x2xf32>
  %c = graph.matmul %a, %t : tensor<8x1x2xf32>, tensor<8x2x4xf32>
  %u = graph.transpose %e [1, 2, 0] : tensor<2x8x4xf32>
  %d = graph.matmul %c, %u : tensor<8x1x4xf32>, tensor<8x4x2xf32>
  return %d : tensor<8x1x2xf32>
}

// A channel shuffle has three transposes, with reshapes between them that split and
// join dimensions. One transpose remains.
// CHECK-LABEL: func @shuffle
// CHECK-NEXT: %[[S:.*]] = graph.reshape %arg0 : tensor<1x5x7x6xf32> to tensor<1x5x7x2x3xf32>
// CHECK-NEXT: %[[T:.*]] = graph.transpose %[[S]] [0, 1, 2, 4, 3] : tensor<1x5x7x2x3xf32>
// CHECK-NEXT: %[[J:.*]] = graph.reshape %[[T]] : tensor<1x5x7x3x2xf32> to tensor<1x5x7x6xf32>
// CHECK-NEXT: return %[[J]]
func.func @shuffle(%x: tensor<1x5x7x6xf32>) -> tensor<1x5x7x6xf32> {
  %0 = graph.transpose %x [0, 3, 1, 2] : tensor<1x5x7x6xf32>
  %1 = graph.reshape %0 : tensor<1x6x5x7xf32> to tensor<1x2x3x5x7xf32>
  %2 = graph.transpose %1 [0, 2, 1, 3, 4] : tensor<1x2x3x5x7xf32>
  %3 = graph.reshape %2 : tensor<1x3x2x5x7xf32> to tensor<1x6x5x7xf32>
  %4 = graph.transpose %3 [0, 2, 3, 1] : tensor<1x6x5x7xf32>
  return %4 : tensor<1x5x7x6xf32>
}

// A reshape that splits and joins at once stays, and so does one with another user.
// CHECK-LABEL: func @neither
// CHECK: graph.transpose %arg0 [1, 0]
// CHECK-NEXT: graph.reshape %{{.*}} : tensor<6x4xf32> to tensor<3x8xf32>
// CHECK-NEXT: graph.transpose %{{.*}} [1, 0] : tensor<3x8xf32>
// CHECK: graph.transpose %arg0 [1, 0]
// CHECK-NEXT: %[[READ:.*]] = graph.reshape %{{.*}} : tensor<6x4xf32> to tensor<3x2x4xf32>
// CHECK-NEXT: graph.transpose %[[READ]] [2, 0, 1]
// CHECK: return
func.func @neither(%x: tensor<4x6xf32>) -> (tensor<8x3xf32>, tensor<4x3x2xf32>, tensor<3x2x4xf32>) {
  %0 = graph.transpose %x [1, 0] : tensor<4x6xf32>
  %1 = graph.reshape %0 : tensor<6x4xf32> to tensor<3x8xf32>
  %2 = graph.transpose %1 [1, 0] : tensor<3x8xf32>
  %3 = graph.transpose %x [1, 0] : tensor<4x6xf32>
  %4 = graph.reshape %3 : tensor<6x4xf32> to tensor<3x2x4xf32>
  %5 = graph.transpose %4 [2, 0, 1] : tensor<3x2x4xf32>
  return %2, %5, %4 : tensor<8x3xf32>, tensor<4x3x2xf32>, tensor<3x2x4xf32>
}

// The heads of an attention have become batches. The product accepts transposed keys,
// so the reshape and the transpose before it stay.
// CHECK-LABEL: func @keys
// CHECK-NEXT: %[[H:.*]] = graph.transpose %arg1 [0, 2, 1, 3] : tensor<2x5x4x8xf32>
// CHECK-NEXT: %[[K:.*]] = graph.reshape %[[H]] : tensor<2x4x5x8xf32> to tensor<8x5x8xf32>
// CHECK-NEXT: graph.matmul %arg0, %[[K]] transpose_b
func.func @keys(%q: tensor<8x5x8xf32>, %k: tensor<2x5x4x8xf32>) -> tensor<8x5x5xf32> {
  %0 = graph.transpose %k [0, 2, 1, 3] : tensor<2x5x4x8xf32>
  %1 = graph.reshape %0 : tensor<2x4x5x8xf32> to tensor<8x5x8xf32>
  %2 = graph.transpose %1 [0, 2, 1] : tensor<8x5x8xf32>
  %3 = graph.matmul %q, %2 : tensor<8x5x8xf32>, tensor<8x8x5xf32>
  return %3 : tensor<8x5x5xf32>
}

// Transposes pass gathers along one dimension, but not gathers with several indices.
// CHECK-LABEL: func @gathers
// CHECK-SAME: %[[X:.*]]: tensor<2x3x4xf32>, %[[I:.*]]: tensor<5xi64>, %[[T:.*]]: tensor<5x6xi64>
// CHECK-NEXT: %[[G:.*]] = graph.gather %[[X]], %[[I]] axis 1 batch_dims 0
// CHECK-NEXT: %[[Y:.*]] = graph.transpose %[[G]] [2, 0, 1] : tensor<2x5x4xf32>
// CHECK-NEXT: %[[X2:.*]] = graph.transpose %[[X]] [2, 0, 1]
// CHECK-NEXT: %[[Z:.*]] = graph.gather %[[X2]], %[[T]] axis 2 batch_dims 0
// CHECK-NEXT: return %[[Y]], %[[Z]]
func.func @gathers(%x: tensor<2x3x4xf32>, %i: tensor<5xi64>, %t: tensor<5x6xi64>) -> (tensor<4x2x5xf32>, tensor<4x2x5x6xf32>) {
  %0 = graph.transpose %x [2, 0, 1] : tensor<2x3x4xf32>
  %1 = graph.gather %0, %i axis 2 batch_dims 0 : tensor<4x2x3xf32>, tensor<5xi64>
  %2 = graph.transpose %x [2, 0, 1] : tensor<2x3x4xf32>
  %3 = graph.gather %2, %t axis 2 batch_dims 0 : tensor<4x2x3xf32>, tensor<5x6xi64>
  return %1, %3 : tensor<4x2x5xf32>, tensor<4x2x5x6xf32>
}

{-#
  dialect_resources: {
    builtin: {
      four: "0x040000000000803F000000400000404000008040"
    }
  }
#-}

// The sizes of an op move with its dimensions, although both bounds are equal.
// CHECK-LABEL: @sizes
// CHECK-NEXT: graph.exp %arg0 {weir.sizes = [array<i64: 16, 2>, array<i64: 16, -1>]} : tensor<16x16xf32>
// CHECK-NEXT: return
func.func @sizes(%x: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %t = graph.transpose %x [1, 0] : tensor<16x16xf32>
  %y = graph.exp %t {weir.sizes = [array<i64: 16, -1>, array<i64: 16, 2>]} : tensor<16x16xf32>
  %z = graph.transpose %y [1, 0] : tensor<16x16xf32>
  return %z : tensor<16x16xf32>
}

// -----

// Nothing is transposed between two layers with windows.
// CHECK-LABEL: @filled
// CHECK-NEXT: graph.fill_beyond %arg0, %arg1, %arg2 along 1 reach 3 : (tensor<1x16x4xf32>, tensor<i64>, tensor<f32>)
// CHECK-NEXT: return
func.func @filled(%x: tensor<1x16x4xf32>, %n: tensor<i64>, %v: tensor<f32>) -> tensor<1x16x4xf32> {
  %t = graph.transpose %x [0, 2, 1] : tensor<1x16x4xf32>
  %f = graph.fill_beyond %t, %n, %v along 2 reach 3 : (tensor<1x4x16xf32>, tensor<i64>, tensor<f32>) -> tensor<1x4x16xf32>
  %u = graph.transpose %f [0, 2, 1] : tensor<1x4x16xf32>
  return %u : tensor<1x16x4xf32>
}
