// Ops that select, scatter or sort by values become loops that are safe for all values.
// RUN: weir-opt %s --weir-lower-graph --split-input-file | FileCheck %s

// CHECK: #[[AT:.*]] = affine_map<(d0, d1, d2) -> (d1)>
// CHECK-LABEL: @gather
// CHECK-SAME: (%[[X:.*]]: tensor<2x3x5xf32>
func.func @gather(%x: tensor<2x3x5xf32>, %i: tensor<4xi32>) -> tensor<2x4x5xf32> {
  // CHECK: linalg.generic {indexing_maps = [#[[AT]], #{{.*}}]
  // CHECK: ^bb0(%[[IN:.*]]: i32
  // CHECK-DAG: %[[INDEX:.*]] = arith.index_cast %[[IN]]
  // CHECK-DAG: %[[LAST:.*]] = arith.constant 2 : index
  // CHECK: %[[LOW:.*]] = arith.maxsi %[[INDEX]]
  // CHECK: %[[SAFE:.*]] = arith.minsi %[[LOW]], %[[LAST]]
  // CHECK: tensor.extract %[[X]][%{{.*}}, %[[SAFE]], %{{.*}}]
  %y = graph.gather %x, %i axis 1 batch_dims 0 : tensor<2x3x5xf32>, tensor<4xi32>
  return %y : tensor<2x4x5xf32>
}

// -----

// CHECK-LABEL: @gather_nd
// CHECK-SAME: (%[[X:.*]]: tensor<2x3xf32>, %[[I:.*]]: tensor<4x2xi64>
func.func @gather_nd(%x: tensor<2x3xf32>, %i: tensor<4x2xi64>) -> tensor<4xf32> {
  // CHECK: %[[ROW:.*]] = linalg.index 0
  // CHECK: tensor.extract %[[I]][%[[ROW]], %c0{{.*}}]
  // CHECK: %[[A:.*]] = arith.minsi
  // CHECK: tensor.extract %[[I]][%[[ROW]], %c1{{.*}}]
  // CHECK: %[[B:.*]] = arith.minsi
  // CHECK: tensor.extract %[[X]][%[[A]], %[[B]]]
  %y = graph.gather_nd %x, %i batch_dims 0 : tensor<2x3xf32>, tensor<4x2xi64>
  return %y : tensor<4xf32>
}

// -----

// An update outside of the tensor stores the old element.
// CHECK-LABEL: @scatter
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>
func.func @scatter(%x: tensor<4xf32>, %i: tensor<2x1xi32>, %u: tensor<2xf32>) -> tensor<4xf32> {
  // CHECK: %[[COPY:.*]] = linalg.copy ins(%[[X]]
  // CHECK: scf.for {{.*}} iter_args(%[[T:.*]] = %[[COPY]])
  // CHECK: %[[INSIDE:.*]] = arith.andi
  // CHECK: %[[OLD:.*]] = tensor.extract %[[T]]
  // CHECK: %[[SUM:.*]] = arith.addf %[[OLD]]
  // CHECK: %[[NEW:.*]] = arith.select %[[INSIDE]], %[[SUM]], %[[OLD]]
  // CHECK: tensor.insert %[[NEW]] into %[[T]]
  %y = graph.scatter add %x, %i, %u : tensor<4xf32>, tensor<2x1xi32>, tensor<2xf32>
  return %y : tensor<4xf32>
}

// CHECK-LABEL: @scatter_unsigned
func.func @scatter_unsigned(%x: tensor<4xui8>, %i: tensor<2x1xi32>, %u: tensor<2xui8>) -> tensor<4xui8> {
  // CHECK: arith.minui {{.*}} : i8
  %y = graph.scatter min %x, %i, %u : tensor<4xui8>, tensor<2x1xi32>, tensor<2xui8>
  return %y : tensor<4xui8>
}

// -----

