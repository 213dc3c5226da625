// RUN: weir-opt %s -weir-lower-custom | FileCheck %s

// A custom op is called once per part, with structures on the stack. Equal shapes share
// their data, and a function is declared once.
// CHECK-DAG: llvm.func @my_swish(!llvm.ptr) -> i32
// CHECK-DAG: llvm.mlir.global internal constant @weir_custom_shape_4_3(dense<[4, 3]> : tensor<2xi64>)
// CHECK-LABEL: @custom
// CHECK: %[[IN:.*]] = bufferization.to_memref %{{.*}} read_only : memref<4x3xf32>
// CHECK: %[[OUT:.*]] = memref.alloc() {alignment = 64 : i64} : memref<4x3xf32>
// CHECK: %[[STATUS:.*]] = memref.alloc() {alignment = 64 : i64} : memref<2xi32>
// CHECK: kernel.parallel 2
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<64xi8>
// CHECK: %[[X:.*]] = builtin.unrealized_conversion_cast %[[IN]]
// CHECK: llvm.extractvalue %[[X]][1]
// CHECK: %[[Y:.*]] = builtin.unrealized_conversion_cast %[[OUT]]
// CHECK: llvm.extractvalue %[[Y]][1]
// CHECK: scf.for %[[PART:.*]] =
// CHECK: %[[CODE:.*]] = llvm.call @my_swish(
// CHECK: memref.store %[[CODE]], %[[STATUS]][%[[PART]]]
// CHECK: bufferization.to_tensor %[[OUT]] restrict writable
func.func @custom(%x: tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<2xi32>) {
  %y, %failed = graph.custom "my_swish"(%x) parts 2 scratch 64 dtypes [3, 3] : (tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<2xi32>)
  return %y, %failed : tensor<4x3xf32>, tensor<2xi32>
}

// Without scratch memory the pointer is null.
// CHECK-LABEL: @bare
// CHECK: scf.for
// CHECK: llvm.mlir.zero : !llvm.ptr
// CHECK: llvm.call @my_swish(
func.func @bare(%x: tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<1xi32>) {
  %y, %failed = graph.custom "my_swish"(%x) parts 1 scratch 0 dtypes [3, 3] : (tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<1xi32>)
  return %y, %failed : tensor<4x3xf32>, tensor<1xi32>
}
