// Panels of constants are narrow if they are multiplied by one row or a few.

// RUN: weir-opt %s -split-input-file -weir-choose-layouts | FileCheck %s

// CHECK-LABEL: func.func @row
// CHECK: plan.task
// CHECK: return
// CHECK-LABEL: func.func private @kernel_0
// CHECK: %[[P:.*]] = kernel.pack ins(%{{.*}} : tensor<64x192xf32>) layout <panels(32)> outs(%{{.*}} : tensor<6x64x32xf32>)
// CHECK: kernel.matmul ins(%{{.*}}, %[[P]] : tensor<1x64xf32>, tensor<6x64x32xf32>) layout <panels(32)>
module attributes {weir.target = #weir.target<fma_rate = 2>} {
func.func @row(%x: tensor<1x64xf32>) -> tensor<1x192xf32> {
  %w = graph.constant dense<7.0> : tensor<64x192xf32>
  %y = plan.task @kernel_0(%x, %w) : (tensor<1x64xf32>, tensor<64x192xf32>) -> tensor<1x192xf32>
  return %y : tensor<1x192xf32>
}
func.func private @kernel_0(%a: tensor<1x64xf32>, %w: tensor<64x192xf32>) -> tensor<1x192xf32> attributes {weir.kernel} {
  %e = tensor.empty() : tensor<4x64x48xf32>
  %p = kernel.pack ins(%w : tensor<64x192xf32>) layout <panels(48)> outs(%e : tensor<4x64x48xf32>) -> tensor<4x64x48xf32>
  %c = tensor.empty() : tensor<1x192xf32>
  %y = kernel.matmul ins(%a, %p : tensor<1x64xf32>, tensor<4x64x48xf32>) layout <panels(48)> outs(%c : tensor<1x192xf32>) -> tensor<1x192xf32> {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return %y : tensor<1x192xf32>
}
}

// -----

// Eight rows read %w, too, and @kernel_0 has the same panels for %v as for %w. So does
// @kernel_2, because %v would otherwise be packed twice. Only a row reads %u.
// CHECK-LABEL: func.func @rows
// CHECK: plan.task
// CHECK: return
// CHECK-LABEL: func.func private @kernel_0
// CHECK: kernel.pack {{.*}} outs(%{{.*}} : tensor<4x64x48xf32>)
// CHECK-LABEL: func.func private @kernel_1
// CHECK: kernel.pack {{.*}} outs(%{{.*}} : tensor<4x64x48xf32>)
// CHECK-LABEL: func.func private @kernel_2
// CHECK: kernel.pack {{.*}} outs(%{{.*}} : tensor<4x64x48xf32>)
// CHECK-LABEL: func.func private @kernel_3
// CHECK: kernel.pack {{.*}} outs(%{{.*}} : tensor<6x64x32xf32>)
module attributes {weir.target = #weir.target<fma_rate = 2>} {
func.func @rows(%x: tensor<1x64xf32>, %z: tensor<8x64xf32>) -> (tensor<1x192xf32>, tensor<1x192xf32>, tensor<8x192xf32>, tensor<192xf32>, tensor<1x192xf32>) {
  %w = graph.constant dense<7.0> : tensor<64x192xf32>
  %v = graph.constant dense<8.0> : tensor<64x192xf32>
  %u = graph.constant dense<9.0> : tensor<64x192xf32>
  %b = graph.constant dense<1.0> : tensor<192xf32>
  %2 = plan.task @kernel_2(%x, %v, %b) : (tensor<1x64xf32>, tensor<64x192xf32>, tensor<192xf32>) -> tensor<192xf32>
  %0 = plan.task @kernel_0(%x, %v) : (tensor<1x64xf32>, tensor<64x192xf32>) -> tensor<1x192xf32>
  %1 = plan.task @kernel_0(%x, %w) : (tensor<1x64xf32>, tensor<64x192xf32>) -> tensor<1x192xf32>
  %3 = plan.task @kernel_1(%z, %w) : (tensor<8x64xf32>, tensor<64x192xf32>) -> tensor<8x192xf32>
  %4 = plan.task @kernel_3(%x, %u) : (tensor<1x64xf32>, tensor<64x192xf32>) -> tensor<1x192xf32>
  return %0, %1, %3, %2, %4 : tensor<1x192xf32>, tensor<1x192xf32>, tensor<8x192xf32>, tensor<192xf32>, tensor<1x192xf32>
}
func.func private @kernel_0(%a: tensor<1x64xf32>, %w: tensor<64x192xf32>) -> tensor<1x192xf32> attributes {weir.kernel} {
  %e = tensor.empty() : tensor<4x64x48xf32>
  %p = kernel.pack ins(%w : tensor<64x192xf32>) layout <panels(48)> outs(%e : tensor<4x64x48xf32>) -> tensor<4x64x48xf32>
  %c = tensor.empty() : tensor<1x192xf32>
  %y = kernel.matmul ins(%a, %p : tensor<1x64xf32>, tensor<4x64x48xf32>) layout <panels(48)> outs(%c : tensor<1x192xf32>) -> tensor<1x192xf32> {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return %y : tensor<1x192xf32>
}
func.func private @kernel_1(%a: tensor<8x64xf32>, %w: tensor<64x192xf32>) -> tensor<8x192xf32> attributes {weir.kernel} {
  %e = tensor.empty() : tensor<4x64x48xf32>
  %p = kernel.pack ins(%w : tensor<64x192xf32>) layout <panels(48)> outs(%e : tensor<4x64x48xf32>) -> tensor<4x64x48xf32>
  %c = tensor.empty() : tensor<8x192xf32>
  %y = kernel.matmul ins(%a, %p : tensor<8x64xf32>, tensor<4x64x48xf32>) layout <panels(48)> outs(%c : tensor<8x192xf32>) -> tensor<8x192xf32> {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return %y : tensor<8x192xf32>
}
func.func private @kernel_2(%a: tensor<1x64xf32>, %w: tensor<64x192xf32>, %b: tensor<192xf32>) -> tensor<192xf32> attributes {weir.kernel} {
  %e = tensor.empty() : tensor<4x64x48xf32>
  %p = kernel.pack ins(%w : tensor<64x192xf32>) layout <panels(48)> outs(%e : tensor<4x64x48xf32>) -> tensor<4x64x48xf32>
  %c = tensor.empty() : tensor<1x192xf32>
  %y = kernel.matmul ins(%a, %p : tensor<1x64xf32>, tensor<4x64x48xf32>) layout <panels(48)> outs(%c : tensor<1x192xf32>) -> tensor<1x192xf32> {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  %s = tensor.collapse_shape %y [[0, 1]] : tensor<1x192xf32> into tensor<192xf32>
  %d = linalg.add ins(%s, %b : tensor<192xf32>, tensor<192xf32>) outs(%b : tensor<192xf32>) -> tensor<192xf32>
  return %d : tensor<192xf32>
}
func.func private @kernel_3(%a: tensor<1x64xf32>, %w: tensor<64x192xf32>) -> tensor<1x192xf32> attributes {weir.kernel} {
  %e = tensor.empty() : tensor<4x64x48xf32>
  %p = kernel.pack ins(%w : tensor<64x192xf32>) layout <panels(48)> outs(%e : tensor<4x64x48xf32>) -> tensor<4x64x48xf32>
  %c = tensor.empty() : tensor<1x192xf32>
  %y = kernel.matmul ins(%a, %p : tensor<1x64xf32>, tensor<4x64x48xf32>) layout <panels(48)> outs(%c : tensor<1x192xf32>) -> tensor<1x192xf32> {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return %y : tensor<1x192xf32>
}
}

// -----

// A batch of rows is a matrix of rows.
// CHECK-LABEL: func.func @batch
// CHECK: plan.task
// CHECK: return
// CHECK-LABEL: func.func private @kernel_0
// CHECK: kernel.pack {{.*}} outs(%{{.*}} : tensor<4x64x48xf32>)
module attributes {weir.target = #weir.target<fma_rate = 2>} {
func.func @batch(%x: tensor<16x1x64xf32>) -> tensor<16x1x192xf32> {
  %w = graph.constant dense<7.0> : tensor<64x192xf32>
  %y = plan.task @kernel_0(%x, %w) : (tensor<16x1x64xf32>, tensor<64x192xf32>) -> tensor<16x1x192xf32>
  return %y : tensor<16x1x192xf32>
}
func.func private @kernel_0(%a: tensor<16x1x64xf32>, %w: tensor<64x192xf32>) -> tensor<16x1x192xf32> attributes {weir.kernel} {
  %e = tensor.empty() : tensor<4x64x48xf32>
  %p = kernel.pack ins(%w : tensor<64x192xf32>) layout <panels(48)> outs(%e : tensor<4x64x48xf32>) -> tensor<4x64x48xf32>
  %c = tensor.empty() : tensor<16x1x192xf32>
  %y = kernel.matmul ins(%a, %p : tensor<16x1x64xf32>, tensor<4x64x48xf32>) layout <panels(48)> outs(%c : tensor<16x1x192xf32>) -> tensor<16x1x192xf32> attributes {shared} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return %y : tensor<16x1x192xf32>
}
}

// -----

// A kernel that reads %w without packing does not keep its panels wide. An operand that
// is no constant is not packed here and stays.
// CHECK-LABEL: func.func @unpacked
// CHECK: plan.task
// CHECK: return
// CHECK-LABEL: func.func private @kernel_0
// CHECK: kernel.pack {{.*}} outs(%{{.*}} : tensor<6x64x32xf32>)
// CHECK-LABEL: func.func private @kernel_1
// CHECK: return
// CHECK-LABEL: func.func private @kernel_2
// CHECK: kernel.pack {{.*}} outs(%{{.*}} : tensor<4x64x48xf32>)
module attributes {weir.target = #weir.target<fma_rate = 2>} {
func.func @unpacked(%x: tensor<1x64xf32>, %v: tensor<64x192xf32>) -> (tensor<1x192xf32>, tensor<64x192xf32>, tensor<1x192xf32>) {
  %w = graph.constant dense<7.0> : tensor<64x192xf32>
  %0 = plan.task @kernel_0(%x, %w) : (tensor<1x64xf32>, tensor<64x192xf32>) -> tensor<1x192xf32>
  %1 = plan.task @kernel_1(%w, %v) : (tensor<64x192xf32>, tensor<64x192xf32>) -> tensor<64x192xf32>
  %2 = plan.task @kernel_2(%x, %v) : (tensor<1x64xf32>, tensor<64x192xf32>) -> tensor<1x192xf32>
  return %0, %1, %2 : tensor<1x192xf32>, tensor<64x192xf32>, tensor<1x192xf32>
}
func.func private @kernel_0(%a: tensor<1x64xf32>, %w: tensor<64x192xf32>) -> tensor<1x192xf32> attributes {weir.kernel} {
  %e = tensor.empty() : tensor<4x64x48xf32>
  %p = kernel.pack ins(%w : tensor<64x192xf32>) layout <panels(48)> outs(%e : tensor<4x64x48xf32>) -> tensor<4x64x48xf32>
  %c = tensor.empty() : tensor<1x192xf32>
  %y = kernel.matmul ins(%a, %p : tensor<1x64xf32>, tensor<4x64x48xf32>) layout <panels(48)> outs(%c : tensor<1x192xf32>) -> tensor<1x192xf32> {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return %y : tensor<1x192xf32>
}
func.func private @kernel_1(%w: tensor<64x192xf32>, %v: tensor<64x192xf32>) -> tensor<64x192xf32> attributes {weir.kernel} {
  %y = linalg.add ins(%w, %v : tensor<64x192xf32>, tensor<64x192xf32>) outs(%v : tensor<64x192xf32>) -> tensor<64x192xf32>
  return %y : tensor<64x192xf32>
}
func.func private @kernel_2(%a: tensor<1x64xf32>, %w: tensor<64x192xf32>) -> tensor<1x192xf32> attributes {weir.kernel} {
  %e = tensor.empty() : tensor<4x64x48xf32>
  %p = kernel.pack ins(%w : tensor<64x192xf32>) layout <panels(48)> outs(%e : tensor<4x64x48xf32>) -> tensor<4x64x48xf32>
  %c = tensor.empty() : tensor<1x192xf32>
  %y = kernel.matmul ins(%a, %p : tensor<1x64xf32>, tensor<4x64x48xf32>) layout <panels(48)> outs(%c : tensor<1x192xf32>) -> tensor<1x192xf32> {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return %y : tensor<1x192xf32>
}
}

// -----

// A task with too few operands is ignored here.
// CHECK-LABEL: func.func @too_few
// CHECK: plan.task
// CHECK: return
// CHECK-LABEL: func.func private @kernel_0
// CHECK: kernel.pack {{.*}} outs(%{{.*}} : tensor<4x64x48xf32>)
module attributes {weir.target = #weir.target<fma_rate = 2>} {
func.func @too_few(%x: tensor<1x64xf32>) -> tensor<1x192xf32> {
  %y = plan.task @kernel_0(%x) : (tensor<1x64xf32>) -> tensor<1x192xf32>
  return %y : tensor<1x192xf32>
}
func.func private @kernel_0(%a: tensor<1x64xf32>, %w: tensor<64x192xf32>) -> tensor<1x192xf32> attributes {weir.kernel} {
  %e = tensor.empty() : tensor<4x64x48xf32>
  %p = kernel.pack ins(%w : tensor<64x192xf32>) layout <panels(48)> outs(%e : tensor<4x64x48xf32>) -> tensor<4x64x48xf32>
  %c = tensor.empty() : tensor<1x192xf32>
  %y = kernel.matmul ins(%a, %p : tensor<1x64xf32>, tensor<4x64x48xf32>) layout <panels(48)> outs(%c : tensor<1x192xf32>) -> tensor<1x192xf32> {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return %y : tensor<1x192xf32>
}
}

// -----

// Four rows have panels of three vectors, or of one vector if the weights come from
// memory. One row and four rows read %v, so its panels stay.
// CHECK-LABEL: func.func private @few
// CHECK: kernel.pack {{.*}} outs(%{{.*}} : tensor<43x64x24xf32>)
// CHECK-LABEL: func.func private @few_from_memory
// CHECK: kernel.pack {{.*}} outs(%{{.*}} : tensor<128x160x8xf32>)
// CHECK-LABEL: func.func private @of_one
// CHECK: kernel.pack {{.*}} outs(%{{.*}} : tensor<32x96x32xf32>)
// CHECK-LABEL: func.func private @of_four
// CHECK: kernel.pack {{.*}} outs(%{{.*}} : tensor<32x96x32xf32>)
module attributes {weir.target = #weir.target<vector_bits = 256, l2 = 32768>} {
func.func @products(%x: tensor<4x64xf32>, %y: tensor<4x160xf32>, %z: tensor<1x96xf32>, %u: tensor<4x96xf32>) -> (tensor<4x1024xf32>, tensor<4x1024xf32>, tensor<1x1024xf32>, tensor<4x1024xf32>) {
  %w = graph.constant dense<7.0> : tensor<64x1024xf32>
  %m = graph.constant dense<8.0> : tensor<160x1024xf32>
  %v = graph.constant dense<9.0> : tensor<96x1024xf32>
  %0 = plan.task @few(%x, %w) : (tensor<4x64xf32>, tensor<64x1024xf32>) -> tensor<4x1024xf32>
  %1 = plan.task @few_from_memory(%y, %m) : (tensor<4x160xf32>, tensor<160x1024xf32>) -> tensor<4x1024xf32>
  %2 = plan.task @of_one(%z, %v) : (tensor<1x96xf32>, tensor<96x1024xf32>) -> tensor<1x1024xf32>
  %3 = plan.task @of_four(%u, %v) : (tensor<4x96xf32>, tensor<96x1024xf32>) -> tensor<4x1024xf32>
  return %0, %1, %2, %3 : tensor<4x1024xf32>, tensor<4x1024xf32>, tensor<1x1024xf32>, tensor<4x1024xf32>
}
func.func private @few(%a: tensor<4x64xf32>, %w: tensor<64x1024xf32>) -> tensor<4x1024xf32> attributes {weir.kernel} {
  %e = tensor.empty() : tensor<32x64x32xf32>
  %p = kernel.pack ins(%w : tensor<64x1024xf32>) layout <panels(32)> outs(%e : tensor<32x64x32xf32>) -> tensor<32x64x32xf32>
  %c = tensor.empty() : tensor<4x1024xf32>
  %y = kernel.matmul ins(%a, %p : tensor<4x64xf32>, tensor<32x64x32xf32>) layout <panels(32)> outs(%c : tensor<4x1024xf32>) -> tensor<4x1024xf32> {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return %y : tensor<4x1024xf32>
}
func.func private @few_from_memory(%a: tensor<4x160xf32>, %w: tensor<160x1024xf32>) -> tensor<4x1024xf32> attributes {weir.kernel} {
  %e = tensor.empty() : tensor<32x160x32xf32>
  %p = kernel.pack ins(%w : tensor<160x1024xf32>) layout <panels(32)> outs(%e : tensor<32x160x32xf32>) -> tensor<32x160x32xf32>
  %c = tensor.empty() : tensor<4x1024xf32>
  %y = kernel.matmul ins(%a, %p : tensor<4x160xf32>, tensor<32x160x32xf32>) layout <panels(32)> outs(%c : tensor<4x1024xf32>) -> tensor<4x1024xf32> {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return %y : tensor<4x1024xf32>
}
func.func private @of_one(%a: tensor<1x96xf32>, %w: tensor<96x1024xf32>) -> tensor<1x1024xf32> attributes {weir.kernel} {
  %e = tensor.empty() : tensor<32x96x32xf32>
  %p = kernel.pack ins(%w : tensor<96x1024xf32>) layout <panels(32)> outs(%e : tensor<32x96x32xf32>) -> tensor<32x96x32xf32>
  %c = tensor.empty() : tensor<1x1024xf32>
  %y = kernel.matmul ins(%a, %p : tensor<1x96xf32>, tensor<32x96x32xf32>) layout <panels(32)> outs(%c : tensor<1x1024xf32>) -> tensor<1x1024xf32> {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return %y : tensor<1x1024xf32>
}
func.func private @of_four(%a: tensor<4x96xf32>, %w: tensor<96x1024xf32>) -> tensor<4x1024xf32> attributes {weir.kernel} {
  %e = tensor.empty() : tensor<32x96x32xf32>
  %p = kernel.pack ins(%w : tensor<96x1024xf32>) layout <panels(32)> outs(%e : tensor<32x96x32xf32>) -> tensor<32x96x32xf32>
  %c = tensor.empty() : tensor<4x1024xf32>
  %y = kernel.matmul ins(%a, %p : tensor<4x96xf32>, tensor<32x96x32xf32>) layout <panels(32)> outs(%c : tensor<4x1024xf32>) -> tensor<4x1024xf32> {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return %y : tensor<4x1024xf32>
}
}

// -----

// Panels that code for other processors reads, too, keep their width.
// CHECK-LABEL: func.func private @shared_by_variants
// CHECK: kernel.pack {{.*}} outs(%{{.*}} : tensor<32x64x32xf32>)
module attributes {weir.target = #weir.target<vector_bits = 256, panel_bits = 512, l2 = 32768>} {
func.func @product(%x: tensor<4x64xf32>) -> tensor<4x1024xf32> {
  %w = graph.constant dense<7.0> : tensor<64x1024xf32>
  %y = plan.task @shared_by_variants(%x, %w) : (tensor<4x64xf32>, tensor<64x1024xf32>) -> tensor<4x1024xf32>
  return %y : tensor<4x1024xf32>
}
func.func private @shared_by_variants(%a: tensor<4x64xf32>, %w: tensor<64x1024xf32>) -> tensor<4x1024xf32> attributes {weir.kernel} {
  %e = tensor.empty() : tensor<32x64x32xf32>
  %p = kernel.pack ins(%w : tensor<64x1024xf32>) layout <panels(32)> outs(%e : tensor<32x64x32xf32>) -> tensor<32x64x32xf32>
  %c = tensor.empty() : tensor<4x1024xf32>
  %y = kernel.matmul ins(%a, %p : tensor<4x64xf32>, tensor<32x64x32xf32>) layout <panels(32)> outs(%c : tensor<4x1024xf32>) -> tensor<4x1024xf32> {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return %y : tensor<4x1024xf32>
}
}

// -----

// A batch of matrices with three rows each keeps its panels.
// CHECK-LABEL: func.func private @batched
// CHECK: kernel.pack {{.*}} outs(%{{.*}} : tensor<3x32x160x32xf32>)
module attributes {weir.target = #weir.target<vector_bits = 256, l2 = 32768>} {
func.func @products(%x: tensor<3x1x160xf32>) -> tensor<3x1x1024xf32> {
  %w = graph.constant dense<7.0> : tensor<3x160x1024xf32>
  %y = plan.task @batched(%x, %w) : (tensor<3x1x160xf32>, tensor<3x160x1024xf32>) -> tensor<3x1x1024xf32>
  return %y : tensor<3x1x1024xf32>
}
func.func private @batched(%a: tensor<3x1x160xf32>, %w: tensor<3x160x1024xf32>) -> tensor<3x1x1024xf32> attributes {weir.kernel} {
  %e = tensor.empty() : tensor<3x32x160x32xf32>
  %p = kernel.pack ins(%w : tensor<3x160x1024xf32>) layout <panels(32)> outs(%e : tensor<3x32x160x32xf32>) -> tensor<3x32x160x32xf32>
  %c = tensor.empty() : tensor<3x1x1024xf32>
  %y = kernel.matmul ins(%a, %p : tensor<3x1x160xf32>, tensor<3x32x160x32xf32>) layout <panels(32)> outs(%c : tensor<3x1x1024xf32>) -> tensor<3x1x1024xf32> {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return %y : tensor<3x1x1024xf32>
}
}
