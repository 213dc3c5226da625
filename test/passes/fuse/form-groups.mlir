// RUN: weir-opt %s --split-input-file --weir-form-groups | FileCheck %s

// A chain of elementwise ops is one group.
// CHECK-LABEL: func.func @chain
// CHECK: %[[G:.*]] = graph.group(%{{.*}}, %{{.*}}) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK: graph.exp
// CHECK: graph.add
// CHECK: graph.yield
// CHECK: return %[[G]]
func.func @chain(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %a = graph.exp %x : tensor<4xf32>
  %b = graph.add %a, %y : tensor<4xf32>
  return %b : tensor<4xf32>
}

// -----

// A value that two groups use is computed once, in a group of its own.
// CHECK-LABEL: func.func @shared
// CHECK: %[[A:.*]] = graph.group
// CHECK: graph.exp
// CHECK: graph.group(%[[A]])
// CHECK: graph.neg
// CHECK: graph.group(%[[A]])
// CHECK: graph.abs
func.func @shared(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %a = graph.exp %x : tensor<4xf32>
  %b = graph.neg %a : tensor<4xf32>
  %c = graph.abs %a : tensor<4xf32>
  return %b, %c : tensor<4xf32>, tensor<4xf32>
}

// -----

// A diamond inside one consumer stays together.
// CHECK-LABEL: func.func @diamond
// CHECK-COUNT-1: graph.group
// CHECK-NOT: graph.group
func.func @diamond(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = graph.exp %x : tensor<4xf32>
  %b = graph.neg %a : tensor<4xf32>
  %c = graph.mul %a, %b : tensor<4xf32>
  return %c : tensor<4xf32>
}

// -----

// A contraction fuses its users as an epilogue, but not the ops before its operands,
// because it reads an operand many times.
// CHECK-LABEL: func.func @epilogue
// CHECK: %[[A:.*]] = graph.group
// CHECK: graph.exp
// CHECK: graph.group(%[[A]]
// CHECK: graph.matmul
// CHECK-NEXT: graph.relu
// CHECK-NEXT: graph.yield
func.func @epilogue(%x: tensor<2x3xf32>, %w: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %a = graph.exp %x : tensor<2x3xf32>
  %b = graph.matmul %a, %w : tensor<2x3xf32>, tensor<3x4xf32>
  %c = graph.relu %b : tensor<2x4xf32>
  return %c : tensor<2x4xf32>
}

// -----

// Two contractions are two kernels.
// CHECK-LABEL: func.func @two_contractions
// CHECK: graph.group
// CHECK: graph.matmul
// CHECK: graph.group
// CHECK: graph.matmul
// CHECK: graph.add
func.func @two_contractions(%x: tensor<2x2xf32>, %w: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %a = graph.matmul %x, %w : tensor<2x2xf32>, tensor<2x2xf32>
  %b = graph.matmul %w, %x : tensor<2x2xf32>, tensor<2x2xf32>
  %c = graph.add %a, %b : tensor<2x2xf32>
  return %c : tensor<2x2xf32>
}

// -----

// A splat constant is a number in the group; another constant is an operand.
// CHECK-LABEL: func.func @constants
// CHECK: %[[C:.*]] = graph.constant dense<[1.000000e+00, 2.000000e+00]>
// CHECK: graph.group(%{{.*}}, %[[C]])
// CHECK: graph.constant dense<3.000000e+00>
func.func @constants(%x: tensor<2xf32>) -> tensor<2xf32> {
  %c = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %d = graph.constant dense<3.0> : tensor<2xf32>
  %a = graph.mul %x, %c : tensor<2xf32>
  %b = graph.add %a, %d : tensor<2xf32>
  return %b : tensor<2xf32>
}

// -----

