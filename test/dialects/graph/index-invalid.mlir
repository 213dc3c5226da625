// The verifier refuses these ops of family Index.
// RUN: weir-opt %s -split-input-file -verify-diagnostics

func.func @gather_axis(%x: tensor<2x3xf32>, %i: tensor<4xi32>) {
  // expected-error @+1 {{axis 2 and batch_dims 0 do not suit 'tensor<2x3xf32>' and 'tensor<4xi32>'}}
  %y = graph.gather %x, %i axis 2 batch_dims 0 : tensor<2x3xf32>, tensor<4xi32>
  return
}

// -----

func.func @gather_batch(%x: tensor<2x3xf32>, %i: tensor<4xi32>) {
  // expected-error @+1 {{batch dimensions of 'tensor<2x3xf32>' and 'tensor<4xi32>' differ}}
  %y = graph.gather %x, %i axis 1 batch_dims 1 : tensor<2x3xf32>, tensor<4xi32>
  return
}

// -----

func.func @gather_too_much(%x: tensor<2x4611686018427387904xf32>, %i: tensor<4xi32>) {
  // expected-error @+1 {{makes too many elements}}
  %y = graph.gather %x, %i axis 0 batch_dims 0 : tensor<2x4611686018427387904xf32>, tensor<4xi32>
  return
}

// -----

func.func @gather_empty(%x: tensor<0x3xf32>, %i: tensor<4xi32>) {
  // expected-error @+1 {{gathers from the empty dimension 0 of 'tensor<0x3xf32>'}}
  %y = graph.gather %x, %i axis 0 batch_dims 0 : tensor<0x3xf32>, tensor<4xi32>
  return
}

// -----

func.func @gather_nd_vectors(%x: tensor<2x3xf32>, %i: tensor<4x3xi32>) {
  // expected-error @+1 {{index vectors of 'tensor<4x3xi32>' after batch_dims 0 do not suit 'tensor<2x3xf32>'}}
  %y = graph.gather_nd %x, %i batch_dims 0 : tensor<2x3xf32>, tensor<4x3xi32>
  return
}

// -----

func.func @gather_nd_batch(%x: tensor<2x3xf32>, %i: tensor<4x1xi32>) {
  // expected-error @+1 {{batch dimensions of 'tensor<2x3xf32>' and 'tensor<4x1xi32>' differ}}
  %y = graph.gather_nd %x, %i batch_dims 1 : tensor<2x3xf32>, tensor<4x1xi32>
  return
}

// -----

func.func @gather_nd_empty(%x: tensor<2x0xf32>, %i: tensor<4x2xi32>) {
  // expected-error @+1 {{gathers from an empty dimension of 'tensor<2x0xf32>'}}
  %y = graph.gather_nd %x, %i batch_dims 0 : tensor<2x0xf32>, tensor<4x2xi32>
  return
}

// -----

func.func @scatter_vectors(%x: tensor<4xf32>, %i: tensor<2x2xi32>, %u: tensor<2xf32>) {
  // expected-error @+1 {{index vectors of 'tensor<2x2xi32>' do not suit 'tensor<4xf32>'}}
  %y = graph.scatter add %x, %i, %u : tensor<4xf32>, tensor<2x2xi32>, tensor<2xf32>
  return
}

// -----

func.func @scatter_updates(%x: tensor<4xf32>, %i: tensor<2x1xi32>, %u: tensor<3xf32>) {
  // expected-error @+1 {{updates are 'tensor<3xf32>' where 'tensor<2xf32>' is wanted}}
  %y = graph.scatter add %x, %i, %u : tensor<4xf32>, tensor<2x1xi32>, tensor<3xf32>
  return
}

// -----

func.func @scatter_boolean(%x: tensor<4xi1>, %i: tensor<2x1xi32>, %u: tensor<2xi1>) {
  // expected-error @+1 {{cannot mul Booleans}}
  %y = graph.scatter mul %x, %i, %u : tensor<4xi1>, tensor<2x1xi32>, tensor<2xi1>
  return
}

// -----

func.func @dynamic_slice_count(%x: tensor<2x3xf32>, %i: tensor<i32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{needs 2 starts and sizes, has 1 and 2}}
  %y = graph.dynamic_slice %x [%i] sizes [1, 2] : (tensor<2x3xf32>, tensor<i32>) -> tensor<1x2xf32>
  return
}

// -----

func.func @dynamic_slice_size(%x: tensor<2x3xf32>, %i: tensor<i32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{a box of [1, 4] does not fit in 'tensor<2x3xf32>'}}
  %y = graph.dynamic_slice %x [%i, %i] sizes [1, 4] : (tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
  return
}

// -----

