// Reductions become linalg.generic, and cumulative ops become loops.
// RUN: weir-opt %s -weir-lower-graph | FileCheck %s

// CHECK-LABEL: @sum
// CHECK: %[[ZERO:.*]] = arith.constant 0.0
// CHECK: %[[INIT:.*]] = linalg.fill ins(%[[ZERO]]
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]{{.*}} ins(%{{.*}} : tensor<2x3xf32>) outs(%[[INIT]] : tensor<2xf32>)
// CHECK: arith.addf
func.func @sum(%x: tensor<2x3xf32>) -> tensor<2xf32> {
  %y = graph.reduce_sum %x [1] : tensor<2x3xf32>
  return %y : tensor<2xf32>
}

// f16 values are added in f32, and the sum is rounded once.
// CHECK-LABEL: @f16
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<2xf32>)
// CHECK: arith.extf
// CHECK-NEXT: arith.addf
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<2xf16>)
// CHECK: arith.truncf
func.func @f16(%x: tensor<2x3xf16>) -> tensor<2xf16> {
  %y = graph.reduce_sum %x [1] : tensor<2x3xf16>
  return %y : tensor<2xf16>
}

// CHECK-LABEL: @unsigned
// CHECK: arith.constant -1 : i8
// CHECK: arith.cmpi ugt
func.func @unsigned(%x: tensor<3xui8>) -> tensor<ui8> {
  %y = graph.reduce_min %x [0] : tensor<3xui8>
  return %y : tensor<ui8>
}

// CHECK-LABEL: @index
// CHECK: linalg.generic {{.*}}iterator_types = ["reduction", "parallel"]
// CHECK: arith.cmpf ugt
// CHECK: arith.cmpf ord
// CHECK: linalg.index 0
func.func @index(%x: tensor<2x3xf32>) -> tensor<3xi64> {
  %y = graph.arg_max %x axis 0 : tensor<2x3xf32> to tensor<3xi64>
  return %y : tensor<3xi64>
}

// Adjacent elements are compared with their maximum. In a row with a NaN no element
// equals it, and each NaN counts.
// CHECK-LABEL: @index_in_row
// CHECK: %[[MOST:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]} ins(%arg0
// CHECK: arith.maximumf
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]} ins(%arg0, %[[MOST]]
// CHECK: arith.cmpf oeq
// CHECK: arith.cmpf uno
// CHECK: arith.minsi
// CHECK: arith.extui
func.func @index_in_row(%x: tensor<2x30xf32>) -> tensor<2xi64> {
  %y = graph.arg_max %x axis 1 : tensor<2x30xf32> to tensor<2xi64>
  return %y : tensor<2xi64>
}

// The minimum is the maximum in reversed order. Integers use their complements, because
// a negation may overflow.
// CHECK-LABEL: @least_in_row
// CHECK: arith.xori
// CHECK: arith.maxsi
// CHECK: arith.xori
// CHECK: arith.cmpi eq
func.func @least_in_row(%x: tensor<2x30xi32>) -> tensor<2xi32> {
  %y = graph.arg_min %x axis 1 : tensor<2x30xi32> to tensor<2xi32>
  return %y : tensor<2xi32>
}

// CHECK-LABEL: @running
// CHECK: scf.for
// CHECK: scf.for
// CHECK: arith.subi
// CHECK: tensor.extract
func.func @running(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %y = graph.cumulative_sum %x axis 1 reverse : tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}
