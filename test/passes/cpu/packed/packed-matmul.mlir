// Products with few-bit weights, which are unpacked in registers.
// RUN: weir-opt %s -split-input-file --weir-choose-schedules --weir-emit-kernels -canonicalize -cse | FileCheck %s

// The masks leave some codes too large by a power of two, so A is divided by it. Each
// chain begins with the correction for the common zero point. Each 32-bit word of four
// columns is masked, converted and multiplied, and then scaled.
// CHECK-LABEL: func @row
// CHECK-DAG: %[[POWERS:.*]] = arith.constant dense<[1.000000e+00, 6.250000e-02, 3.906250e-03, 2.44140625E-4{{.*}}]> : vector<8xf32>
// CHECK-DAG: %[[LESS:.*]] = arith.constant -8.000000e+00 : f32
// CHECK-DAG: %[[MASK:.*]] = arith.constant dense<15> : vector<8xi32>
// CHECK-DAG: %[[SECOND:.*]] = arith.constant dense<240> : vector<8xi32>
// CHECK: arith.mulf %{{.*}}, %[[POWERS]] : vector<8xf32>
// CHECK: arith.mulf %{{.*}}, %[[LESS]] : f32
// CHECK: vector.load %{{.*}} : memref<2x1280xi8>, vector<32xi8>
// CHECK: arith.andi %{{.*}}, %[[MASK]]
// CHECK: arith.sitofp
// CHECK: vector.fma
// CHECK: arith.andi %{{.*}}, %[[SECOND]]
// CHECK: arith.shrui
// CHECK: vector.maskedstore
// CHECK-NOT: kernel.packed_matmul
module attributes {weir.target = #weir.target<vector_bits = 256, vector_registers = 16>} {
func.func @row(%a: memref<1x64xf32>, %w: memref<2x1280xi8>, %c: memref<1x37xf32>) {
  kernel.packed_matmul ins(%a, %w : memref<1x64xf32>, memref<2x1280xi8>) outs(%c : memref<1x37xf32>) attributes {bits = 4 : i64, block = 32 : i64, scale_type = f32, zero = 8 : i64} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

// Threads share chunks of panels, with tiles of rows inside. The zero points of blocks
// are bytes, and 16 bits have two 8-bit codes.
// CHECK-LABEL: func @rows
// CHECK: kernel.parallel 32 {
// CHECK: vector.load %{{.*}} : memref<32x17664xi8>, vector<16xi8>
// CHECK: arith.extui %{{.*}} : vector<16xi8> to vector<16xi32>
// CHECK: arith.andi %{{.*}} : vector<16xi32>
// CHECK-NOT: kernel.packed_matmul
func.func @rows(%a: memref<9x512xf32>, %w: memref<32x17664xi8>, %c: memref<9x1024xf32>) {
  kernel.packed_matmul ins(%a, %w : memref<9x512xf32>, memref<32x17664xi8>) outs(%c : memref<9x1024xf32>) attributes {bits = 8 : i64, block = 64 : i64, scale_type = f32} {
  ^bb0(%sum: f32):
    %r = math.absf %sum : f32
    kernel.yield %r : f32
  }
  return
}