func.func @dynamic_update_slice_rank(%x: tensor<2x3xf32>, %u: tensor<2xf32>, %i: tensor<i32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{cannot put 'tensor<2xf32>' into 'tensor<2x3xf32>' by 2 starts}}
  %y = graph.dynamic_update_slice %x, %u [%i, %i] : (tensor<2x3xf32>, tensor<2xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @dynamic_update_slice_size(%x: tensor<2x3xf32>, %u: tensor<3x2xf32>, %i: tensor<i32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{'tensor<3x2xf32>' does not fit in 'tensor<2x3xf32>'}}
  %y = graph.dynamic_update_slice %x, %u [%i, %i] : (tensor<2x3xf32>, tensor<3x2xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @one_hot_axis(%i: tensor<2xi64>, %on: tensor<f32>, %off: tensor<f32>) {
  // expected-error @+1 {{axis 2 and depth 3 do not suit 'tensor<2xi64>'}}
  %y = graph.one_hot %i, %on, %off depth 3 axis 2 : tensor<2xi64>, tensor<f32>
  return
}

// -----

func.func @one_hot_too_much(%i: tensor<2xi64>, %on: tensor<f32>, %off: tensor<f32>) {
  // expected-error @+1 {{makes too many elements}}
  %y = graph.one_hot %i, %on, %off depth 4611686018427387904 axis 1 : tensor<2xi64>, tensor<f32>
  return
}

// -----

func.func @sort_shapes(%x: tensor<2x3xf32>, %i: tensor<2x4xi32>) {
  // expected-error @+1 {{cannot sort 'tensor<2x4xi32>' by 'tensor<2x3xf32>'}}
  %s:2 = graph.sort %x, %i : tensor<2x3xf32>, tensor<2x4xi32>
  return
}

// -----

func.func @sort_nothing() {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{needs an operand}}
  "graph.sort"() : () -> ()
  return
}

// -----

func.func @top_k(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{cannot take the 4 largest of 'tensor<2x3xf32>'}}
  %v, %i = graph.top_k %x k 4 : tensor<2x3xf32>
  return
}

// -----

func.func @search_sorted(%s: tensor<2x8xf32>, %x: tensor<3x3xf32>) {
  // expected-error @+1 {{cannot search 'tensor<2x8xf32>' for 'tensor<3x3xf32>'}}
  %i = graph.search_sorted %s, %x : tensor<2x8xf32>, tensor<3x3xf32>
  return
}

// -----

// (C1)
func.func @compact_sizes(%x: tensor<2x3xf32>, %n: tensor<i64>) {
  // expected-error @+2 {{1 sizes do not suit dimensions of 'tensor<2x3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = graph.compact %x [%n] along [0, 1] : (tensor<2x3xf32>, tensor<i64>) -> tensor<6xf32>
  return
}

// -----

// (C1)
func.func @spread_dims(%x: tensor<6xf32>, %n: tensor<i64>) {
  // expected-error @+2 {{1 sizes do not suit the dimensions}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = graph.spread %x [%n] along [2] to [2, 3] : (tensor<6xf32>, tensor<i64>) -> tensor<2x3xf32>
  return
}

// -----

// (C2)
func.func @spread_elements(%x: tensor<5xf32>, %n: tensor<i64>) {
  // expected-error @+2 {{the elements of 'tensor<5xf32>' are not those of the shape}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = graph.spread %x [%n] along [1] to [2, 3] : (tensor<5xf32>, tensor<i64>) -> tensor<2x3xf32>
  return
}

// -----

// (C1)
func.func @fill_beyond_dim(%x: tensor<2x8xf32>, %n: tensor<i64>, %v: tensor<f32>) {
  // expected-error @+2 {{cannot fill 'tensor<2x8xf32>' with 'tensor<f32>' along dimension 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = graph.fill_beyond %x, %n, %v along 2 reach 2 : (tensor<2x8xf32>, tensor<i64>, tensor<f32>) -> tensor<2x8xf32>
  return
}

// -----

// (C1)
func.func @fill_beyond_type(%x: tensor<2x8xf32>, %n: tensor<i64>, %v: tensor<i32>) {
  // expected-error @+2 {{cannot fill 'tensor<2x8xf32>' with 'tensor<i32>' along dimension 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = graph.fill_beyond %x, %n, %v along 1 reach 2 : (tensor<2x8xf32>, tensor<i64>, tensor<i32>) -> tensor<2x8xf32>
  return
}

// -----

// (C2)
func.func @compact_permutation(%x: tensor<2x3xf32>, %n: tensor<i64>) {
  // expected-error @+2 {{[1, 1] does not permute the dimensions of 'tensor<2x3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = graph.compact %x [%n] along [1] permuted [1, 1] : (tensor<2x3xf32>, tensor<i64>) -> tensor<6xf32>
  return
}

// -----

// (C3)
func.func @spread_permutation(%x: tensor<6xf32>, %n: tensor<i64>) {
  // expected-error @+2 {{[0] does not permute the dimensions}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = graph.spread %x [%n] along [1] to [2, 3] permuted [0] : (tensor<6xf32>, tensor<i64>) -> tensor<2x3xf32>
  return
}
