// RUN: weir-opt %s -split-input-file -weir-block-attention -canonicalize -cse | FileCheck %s

// There are many batches of several blocks. The right operands are packed once per
// batch. The buffers between the products have the rows of one block, and the
// exponentials and weights overwrite the scores. A row has one more cache line if its
// size is a power of two, because the rows would otherwise share sets of L1.
// CHECK-LABEL: func @batches
// CHECK-SAME: (%[[Q:.*]]: memref<9x256x8xf32>, %[[K:.*]]: memref<9x4096x8xf32>, %[[V:.*]]: memref<9x4096x8xf32>, %[[O:.*]]: memref<9x256x8xf32>)
// CHECK: kernel.parallel 9
// CHECK-DAG: %[[APART:.*]] = memref.alloc() {alignment = 64 : i64} : memref<1x[[ROWS:[0-9]+]]x4112xf32>
// CHECK-DAG: %[[S:.*]] = memref.subview %[[APART]][0, 0, 0] [1, [[ROWS]], 4096] [1, 1, 1]
// CHECK-DAG: %[[SUM:.*]] = memref.alloc() {alignment = 64 : i64} : memref<1x[[ROWS]]xf32>
// CHECK-DAG: %[[MAX:.*]] = memref.alloc() {alignment = 64 : i64} : memref<1x[[ROWS]]xf32>
// CHECK-NOT: memref.alloc() {{.*}}x4{{[0-9]*}}xf32>
// CHECK: %[[PACKED:.*]] = memref.alloc() {alignment = 64 : i64} : memref<1x256x8x16xf32>
// CHECK: kernel.pack ins(%{{.*}}) layout <panels(16)> outs(%[[PACKED]] : {{.*}}) {transpose_b}
// CHECK: scf.for
// CHECK: kernel.matmul ins(%{{.*}}, %[[PACKED]] : {{.*}}) layout <panels(16)> outs(%[[S]]
// CHECK: arith.mulf
// CHECK: linalg.generic {{.*}} ins(%[[S]] : {{.*}}) outs(%{{.*}} : memref<1x[[ROWS]]xf32>)
// CHECK: arith.maxnumf
// CHECK: linalg.generic {{.*}} ins(%[[S]], %{{.*}} : {{.*}}) outs(%[[S]], %{{.*}} :
// CHECK: math.exp {{.*}} {weir.nonpositive}
// CHECK: linalg.generic {{.*}} ins(%[[S]], %{{.*}} : {{.*}}) outs(%[[S]] :
// CHECK: arith.divf
// CHECK: kernel.matmul ins(%[[S]], %{{.*}})
// CHECK-NOT: kernel.matmul
// CHECK: return
func.func @batches(%q: memref<9x256x8xf32>, %k: memref<9x4096x8xf32>, %v: memref<9x4096x8xf32>, %o: memref<9x256x8xf32>) attributes {weir.kernel} {
  %half = arith.constant 0.5 : f32
  %packed = memref.alloc() : memref<9x256x8x16xf32>
  kernel.pack ins(%k : memref<9x4096x8xf32>) layout <panels(16)> outs(%packed : memref<9x256x8x16xf32>) {transpose_b}
  kernel.attention ins(%q, %packed, %v : memref<9x256x8xf32>, memref<9x256x8x16xf32>, memref<9x4096x8xf32>) k_layout <panels(16)> outs(%o : memref<9x256x8xf32>) scores {
  ^bb0(%a: f32):
    %0 = arith.mulf %a, %half : f32
    kernel.yield %0 : f32
  } weights {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  } epilogue {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  }
  return
}

// -----

// There are few batches, so threads share blocks, and the last block has fewer rows.
// All blocks use the same packed operands. Extras are views of the block's rows.
// CHECK-LABEL: func @blocks
// CHECK: kernel.pack ins(%{{.*}} : memref<100x512xf32>)
// CHECK: kernel.parallel 4
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<25x528xf32>
// CHECK: scf.if
// CHECK: kernel.matmul {{.*}} extras(%{{.*}}, %{{.*}} : memref<25x512xf32, strided<[512, 1], offset: ?>>, memref<512xf32, strided<[1]>>) outs(%{{.*}} : memref<25x512xf32, strided<[528, 1]>>)
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}}, %{{.*}} : memref<25x512xf32, strided<[528, 1]>>, memref<25xf32{{.*}}>, memref<25x512xf32, strided<[512, 1], offset: ?>>)
// CHECK: kernel.matmul {{.*}} extras(%{{.*}} : memref<25x1xf32, {{.*}}>)
// CHECK: else
// CHECK: outs(%{{.*}} : memref<22x512xf32
func.func @blocks(%q: memref<97x100xf32>, %k: memref<100x512xf32>, %v: memref<512x40xf32>, %m: memref<97x512xf32>, %n: memref<512xf32>, %r: memref<97x1xf32>, %o: memref<97x40xf32>) attributes {weir.kernel} {
  %packed = memref.alloc() : memref<32x100x16xf32>
  kernel.pack ins(%k : memref<100x512xf32>) layout <panels(16)> outs(%packed : memref<32x100x16xf32>)
  kernel.attention ins(%q, %packed, %v : memref<97x100xf32>, memref<32x100x16xf32>, memref<512x40xf32>) k_layout <panels(16)> score_extras(%m, %n : memref<97x512xf32>, memref<512xf32>) weight_extras(%m : memref<97x512xf32>) extras(%r : memref<97x1xf32>) outs(%o : memref<97x40xf32>) attributes {score_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>], weight_maps = [affine_map<(d0, d1) -> (d0, d1)>], extra_maps = [affine_map<(d0, d1) -> (d0, 0)>]} scores {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.addf %a, %b : f32
    %1 = arith.mulf %0, %c : f32
    kernel.yield %1 : f32
  } weights {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.mulf %a, %b : f32
    kernel.yield %0 : f32
  } epilogue {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.mulf %a, %b : f32
    kernel.yield %0 : f32
  }
  return
}

