// RUN: weir-opt %s -split-input-file -weir-choose-layouts -weir-pack-weights | FileCheck %s

// The target has tiles of bf16, and more than four blocks of rows use the weights. So
// each weight is split into three terms: 0x3f812345 is 0x3f81, 0x3a8d and 0x3520. The
// smallest weight is 1, so the safe exponent range is 2^-100 to 2^119.
// CHECK-LABEL: func.func @entry
// CHECK: %[[W:.*]] = graph.constant dense_resource<[[R:packed.*]]> : tensor<6x1x3x2x16x32xbf16>
// CHECK: plan.task @kernel_0(%{{.*}}, %[[W]])
// CHECK: func.func private @kernel_0(%arg0: tensor<160x32xf32>, %[[A:.*]]: tensor<6x1x3x2x16x32xbf16> {weir.constant})
// CHECK-NOT: kernel.pack
// CHECK: kernel.matmul ins(%arg0, %[[A]] : {{.*}} layout <amx(3, -100, 119)>
// CHECK: [[R]]: "0x40000000{{((813F)+(8D3A)+(2035)+)+"}}
module attributes {weir.target = #weir.target<features = "+amx-bf16,+amx-tile">} {
func.func @entry(%x: tensor<160x32xf32>) -> tensor<160x192xf32> attributes {weir.entry = "serve"} {
  %w = graph.constant dense<0x3F812345> : tensor<32x192xf32>
  %y = plan.task @kernel_0(%x, %w) : (tensor<160x32xf32>, tensor<32x192xf32>) -> tensor<160x192xf32>
  return %y : tensor<160x192xf32>
}
func.func private @kernel_0(%a: tensor<160x32xf32>, %w: tensor<32x192xf32> {weir.constant}) -> tensor<160x192xf32> attributes {weir.kernel} {
  %e = tensor.empty() : tensor<6x32x32xf32>
  %p = kernel.pack ins(%w : tensor<32x192xf32>) layout <panels(32)> outs(%e : tensor<6x32x32xf32>) -> tensor<6x32x32xf32>
  %c = tensor.empty() : tensor<160x192xf32>
  %y = kernel.matmul ins(%a, %p : tensor<160x32xf32>, tensor<6x32x32xf32>) layout <panels(32)> outs(%c : tensor<160x192xf32>) -> tensor<160x192xf32> {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return %y : tensor<160x192xf32>
}
}

// -----

// The budget has no room for the terms, so the kernel splits panels of f32 at run time.
// CHECK-LABEL: func.func @no_room
// CHECK: %[[W:.*]] = graph.constant {{.*}} : tensor<6x32x32xf32>
// CHECK: plan.task @kernel_0(%{{.*}}, %[[W]])
// CHECK: kernel.matmul {{.*}} : tensor<160x32xf32>, tensor<6x32x32xf32>) layout <amx_panels(3, -100, 119)>
module attributes {weir.target = #weir.target<features = "+amx-bf16,+amx-tile">, weir.weights_left = 12287 : i64} {
func.func @no_room(%x: tensor<160x32xf32>) -> tensor<160x192xf32> attributes {weir.entry = "serve"} {
  %w = graph.constant dense<0x3F812345> : tensor<32x192xf32>
  %y = plan.task @kernel_0(%x, %w) : (tensor<160x32xf32>, tensor<32x192xf32>) -> tensor<160x192xf32>
  return %y : tensor<160x192xf32>
}
func.func private @kernel_0(%a: tensor<160x32xf32>, %w: tensor<32x192xf32> {weir.constant}) -> tensor<160x192xf32> attributes {weir.kernel} {
  %e = tensor.empty() : tensor<6x32x32xf32>
  %p = kernel.pack ins(%w : tensor<32x192xf32>) layout <panels(32)> outs(%e : tensor<6x32x32xf32>) -> tensor<6x32x32xf32>
  %c = tensor.empty() : tensor<160x192xf32>
  %y = kernel.matmul ins(%a, %p : tensor<160x32xf32>, tensor<6x32x32xf32>) layout <panels(32)> outs(%c : tensor<160x192xf32>) -> tensor<160x192xf32> {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return %y : tensor<160x192xf32>
}
}

// -----

// Few rows use the weights, and caches do not hold the weights of the model. So the
// kernel splits panels of f32 at run time.
// CHECK-LABEL: func.func @large_model
// CHECK: %[[W:.*]] = graph.constant {{.*}} : tensor<6x32x32xf32>
// CHECK: plan.task @kernel_0(%{{.*}}, %[[W]])
// CHECK-NOT: kernel.pack
// CHECK: kernel.matmul {{.*}} : tensor<64x32xf32>, tensor<6x32x32xf32>) layout <amx_panels(3, -100, 119)>
module attributes {weir.target = #weir.target<features = "+amx-bf16,+amx-tile", l2 = 32768>} {
func.func @large_model(%x: tensor<64x32xf32>) -> (tensor<64x192xf32>, tensor<512x512xf32>) attributes {weir.entry = "serve"} {
  %others = graph.constant dense<3.0> : tensor<512x512xf32>
  %w = graph.constant dense<0x3F812345> : tensor<32x192xf32>
  %y = plan.task @kernel_0(%x, %w) : (tensor<64x32xf32>, tensor<32x192xf32>) -> tensor<64x192xf32>
  return %y, %others : tensor<64x192xf32>, tensor<512x512xf32>
}
func.func private @kernel_0(%a: tensor<64x32xf32>, %w: tensor<32x192xf32> {weir.constant}) -> tensor<64x192xf32> attributes {weir.kernel} {
  %e = tensor.empty() : tensor<6x32x32xf32>
  %p = kernel.pack ins(%w : tensor<32x192xf32>) layout <panels(32)> outs(%e : tensor<6x32x32xf32>) -> tensor<6x32x32xf32>
  %c = tensor.empty() : tensor<64x192xf32>
  %y = kernel.matmul ins(%a, %p : tensor<64x32xf32>, tensor<6x32x32xf32>) layout <panels(32)> outs(%c : tensor<64x192xf32>) -> tensor<64x192xf32> {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return %y : tensor<64x192xf32>
}
}

// -----

// A precision of sixteen bits needs two terms.
// CHECK-LABEL: func.func @precision
// CHECK: kernel.matmul {{.*}} : tensor<64x32xf32>, tensor<6x1x2x2x16x32xbf16>) layout <amx(2, {{.*}})>
module attributes {weir.precision = "bf16x3", weir.target = #weir.target<features = "+amx-bf16,+amx-tile">} {
func.func @precision(%x: tensor<64x32xf32>) -> tensor<64x192xf32> attributes {weir.entry = "serve"} {
  %w = graph.constant dense<3.0> : tensor<32x192xf32>
  %y = plan.task @kernel_0(%x, %w) : (tensor<64x32xf32>, tensor<32x192xf32>) -> tensor<64x192xf32>
  return %y : tensor<64x192xf32>
}
func.func private @kernel_0(%a: tensor<64x32xf32>, %w: tensor<32x192xf32> {weir.constant}) -> tensor<64x192xf32> attributes {weir.kernel} {
  %e = tensor.empty() : tensor<6x32x32xf32>
  %p = kernel.pack ins(%w : tensor<32x192xf32>) layout <panels(32)> outs(%e : tensor<6x32x32xf32>) -> tensor<6x32x32xf32>
  %c = tensor.empty() : tensor<64x192xf32>
  %y = kernel.matmul ins(%a, %p : tensor<64x32xf32>, tensor<6x32x32xf32>) layout <panels(32)> outs(%c : tensor<64x192xf32>) -> tensor<64x192xf32> {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return %y : tensor<64x192xf32>
}
}

// -----

// Two panels justify the split of the rows, and one does not.
// CHECK-LABEL: func.func @two_panels
// CHECK: tensor<2x8x3x2x16x32xbf16>
module attributes {weir.target = #weir.target<features = "+amx-bf16,+amx-tile">} {
func.func @two_panels(%x: tensor<64x256xf32>) -> tensor<64x64xf32> attributes {weir.entry = "serve"} {
  %w = graph.constant dense<3.0> : tensor<256x64xf32>
  %y = plan.task @kernel_0(%x, %w) : (tensor<64x256xf32>, tensor<256x64xf32>) -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}
func.func private @kernel_0(%a: tensor<64x256xf32>, %w: tensor<256x64xf32> {weir.constant}) -> tensor<64x64xf32> attributes {weir.kernel} {
  %e = tensor.empty() : tensor<2x256x32xf32>
  %p = kernel.pack ins(%w : tensor<256x64xf32>) layout <panels(32)> outs(%e : tensor<2x256x32xf32>) -> tensor<2x256x32xf32>
  %c = tensor.empty() : tensor<64x64xf32>
  %y = kernel.matmul ins(%a, %p : tensor<64x256xf32>, tensor<2x256x32xf32>) layout <panels(32)> outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32> {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return %y : tensor<64x64xf32>
}
}

// -----

// CHECK-LABEL: func.func @one_panel
// CHECK: kernel.matmul {{.*}} : tensor<64x256xf32>, tensor<1x256x32xf32>) layout <panels(32)>
module attributes {weir.target = #weir.target<features = "+amx-bf16,+amx-tile">} {
func.func @one_panel(%x: tensor<64x256xf32>) -> tensor<64x32xf32> attributes {weir.entry = "serve"} {
  %w = graph.constant dense<3.0> : tensor<256x32xf32>
  %y = plan.task @kernel_0(%x, %w) : (tensor<64x256xf32>, tensor<256x32xf32>) -> tensor<64x32xf32>
  return %y : tensor<64x32xf32>
}
func.func private @kernel_0(%a: tensor<64x256xf32>, %w: tensor<256x32xf32> {weir.constant}) -> tensor<64x32xf32> attributes {weir.kernel} {
  %e = tensor.empty() : tensor<1x256x32xf32>
  %p = kernel.pack ins(%w : tensor<256x32xf32>) layout <panels(32)> outs(%e : tensor<1x256x32xf32>) -> tensor<1x256x32xf32>
  %c = tensor.empty() : tensor<64x32xf32>
  %y = kernel.matmul ins(%a, %p : tensor<64x256xf32>, tensor<1x256x32xf32>) layout <panels(32)> outs(%c : tensor<64x32xf32>) -> tensor<64x32xf32> {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return %y : tensor<64x32xf32>
}
}

// -----

// Eight rows would waste half of a tile, so the weights are in panels. They are also in
// panels without tiles, or if a term of a weight would be denormal.
// CHECK-LABEL: func.func @rows
// CHECK: kernel.matmul {{.*}} : tensor<8x32xf32>, tensor<6x32x32xf32>) layout <panels(32)>
module attributes {weir.target = #weir.target<features = "+amx-bf16,+amx-tile">} {
func.func @rows(%x: tensor<8x32xf32>) -> tensor<8x192xf32> attributes {weir.entry = "serve"} {
  %w = graph.constant dense<3.0> : tensor<32x192xf32>
  %y = plan.task @kernel_0(%x, %w) : (tensor<8x32xf32>, tensor<32x192xf32>) -> tensor<8x192xf32>
  return %y : tensor<8x192xf32>
}
func.func private @kernel_0(%a: tensor<8x32xf32>, %w: tensor<32x192xf32> {weir.constant}) -> tensor<8x192xf32> attributes {weir.kernel} {
  %e = tensor.empty() : tensor<6x32x32xf32>
  %p = kernel.pack ins(%w : tensor<32x192xf32>) layout <panels(32)> outs(%e : tensor<6x32x32xf32>) -> tensor<6x32x32xf32>
  %c = tensor.empty() : tensor<8x192xf32>
  %y = kernel.matmul ins(%a, %p : tensor<8x32xf32>, tensor<6x32x32xf32>) layout <panels(32)> outs(%c : tensor<8x192xf32>) -> tensor<8x192xf32> {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return %y : tensor<8x192xf32>
}
}

// -----

// CHECK-LABEL: func.func @denormal
// CHECK: kernel.matmul {{.*}} : tensor<64x32xf32>, tensor<6x32x32xf32>) layout <panels(32)>
module attributes {weir.target = #weir.target<features = "+amx-bf16,+amx-tile">} {
func.func @denormal(%x: tensor<64x32xf32>) -> tensor<64x192xf32> attributes {weir.entry = "serve"} {
  %w = graph.constant dense<1.0e-30> : tensor<32x192xf32>
  %y = plan.task @kernel_0(%x, %w) : (tensor<64x32xf32>, tensor<32x192xf32>) -> tensor<64x192xf32>
  return %y : tensor<64x192xf32>
}
func.func private @kernel_0(%a: tensor<64x32xf32>, %w: tensor<32x192xf32> {weir.constant}) -> tensor<64x192xf32> attributes {weir.kernel} {
  %e = tensor.empty() : tensor<6x32x32xf32>
  %p = kernel.pack ins(%w : tensor<32x192xf32>) layout <panels(32)> outs(%e : tensor<6x32x32xf32>) -> tensor<6x32x32xf32>
  %c = tensor.empty() : tensor<64x192xf32>
  %y = kernel.matmul ins(%a, %p : tensor<64x32xf32>, tensor<6x32x32xf32>) layout <panels(32)> outs(%c : tensor<64x192xf32>) -> tensor<64x192xf32> {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return %y : tensor<64x192xf32>
}
}

// -----

// All integers fit in a byte. With one that does not, the weights are in panels.
// CHECK-LABEL: func.func @bytes
// CHECK: graph.constant dense_resource<[[R:packed.*]]> : tensor<2x1x1x2x16x64xi8>
// CHECK: kernel.matmul {{.*}} : tensor<64x64xi32>, tensor<2x1x1x2x16x64xi8>) layout <amx>
// CHECK: [[R]]: "0x40000000{{(FB)+"}}
module attributes {weir.target = #weir.target<features = "+amx-int8,+amx-tile">} {
func.func @bytes(%x: tensor<64x64xi32>) -> tensor<64x64xi32> attributes {weir.entry = "serve"} {
  %w = graph.constant dense<-5> : tensor<64x64xi32>
  %y = plan.task @kernel_0(%x, %w) : (tensor<64x64xi32>, tensor<64x64xi32>) -> tensor<64x64xi32>
  return %y : tensor<64x64xi32>
}
func.func private @kernel_0(%a: tensor<64x64xi32>, %w: tensor<64x64xi32> {weir.constant}) -> tensor<64x64xi32> attributes {weir.kernel} {
  %e = tensor.empty() : tensor<2x64x32xi32>
  %p = kernel.pack ins(%w : tensor<64x64xi32>) layout <panels(32)> outs(%e : tensor<2x64x32xi32>) -> tensor<2x64x32xi32>
  %c = tensor.empty() : tensor<64x64xi32>
  %y = kernel.matmul ins(%a, %p : tensor<64x64xi32>, tensor<2x64x32xi32>) layout <panels(32)> outs(%c : tensor<64x64xi32>) -> tensor<64x64xi32> {
  ^bb0(%sum: i32):
    kernel.yield %sum : i32
  }
  return %y : tensor<64x64xi32>
}
}

// -----

// Dot-product instructions for bytes use the same tiles.
// CHECK-LABEL: func.func @dots
// CHECK: kernel.matmul {{.*}} : tensor<64x64xi32>, tensor<2x1x1x2x16x64xi8>) layout <amx>
module attributes {weir.target = #weir.target<features = "+avx512f,+avx512vnni">} {
func.func @dots(%x: tensor<64x64xi32>) -> tensor<64x64xi32> attributes {weir.entry = "serve"} {
  %w = graph.constant dense<-5> : tensor<64x64xi32>
  %y = plan.task @kernel_0(%x, %w) : (tensor<64x64xi32>, tensor<64x64xi32>) -> tensor<64x64xi32>
  return %y : tensor<64x64xi32>
}
func.func private @kernel_0(%a: tensor<64x64xi32>, %w: tensor<64x64xi32> {weir.constant}) -> tensor<64x64xi32> attributes {weir.kernel} {
  %e = tensor.empty() : tensor<2x64x32xi32>
  %p = kernel.pack ins(%w : tensor<64x64xi32>) layout <panels(32)> outs(%e : tensor<2x64x32xi32>) -> tensor<2x64x32xi32>
  %c = tensor.empty() : tensor<64x64xi32>
  %y = kernel.matmul ins(%a, %p : tensor<64x64xi32>, tensor<2x64x32xi32>) layout <panels(32)> outs(%c : tensor<64x64xi32>) -> tensor<64x64xi32> {
  ^bb0(%sum: i32):
    kernel.yield %sum : i32
  }
  return %y : tensor<64x64xi32>
}
}

// -----

// Dot-product instructions for bf16 use the same tiles for any number of rows. They
// would multiply the terms of f32 too slowly, so f32 is in panels.
// CHECK-LABEL: func.func @bf16_dots
// CHECK: kernel.matmul {{.*}} : tensor<1x64xbf16>, tensor<2x2x1x2x16x32xbf16>) layout <amx(1, {{.*}})>
// CHECK: kernel.matmul {{.*}} : tensor<64x64xf32>, tensor<2x64x32xf32>) layout <panels(32)>
module attributes {weir.target = #weir.target<features = "+avx512f,+avx512bf16">} {
func.func @bf16_dots(%x: tensor<1x64xbf16>, %z: tensor<64x64xf32>) -> (tensor<1x64xbf16>, tensor<64x64xf32>) attributes {weir.entry = "serve"} {
  %w = graph.constant dense<3.0> : tensor<64x64xbf16>
  %v = graph.constant dense<3.0> : tensor<64x64xf32>
  %y = plan.task @kernel_0(%x, %w) : (tensor<1x64xbf16>, tensor<64x64xbf16>) -> tensor<1x64xbf16>
  %u = plan.task @kernel_1(%z, %v) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %y, %u : tensor<1x64xbf16>, tensor<64x64xf32>
}
func.func private @kernel_0(%a: tensor<1x64xbf16>, %w: tensor<64x64xbf16> {weir.constant}) -> tensor<1x64xbf16> attributes {weir.kernel} {
  %e = tensor.empty() : tensor<2x64x32xbf16>
  %p = kernel.pack ins(%w : tensor<64x64xbf16>) layout <panels(32)> outs(%e : tensor<2x64x32xbf16>) -> tensor<2x64x32xbf16>
  %c = tensor.empty() : tensor<1x64xbf16>
  %y = kernel.matmul ins(%a, %p : tensor<1x64xbf16>, tensor<2x64x32xbf16>) layout <panels(32)> outs(%c : tensor<1x64xbf16>) -> tensor<1x64xbf16> {
  ^bb0(%sum: f32):
    %t = arith.truncf %sum : f32 to bf16
    kernel.yield %t : bf16
  }
  return %y : tensor<1x64xbf16>
}
func.func private @kernel_1(%a: tensor<64x64xf32>, %w: tensor<64x64xf32> {weir.constant}) -> tensor<64x64xf32> attributes {weir.kernel} {
  %e = tensor.empty() : tensor<2x64x32xf32>
  %p = kernel.pack ins(%w : tensor<64x64xf32>) layout <panels(32)> outs(%e : tensor<2x64x32xf32>) -> tensor<2x64x32xf32>
  %c = tensor.empty() : tensor<64x64xf32>
  %y = kernel.matmul ins(%a, %p : tensor<64x64xf32>, tensor<2x64x32xf32>) layout <panels(32)> outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32> {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return %y : tensor<64x64xf32>
}
}

// -----

// CHECK-LABEL: func.func @words
// CHECK-NOT: xi8
// CHECK: kernel.matmul {{.*}} : tensor<64x64xi32>, tensor<2x64x32xi32>) layout <panels(32)>
module attributes {weir.target = #weir.target<features = "+amx-int8,+amx-tile">} {
func.func @words(%x: tensor<64x64xi32>) -> tensor<64x64xi32> attributes {weir.entry = "serve"} {
  %w = graph.constant dense<-129> : tensor<64x64xi32>
  %y = plan.task @kernel_0(%x, %w) : (tensor<64x64xi32>, tensor<64x64xi32>) -> tensor<64x64xi32>
  return %y : tensor<64x64xi32>
}
func.func private @kernel_0(%a: tensor<64x64xi32>, %w: tensor<64x64xi32> {weir.constant}) -> tensor<64x64xi32> attributes {weir.kernel} {
  %e = tensor.empty() : tensor<2x64x32xi32>
  %p = kernel.pack ins(%w : tensor<64x64xi32>) layout <panels(32)> outs(%e : tensor<2x64x32xi32>) -> tensor<2x64x32xi32>
  %c = tensor.empty() : tensor<64x64xi32>
  %y = kernel.matmul ins(%a, %p : tensor<64x64xi32>, tensor<2x64x32xi32>) layout <panels(32)> outs(%c : tensor<64x64xi32>) -> tensor<64x64xi32> {
  ^bb0(%sum: i32):
    kernel.yield %sum : i32
  }
  return %y : tensor<64x64xi32>
}
}

// -----

// Tiles multiply signed bytes.
// CHECK-LABEL: func.func @unsigned
// CHECK: kernel.matmul {{.*}} : tensor<64x64xi8>, tensor<2x64x32xi8>) layout <panels(32)> {{.*}} attributes {unsigned_a}
module attributes {weir.target = #weir.target<features = "+amx-int8,+amx-tile">} {
func.func @unsigned(%x: tensor<64x64xi8>) -> tensor<64x64xi32> attributes {weir.entry = "serve"} {
  %w = graph.constant dense<-5> : tensor<64x64xi8>
  %y = plan.task @kernel_0(%x, %w) : (tensor<64x64xi8>, tensor<64x64xi8>) -> tensor<64x64xi32>
  return %y : tensor<64x64xi32>
}
func.func private @kernel_0(%a: tensor<64x64xi8>, %w: tensor<64x64xi8> {weir.constant}) -> tensor<64x64xi32> attributes {weir.kernel} {
  %e = tensor.empty() : tensor<2x64x32xi8>
  %p = kernel.pack ins(%w : tensor<64x64xi8>) layout <panels(32)> outs(%e : tensor<2x64x32xi8>) -> tensor<2x64x32xi8>
  %c = tensor.empty() : tensor<64x64xi32>
  %y = kernel.matmul ins(%a, %p : tensor<64x64xi8>, tensor<2x64x32xi8>) layout <panels(32)> outs(%c : tensor<64x64xi32>) -> tensor<64x64xi32> attributes {unsigned_a} {
  ^bb0(%sum: i32):
    kernel.yield %sum : i32
  }
  return %y : tensor<64x64xi32>
}
}

// -----

// Each tap of a filter is in tiles or panels, if a Winograd convolution is not faster.
// CHECK-LABEL: func.func @filters
// CHECK: kernel.convolution {{.*}} tensor<2x3x3x2x3x2x16x32xbf16>) layout <amx(3, -100, 114)>
// CHECK: kernel.convolution {{.*}} tensor<2x3x3x40x32xf32>) layout <amx_panels(3, -100, 114)>
// CHECK: kernel.convolution {{.*}} tensor<2x3x3x2x1x2x16x32xbf16>) layout <amx(1, {{.*}})>
module attributes {weir.target = #weir.target<features = "+amx-bf16,+amx-tile", l2 = 32768>} {
func.func @filters(%x: tensor<1x28x28x40xf32>, %z: tensor<1x20x20x40xf32>, %v: tensor<1x28x28x40xbf16>) -> (tensor<1x14x14x64xf32>, tensor<1x10x10x64xf32>, tensor<1x14x14x64xbf16>, tensor<512x512xf32>) attributes {weir.entry = "serve"} {
  %others = graph.constant dense<3.0> : tensor<512x512xf32>
  %w = graph.constant dense<3.0> : tensor<3x3x40x64xf32>
  %h = graph.constant dense<3.0> : tensor<3x3x40x64xbf16>
  %0 = plan.task @kernel_0(%x, %w) : (tensor<1x28x28x40xf32>, tensor<3x3x40x64xf32>) -> tensor<1x14x14x64xf32>
  %1 = plan.task @kernel_1(%z, %w) : (tensor<1x20x20x40xf32>, tensor<3x3x40x64xf32>) -> tensor<1x10x10x64xf32>
  %2 = plan.task @kernel_2(%v, %h) : (tensor<1x28x28x40xbf16>, tensor<3x3x40x64xbf16>) -> tensor<1x14x14x64xbf16>
  return %0, %1, %2, %others : tensor<1x14x14x64xf32>, tensor<1x10x10x64xf32>, tensor<1x14x14x64xbf16>, tensor<512x512xf32>
}
func.func private @kernel_0(%x: tensor<1x28x28x40xf32>, %w: tensor<3x3x40x64xf32> {weir.constant}) -> tensor<1x14x14x64xf32> attributes {weir.kernel} {
  %e = tensor.empty() : tensor<2x3x3x40x32xf32>
  %p = kernel.pack_filter ins(%w : tensor<3x3x40x64xf32>) groups 1 layout <panels(32)> outs(%e : tensor<2x3x3x40x32xf32>) -> tensor<2x3x3x40x32xf32>
  %c = tensor.empty() : tensor<1x14x14x64xf32>
  %y = kernel.convolution ins(%x, %p : tensor<1x28x28x40xf32>, tensor<2x3x3x40x32xf32>) layout <panels(32)> outs(%c : tensor<1x14x14x64xf32>) -> tensor<1x14x14x64xf32> attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 0, 0>, strides = array<i64: 2, 2>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return %y : tensor<1x14x14x64xf32>
}
func.func private @kernel_1(%x: tensor<1x20x20x40xf32>, %w: tensor<3x3x40x64xf32> {weir.constant}) -> tensor<1x10x10x64xf32> attributes {weir.kernel} {
  %e = tensor.empty() : tensor<2x3x3x40x32xf32>
  %p = kernel.pack_filter ins(%w : tensor<3x3x40x64xf32>) groups 1 layout <panels(32)> outs(%e : tensor<2x3x3x40x32xf32>) -> tensor<2x3x3x40x32xf32>
  %c = tensor.empty() : tensor<1x10x10x64xf32>
  %y = kernel.convolution ins(%x, %p : tensor<1x20x20x40xf32>, tensor<2x3x3x40x32xf32>) layout <panels(32)> outs(%c : tensor<1x10x10x64xf32>) -> tensor<1x10x10x64xf32> attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 0, 0>, strides = array<i64: 2, 2>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return %y : tensor<1x10x10x64xf32>
}
func.func private @kernel_2(%x: tensor<1x28x28x40xbf16>, %w: tensor<3x3x40x64xbf16> {weir.constant}) -> tensor<1x14x14x64xbf16> attributes {weir.kernel} {
  %e = tensor.empty() : tensor<2x3x3x40x32xbf16>
  %p = kernel.pack_filter ins(%w : tensor<3x3x40x64xbf16>) groups 1 layout <panels(32)> outs(%e : tensor<2x3x3x40x32xbf16>) -> tensor<2x3x3x40x32xbf16>
  %c = tensor.empty() : tensor<1x14x14x64xbf16>
  %y = kernel.convolution ins(%x, %p : tensor<1x28x28x40xbf16>, tensor<2x3x3x40x32xbf16>) layout <panels(32)> outs(%c : tensor<1x14x14x64xbf16>) -> tensor<1x14x14x64xbf16> attributes {dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 0, 0>, strides = array<i64: 2, 2>} {
  ^bb0(%sum: f32):
    %t = arith.truncf %sum : f32 to bf16
    kernel.yield %t : bf16
  }
  return %y : tensor<1x14x14x64xbf16>
}
}
