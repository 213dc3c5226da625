// The instruction set of a target decides which instructions kernels have.
// RUN: weir-opt %s -split-input-file --weir-choose-schedules --weir-emit-kernels --weir-expand-math -canonicalize -cse | FileCheck %s

// The wide set has tables of 32 elements in two registers. Tile registers do not change
// this.
// CHECK-LABEL: func @wide_tables
// CHECK-COUNT-6: llvm.call_intrinsic "llvm.x86.avx512.vpermi2var.ps.512"
// CHECK-NOT: llvm.call_intrinsic
module attributes {weir.target = #weir.target<features = "+avx2,+fma,+avx512f,+amx-tile,+amx-bf16">} {
func.func @wide_tables(%x: vector<16xf32>) -> vector<16xf32> {
  %0 = math.erf %x : vector<16xf32>
  return %0 : vector<16xf32>
}
}

// -----

// Without dot-product instructions the wide set has no products of bytes, so codes are
// converted to floats.
// CHECK-LABEL: func @wide
// CHECK-NOT: llvm.call_intrinsic
// CHECK: vector.fma
// CHECK-NOT: llvm.call_intrinsic
// CHECK: return
module attributes {weir.target = #weir.target<features = "+avx2,+avx512f">} {
func.func @wide(%a: memref<1x64xf32>, %w: memref<2x1280xi8>, %c: memref<1x37xf32>) {
  kernel.packed_matmul ins(%a, %w : memref<1x64xf32>, memref<2x1280xi8>) outs(%c : memref<1x37xf32>) attributes {bits = 4 : i64, block = 32 : i64, scale_type = f32, zero = 8 : i64, quantized} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

// aarch64 has the portable ops with any features.
// CHECK-LABEL: func @portable
// CHECK-NOT: llvm.call_intrinsic
// CHECK: vector.fma
// CHECK-NOT: llvm.call_intrinsic
// CHECK: return
module attributes {weir.target = #weir.target<triple = "aarch64-unknown-linux-gnu", features = "+neon,+dotprod,+i8mm,+bf16", vector_bits = 128>} {
func.func @portable(%a: memref<1x64xf32>, %w: memref<2x1280xi8>, %c: memref<1x37xf32>) {
  kernel.packed_matmul ins(%a, %w : memref<1x64xf32>, memref<2x1280xi8>) outs(%c : memref<1x37xf32>) attributes {bits = 4 : i64, block = 32 : i64, scale_type = f32, zero = 8 : i64, quantized} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
}

// -----

// A feature is valid only for its own architecture.
// CHECK-LABEL: func @other_architecture
// CHECK-NOT: llvm.call_intrinsic
// CHECK: return
module attributes {weir.target = #weir.target<triple = "aarch64-unknown-linux-gnu", features = "+avx2,+avx512f">} {
func.func @other_architecture(%x: vector<16xf32>) -> vector<16xf32> {
  %0 = math.erf %x : vector<16xf32>
  return %0 : vector<16xf32>
}
}
