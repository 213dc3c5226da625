// RUN: weir-opt %s -split-input-file -weir-block-attention -canonicalize -cse | FileCheck %s

// Many batches of several blocks: right sides are packed once a batch, and the
// rows in between are those of a block, exponentials in the place of scores. Rows
// of a power of two are a line further apart, or they would share sets of L1.
// CHECK-LABEL: func @batches
// CHECK-SAME: (%[[Q:.*]]: memref<9x256x8xf32>, %[[K:.*]]: memref<9x4096x8xf32>, %[[V:.*]]: memref<9x4096x8xf32>, %[[O:.*]]: memref<9x256x8xf32>)
// CHECK: kernel.parts 9
// CHECK-DAG: %[[APART:.*]] = memref.alloc() {alignment = 64 : i64} : memref<1x[[ROWS:[0-9]+]]x4112xf32>
// CHECK-DAG: %[[S:.*]] = memref.subview %[[APART]][0, 0, 0] [1, [[ROWS]], 4096] [1, 1, 1]
// CHECK-DAG: %[[SUM:.*]] = memref.alloc() {alignment = 64 : i64} : memref<1x[[ROWS]]xf32>
// CHECK-NOT: memref.alloc() {{.*}}x4{{[0-9]*}}xf32>
// CHECK: %[[PACKED:.*]] = memref.alloc() {alignment = 64 : i64} : memref<1x256x8x16xf32>
// CHECK: kernel.pack ins(%{{.*}}) outs(%[[PACKED]] : {{.*}}) {transpose_b}
// CHECK: scf.for
// CHECK: kernel.matmul ins(%{{.*}}, %[[PACKED]] : {{.*}}) outs(%[[S]]
// CHECK: arith.mulf
// CHECK: linalg.fill ins(%{{.*}}) outs(%[[SUM]]
// CHECK: linalg.generic {{.*}} ins(%[[S]] : {{.*}}) outs(%[[S]], %[[SUM]] :
// CHECK: kernel.matmul ins(%[[S]], %{{.*}})
// CHECK-NOT: kernel.matmul
// CHECK: return
func.func @batches(%q: memref<9x256x8xf32>, %k: memref<9x4096x8xf32>, %v: memref<9x4096x8xf32>, %o: memref<9x256x8xf32>) attributes {weir.kernel} {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %packed = memref.alloc() : memref<9x256x8x16xf32>
  kernel.pack ins(%k : memref<9x4096x8xf32>) layout <panels(16)> outs(%packed : memref<9x256x8x16xf32>) {transpose_b}
  %s = memref.alloc() : memref<9x256x4096xf32>
  kernel.matmul ins(%q, %packed : memref<9x256x8xf32>, memref<9x256x8x16xf32>) layout <panels(16)> outs(%s : memref<9x256x4096xf32>) {
  ^bb0(%a: f32):
    %0 = arith.mulf %a, %half : f32
    kernel.yield %0 : f32
  }
  %sum = memref.alloc() : memref<9x256xf32>
  linalg.fill ins(%zero : f32) outs(%sum : memref<9x256xf32>)
  %p = memref.alloc() : memref<9x256x4096xf32>
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%s : memref<9x256x4096xf32>) outs(%p, %sum : memref<9x256x4096xf32>, memref<9x256xf32>) {
  ^bb0(%in: f32, %out: f32, %total: f32):
    %0 = math.exp %in : f32
    %1 = arith.addf %total, %0 : f32
    linalg.yield %0, %1 : f32, f32
  }
  kernel.matmul ins(%p, %v : memref<9x256x4096xf32>, memref<9x4096x8xf32>) outs(%o : memref<9x256x8xf32>) {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  }
  return
}

// -----

// Few batches: blocks are shared, the last with fewer rows, and what was packed
// for all of them stays so. Extras are those of the rows at hand.
// CHECK-LABEL: func @blocks
// CHECK: kernel.pack ins(%{{.*}} : memref<100x512xf32>)
// CHECK: kernel.parts 4
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<25x528xf32>
// CHECK: scf.if
// CHECK: kernel.matmul {{.*}} extras(%{{.*}}, %{{.*}} : memref<25x512xf32, strided<[512, 1], offset: ?>>, memref<512xf32, strided<[1]>>) outs(%{{.*}} : memref<25x512xf32, strided<[528, 1]>>)
// CHECK: kernel.matmul {{.*}} extras(%{{.*}} : memref<25x1xf32, {{.*}}>)
// CHECK: else
// CHECK: outs(%{{.*}} : memref<22x512xf32
func.func @blocks(%q: memref<97x100xf32>, %k: memref<100x512xf32>, %v: memref<512x40xf32>, %m: memref<97x512xf32>, %n: memref<512xf32>, %r: memref<97x1xf32>, %o: memref<97x40xf32>) attributes {weir.kernel} {
  %packed = memref.alloc() : memref<32x100x16xf32>
  kernel.pack ins(%k : memref<100x512xf32>) layout <panels(16)> outs(%packed : memref<32x100x16xf32>)
  %s = memref.alloc() : memref<97x512xf32>
  kernel.matmul ins(%q, %packed : memref<97x100xf32>, memref<32x100x16xf32>) layout <panels(16)> extras(%m, %n : memref<97x512xf32>, memref<512xf32>) outs(%s : memref<97x512xf32>) attributes {extra_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>]} {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.addf %a, %b : f32
    %1 = arith.mulf %0, %c : f32
    kernel.yield %1 : f32
  }
  %p = memref.alloc() : memref<97x512xf32>
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%s : memref<97x512xf32>) outs(%p : memref<97x512xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.exp %in : f32
    linalg.yield %0 : f32
  }
  kernel.matmul ins(%p, %v : memref<97x512xf32>, memref<512x40xf32>) extras(%r : memref<97x1xf32>) outs(%o : memref<97x40xf32>) attributes {extra_maps = [affine_map<(d0, d1) -> (d0, 0)>]} {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.mulf %a, %b : f32
    kernel.yield %0 : f32
  }
  return
}

