// The verifier refuses these ops of family Packed.
// RUN: weir-opt %s -split-input-file -verify-diagnostics

func.func @no_axis(%q: tensor<64x6xui8>, %s: tensor<2x6xf32>) {
  // expected-error @+1 {{has no axis 2 in 'tensor<64x6xf32>'}}
  %w = graph.dequantize %q, %s axis 2 block 32 bits 4 : tensor<64x6xui8>, tensor<2x6xf32> -> tensor<64x6xf32>
  return
}

// -----

func.func @bits(%q: tensor<64x6xui8>, %s: tensor<2x6xf32>) {
  // expected-error @+1 {{has no blocks of 32 codes of 3 bits}}
  %w = graph.dequantize %q, %s axis 0 block 32 bits 3 : tensor<64x6xui8>, tensor<2x6xf32> -> tensor<64x6xf32>
  return
}

// -----

func.func @codes(%q: tensor<64x2xui8>, %s: tensor<2x6xf32>) {
  // expected-error @+1 {{cannot make 'tensor<64x6xf32>' of codes of 4 bits in 'tensor<64x2xui8>'}}
  %w = graph.dequantize %q, %s axis 0 block 32 bits 4 : tensor<64x2xui8>, tensor<2x6xf32> -> tensor<64x6xf32>
  return
}

// -----

func.func @scales(%q: tensor<64x6xui8>, %s: tensor<3x6xf32>) {
  // expected-error @+1 {{cannot scale blocks of 32 of 'tensor<64x6xf32>' by 'tensor<3x6xf32>'}}
  %w = graph.dequantize %q, %s axis 0 block 32 bits 4 : tensor<64x6xui8>, tensor<3x6xf32> -> tensor<64x6xf32>
  return
}

// -----

func.func @zeros(%q: tensor<64x6xui8>, %s: tensor<2x6xf32>, %z: tensor<2x5xui8>) {
  // expected-error @+1 {{cannot take zero points 'tensor<2x5xui8>' for scales 'tensor<2x6xf32>'}}
  %w = graph.dequantize %q, %s, %z axis 0 block 32 bits 4 : tensor<64x6xui8>, tensor<2x6xf32>, tensor<2x5xui8> -> tensor<64x6xf32>
  return
}

// -----

func.func @rank(%x: tensor<1x2x64xf32>, %w: tensor<2x1280xi8>) {
  // expected-error @+1 {{cannot multiply rows of 'tensor<1x2x64xf32>'}}
  %y = graph.packed_matmul %x, %w columns 40 bits 4 block 32 scales f32 zero 8 : tensor<1x2x64xf32>, tensor<2x1280xi8>
  return
}

// -----

func.func @bits(%x: tensor<2x64xf32>, %w: tensor<2x1280xi8>) {
  // expected-error @+1 {{has no weights of 4 bits in blocks of 20 with 'f32' for 'tensor<2x64xf32>'}}
  %y = graph.packed_matmul %x, %w columns 40 bits 4 block 20 scales f32 zero 8 : tensor<2x64xf32>, tensor<2x1280xi8>
  return
}

// -----

func.func @scale_type(%x: tensor<2x64xf32>, %w: tensor<2x1280xi8>) {
  // expected-error @+1 {{has no weights of 4 bits in blocks of 32 with 'i32'}}
  %y = graph.packed_matmul %x, %w columns 40 bits 4 block 32 scales i32 zero 8 : tensor<2x64xf32>, tensor<2x1280xi8>
  return
}

// -----

func.func @panels(%x: tensor<2x64xf32>, %w: tensor<2x1280xi8>) {
  // expected-error @+1 {{has weights in 'tensor<2x1280xi8>', not in 2 panels of 1344 bytes}}
  %y = graph.packed_matmul %x, %w columns 40 bits 4 block 32 scales f32 : tensor<2x64xf32>, tensor<2x1280xi8>
  return
}
