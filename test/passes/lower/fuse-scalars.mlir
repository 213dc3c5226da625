// RUN: weir-opt %s --split-input-file --weir-fuse-scalars | FileCheck %s

// A tree of elementwise ops is one loop nest.
// CHECK-LABEL: func.func @tree
// CHECK-COUNT-1: linalg.generic
// CHECK: math.exp
// CHECK: arith.mulf
// CHECK: arith.addf
// CHECK-NOT: linalg.generic
func.func @tree(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> attributes {weir.kernel} {
  %a = graph.exp %x : tensor<4xf32>
  %b = graph.mul %x, %y : tensor<4xf32>
  %c = graph.add %a, %b : tensor<4xf32>
  return %c : tensor<4xf32>
}

// -----

// A broadcast is an indexing map, and a splat is a number.
// CHECK-DAG: #[[FULL:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: func.func @maps
// CHECK-NOT: graph.broadcast
// CHECK: linalg.generic {indexing_maps = [#[[FULL]], #[[ROW]], #[[FULL]]]
// CHECK: arith.constant 2.000000e+00 : f32
func.func @maps(%x: tensor<2x3xf32>, %b: tensor<3xf32>) -> tensor<2x3xf32> attributes {weir.kernel} {
  %two = graph.constant dense<2.0> : tensor<2x3xf32>
  %w = graph.broadcast %b [1] : tensor<3xf32> to tensor<2x3xf32>
  %s = graph.add %x, %w : tensor<2x3xf32>
  %y = graph.mul %s, %two : tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

// A transposed operand is read in place.
// CHECK: #[[SWAP:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-LABEL: func.func @transposed
// CHECK-NOT: graph.transpose
// CHECK: linalg.generic {{.*}}#[[SWAP]]
func.func @transposed(%x: tensor<2x3xf32>) -> tensor<3x2xf32> attributes {weir.kernel} {
  %t = graph.transpose %x [1, 0] : tensor<2x3xf32>
  %y = graph.exp %t : tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}

// -----

// Functions that are no kernels stay.
// CHECK-LABEL: func.func @entry
// CHECK-NOT: linalg
// CHECK: graph.exp
// CHECK-NOT: linalg
// CHECK: return
func.func @entry(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = graph.exp %x : tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

// A further result of the kernel is a result of the same loop.
// CHECK-LABEL: func.func @both
// CHECK: %[[R:.*]]:2 = linalg.generic {{.*}} outs(%{{.*}}, %{{.*}} : tensor<4xf32>, tensor<4xf32>)
// CHECK: %[[M:.*]] = arith.addf
// CHECK: %[[Y:.*]] = arith.subf %{{.*}}, %[[M]]
// CHECK: linalg.yield %[[M]], %[[Y]]
// CHECK-NOT: linalg.generic
// CHECK: return %[[R]]#1, %[[R]]#0
func.func @both(%g: tensor<4xf32>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {weir.kernel} {
  %m = graph.add %g, %g : tensor<4xf32>
  %y = graph.sub %x, %m : tensor<4xf32>
  return %y, %m : tensor<4xf32>, tensor<4xf32>
}

// -----

// Constants are in the order of their uses, independent of their order in memory.
// CHECK-LABEL: func.func @numbers
// CHECK: arith.constant 6.000000e+00 : f32
// CHECK-NEXT: arith.constant 1.000000e+00 : f32
// CHECK-NEXT: arith.constant 5.000000e+00 : f32
// CHECK-NEXT: arith.constant 2.000000e+00 : f32
// CHECK-NEXT: arith.constant 4.000000e+00 : f32
// CHECK-NEXT: arith.constant 3.000000e+00 : f32
// CHECK-NEXT: arith.addf
func.func @numbers(%x: tensor<4xf32>) -> tensor<4xf32> attributes {weir.kernel} {
  %one = graph.constant dense<1.0> : tensor<4xf32>
  %two = graph.constant dense<2.0> : tensor<4xf32>
  %three = graph.constant dense<3.0> : tensor<4xf32>
  %four = graph.constant dense<4.0> : tensor<4xf32>
  %five = graph.constant dense<5.0> : tensor<4xf32>
  %six = graph.constant dense<6.0> : tensor<4xf32>
  %a = graph.add %x, %six : tensor<4xf32>
  %b = graph.mul %a, %one : tensor<4xf32>
  %c = graph.sub %b, %five : tensor<4xf32>
  %d = graph.mul %c, %two : tensor<4xf32>
  %e = graph.add %d, %four : tensor<4xf32>
  %y = graph.maximum %e, %three : tensor<4xf32>
  return %y : tensor<4xf32>
}