// Views, constants and checks need no kernel.
// CHECK-LABEL: func.func @no_kernel
// CHECK-NOT: graph.group
// CHECK: graph.check
// CHECK-NOT: graph.group
// CHECK: return
func.func @no_kernel(%x: tensor<2x3xf32>, %p: tensor<i1>) -> tensor<6xf32> {
  %a = graph.reshape %x : tensor<2x3xf32> to tensor<6xf32>
  graph.check %p, "p holds" : tensor<i1>
  return %a : tensor<6xf32>
}

// -----

// Each region of control flow has its own groups.
// CHECK-LABEL: func.func @regions
// CHECK: graph.if
// CHECK: graph.group
// CHECK: graph.exp
// CHECK: else
// CHECK-NOT: graph.group
// CHECK: return
func.func @regions(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %y = graph.if %p : tensor<i1> -> (tensor<4xf32>) {
    %a = graph.exp %x : tensor<4xf32>
    graph.yield %a : tensor<4xf32>
  } else {
    graph.yield %x : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// -----

// Rows that are sliced one by one stay separate, so one kernel serves all of them.
// CHECK-LABEL: @steps
// CHECK-COUNT-8: graph.exp
// CHECK-NOT: graph.exp
// CHECK: return
func.func @steps(%x: tensor<8x2xf32>) -> (tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>) {
  %s0 = graph.slice %x [0, 0] to [1, 2] by [1, 1] : tensor<8x2xf32>
  %s1 = graph.slice %x [1, 0] to [2, 2] by [1, 1] : tensor<8x2xf32>
  %s2 = graph.slice %x [2, 0] to [3, 2] by [1, 1] : tensor<8x2xf32>
  %s3 = graph.slice %x [3, 0] to [4, 2] by [1, 1] : tensor<8x2xf32>
  %s4 = graph.slice %x [4, 0] to [5, 2] by [1, 1] : tensor<8x2xf32>
  %s5 = graph.slice %x [5, 0] to [6, 2] by [1, 1] : tensor<8x2xf32>
  %s6 = graph.slice %x [6, 0] to [7, 2] by [1, 1] : tensor<8x2xf32>
  %s7 = graph.slice %x [7, 0] to [8, 2] by [1, 1] : tensor<8x2xf32>
  %e0 = graph.exp %s0 : tensor<1x2xf32>
  %e1 = graph.exp %s1 : tensor<1x2xf32>
  %e2 = graph.exp %s2 : tensor<1x2xf32>
  %e3 = graph.exp %s3 : tensor<1x2xf32>
  %e4 = graph.exp %s4 : tensor<1x2xf32>
  %e5 = graph.exp %s5 : tensor<1x2xf32>
  %e6 = graph.exp %s6 : tensor<1x2xf32>
  %e7 = graph.exp %s7 : tensor<1x2xf32>
  return %e0, %e1, %e2, %e3, %e4, %e5, %e6, %e7 : tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>
}

// -----

// A contiguous slice outside of loops is a view and no kernel, if its source is an
// input or if it is most of a result.
// CHECK-LABEL: @views
// CHECK-SAME: (%[[X:.*]]: tensor<4x3xf32>, %[[W:.*]]: tensor<3x2xf32>
// CHECK: %[[A:.*]] = graph.slice %[[X]] [1, 0] to [3, 3]
// CHECK-NEXT: %[[B:.*]] = graph.group(%[[A]], %[[W]]
// CHECK: graph.matmul
// CHECK: %[[C:.*]] = graph.slice %[[B]] [0, 0] to [1, 2]
// CHECK-NEXT: return %[[C]]
func.func @views(%x: tensor<4x3xf32>, %w: tensor<3x2xf32>) -> tensor<1x2xf32> {
  %a = graph.slice %x [1, 0] to [3, 3] by [1, 1] : tensor<4x3xf32>
  %b = graph.matmul %a, %w : tensor<2x3xf32>, tensor<3x2xf32>
  %c = graph.slice %b [0, 0] to [1, 2] by [1, 1] : tensor<2x2xf32>
  return %c : tensor<1x2xf32>
}

// -----

// A slice with gaps is copied. So is a small part of a result, because a view would
// keep all of it alive. An operand that only the slice needs is computed only for its
// elements.
// CHECK-LABEL: @copies
// CHECK: graph.group
// CHECK-NEXT: ^bb0
// CHECK-NEXT: graph.slice %{{.*}} [0, 1] to [4, 2]
// CHECK: graph.matmul
// CHECK: graph.group
// CHECK-NEXT: ^bb0
// CHECK-NEXT: graph.slice %{{.*}} [0, 0] to [1, 2]
// CHECK: graph.group
// CHECK-NEXT: ^bb0
// CHECK-NEXT: graph.exp
// CHECK-NEXT: graph.slice
func.func @copies(%x: tensor<4x3xf32>, %w: tensor<3x2xf32>) -> (tensor<4x1xf32>, tensor<1x2xf32>, tensor<3x3xf32>) {
  %a = graph.slice %x [0, 1] to [4, 2] by [1, 1] : tensor<4x3xf32>
  %b = graph.matmul %x, %w : tensor<4x3xf32>, tensor<3x2xf32>
  %c = graph.slice %b [0, 0] to [1, 2] by [1, 1] : tensor<4x2xf32>
  %d = graph.exp %x : tensor<4x3xf32>
  %e = graph.slice %d [0, 0] to [3, 3] by [1, 1] : tensor<4x3xf32>
  return %a, %c, %e : tensor<4x1xf32>, tensor<1x2xf32>, tensor<3x3xf32>
}

// -----

// Sums of rows, ops on these sums, and ops on the elements with them are one group.
// CHECK-LABEL: func.func @normalized
// CHECK: graph.group(%arg0, %arg1)
// CHECK: graph.reduce_sum
// CHECK: graph.reduce_sum
// CHECK: graph.yield
// CHECK-NOT: graph.group
func.func @normalized(%x: tensor<2x4x8xf32>, %g: tensor<8xf32>) -> tensor<2x4x8xf32> {
  %n = graph.constant dense<8.0> : tensor<2x4xf32>
  %0 = graph.reduce_sum %x [2] : tensor<2x4x8xf32>
  %1 = graph.div %0, %n : tensor<2x4xf32>
  %2 = graph.broadcast %1 [0, 1] : tensor<2x4xf32> to tensor<2x4x8xf32>
  %3 = graph.sub %x, %2 : tensor<2x4x8xf32>
  %4 = graph.square %3 : tensor<2x4x8xf32>
  %5 = graph.reduce_sum %4 [2] : tensor<2x4x8xf32>
  %6 = graph.rsqrt %5 : tensor<2x4xf32>
  %7 = graph.broadcast %6 [0, 1] : tensor<2x4xf32> to tensor<2x4x8xf32>
  %8 = graph.mul %3, %7 : tensor<2x4x8xf32>
  %9 = graph.broadcast %g [2] : tensor<8xf32> to tensor<2x4x8xf32>
  %10 = graph.mul %8, %9 : tensor<2x4x8xf32>
  return %10 : tensor<2x4x8xf32>
}

// -----

// The mean has no group of its own, although two ops use its broadcast: each of them
// computes it.
// CHECK-LABEL: func.func @broadcast_twice
// CHECK: graph.group(%arg0)
// CHECK: graph.reduce_sum
// CHECK: graph.reduce_sum
// CHECK: graph.yield
// CHECK-NOT: graph.group
func.func @broadcast_twice(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.reduce_sum %x [1] : tensor<4x8xf32>
  %1 = graph.exp %0 : tensor<4xf32>
  %2 = graph.broadcast %1 [0] : tensor<4xf32> to tensor<4x8xf32>
  %3 = graph.squared_difference %x, %2 : tensor<4x8xf32>
  %4 = graph.reduce_sum %3 [1] : tensor<4x8xf32>
  %5 = graph.rsqrt %4 : tensor<4xf32>
  %6 = graph.sub %x, %2 : tensor<4x8xf32>
  %7 = graph.broadcast %5 [0] : tensor<4xf32> to tensor<4x8xf32>
  %8 = graph.mul %6, %7 : tensor<4x8xf32>
  return %8 : tensor<4x8xf32>
}

// -----

// These reductions stay outside: the values of rows go to elements of other rows, the
// reduction is over columns, or the rows differ.
// CHECK-LABEL: func.func @other_rows
// CHECK-COUNT-2: graph.group
func.func @other_rows(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = graph.reduce_sum %x [1] : tensor<8x8xf32>
  %1 = graph.broadcast %0 [1] : tensor<8xf32> to tensor<8x8xf32>
  %2 = graph.sub %x, %1 : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @columns
// CHECK-COUNT-2: graph.group
func.func @columns(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = graph.reduce_sum %x [0] : tensor<8x8xf32>
  %1 = graph.broadcast %0 [1] : tensor<8xf32> to tensor<8x8xf32>
  %2 = graph.sub %x, %1 : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @differ
// CHECK-COUNT-2: graph.group
func.func @differ(%x: tensor<8x8x8xf32>) -> tensor<8xf32> {
  %0 = graph.reduce_sum %x [2] : tensor<8x8x8xf32>
  %1 = graph.reduce_max %0 [1] : tensor<8x8xf32>
  return %1 : tensor<8xf32>
}

// -----

// A concatenation is a view if its operands are contiguous in its result; along another
// dimension it is a kernel.
// CHECK-LABEL: @concat
// CHECK: %[[A:.*]] = graph.concat %{{.*}} axis 1 : tensor<1x2xf32>, tensor<1x2xf32>
// CHECK-NEXT: graph.reshape %[[A]]
// CHECK-NEXT: graph.group
// CHECK-NEXT: ^bb0
// CHECK-NEXT: graph.concat %{{.*}} axis 1 : tensor<2x2xf32>, tensor<2x2xf32>
func.func @concat(%x: tensor<1x2xf32>) -> tensor<2x4xf32> {
  %a = graph.concat %x, %x axis 1 : tensor<1x2xf32>, tensor<1x2xf32>
  %b = graph.reshape %a : tensor<1x4xf32> to tensor<2x2xf32>
  %c = graph.concat %b, %b axis 1 : tensor<2x2xf32>, tensor<2x2xf32>
  return %c : tensor<2x4xf32>
}

// -----

// A product fuses ops that only move the rows of its operands and its result, but no
// ops that compute these operands.
// CHECK-LABEL: func.func @heads
// CHECK: %[[E:.*]] = graph.group
// CHECK: graph.exp
// CHECK: graph.group(%[[E]]
// CHECK-COUNT-2: graph.transpose
// CHECK: graph.matmul
// CHECK: graph.transpose
// CHECK-NOT: graph.group
func.func @heads(%q: tensor<8x2x64xf32>, %k: tensor<8x2x64xf32>) -> tensor<8x2x8xf32> {
  %0 = graph.exp %q : tensor<8x2x64xf32>
  %1 = graph.transpose %0 [1, 0, 2] : tensor<8x2x64xf32>
  %2 = graph.transpose %k [1, 0, 2] : tensor<8x2x64xf32>
  %3 = graph.matmul %1, %2 transpose_b : tensor<2x8x64xf32>, tensor<2x8x64xf32>
  %4 = graph.transpose %3 [1, 0, 2] : tensor<2x8x8xf32>
  return %4 : tensor<8x2x8xf32>
}

// -----

// Elements that move between rows are copied first.
// CHECK-LABEL: func.func @transposed
// CHECK: graph.group
// CHECK: graph.transpose
// CHECK: graph.group
// CHECK: graph.matmul
func.func @transposed(%x: tensor<4x8xf32>, %w: tensor<4x4xf32>) -> tensor<8x4xf32> {
  %0 = graph.transpose %x [1, 0] : tensor<4x8xf32>
  %1 = graph.matmul %0, %w : tensor<8x4xf32>, tensor<4x4xf32>
  return %1 : tensor<8x4xf32>
}

// -----

// A kernel has only ops of the GPU or only ops of its host.
// CHECK-LABEL: func.func @two_devices
// CHECK: graph.group(%{{.*}}) : (tensor<4xf32>) -> tensor<4xf32> {
// CHECK: graph.exp
// CHECK: graph.group(%{{.*}}) attributes {weir.host} : (tensor<4xf32>) -> tensor<4xf32> {
// CHECK: graph.neg
// CHECK: graph.abs
func.func @two_devices(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = graph.exp %x : tensor<4xf32>
  %b = graph.neg %a {weir.host} : tensor<4xf32>
  %c = graph.abs %b {weir.host} : tensor<4xf32>
  return %c : tensor<4xf32>
}

// -----

// The new value of a variable is no epilogue: it is computed in the memory of the
// variable.
// CHECK-LABEL: func.func @assigned
// CHECK: graph.group
// CHECK: graph.matmul
// CHECK-NEXT: graph.yield
// CHECK: graph.group
// CHECK: graph.sub
graph.variable @w : tensor<3x4xf32>
func.func @assigned(%x: tensor<2x3xf32>, %g: tensor<2x4xf32>) {
  %w = graph.read_variable @w : tensor<3x4xf32>
  %0 = graph.matmul %x, %g transpose_a : tensor<2x3xf32>, tensor<2x4xf32>
  %1 = graph.sub %w, %0 : tensor<3x4xf32>
  graph.write_variable @w, %1 : tensor<3x4xf32>
  return
}

// -----

// The group returns the narrowed bytes and not the wide sums.
// CHECK-LABEL: @narrowed
// CHECK: %[[B:.*]] = graph.group({{.*}}) : ({{.*}}) -> tensor<2x4xui8> {
// CHECK: graph.matmul
// CHECK: graph.cast %{{.*}} : tensor<2x4xf32> to tensor<2x4xui8>
// CHECK: graph.yield
// CHECK: graph.group(%[[B]]) : (tensor<2x4xui8>) -> tensor<4x2xf32> {
func.func @narrowed(%x: tensor<2x8xui8>, %w: tensor<8x4xi8>) -> tensor<4x2xf32> {
  %s = graph.matmul %x, %w : tensor<2x8xui8>, tensor<8x4xi8>
  %f = graph.cast %s : tensor<2x4xi32> to tensor<2x4xf32>
  %b = graph.cast %f : tensor<2x4xf32> to tensor<2x4xui8>
  %d = graph.cast %b : tensor<2x4xui8> to tensor<2x4xf32>
  %t = graph.transpose %d [1, 0] : tensor<2x4xf32>
  return %t : tensor<4x2xf32>
}

// -----

// A group of two products computes the sums of one and the bytes of the other.
// CHECK-LABEL: @two_narrowed
// CHECK: %[[B:.*]] = graph.group({{.*}}) : ({{.*}}) -> tensor<2x4xui8> {
// CHECK: graph.matmul
// CHECK: graph.yield
// CHECK: graph.group({{.*}}%[[B]]{{.*}}) : ({{.*}}) -> tensor<2x4xf32> {
// CHECK: graph.matmul
// CHECK: graph.add
func.func @two_narrowed(%x: tensor<2x8xui8>, %w: tensor<8x4xi8>, %v: tensor<8x4xi8>) -> tensor<2x4xf32> {
  %s = graph.matmul %x, %w : tensor<2x8xui8>, tensor<8x4xi8>
  %f = graph.cast %s : tensor<2x4xi32> to tensor<2x4xf32>
  %b = graph.cast %f : tensor<2x4xf32> to tensor<2x4xui8>
  %d = graph.cast %b : tensor<2x4xui8> to tensor<2x4xf32>
  %t = graph.matmul %x, %v : tensor<2x8xui8>, tensor<8x4xi8>
  %g = graph.cast %t : tensor<2x4xi32> to tensor<2x4xf32>
  %c = graph.cast %g : tensor<2x4xf32> to tensor<2x4xui8>
  %e = graph.cast %c : tensor<2x4xui8> to tensor<2x4xf32>
  %y = graph.add %d, %e : tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

// A broadcast with several users is in each of their groups, which read its operand.
// The operand is computed once.
// CHECK-LABEL: func.func @broadcast_for_two
// CHECK: %[[ROW:.*]] = graph.group(%{{.*}}) : (tensor<8xf32>) -> tensor<8xf32>
// CHECK: graph.exp
// CHECK: graph.group(%[[ROW]], %{{.*}}) : (tensor<8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
// CHECK: graph.broadcast
// CHECK: graph.add
// CHECK: graph.group(%[[ROW]], %{{.*}}) : (tensor<8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
// CHECK: graph.broadcast
// CHECK: graph.mul
func.func @broadcast_for_two(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>, %r: tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %e = graph.exp %r : tensor<8xf32>
  %b = graph.broadcast %e [1] : tensor<8xf32> to tensor<4x8xf32>
  %0 = graph.add %x, %b : tensor<4x8xf32>
  %1 = graph.mul %b, %y : tensor<4x8xf32>
  return %0, %1 : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// A product reads its operand many times, so the broadcast for it is a kernel. The
// broadcast for other ops is in their group.
// CHECK-LABEL: func.func @broadcast_for_product
// CHECK: %[[WHOLE:.*]] = graph.group(%{{.*}}) : (tensor<8xf32>) -> tensor<4x8xf32>
// CHECK: graph.group(%[[WHOLE]], %{{.*}}) : (tensor<4x8xf32>, tensor<8x8xf32>)
// CHECK: graph.matmul
// CHECK: graph.group(%{{.*}}, %{{.*}}) : (tensor<{{.*}}xf32>, tensor<{{.*}}xf32>) -> tensor<4x8xf32>
// CHECK: graph.broadcast
// CHECK: graph.add
func.func @broadcast_for_product(%x: tensor<4x8xf32>, %r: tensor<8xf32>, %w: tensor<8x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %b = graph.broadcast %r [1] : tensor<8xf32> to tensor<4x8xf32>
  %0 = graph.matmul %b, %w : tensor<4x8xf32>, tensor<8x8xf32>
  %1 = graph.add %x, %b : tensor<4x8xf32>
  return %0, %1 : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// A mask of i32 is in each group that selects by it. The size of i64 is not in their
// loops.
// CHECK-LABEL: func.func @mask
// CHECK: %[[SIZE:.*]] = graph.group(%{{.*}}) : (tensor<i64>) -> tensor<i32>
// CHECK: graph.group(%[[SIZE]]
// CHECK: graph.broadcast
// CHECK: graph.less
// CHECK: graph.select
// CHECK: graph.reduce_sum
// CHECK: graph.group(%[[SIZE]]
// CHECK: graph.less
// CHECK: graph.select
// CHECK: graph.reduce_max
func.func @mask(%x: tensor<8xf32>, %n: tensor<i64>) -> (tensor<f32>, tensor<f32>) {
  %i = graph.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : tensor<8xi32>
  %z = graph.constant dense<0.0> : tensor<8xf32>
  %c = graph.cast %n : tensor<i64> to tensor<i32>
  %b = graph.broadcast %c [] : tensor<i32> to tensor<8xi32>
  %m = graph.less %i, %b : tensor<8xi32>
  %s = graph.select %m, %x, %z : tensor<8xi1>, tensor<8xf32>
  %0 = graph.reduce_sum %s [0] : tensor<8xf32>
  %t = graph.select %m, %z, %x : tensor<8xi1>, tensor<8xf32>
  %1 = graph.reduce_max %t [0] : tensor<8xf32>
  return %0, %1 : tensor<f32>, tensor<f32>
}
