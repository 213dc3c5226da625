// Products with few-bit weights use integers if the model allows the quantization of A.
// RUN: weir-opt %s -split-input-file --weir-choose-schedules --weir-emit-kernels -canonicalize -cse | FileCheck %s

// The scale maps the largest magnitude of a block of A to 127. The bytes have the order
// of the codes that the masks extract. Sums of two products are 16-bit integers, then
// 32-bit ones.
// CHECK-LABEL: func @avx2
// CHECK-DAG: %[[MASK:.*]] = arith.constant dense<252645135> : vector<8xi32>
// CHECK: arith.maximumf
// CHECK: math.roundeven
// CHECK: vector.shuffle %{{.*}} [0, 2, 4, 6, 1, 3, 5, 7] : vector<8xi8>, vector<8xi8>
// CHECK: arith.andi %{{.*}}, %[[MASK]]
// CHECK: llvm.call_intrinsic "llvm.x86.avx2.pmadd.ub.sw"
// CHECK: llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"
// CHECK: arith.sitofp
module attributes {weir.target = #weir.target<features = "+avx2", vector_bits = 256, vector_registers = 16>} {
func.func @avx2(%a: memref<1x64xf32>, %w: memref<2x1280xi8>, %c: memref<1x37xf32>) {
  kernel.packed_matmul ins(%a, %w : memref<1x64xf32>, memref<2x1280xi8>) outs(%c : memref<1x37xf32>) attributes {bits = 4 : i64, block = 32 : i64, scale_type = f32, zero = 8 : i64, quantized} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

// AVX-512 VNNI multiplies and adds four bytes in one instruction.
// CHECK-LABEL: func @dots
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"
// CHECK-NOT: pmadd
module attributes {weir.target = #weir.target<features = "+avx512f,+avx512vnni">} {
func.func @dots(%a: memref<1x64xf32>, %w: memref<2x1280xi8>, %c: memref<1x37xf32>) {
  kernel.packed_matmul ins(%a, %w : memref<1x64xf32>, memref<2x1280xi8>) outs(%c : memref<1x37xf32>) attributes {bits = 4 : i64, block = 32 : i64, scale_type = f32, zero = 8 : i64, quantized} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

// Other targets convert the codes to f32.
// CHECK-LABEL: func @floats
// CHECK-NOT: call_intrinsic
// CHECK: vector.fma
module attributes {weir.target = #weir.target<vector_bits = 128, vector_registers = 16>} {
func.func @floats(%a: memref<1x64xf32>, %w: memref<2x1280xi8>, %c: memref<1x37xf32>) {
  kernel.packed_matmul ins(%a, %w : memref<1x64xf32>, memref<2x1280xi8>) outs(%c : memref<1x37xf32>) attributes {bits = 4 : i64, block = 32 : i64, scale_type = f32, zero = 8 : i64, quantized} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}