// CHECK-LABEL: @dynamic_slice
func.func @dynamic_slice(%x: tensor<2x3xf32>, %i: tensor<i32>) -> tensor<1x2xf32> {
  // CHECK: %[[A:.*]] = arith.minsi
  // CHECK: %[[B:.*]] = arith.minsi
  // CHECK: tensor.extract_slice %{{.*}}[%[[A]], %[[B]]] [1, 2] [1, 1]
  %y = graph.dynamic_slice %x [%i, %i] sizes [1, 2] : (tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
  return %y : tensor<1x2xf32>
}

// CHECK-LABEL: @dynamic_update_slice
func.func @dynamic_update_slice(%x: tensor<2x3xf32>, %u: tensor<1x2xf32>, %i: tensor<i32>) -> tensor<2x3xf32> {
  // CHECK: %[[COPY:.*]] = linalg.copy
  // CHECK: tensor.insert_slice %{{.*}} into %[[COPY]][%{{.*}}, %{{.*}}] [1, 2] [1, 1]
  %y = graph.dynamic_update_slice %x, %u [%i, %i] : (tensor<2x3xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

// CHECK: #[[AT:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK: #[[SCALAR:.*]] = affine_map<(d0, d1) -> ()>
// CHECK-LABEL: @one_hot
func.func @one_hot(%i: tensor<2xui8>, %on: tensor<f32>, %off: tensor<f32>) -> tensor<2x3xf32> {
  // CHECK: linalg.generic {indexing_maps = [#[[AT]], #[[SCALAR]], #[[SCALAR]], #{{.*}}]
  // CHECK: %[[INDEX:.*]] = arith.extui %{{.*}} : i8 to i64
  // CHECK: arith.cmpi eq, %[[INDEX]]
  %y = graph.one_hot %i, %on, %off depth 3 axis 1 : tensor<2xui8>, tensor<f32>
  return %y : tensor<2x3xf32>
}

// -----

// The sort copies the rows between two pairs of tensors. The rounds double the sorted
// length from 1 to 100 elements, two rounds at a time. The outer loop has an estimate of all
// cycles.
// CHECK-LABEL: @sort
func.func @sort(%x: tensor<2x100xf32>, %i: tensor<2x100xi32>) -> (tensor<2x100xf32>, tensor<2x100xi32>) {
  // CHECK: %[[ROUNDS:.*]] = arith.constant 4 : index
  // CHECK: scf.for %{{.*}} = %{{.*}} to %[[ROUNDS]] {{.*}} -> (tensor<2x100xf32>, tensor<2x100xi32>, tensor<2x100xf32>, tensor<2x100xi32>, index)
  // CHECK: arith.cmpf olt
  // CHECK: } {weir.cycles = 26575.{{[0-9]+}} : f64}
  %s:2 = graph.sort %x, %i : tensor<2x100xf32>, tensor<2x100xi32>
  return %s#0, %s#1 : tensor<2x100xf32>, tensor<2x100xi32>
}

// The search for the k largest of a row finds the smallest of them first, bit by bit.
// It maps elements to integers in the same order and counts those that reach a
// candidate. Then it selects these elements and ranks them.
// CHECK-LABEL: @top_of_row
func.func @top_of_row(%x: tensor<2x100xf32>) -> (tensor<2x40xf32>, tensor<2x40xi32>) {
  // CHECK: %[[KEYS:.*]] = linalg.generic
  // CHECK: arith.bitcast %{{.*}} : f32 to i32
  // CHECK: arith.cmpf uno
  // CHECK: scf.for
  // CHECK: %[[TRIED:.*]] = arith.xori
  // CHECK: scf.for %{{.*}} = %c0{{.*}} to %c100{{.*}} -> (i32)
  // CHECK: tensor.extract %[[KEYS]]
  // CHECK: arith.cmpi sge, %{{.*}}, %[[TRIED]] : i32
  // CHECK: arith.cmpi sge, %{{.*}}, %c40{{.*}} : i32
  // CHECK-NOT: scf.if
  // CHECK: scf.for {{.*}} -> (index, tensor<100xi32>, tensor<100xi32>)
  // CHECK: scf.for {{.*}} -> (index, i32, tensor<40xi32>, tensor<40xi32>)
  // CHECK: scf.for {{.*}} to %c40{{.*}} -> (tensor<2x40xf32>, tensor<2x40xi32>)
  // CHECK: } {weir.rows_apart = 2.800000e+03 : f64}
  %v, %i = graph.top_k %x k 40 : tensor<2x100xf32>
  return %v, %i : tensor<2x40xf32>, tensor<2x40xi32>
}

// In a long row, the k-th largest maximum of a block is a lower bound. Blocks with a
// smaller maximum are skipped. 64 elements follow the last block. The loops of a single row
// share the estimate of its cycles.
// CHECK-LABEL: @top_of_long_row
func.func @top_of_long_row(%x: tensor<16704xi16>) -> (tensor<8xi16>, tensor<8xi32>) {
  // CHECK: arith.extsi %{{.*}} : i16 to i32
  // CHECK: scf.for %{{.*}} to %c65{{.*}} -> (tensor<65xi32>)
  // CHECK: arith.maxsi
  // CHECK: } {weir.cycles = 2672.64{{[0-9]*}} : f64}
  // CHECK: scf.for {{.*}} to %c65{{.*}} -> (i32)
  // CHECK: scf.for {{.*}} to %c65{{.*}} -> (index, tensor<16704xi32>, tensor<16704xi32>)
  // CHECK: scf.if
  // CHECK: scf.for %{{.*}} = %c16640{{.*}} to %c16704
  %v, %i = graph.top_k %x k 8 : tensor<16704xi16>
  return %v, %i : tensor<8xi16>, tensor<8xi32>
}

// The mark is on the remaining loop over rows.
// CHECK-LABEL: @top_of_batches
// CHECK: scf.for
// CHECK: } {weir.rows_apart = {{.*}} : f64}
// CHECK-NEXT: scf.yield
func.func @top_of_batches(%x: tensor<1x3x50xf32>) -> (tensor<1x3x2xf32>, tensor<1x3x2xi32>) {
  %v, %i = graph.top_k %x k 2 : tensor<1x3x50xf32>
  return %v, %i : tensor<1x3x2xf32>, tensor<1x3x2xi32>
}

// If k is too large for that, all elements are sorted.
// CHECK-LABEL: @top_many
func.func @top_many(%x: tensor<2x4000xf32>) -> (tensor<2x3900xf32>, tensor<2x3900xi32>) {
  // CHECK: scf.for {{.*}} -> (tensor<2x4000xf32>, tensor<2x4000xi32>, tensor<2x4000xf32>, tensor<2x4000xi32>, index)
  // CHECK: tensor.extract_slice {{.*}} [2, 3900] [1, 1] : tensor<2x4000xf32>
  %v, %i = graph.top_k %x k 3900 : tensor<2x4000xf32>
  return %v, %i : tensor<2x3900xf32>, tensor<2x3900xi32>
}

// -----

// A result without elements needs no loops.
// CHECK-LABEL: @no_elements
// CHECK-NEXT: %[[EMPTY:.*]] = tensor.empty() : tensor<2x0xi32>
// CHECK-NEXT: return %[[EMPTY]]
func.func @no_elements(%s: tensor<2x8xf32>, %x: tensor<2x0xf32>) -> tensor<2x0xi32> {
  %i = graph.search_sorted %s, %x right : tensor<2x8xf32>, tensor<2x0xf32>
  return %i : tensor<2x0xi32>
}

// CHECK-LABEL: @search_sorted
func.func @search_sorted(%s: tensor<2x8xf32>, %x: tensor<2x3xf32>) -> tensor<2x3xi32> {
  // CHECK: %[[STEPS:.*]] = arith.constant 4 : index
  // CHECK: scf.for %{{.*}} to %[[STEPS]] {{.*}} -> (index, index)
  // CHECK: arith.cmpf ole
  %i = graph.search_sorted %s, %x right : tensor<2x8xf32>, tensor<2x3xf32>
  return %i : tensor<2x3xi32>
}

// -----

// Elements within the sizes are copied without gaps.
// CHECK-LABEL: @compact
// CHECK: kernel.corner compacts ins(%{{.*}} : tensor<2x3xf32>) sizes(%{{.*}} : tensor<i64>) along [1] order [0, 1] outs(%{{.*}} : tensor<6xf32>)
func.func @compact(%x: tensor<2x3xf32>, %n: tensor<i64>) -> tensor<6xf32> {
  %y = graph.compact %x [%n] along [1] : (tensor<2x3xf32>, tensor<i64>) -> tensor<6xf32>
  return %y : tensor<6xf32>
}

// -----

// Dimension 1 of the elements without gaps is dimension 0 of the padded buffer.
// CHECK-LABEL: @permuted
// CHECK: kernel.corner ins(%{{.*}} : tensor<24xf32>) sizes(%{{.*}} : tensor<i64>) along [0] order [2, 0, 1] outs(%{{.*}} : tensor<3x4x2xf32>)
// CHECK: kernel.corner compacts ins(%{{.*}} : tensor<3x4x2xf32>) sizes(%{{.*}} : tensor<i64>) along [0] order [2, 0, 1] outs(%{{.*}} : tensor<24xf32>)
func.func @permuted(%x: tensor<24xf32>, %n: tensor<i64>) -> tensor<24xf32> {
  %y = graph.spread %x [%n] along [1] to [2, 3, 4] permuted [1, 2, 0] : (tensor<24xf32>, tensor<i64>) -> tensor<3x4x2xf32>
  %z = graph.compact %y [%n] along [1] permuted [2, 0, 1] : (tensor<3x4x2xf32>, tensor<i64>) -> tensor<24xf32>
  return %z : tensor<24xf32>
}

// -----

// A GPU uses loops.
// CHECK-LABEL: @compact_on_gpu
// CHECK: %[[SIZE:.*]] = tensor.extract %{{.*}}[] : tensor<i64>
// CHECK: %[[END:.*]] = arith.minsi
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step
// CHECK: scf.for %[[J:.*]] = %{{.*}} to %[[END]] step
// CHECK: %[[ROW:.*]] = arith.muli %[[I]], %[[END]]
// CHECK: %[[AT:.*]] = arith.addi %[[ROW]], %[[J]]
// CHECK: tensor.extract %{{.*}}[%[[I]], %[[J]]]
// CHECK: tensor.insert %{{.*}} into %{{.*}}[%[[AT]]] : tensor<6xf32>
module attributes {weir.gpu = #weir.gpu<>, weir.target = #weir.target<>} {
  func.func @compact_on_gpu(%x: tensor<2x3xf32>, %n: tensor<i64>) -> tensor<6xf32> {
    %y = graph.compact %x [%n] along [1] : (tensor<2x3xf32>, tensor<i64>) -> tensor<6xf32>
    return %y : tensor<6xf32>
  }
}

// -----

// The opposite direction stores zeros first if it has the attribute.
// CHECK-LABEL: @spread
// CHECK: linalg.fill
// CHECK: tensor.insert %{{.*}} into %{{.*}}[%{{.*}}, %{{.*}}] : tensor<2x3xf32>
func.func @spread(%x: tensor<6xf32>, %n: tensor<i64>) -> tensor<2x3xf32> {
  %y = graph.spread %x [%n] along [1] to [2, 3] zeros : (tensor<6xf32>, tensor<i64>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

// Only the strip is written, in a copy.
// CHECK-LABEL: @fill_beyond
// CHECK: linalg.copy
// CHECK: %[[BEGIN:.*]] = arith.minsi
// CHECK: %[[REACH:.*]] = arith.addi %[[BEGIN]]
// CHECK: %[[END:.*]] = arith.minsi %[[REACH]]
// CHECK: scf.for %{{.*}} = %[[BEGIN]] to %[[END]]
// CHECK: tensor.insert
func.func @fill_beyond(%x: tensor<2x8xf32>, %n: tensor<i64>, %v: tensor<f32>) -> tensor<2x8xf32> {
  %y = graph.fill_beyond %x, %n, %v along 1 reach 2 : (tensor<2x8xf32>, tensor<i64>, tensor<f32>) -> tensor<2x8xf32>
  return %y : tensor<2x8xf32>
}
