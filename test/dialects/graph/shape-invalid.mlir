// The verifier refuses these ops of family Shape.
// RUN: weir-opt %s -split-input-file -verify-diagnostics

func.func @reshape_count(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{turns 6 elements into 5}}
  %y = graph.reshape %x : tensor<2x3xf32> to tensor<5xf32>
  return
}

// -----

func.func @reshape_type(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{turns elements of 'tensor<2x3xf32>' into those of 'tensor<6xi32>'}}
  %y = graph.reshape %x : tensor<2x3xf32> to tensor<6xi32>
  return
}

// -----

func.func @transpose(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{[1, 1] does not hold each dimension of 'tensor<2x3xf32>' once}}
  %y = graph.transpose %x [1, 1] : tensor<2x3xf32>
  return
}

// -----

func.func @broadcast_type(%x: tensor<3xf32>) {
  // expected-error @+1 {{turns elements of 'tensor<3xf32>' into those of 'tensor<2x3xi32>'}}
  %y = graph.broadcast %x [1] : tensor<3xf32> to tensor<2x3xi32>
  return
}

// -----

func.func @broadcast_dims(%x: tensor<3x3xf32>) {
  // expected-error @+1 {{dims [1, 0] are not ascending dimensions of 'tensor<3x3xf32>'}}
  %y = graph.broadcast %x [1, 0] : tensor<3x3xf32> to tensor<3x3xf32>
  return
}

// -----

func.func @broadcast_size(%x: tensor<3xf32>) {
  // expected-error @+1 {{stretches dimension 0 of 'tensor<3xf32>' to size 4}}
  %y = graph.broadcast %x [1] : tensor<3xf32> to tensor<2x4xf32>
  return
}

// -----

func.func @slice_count(%x: tensor<2x6xf32>) {
  // expected-error @+1 {{needs 2 starts, limits and strides, has 1, 2 and 2}}
  %y = graph.slice %x [0] to [2, 6] by [1, 2] : tensor<2x6xf32>
  return
}

// -----

func.func @slice_stride(%x: tensor<2x6xf32>) {
  // expected-error @+1 {{stride 0 of dimension 1 is not positive}}
  %y = graph.slice %x [0, 1] to [2, 6] by [1, 0] : tensor<2x6xf32>
  return
}

// -----

func.func @slice_limit(%x: tensor<2x6xf32>) {
  // expected-error @+1 {{1 .. 7 is not a range of dimension 1 of 'tensor<2x6xf32>'}}
  %y = graph.slice %x [0, 1] to [2, 7] by [1, 1] : tensor<2x6xf32>
  return
}

// -----

func.func @pad_count(%x: tensor<2x3xf32>, %v: tensor<f32>) {
  // expected-error @+1 {{needs 2 numbers of low, high and interior, has 1, 2 and 2}}
  %y = graph.pad %x, %v low [1] high [0, 2] interior [0, 1] : tensor<2x3xf32>
  return
}

// -----

func.func @pad_negative(%x: tensor<2x3xf32>, %v: tensor<f32>) {
  // expected-error @+1 {{pads dimension 1 by a negative number}}
  %y = graph.pad %x, %v low [1, -1] high [0, 2] interior [0, 1] : tensor<2x3xf32>
  return
}

// -----

func.func @pad_too_much(%x: tensor<2x3xf32>, %v: tensor<f32>) {
  // expected-error @+1 {{makes too many elements}}
  %y = graph.pad %x, %v low [0, 0] high [0, 0] interior [9223372036854775807, 9223372036854775807] : tensor<2x3xf32>
  return
}

// -----

func.func @concat_axis(%a: tensor<2x3xf32>) {
  // expected-error @+1 {{2 is not a dimension of 'tensor<2x3xf32>'}}
  %y = graph.concat %a, %a axis 2 : tensor<2x3xf32>, tensor<2x3xf32>
  return
}

// -----

func.func @concat_shape(%a: tensor<2x3xf32>, %b: tensor<2x4xf32>) {
  // expected-error @+1 {{cannot join 'tensor<2x3xf32>' and 'tensor<2x4xf32>' along dimension 0}}
  %y = graph.concat %a, %b axis 0 : tensor<2x3xf32>, tensor<2x4xf32>
  return
}

// -----

func.func @concat_nothing() {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{needs an operand}}
  %y = "graph.concat"() {axis = 0 : i64} : () -> tensor<2xf32>
  return
}

// -----

func.func @concat_too_much(%a: tensor<9223372036854775807xf32>) {
  // expected-error @+1 {{makes too many elements}}
  %y = graph.concat %a, %a axis 0 : tensor<9223372036854775807xf32>, tensor<9223372036854775807xf32>
  return
}

// -----

func.func @reverse(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{dims [1, 1] are not ascending dimensions of 'tensor<2x3xf32>'}}
  %y = graph.reverse %x [1, 1] : tensor<2x3xf32>
  return
}

// -----

func.func @iota() {
  // expected-error @+1 {{-1 is not a dimension of 'tensor<2x3xi32>'}}
  %y = graph.iota axis -1 : tensor<2x3xi32>
  return
}

// -----

func.func @iota_size() {
  // expected-error @+1 {{makes too many elements}}
  %y = graph.iota axis 0 : tensor<4294967296x4294967296xf32>
  return
}

// -----

func.func @reshape_size(%x: tensor<4294967296x4294967296xf32>) {
  // expected-error @+1 {{makes too many elements}}
  %y = graph.reshape %x : tensor<4294967296x4294967296xf32> to tensor<0xf32>
  return
}