// -----

// Rows that depend on other rows, here on those before them, stay.
// CHECK-LABEL: func @other_rows
// CHECK-NOT: scf.for
// CHECK: memref.alloc() : memref<64x64xf32>
func.func @other_rows(%q: memref<64x8xf32>, %k: memref<8x64xf32>, %v: memref<64x8xf32>, %o: memref<64x8xf32>) attributes {weir.kernel} {
  %s = memref.alloc() : memref<64x64xf32>
  kernel.matmul ins(%q, %k : memref<64x8xf32>, memref<8x64xf32>) outs(%s : memref<64x64xf32>) {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  }
  %p = memref.alloc() : memref<64x64xf32>
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%s : memref<64x64xf32>) outs(%p : memref<64x64xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  kernel.matmul ins(%p, %v : memref<64x64xf32>, memref<64x8xf32>) outs(%o : memref<64x8xf32>) {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  }
  return
}

// -----

// So do rows that something else reads.
// CHECK-LABEL: func @read_again
// CHECK-NOT: scf.for
// CHECK: memref.alloc() : memref<64x64xf32>
func.func @read_again(%q: memref<64x8xf32>, %k: memref<8x64xf32>, %v: memref<64x8xf32>, %o: memref<64x8xf32>, %w: memref<64x64xf32>) attributes {weir.kernel} {
  %s = memref.alloc() : memref<64x64xf32>
  kernel.matmul ins(%q, %k : memref<64x8xf32>, memref<8x64xf32>) outs(%s : memref<64x64xf32>) {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  }
  kernel.matmul ins(%s, %v : memref<64x64xf32>, memref<64x8xf32>) outs(%o : memref<64x8xf32>) {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  }
  memref.copy %s, %w : memref<64x64xf32> to memref<64x64xf32>
  return
}

// -----

// A right side that is made in between is needed whole, though it has as many
// rows as there are scores.
// CHECK-LABEL: func @right_side
// CHECK-NOT: scf.for
// CHECK: memref.alloc() : memref<64x64xf32>
func.func @right_side(%q: memref<64x8xf32>, %k: memref<8x64xf32>, %v: memref<64x8xf32>, %o: memref<64x8xf32>) attributes {weir.kernel} {
  %s = memref.alloc() : memref<64x64xf32>
  kernel.matmul ins(%q, %k : memref<64x8xf32>, memref<8x64xf32>) outs(%s : memref<64x64xf32>) {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  }
  %w = memref.alloc() : memref<64x8xf32>
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%v : memref<64x8xf32>) outs(%w : memref<64x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.negf %in : f32
    linalg.yield %0 : f32
  }
  kernel.matmul ins(%s, %w : memref<64x64xf32>, memref<64x8xf32>) outs(%o : memref<64x8xf32>) {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  }
  return
}

// -----

// Over a dynamic length the first product ends at so many columns, and the
// second at this depth.
// CHECK-LABEL: func @dynamic
// CHECK: kernel.matmul {{.*}} attributes {weir.ends_columns}
// CHECK: linalg.generic
// CHECK: kernel.matmul {{.*}} depth(%arg3 : memref<i64>)
func.func @dynamic(%q: memref<128x8xf32>, %k: memref<8x64xf32>, %v: memref<64x8xf32>, %n: memref<i64>, %o: memref<128x8xf32>) attributes {weir.kernel, weir.columns = 3 : i64} {
  %s = memref.alloc() : memref<128x64xf32>
  kernel.matmul ins(%q, %k : memref<128x8xf32>, memref<8x64xf32>) outs(%s : memref<128x64xf32>) {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  }
  %p = memref.alloc() : memref<128x64xf32>
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%s : memref<128x64xf32>) outs(%p : memref<128x64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.exp %in : f32
    linalg.yield %0 : f32
  }
  kernel.matmul ins(%p, %v : memref<128x64xf32>, memref<64x8xf32>) depth(%n : memref<i64>) outs(%o : memref<128x8xf32>) {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  }
  return
}
