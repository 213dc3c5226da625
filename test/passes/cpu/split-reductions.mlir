// RUN: weir-opt %s --split-input-file --weir-split-reductions --canonicalize | FileCheck %s

// A sum of all elements: each work item sums its rows, and a loop adds these sums.
// CHECK-LABEL: func.func private @all
// CHECK: %[[SUMS:.*]] = memref.alloc() {{.*}} : memref<32xf32>
// CHECK: kernel.parallel 32 {
// CHECK: ^bb0(%[[FIRST:.*]]: index, %[[LAST:.*]]: index, %{{.*}}: index):
// CHECK: scf.for %[[G:.*]] = %[[FIRST]] to %[[LAST]]
// CHECK: %[[ROW:.*]] = arith.muli %[[G]], %c32
// CHECK: %[[OWN:.*]] = memref.subview %[[SUMS]][%[[G]]] [1] [1] : memref<32xf32> to memref<f32
// CHECK: linalg.fill ins(%cst : f32) outs(%[[OWN]]
// CHECK: %[[ROWS:.*]] = memref.subview %arg0[%[[ROW]], 0] [32, 1024] [1, 1]
// CHECK: linalg.generic {{.*}} iterator_types = ["reduction", "reduction"]} ins(%[[ROWS]] : {{.*}}) outs(%[[OWN]]
// CHECK: linalg.generic {{.*}} iterator_types = ["reduction"]} ins(%[[SUMS]] : memref<32xf32>) outs(%arg1 : memref<f32>)
// CHECK: ^bb0(%[[IN:.*]]: f32, %[[OUT:.*]]: f32):
// CHECK: arith.addf %[[OUT]], %[[IN]] fastmath<contract>
func.func private @all(%x: memref<1024x1024xf32>, %y: memref<f32>) attributes {weir.kernel} {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>], iterator_types = ["reduction", "reduction"]} ins(%x : memref<1024x1024xf32>) outs(%y : memref<f32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %out, %in fastmath<contract> : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// There are few parallel elements, and the last work item has fewer elements. The
// longer dimension is divided into whole vectors. A maximum of floats begins with minus
// infinity.
// CHECK-LABEL: func.func private @few
// CHECK-DAG: arith.constant 0xFF800000 : f32
// CHECK: memref.alloc() {{.*}} : memref<[[N:[0-9]+]]x3xf32>
// CHECK: kernel.parallel [[N]] {
// CHECK: memref.subview %{{.*}}[%{{.*}}, 0] [1, 3] [1, 1]
// CHECK: memref.subview %arg0[0, 0, %{{.*}}] [3, 2, [[SIZE:[0-9]+]]]
// CHECK: memref.subview %arg0[0, 0, {{[0-9]+}}] [3, 2, {{[0-9]+}}]
// CHECK: linalg.generic {{.*}} iterator_types = ["reduction", "parallel"]} ins(%{{.*}} : memref<[[N]]x3xf32>) outs(%arg1 : memref<3xf32>)
// CHECK: arith.maxnumf
func.func private @few(%x: memref<3x2x100003xf32>, %y: memref<3xf32>) attributes {weir.kernel} {
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0)>], iterator_types = ["parallel", "reduction", "reduction"]} ins(%x : memref<3x2x100003xf32>) outs(%y : memref<3xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.maxnumf %out, %in : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// A reduction with enough parallel rows for threads stays, and so does a short one. An
// op that is no accumulation stays, too.
// CHECK-LABEL: func.func private @rows
// CHECK-NOT: kernel.parallel
// CHECK: return
func.func private @rows(%x: memref<8x131072xf32>, %y: memref<8xf32>, %few: memref<64x64xf32>, %z: memref<f32>) attributes {weir.kernel} {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%x : memref<8x131072xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %out, %in : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>], iterator_types = ["reduction", "reduction"]} ins(%few : memref<64x64xf32>) outs(%z : memref<f32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %out, %in : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>], iterator_types = ["reduction", "reduction"]} ins(%x : memref<8x131072xf32>) outs(%z : memref<f32>) {
  ^bb0(%in: f32, %out: f32):
    %t = arith.mulf %out, %out : f32
    %s = arith.addf %t, %in : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// These reductions stay: one reads its result, one gives each work item some elements
// of its result, and one reduces indices, whose least value has no width.
// CHECK-LABEL: func.func private @others
// CHECK-NOT: kernel.parallel
// CHECK: return
func.func private @others(%x: memref<1024x1024xf32>, %y: memref<f32>, %wide: memref<64x16384xf32>, %sums: memref<64xf32>, %i: memref<1048576xindex>, %most: memref<index>) attributes {weir.kernel} {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>, affine_map<(d0, d1) -> ()>], iterator_types = ["reduction", "reduction"]} ins(%x, %y : memref<1024x1024xf32>, memref<f32>) outs(%y : memref<f32>) {
  ^bb0(%in: f32, %before: f32, %out: f32):
    %t = arith.mulf %in, %before : f32
    %s = arith.addf %out, %t : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["reduction", "reduction"]} ins(%wide : memref<64x16384xf32>) outs(%sums : memref<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %out, %in : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]} ins(%i : memref<1048576xindex>) outs(%most : memref<index>) {
  ^bb0(%in: index, %out: index):
    %s = arith.maxsi %out, %in : index
    linalg.yield %s : index
  }
  return
}

