// RUN: weir-opt %s -split-input-file --pass-pipeline='builtin.module(func.func(weir-choose-schedules,weir-emit-kernels))' | FileCheck %s

// The kernel broadcasts four bytes of a row for each vector of 32 columns. The last
// four bytes of a row are copied, because the row has only one more byte.
// CHECK-LABEL: func @matmul
// CHECK: vector.maskedload {{.*}} vector<64xi8>
// CHECK: vector.bitcast {{.*}} : vector<64xi8> to vector<16xi32>
// CHECK: memref.load {{.*}} memref<{{.*}}xi32>
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"
// CHECK: arith.maxsi %{{.*}} : vector<16xi32>
// CHECK-NOT: kernel
module attributes {weir.target = #weir.target<features = "+avx512f,+avx512vnni">} {
func.func @matmul(%a: memref<14x65xi8>, %b: memref<1x17x32x4xi8>, %c: memref<14x32xi32>) {
  kernel.matmul ins(%a, %b : memref<14x65xi8>, memref<1x17x32x4xi8>) layout <vnni(32)> outs(%c : memref<14x32xi32>) attributes {unsigned_a} {
  ^bb0(%sum: i32):
    %zero = arith.constant 0 : i32
    %r = arith.maxsi %sum, %zero : i32
    kernel.yield %r : i32
  }
  return
}
}

// -----

// Pixels with three channels are copied with a fourth channel.
// CHECK-LABEL: func @convolution
// CHECK: memref.alloc() {{.*}} : memref<9x9x4xi8>
// CHECK: vector.load {{.*}} vector<4xi8>
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"
// CHECK-NOT: kernel
module attributes {weir.target = #weir.target<features = "+avx512f,+avx512vnni">} {
func.func @convolution(%x: memref<1x9x9x3xi8>, %w: memref<1x3x3x1x32x4xi8>, %y: memref<1x4x4x32xi32>) {
  kernel.convolution ins(%x, %w : memref<1x9x9x3xi8>, memref<1x3x3x1x32x4xi8>) layout <vnni(32)> outs(%y : memref<1x4x4x32xi32>) attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 0, 0>, strides = array<i64: 2, 2>, unsigned_x} {
  ^bb0(%sum: i32):
    kernel.yield %sum : i32
  }
  return
}
}

// -----

// The kernel interleaves the bytes of four rows for each channel, and the fourth row is
// zero. Rows outside of the image are masked.
// CHECK-LABEL: func @depthwise
// CHECK: arith.cmpi ult
// CHECK: vector.maskedload {{.*}} vector<64xi8>
// CHECK: vector.shuffle {{.*}} [0, 64, 1, 65, 2, 66, 3, 67, 4, 68, 5, 69, 6, 70, 7, 71, 16, 80,
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"
// CHECK: vector.shuffle {{.*}} : vector<16xi32>, vector<16xi32>
// CHECK-NOT: kernel
module attributes {weir.target = #weir.target<features = "+avx512f,+avx512vnni">} {
func.func @depthwise(%x: memref<1x8x8x64xi8>, %w: memref<1x3x1x64x4xi8>, %y: memref<1x8x8x64xi32>) {
  kernel.depthwise ins(%x, %w : memref<1x8x8x64xi8>, memref<1x3x1x64x4xi8>) layout <vnni_rows(3)> outs(%y : memref<1x8x8x64xi32>) attributes {dilations = array<i64: 1, 1>, padding = array<i64: 1, 1>, strides = array<i64: 1, 1>, unsigned_x} {
  ^bb0(%sum: i32):
    kernel.yield %sum : i32
  }
  return
}
}

// -----

// Panels widen the bytes, with their signs.
// CHECK-LABEL: func @panels
// CHECK: arith.extsi {{.*}} : vector<16xi8> to vector<16xi32>
// CHECK: arith.extui {{.*}} : i8 to i32
// CHECK-NOT: vpdpbusd
func.func @panels(%a: memref<4x6xi8>, %b: memref<1x6x16xi8>, %c: memref<4x16xi32>) {
  kernel.matmul ins(%a, %b : memref<4x6xi8>, memref<1x6x16xi8>) layout <panels(16)> outs(%c : memref<4x16xi32>) attributes {unsigned_a} {
  ^bb0(%sum: i32):
    kernel.yield %sum : i32
  }
  return
}
