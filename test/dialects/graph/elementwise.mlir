// Arithmetic, selection and conversion are parsed and printed.
// RUN: weir-opt %s | weir-opt | FileCheck %s

// CHECK-LABEL: @abs(
// CHECK: graph.abs %{{.*}} : tensor<4xf32>
func.func @abs(%x: tensor<4xf32>) {
  %y = graph.abs %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @neg(
// CHECK: graph.neg %{{.*}} : tensor<4xf32>
func.func @neg(%x: tensor<4xf32>) {
  %y = graph.neg %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @sign(
// CHECK: graph.sign %{{.*}} : tensor<4xf32>
func.func @sign(%x: tensor<4xf32>) {
  %y = graph.sign %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @square(
// CHECK: graph.square %{{.*}} : tensor<4xf32>
func.func @square(%x: tensor<4xf32>) {
  %y = graph.square %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @reciprocal(
// CHECK: graph.reciprocal %{{.*}} : tensor<4xf32>
func.func @reciprocal(%x: tensor<4xf32>) {
  %y = graph.reciprocal %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @floor(
// CHECK: graph.floor %{{.*}} : tensor<4xf32>
func.func @floor(%x: tensor<4xf32>) {
  %y = graph.floor %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @ceil(
// CHECK: graph.ceil %{{.*}} : tensor<4xf32>
func.func @ceil(%x: tensor<4xf32>) {
  %y = graph.ceil %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @round(
// CHECK: graph.round %{{.*}} : tensor<4xf32>
func.func @round(%x: tensor<4xf32>) {
  %y = graph.round %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @trunc(
// CHECK: graph.trunc %{{.*}} : tensor<4xf32>
func.func @trunc(%x: tensor<4xf32>) {
  %y = graph.trunc %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @relu(
// CHECK: graph.relu %{{.*}} : tensor<4xf32>
func.func @relu(%x: tensor<4xf32>) {
  %y = graph.relu %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @relu6(
// CHECK: graph.relu6 %{{.*}} : tensor<4xf32>
func.func @relu6(%x: tensor<4xf32>) {
  %y = graph.relu6 %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @add(
// CHECK: graph.add %{{.*}}, %{{.*}} : tensor<4xf32>
func.func @add(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  %z = graph.add %x, %y : tensor<4xf32>
  return
}

// CHECK-LABEL: @sub(
// CHECK: graph.sub %{{.*}}, %{{.*}} : tensor<4xf32>
func.func @sub(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  %z = graph.sub %x, %y : tensor<4xf32>
  return
}

// CHECK-LABEL: @mul(
// CHECK: graph.mul %{{.*}}, %{{.*}} : tensor<4xf32>
func.func @mul(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  %z = graph.mul %x, %y : tensor<4xf32>
  return
}

// CHECK-LABEL: @div(
// CHECK: graph.div %{{.*}}, %{{.*}} : tensor<4xf32>
func.func @div(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  %z = graph.div %x, %y : tensor<4xf32>
  return
}

// CHECK-LABEL: @floor_div(
// CHECK: graph.floor_div %{{.*}}, %{{.*}} : tensor<4xf32>
func.func @floor_div(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  %z = graph.floor_div %x, %y : tensor<4xf32>
  return
}

// CHECK-LABEL: @mod(
// CHECK: graph.mod %{{.*}}, %{{.*}} : tensor<4xf32>
func.func @mod(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  %z = graph.mod %x, %y : tensor<4xf32>
  return
}

// CHECK-LABEL: @floor_mod(
// CHECK: graph.floor_mod %{{.*}}, %{{.*}} : tensor<4xf32>
func.func @floor_mod(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  %z = graph.floor_mod %x, %y : tensor<4xf32>
  return
}

// CHECK-LABEL: @pow(
// CHECK: graph.pow %{{.*}}, %{{.*}} : tensor<4xf32>
func.func @pow(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  %z = graph.pow %x, %y : tensor<4xf32>
  return
}

// CHECK-LABEL: @maximum(
// CHECK: graph.maximum %{{.*}}, %{{.*}} : tensor<4xf32>
func.func @maximum(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  %z = graph.maximum %x, %y : tensor<4xf32>
  return
}

// CHECK-LABEL: @minimum(
// CHECK: graph.minimum %{{.*}}, %{{.*}} : tensor<4xf32>
func.func @minimum(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  %z = graph.minimum %x, %y : tensor<4xf32>
  return
}

// CHECK-LABEL: @squared_difference(
// CHECK: graph.squared_difference %{{.*}}, %{{.*}} : tensor<4xf32>
func.func @squared_difference(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  %z = graph.squared_difference %x, %y : tensor<4xf32>
  return
}

// CHECK-LABEL: @div_no_nan(
// CHECK: graph.div_no_nan %{{.*}}, %{{.*}} : tensor<4xf32>
func.func @div_no_nan(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  %z = graph.div_no_nan %x, %y : tensor<4xf32>
  return
}

// CHECK-LABEL: @mul_no_nan(
// CHECK: graph.mul_no_nan %{{.*}}, %{{.*}} : tensor<4xf32>
func.func @mul_no_nan(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  %z = graph.mul_no_nan %x, %y : tensor<4xf32>
  return
}

// CHECK-LABEL: @next_after(
// CHECK: graph.next_after %{{.*}}, %{{.*}} : tensor<4xf32>
func.func @next_after(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  %z = graph.next_after %x, %y : tensor<4xf32>
  return
}

// CHECK-LABEL: @clamp(
// CHECK: graph.clamp %{{.*}}, %{{.*}}, %{{.*}} : tensor<4xf32>
func.func @clamp(%x: tensor<4xf32>, %low: tensor<4xf32>, %high: tensor<4xf32>) {
  %y = graph.clamp %x, %low, %high : tensor<4xf32>
  return
}

// CHECK-LABEL: @select(
// CHECK: graph.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<4xi1>, tensor<4xf32>
func.func @select(%p: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>) {
  %z = graph.select %p, %x, %y : tensor<4xi1>, tensor<4xf32>
  return
}

// CHECK-LABEL: @cast(
// CHECK: graph.cast %{{.*}} : tensor<4xf32> to tensor<4xi32>
// CHECK: graph.cast %{{.*}} rounds : tensor<4xf32> to tensor<4xf16>
func.func @cast(%x: tensor<4xf32>) {
  %y = graph.cast %x : tensor<4xf32> to tensor<4xi32>
  %h = graph.cast %x rounds : tensor<4xf32> to tensor<4xf16>
  return
}

// CHECK-LABEL: @bitcast(
// CHECK: graph.bitcast %{{.*}} : tensor<4xf32> to tensor<4xi32>
func.func @bitcast(%x: tensor<4xf32>) {
  %y = graph.bitcast %x : tensor<4xf32> to tensor<4xi32>
  return
}