// -----

// The exponentials of f16 scores are f32, in their own buffer, and so are the weights.
// CHECK-LABEL: func @f16
// CHECK: kernel.parallel
// CHECK: %[[W:.*]] = memref.alloc() {alignment = 64 : i64} : memref<32x96xf16>
// CHECK: %[[P:.*]] = memref.alloc() {alignment = 64 : i64} : memref<32x96xf32>
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<32x96xf16>
// CHECK: linalg.generic {{.*}} ins(%[[P]], %{{.*}}) outs(%[[W]] :
// CHECK: arith.truncf
// CHECK: kernel.matmul ins(%[[W]], %
func.func @f16(%q: memref<64x8xf16>, %k: memref<8x96xf16>, %v: memref<96x8xf16>, %o: memref<64x8xf16>) attributes {weir.kernel} {
  kernel.attention ins(%q, %k, %v : memref<64x8xf16>, memref<8x96xf16>, memref<96x8xf16>) outs(%o : memref<64x8xf16>) scores {
  ^bb0(%a: f32):
    %0 = arith.truncf %a : f32 to f16
    kernel.yield %0 : f16
  } weights {
  ^bb0(%a: f32):
    %0 = arith.truncf %a : f32 to f16
    kernel.yield %0 : f16
  } epilogue {
  ^bb0(%a: f32):
    %0 = arith.truncf %a : f32 to f16
    kernel.yield %0 : f16
  }
  return
}

// -----

// The result of a row that the mask hides entirely is zero: the maximum begins with the
// lowest number, and a sum of 0 is divided by 1. The flags are those of the softmax.
// CHECK-LABEL: func @masked
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-DAG: %[[LOWEST:.*]] = arith.constant -3.40282347E+38 : f32
// CHECK: linalg.fill ins(%[[LOWEST]] :
// CHECK: arith.maxnumf %{{.*}}, %{{.*}} fastmath<contract>
// CHECK: %[[NONE:.*]] = arith.cmpf oeq, %[[SUM:.*]], %[[ZERO]] fastmath<contract>
// CHECK: %[[DIVISOR:.*]] = arith.select %[[NONE]], %[[ONE]], %[[SUM]]
// CHECK: arith.divf %[[ONE]], %[[DIVISOR]] fastmath<contract>
func.func @masked(%q: memref<64x8xf32>, %k: memref<8x64xf32>, %v: memref<64x8xf32>, %o: memref<64x8xf32>) attributes {weir.kernel} {
  kernel.attention ins(%q, %k, %v : memref<64x8xf32>, memref<8x64xf32>, memref<64x8xf32>) outs(%o : memref<64x8xf32>) attributes {masked, fastmath = #arith.fastmath<contract>} scores {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  } weights {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  } epilogue {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  }
  return
}

// -----

// With a dynamic length, the first product has only the actual columns, and the second
// one the actual depth.
// CHECK-LABEL: func @dynamic
// CHECK: kernel.matmul {{.*}} attributes {weir.ends_columns}
// CHECK: linalg.generic
// CHECK: kernel.matmul {{.*}} depth(%arg3 : memref<i64>)
func.func @dynamic(%q: memref<128x8xf32>, %k: memref<8x64xf32>, %v: memref<64x8xf32>, %n: memref<i64>, %o: memref<128x8xf32>) attributes {weir.kernel, weir.columns = 3 : i64} {
  kernel.attention ins(%q, %k, %v : memref<128x8xf32>, memref<8x64xf32>, memref<64x8xf32>) columns(%n : memref<i64>) outs(%o : memref<128x8xf32>) scores {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  } weights {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  } epilogue {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  }
  return
}
