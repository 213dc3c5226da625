// RUN: weir-opt %s -split-input-file -weir-choose-layouts -weir-pack-weights | FileCheck %s

// Both tasks have a constant operand, so the kernel reads its panels.
// CHECK-LABEL: func.func @entry
// CHECK-NEXT: %[[P:.*]] = graph.constant dense_resource<[[R1:packed.*]]> : tensor<2x2x2xf32>
// CHECK-NEXT: %[[Q:.*]] = graph.constant dense_resource<[[R2:packed.*]]> : tensor<2x2x2xf32>
// CHECK-NEXT: plan.task @kernel_0(%{{.*}}, %[[P]])
// CHECK-NEXT: plan.task @kernel_0(%{{.*}}, %[[Q]])
// CHECK: func.func private @kernel_0(%arg0: tensor<4x2xf32>, %[[W:.*]]: tensor<2x2x2xf32> {weir.constant})
// CHECK-NOT: kernel.pack
// CHECK: kernel.matmul ins(%arg0, %[[W]] : tensor<4x2xf32>, tensor<2x2x2xf32>) layout <panels(2)>
// The panels are 1 2 | 4 5, then 3 0 | 6 0.
// CHECK-DAG: [[R1]]: "0x400000000000803F00000040000080400000A04000004040000000000000C04000000000"
// CHECK-DAG: [[R2]]: "0x400000000000E0400000E0400000E0400000E0400000E040000000000000E04000000000"
func.func @entry(%x: tensor<4x2xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>) attributes {weir.entry = "serve"} {
  %w = graph.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %v = graph.constant dense<7.0> : tensor<2x3xf32>
  %y = plan.task @kernel_0(%x, %w) : (tensor<4x2xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  %z = plan.task @kernel_0(%x, %v) : (tensor<4x2xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  return %y, %z : tensor<4x3xf32>, tensor<4x3xf32>
}
func.func private @kernel_0(%a: tensor<4x2xf32>, %w: tensor<2x3xf32> {weir.constant}) -> tensor<4x3xf32> attributes {weir.kernel} {
  %e = tensor.empty() : tensor<2x2x2xf32>
  %p = kernel.pack ins(%w : tensor<2x3xf32>) layout <panels(2)> outs(%e : tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
  %c = tensor.empty() : tensor<4x3xf32>
  %y = kernel.matmul ins(%a, %p : tensor<4x2xf32>, tensor<2x2x2xf32>) layout <panels(2)> outs(%c : tensor<4x3xf32>) -> tensor<4x3xf32> {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return %y : tensor<4x3xf32>
}

// -----

// The columns of a transposed matrix are rows in memory.
// CHECK-LABEL: func.func @transposed
// CHECK: plan.task @kernel_0(%{{.*}} : (tensor<2x2x2xi8>)
// CHECK: [[R1:packed.*]]: "0x400000000102040503000600"
func.func @transposed() -> tensor<2x2x2xi8> attributes {weir.entry = "serve"} {
  %w = graph.constant dense<[[1, 4], [2, 5], [3, 6]]> : tensor<3x2xi8>
  %y = plan.task @kernel_0(%w) : (tensor<3x2xi8>) -> tensor<2x2x2xi8>
  return %y : tensor<2x2x2xi8>
}
func.func private @kernel_0(%w: tensor<3x2xi8>) -> tensor<2x2x2xi8> attributes {weir.kernel} {
  %e = tensor.empty() : tensor<2x2x2xi8>
  %p = kernel.pack ins(%w : tensor<3x2xi8>) layout <panels(2)> outs(%e : tensor<2x2x2xi8>) -> tensor<2x2x2xi8> {transpose_b}
  return %p : tensor<2x2x2xi8>
}

// -----

// The filter has two groups with three channels each, in panels of two.
// CHECK-LABEL: func.func @filter
// CHECK: plan.task @kernel_0(%{{.*}} : (tensor<4x1x1x2xi8>)
// CHECK: [[R1:packed.*]]: "0x400000000102030004050600"
func.func @filter() -> tensor<4x1x1x2xi8> attributes {weir.entry = "serve"} {
  %w = graph.constant dense<[[[1, 2, 3, 4, 5, 6]]]> : tensor<1x1x6xi8>
  %y = plan.task @kernel_0(%w) : (tensor<1x1x6xi8>) -> tensor<4x1x1x2xi8>
  return %y : tensor<4x1x1x2xi8>
}
func.func private @kernel_0(%w: tensor<1x1x6xi8>) -> tensor<4x1x1x2xi8> attributes {weir.kernel} {
  %e = tensor.empty() : tensor<4x1x1x2xi8>
  %p = kernel.pack_filter ins(%w : tensor<1x1x6xi8>) groups 2 layout <panels(2)> outs(%e : tensor<4x1x1x2xi8>) -> tensor<4x1x1x2xi8>
  return %p : tensor<4x1x1x2xi8>
}

// -----

// An input of the model is packed at run time, so its kernel stays.
// CHECK-LABEL: func.func @variable
// CHECK: plan.task @kernel_0(%arg0)
// CHECK: plan.task @kernel_0(%c)
// CHECK: kernel.pack
func.func @variable(%x: tensor<3x2xi8>) -> (tensor<2x2x2xi8>, tensor<2x2x2xi8>) attributes {weir.entry = "serve"} {
  %w = graph.constant dense<[[1, 4], [2, 5], [3, 6]]> : tensor<3x2xi8>
  %y = plan.task @kernel_0(%x) : (tensor<3x2xi8>) -> tensor<2x2x2xi8>
  %z = plan.task @kernel_0(%w) : (tensor<3x2xi8>) -> tensor<2x2x2xi8>
  return %y, %z : tensor<2x2x2xi8>, tensor<2x2x2xi8>
}
func.func private @kernel_0(%w: tensor<3x2xi8>) -> tensor<2x2x2xi8> attributes {weir.kernel} {
  %e = tensor.empty() : tensor<2x2x2xi8>
  %p = kernel.pack ins(%w : tensor<3x2xi8>) layout <panels(2)> outs(%e : tensor<2x2x2xi8>) -> tensor<2x2x2xi8> {transpose_b}
  return %p : tensor<2x2x2xi8>
}

// -----

// A window of ones becomes the outer product of 1, 3/2, 1 and 1/2 with itself. The
// second column is padding.
// CHECK-LABEL: func.func @transformed
// CHECK: plan.task @kernel_0(%{{.*}} : (tensor<1x16x1x2xf32>)

// CHECK: [[R2:packed.*]]: "0x400000000000803F000000000000C03F000000000000803F000000000000003F00000000
func.func @transformed() -> tensor<1x16x1x2xf32> attributes {weir.entry = "serve"} {
  %w = graph.constant dense<1.0> : tensor<3x3x1x1xf32>
  %y = plan.task @kernel_0(%w) : (tensor<3x3x1x1xf32>) -> tensor<1x16x1x2xf32>
  return %y : tensor<1x16x1x2xf32>
}
func.func private @kernel_0(%w: tensor<3x3x1x1xf32>) -> tensor<1x16x1x2xf32> attributes {weir.kernel} {
  %e = tensor.empty() : tensor<1x16x1x2xf32>
  %p = kernel.transform_filter ins(%w : tensor<3x3x1x1xf32>) layout <winograd(2, 2, 2, 1, 1)> outs(%e : tensor<1x16x1x2xf32>) -> tensor<1x16x1x2xf32>
  return %p : tensor<1x16x1x2xf32>
}

// -----

// One filter is packed for one group and for two: 1 2 3 4 | 5 6 and 1 2 3 | 4 5 6.
// CHECK-LABEL: func.func @groups
// CHECK: %[[B:.*]] = graph.constant dense_resource<[[R2:packed[^>]*]]>
// CHECK: %[[A:.*]] = graph.constant dense_resource<[[R1:packed[^>]*]]>
// CHECK: plan.task @kernel_0(%[[A]])
// CHECK: plan.task @kernel_1(%[[B]])
// CHECK-DAG: [[R1]]: "0x400000000102030405060000"
// CHECK-DAG: [[R2]]: "0x400000000102030004050600"
func.func @groups() -> (tensor<2x1x1x4xi8>, tensor<2x1x1x4xi8>) attributes {weir.entry = "serve"} {
  %w = graph.constant dense<[[[1, 2, 3, 4, 5, 6]]]> : tensor<1x1x6xi8>
  %y = plan.task @kernel_0(%w) : (tensor<1x1x6xi8>) -> tensor<2x1x1x4xi8>
  %z = plan.task @kernel_1(%w) : (tensor<1x1x6xi8>) -> tensor<2x1x1x4xi8>
  return %y, %z : tensor<2x1x1x4xi8>, tensor<2x1x1x4xi8>
}
func.func private @kernel_0(%w: tensor<1x1x6xi8>) -> tensor<2x1x1x4xi8> attributes {weir.kernel} {
  %e = tensor.empty() : tensor<2x1x1x4xi8>
  %p = kernel.pack_filter ins(%w : tensor<1x1x6xi8>) groups 1 layout <panels(4)> outs(%e : tensor<2x1x1x4xi8>) -> tensor<2x1x1x4xi8>
  return %p : tensor<2x1x1x4xi8>
}
func.func private @kernel_1(%w: tensor<1x1x6xi8>) -> tensor<2x1x1x4xi8> attributes {weir.kernel} {
  %e = tensor.empty() : tensor<2x1x1x4xi8>
  %p = kernel.pack_filter ins(%w : tensor<1x1x6xi8>) groups 2 layout <panels(4)> outs(%e : tensor<2x1x1x4xi8>) -> tensor<2x1x1x4xi8>
  return %p : tensor<2x1x1x4xi8>
}

// -----

// Two functions that multiply by one constant share its packed bytes.
// CHECK-LABEL: func.func @first
// CHECK: graph.constant dense_resource<[[PACKED:packed[^>]*]]>
// CHECK-LABEL: func.func @second
// CHECK: graph.constant dense_resource<[[PACKED]]>
// CHECK: [[PACKED]]: "0x400000000102030405060000"
// CHECK-NOT: packed
func.func @first() -> tensor<2x1x1x4xi8> attributes {weir.entry = "first"} {
  %w = graph.constant dense<[[[1, 2, 3, 4, 5, 6]]]> : tensor<1x1x6xi8>
  %y = plan.task @kernel_0(%w) : (tensor<1x1x6xi8>) -> tensor<2x1x1x4xi8>
  return %y : tensor<2x1x1x4xi8>
}
func.func @second() -> tensor<2x1x1x4xi8> attributes {weir.entry = "second"} {
  %w = graph.constant dense<[[[1, 2, 3, 4, 5, 6]]]> : tensor<1x1x6xi8>
  %y = plan.task @kernel_0(%w) : (tensor<1x1x6xi8>) -> tensor<2x1x1x4xi8>
  return %y : tensor<2x1x1x4xi8>
}
func.func private @kernel_0(%w: tensor<1x1x6xi8>) -> tensor<2x1x1x4xi8> attributes {weir.kernel} {
  %e = tensor.empty() : tensor<2x1x1x4xi8>
  %p = kernel.pack_filter ins(%w : tensor<1x1x6xi8>) groups 1 layout <panels(4)> outs(%e : tensor<2x1x1x4xi8>) -> tensor<2x1x1x4xi8>
  return %p : tensor<2x1x1x4xi8>
}

// -----

// Weights of f32 are stored as f16.
// CHECK-LABEL: func.func @f16
// CHECK: plan.task @kernel_0(%{{.*}} : (tensor<4x2xf32>, tensor<2x2x2xf16>)
// CHECK: func.func private @kernel_0(%arg0: tensor<4x2xf32>, %[[W:.*]]: tensor<2x2x2xf16> {weir.constant})
// CHECK: kernel.matmul ins(%arg0, %[[W]] : tensor<4x2xf32>, tensor<2x2x2xf16>) layout <panels(2)>
// The panels are 1 2 | 4 5, then 3 0 | 6 0.
// CHECK: packed: "0x40000000003C0040004400450042000000460000"
func.func @f16(%x: tensor<4x2xf32>) -> tensor<4x3xf32> attributes {weir.entry = "serve"} {
  %w = graph.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %y = plan.task @kernel_0(%x, %w) : (tensor<4x2xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}
func.func private @kernel_0(%a: tensor<4x2xf32>, %w: tensor<2x3xf32> {weir.constant, weir.stored_as = f16}) -> tensor<4x3xf32> attributes {weir.kernel} {
  %e = tensor.empty() : tensor<2x2x2xf32>
  %p = kernel.pack ins(%w : tensor<2x3xf32>) layout <panels(2)> outs(%e : tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
  %c = tensor.empty() : tensor<4x3xf32>
  %y = kernel.matmul ins(%a, %p : tensor<4x2xf32>, tensor<2x2x2xf32>) layout <panels(2)> outs(%c : tensor<4x3xf32>) -> tensor<4x3xf32> {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return %y : tensor<4x3xf32>
}

// -----

// A filter that each run transforms is not packed, but may be stored as bf16.
// CHECK-LABEL: func.func @at_run
// CHECK: plan.task @kernel_0(%{{.*}} : (tensor<1x8x8x2xf32>, tensor<3x3x2x1xbf16>)
// CHECK: func.func private @kernel_0(%arg0: tensor<1x8x8x2xf32>, %[[W:.*]]: tensor<3x3x2x1xbf16> {weir.constant})
// CHECK: kernel.transform_filter ins(%[[W]] : tensor<3x3x2x1xbf16>)
func.func @at_run(%x: tensor<1x8x8x2xf32>) -> tensor<1x8x8x1xf32> attributes {weir.entry = "serve"} {
  %w = graph.constant dense<1.0> : tensor<3x3x2x1xf32>
  %y = plan.task @kernel_0(%x, %w) : (tensor<1x8x8x2xf32>, tensor<3x3x2x1xf32>) -> tensor<1x8x8x1xf32>
  return %y : tensor<1x8x8x1xf32>
}
func.func private @kernel_0(%x: tensor<1x8x8x2xf32>, %w: tensor<3x3x2x1xf32> {weir.constant, weir.stored_as = bf16}) -> tensor<1x8x8x1xf32> attributes {weir.kernel} {
  %e = tensor.empty() : tensor<1x16x2x4xf32>
  %p = kernel.transform_filter ins(%w : tensor<3x3x2x1xf32>) layout <winograd(4, 2, 2, 1, 1)> outs(%e : tensor<1x16x2x4xf32>) -> tensor<1x16x2x4xf32> {at_run}
  %c = tensor.empty() : tensor<1x8x8x1xf32>
  %y = kernel.winograd ins(%x, %p : tensor<1x8x8x2xf32>, tensor<1x16x2x4xf32>) layout <winograd(4, 2, 2, 1, 1)> outs(%c : tensor<1x8x8x1xf32>) -> tensor<1x8x8x1xf32> attributes {padding = array<i64: 1, 1>, strides = array<i64: 1, 1>, windows = array<i64: 3, 3>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return %y : tensor<1x8x8x1xf32>
}
