// RUN: weir-opt %s -split-input-file -weir-fuse-epilogues | FileCheck %s

// A bias and a residual become extras, and the ops follow the sum.
// CHECK-DAG: #[[COLUMN:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-DAG: #[[BOTH:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: @chain
func.func @chain(%a: tensor<4x8xf32>, %b: tensor<8x6xf32>, %bias: tensor<6xf32>, %r: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // CHECK: kernel.matmul ins(%arg0, %arg1 : {{.*}}) extras(%arg2, %arg3 : {{.*}}) outs(%{{.*}}) -> tensor<4x6xf32> attributes {extra_maps = [#[[COLUMN]], #[[BOTH]]]}
  // CHECK: ^bb0(%[[SUM:.*]]: f32, %[[E1:.*]]: f32, %[[E2:.*]]: f32):
  // CHECK: %[[V:.*]] = arith.addf %[[SUM]], %[[E1]]
  // CHECK: %[[W:.*]] = arith.mulf %[[V]], %[[E2]]
  // CHECK: kernel.yield %[[W]]
  // CHECK-NOT: linalg.generic
  // CHECK: return
  %e = tensor.empty() : tensor<4x6xf32>
  %c = kernel.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32> {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  %f = tensor.empty() : tensor<4x6xf32>
  %d = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%c, %bias : tensor<4x6xf32>, tensor<6xf32>) outs(%f : tensor<4x6xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %v = arith.addf %x, %y : f32
    linalg.yield %v : f32
  } -> tensor<4x6xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%d, %r : tensor<4x6xf32>, tensor<4x6xf32>) outs(%f : tensor<4x6xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %v = arith.mulf %x, %y : f32
    linalg.yield %v : f32
  } -> tensor<4x6xf32>
  return %g : tensor<4x6xf32>
}

// -----

// The kernel stores a result of another type.
// CHECK-LABEL: @compare
func.func @compare(%a: tensor<4x8xf32>, %b: tensor<8x6xf32>) -> tensor<4x6xi1> {
  // CHECK: kernel.matmul {{.*}} -> tensor<4x6xi1>
  // CHECK: arith.cmpf
  // CHECK: kernel.yield %{{.*}} : i1
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x6xf32>
  %c = kernel.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32> {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  %f = tensor.empty() : tensor<4x6xi1>
  %d = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%c : tensor<4x6xf32>) outs(%f : tensor<4x6xi1>) {
  ^bb0(%x: f32, %o: i1):
    %v = arith.cmpf olt, %x, %zero : f32
    linalg.yield %v : i1
  } -> tensor<4x6xi1>
  return %d : tensor<4x6xi1>
}

// -----

// An epilogue is not fused if another op reads the sums, or if they are read in another
// order.
// CHECK-LABEL: @stays
func.func @stays(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  // CHECK-COUNT-2: linalg.generic
  %e = tensor.empty() : tensor<4x4xf32>
  %c = kernel.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  %d = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%c : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%x: f32, %o: f32):
    %v = arith.negf %x : f32
    linalg.yield %v : f32
  } -> tensor<4x4xf32>
  %m = kernel.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  %n = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%m, %d : tensor<4x4xf32>, tensor<4x4xf32>) outs(%m : tensor<4x4xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %v = arith.addf %x, %y : f32
    linalg.yield %v : f32
  } -> tensor<4x4xf32>
  return %d, %n : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// A product with a dynamic depth keeps it before the extras.
// CHECK-LABEL: @depth
// CHECK: kernel.matmul ins(%{{.*}}) depth(%{{.*}} : tensor<i64>) extras(%{{.*}} : tensor<4x16xf32>) outs
func.func @depth(%a: tensor<4x64xf32>, %b: tensor<64x16xf32>, %n: tensor<i64>, %x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %e = tensor.empty() : tensor<4x16xf32>
  %p = kernel.matmul ins(%a, %b : tensor<4x64xf32>, tensor<64x16xf32>) depth(%n : tensor<i64>) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32> {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%p, %x : tensor<4x16xf32>, tensor<4x16xf32>) outs(%e : tensor<4x16xf32>) {
  ^bb0(%in: f32, %other: f32, %out: f32):
    %0 = arith.addf %in, %other : f32
    linalg.yield %0 : f32
  } -> tensor<4x16xf32>
  return %y : tensor<4x16xf32>
}
