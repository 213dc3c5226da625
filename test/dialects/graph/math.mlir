// Functions of floats are parsed and printed.
// RUN: weir-opt %s | weir-opt | FileCheck %s

// CHECK-LABEL: @exp(
// CHECK: graph.exp %{{.*}} : tensor<4xf32>
func.func @exp(%x: tensor<4xf32>) {
  %y = graph.exp %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @expm1(
// CHECK: graph.expm1 %{{.*}} : tensor<4xf32>
func.func @expm1(%x: tensor<4xf32>) {
  %y = graph.expm1 %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @log(
// CHECK: graph.log %{{.*}} : tensor<4xf32>
func.func @log(%x: tensor<4xf32>) {
  %y = graph.log %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @log1p(
// CHECK: graph.log1p %{{.*}} : tensor<4xf32>
func.func @log1p(%x: tensor<4xf32>) {
  %y = graph.log1p %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @sqrt(
// CHECK: graph.sqrt %{{.*}} : tensor<4xf32>
func.func @sqrt(%x: tensor<4xf32>) {
  %y = graph.sqrt %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @rsqrt(
// CHECK: graph.rsqrt %{{.*}} : tensor<4xf32>
func.func @rsqrt(%x: tensor<4xf32>) {
  %y = graph.rsqrt %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @sin(
// CHECK: graph.sin %{{.*}} : tensor<4xf32>
func.func @sin(%x: tensor<4xf32>) {
  %y = graph.sin %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @cos(
// CHECK: graph.cos %{{.*}} : tensor<4xf32>
func.func @cos(%x: tensor<4xf32>) {
  %y = graph.cos %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @tan(
// CHECK: graph.tan %{{.*}} : tensor<4xf32>
func.func @tan(%x: tensor<4xf32>) {
  %y = graph.tan %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @asin(
// CHECK: graph.asin %{{.*}} : tensor<4xf32>
func.func @asin(%x: tensor<4xf32>) {
  %y = graph.asin %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @acos(
// CHECK: graph.acos %{{.*}} : tensor<4xf32>
func.func @acos(%x: tensor<4xf32>) {
  %y = graph.acos %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @atan(
// CHECK: graph.atan %{{.*}} : tensor<4xf32>
func.func @atan(%x: tensor<4xf32>) {
  %y = graph.atan %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @sinh(
// CHECK: graph.sinh %{{.*}} : tensor<4xf32>
func.func @sinh(%x: tensor<4xf32>) {
  %y = graph.sinh %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @cosh(
// CHECK: graph.cosh %{{.*}} : tensor<4xf32>
func.func @cosh(%x: tensor<4xf32>) {
  %y = graph.cosh %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @tanh(
// CHECK: graph.tanh %{{.*}} : tensor<4xf32>
func.func @tanh(%x: tensor<4xf32>) {
  %y = graph.tanh %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @asinh(
// CHECK: graph.asinh %{{.*}} : tensor<4xf32>
func.func @asinh(%x: tensor<4xf32>) {
  %y = graph.asinh %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @acosh(
// CHECK: graph.acosh %{{.*}} : tensor<4xf32>
func.func @acosh(%x: tensor<4xf32>) {
  %y = graph.acosh %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @atanh(
// CHECK: graph.atanh %{{.*}} : tensor<4xf32>
func.func @atanh(%x: tensor<4xf32>) {
  %y = graph.atanh %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @erf(
// CHECK: graph.erf %{{.*}} : tensor<4xf32>
func.func @erf(%x: tensor<4xf32>) {
  %y = graph.erf %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @sigmoid(
// CHECK: graph.sigmoid %{{.*}} : tensor<4xf32>
func.func @sigmoid(%x: tensor<4xf32>) {
  %y = graph.sigmoid %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @softplus(
// CHECK: graph.softplus %{{.*}} : tensor<4xf32>
func.func @softplus(%x: tensor<4xf32>) {
  %y = graph.softplus %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @softsign(
// CHECK: graph.softsign %{{.*}} : tensor<4xf32>
func.func @softsign(%x: tensor<4xf32>) {
  %y = graph.softsign %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @elu(
// CHECK: graph.elu %{{.*}} : tensor<4xf32>
func.func @elu(%x: tensor<4xf32>) {
  %y = graph.elu %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @selu(
// CHECK: graph.selu %{{.*}} : tensor<4xf32>
func.func @selu(%x: tensor<4xf32>) {
  %y = graph.selu %x : tensor<4xf32>
  return
}

// CHECK-LABEL: @leaky_relu(
// CHECK: graph.leaky_relu %{{.*}} {alpha = 2.000000e-01 : f64} : tensor<4xf32>
func.func @leaky_relu(%x: tensor<4xf32>) {
  %y = graph.leaky_relu %x {alpha = 2.000000e-01 : f64} : tensor<4xf32>
  return
}

// CHECK-LABEL: @atan2(
// CHECK: graph.atan2 %{{.*}}, %{{.*}} : tensor<4xf32>
func.func @atan2(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  %z = graph.atan2 %x, %y : tensor<4xf32>
  return
}

// CHECK-LABEL: @xlogy(
// CHECK: graph.xlogy %{{.*}}, %{{.*}} : tensor<4xf32>
func.func @xlogy(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  %z = graph.xlogy %x, %y : tensor<4xf32>
  return
}

// CHECK-LABEL: @xdivy(
// CHECK: graph.xdivy %{{.*}}, %{{.*}} : tensor<4xf32>
func.func @xdivy(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  %z = graph.xdivy %x, %y : tensor<4xf32>
  return
}

// CHECK-LABEL: @xlog1py(
// CHECK: graph.xlog1py %{{.*}}, %{{.*}} : tensor<4xf32>
func.func @xlog1py(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  %z = graph.xlog1py %x, %y : tensor<4xf32>
  return
}
