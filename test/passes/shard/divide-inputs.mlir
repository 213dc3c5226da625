// RUN: weir-opt %s --split-input-file --weir-divide-inputs --verify-diagnostics | FileCheck %s

// The batch is dimension 0 of the first input with dimensions. Inputs with other
// sizes, and scalars, are whole.
// CHECK-LABEL: func.func @batch
// CHECK-SAME: tensor<f32> {weir.name = "rate"}
// CHECK-SAME: tensor<8x3xf32> {weir.name = "x", weir.shards = array<i64: 1, 0>}
// CHECK-SAME: tensor<8xi64> {weir.name = "y", weir.shards = array<i64: 1>}
// CHECK-SAME: tensor<3xf32> {weir.name = "z"}
module attributes {weir.mesh = #weir.mesh<axes = ["data", "model"], sizes = [4, 2]>} {
  func.func @batch(%r: tensor<f32> {weir.name = "rate"}, %x: tensor<8x3xf32> {weir.name = "x"}, %y: tensor<8xi64> {weir.name = "y"}, %z: tensor<3xf32> {weir.name = "z"}) attributes {weir.entry = "f"} {
    return
  }
}

// -----

// Without an axis `data`, no input is divided.
// CHECK-LABEL: func.func @model(%{{.*}}: tensor<8x3xf32>) attributes {weir.entry = "f"}
// CHECK-NOT: weir.shards
// CHECK: return
module attributes {weir.mesh = #weir.mesh<axes = ["model"], sizes = [2]>} {
  func.func @model(%x: tensor<8x3xf32>) attributes {weir.entry = "f"} {
    return
  }
}

// -----

module attributes {weir.mesh = #weir.mesh<axes = ["data"], sizes = [3]>} {
  // expected-error@below {{input 'x' of 'tensor<8x3xf32>' has a batch of 8, which 3 ranks (data=3) cannot divide into equal parts}}
  func.func @uneven(%x: tensor<8x3xf32> {weir.name = "x"}) attributes {weir.entry = "f"} {
    return
  }
}