// -----

// No sum over rows is one long chain of additions: every 64 rows have their own sums,
// and so do the last few. Threads share nothing, because there is too little work.
// CHECK-LABEL: func.func private @chains
// CHECK-NOT: kernel.parallel
// CHECK: %[[SUMS:.*]] = memref.alloc() {{.*}} : memref<5x40xf32>
// CHECK: scf.for %[[G:.*]] = %c0 to %c4
// CHECK: %[[OWN:.*]] = memref.subview %[[SUMS]][%[[G]], 0] [1, 40] [1, 1]
// CHECK: linalg.fill ins(%cst : f32) outs(%[[OWN]]
// CHECK: %[[ROWS:.*]] = memref.subview %arg0[%{{.*}}, 0] [64, 40] [1, 1]
// CHECK: linalg.generic {{.*}} ins(%[[ROWS]] : {{.*}}) outs(%[[OWN]]
// CHECK: memref.subview %arg0[256, 0] [44, 40] [1, 1]
// CHECK: linalg.generic {{.*}} iterator_types = ["reduction", "parallel"]} ins(%[[SUMS]] : memref<5x40xf32>) outs(%arg1 : memref<40xf32>)
func.func private @chains(%x: memref<300x40xf32>, %y: memref<40xf32>) attributes {weir.kernel} {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>], iterator_types = ["reduction", "parallel"]} ins(%x : memref<300x40xf32>) outs(%y : memref<40xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %out, %in : f32
    linalg.yield %s : f32
  }
  return
}
// These reductions keep one sum: a short reduction, a maximum, which rounds nothing,
// and one with many results, whose partial sums would leave the caches.
// CHECK-LABEL: func.func private @no_chains
// CHECK-NOT: memref.alloc
// CHECK: return
func.func private @no_chains(%x: memref<300x40xf32>, %y: memref<40xf32>, %short: memref<128x40xf32>, %wide: memref<300x40000xf32>, %z: memref<40000xf32>) attributes {weir.kernel} {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>], iterator_types = ["reduction", "parallel"]} ins(%short : memref<128x40xf32>) outs(%y : memref<40xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %out, %in : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>], iterator_types = ["reduction", "parallel"]} ins(%x : memref<300x40xf32>) outs(%y : memref<40xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.maximumf %out, %in : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>], iterator_types = ["reduction", "parallel"]} ins(%wide : memref<300x40000xf32>) outs(%z : memref<40000xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %out, %in : f32
    linalg.yield %s : f32
  }
  return
}
