// Ops that order elements, against NumPy. A NaN counts as greater than every number.

// RUN: weir reference %s --function=sort --input=input0=1x4xf32=3,nan,1,3 --input=input1=1x4xi32=0,1,2,3 | FileCheck %s --check-prefix=SORT
// SORT: output0: 1x4xf32=1,3,3,nan{{$}}
// SORT: output1: 1x4xi32=2,0,3,1{{$}}
func.func @sort(%a: tensor<1x4xf32>, %b: tensor<1x4xi32>) -> (tensor<1x4xf32>, tensor<1x4xi32>) {
  %s:2 = graph.sort %a, %b : tensor<1x4xf32>, tensor<1x4xi32>
  return %s#0, %s#1 : tensor<1x4xf32>, tensor<1x4xi32>
}

// Equal keys keep their order.
// RUN: weir reference %s --function=sort_descending --input=input0=1x4xf32=3,nan,1,3 --input=input1=1x4xi32=0,1,2,3 | FileCheck %s --check-prefix=SORT-DESCENDING
// SORT-DESCENDING: output0: 1x4xf32=nan,3,3,1{{$}}
// SORT-DESCENDING: output1: 1x4xi32=1,0,3,2{{$}}
func.func @sort_descending(%a: tensor<1x4xf32>, %b: tensor<1x4xi32>) -> (tensor<1x4xf32>, tensor<1x4xi32>) {
  %s:2 = graph.sort %a, %b descending : tensor<1x4xf32>, tensor<1x4xi32>
  return %s#0, %s#1 : tensor<1x4xf32>, tensor<1x4xi32>
}

// RUN: weir reference %s --function=top_k --input=input0=1x4xf32=1,5,5,2 | FileCheck %s --check-prefix=TOP-K
// TOP-K: output0: 1x3xf32=5,5,2{{$}}
// TOP-K: output1: 1x3xi32=1,2,3{{$}}
func.func @top_k(%a: tensor<1x4xf32>) -> (tensor<1x3xf32>, tensor<1x3xi32>) {
  %v, %i = graph.top_k %a k 3 : tensor<1x4xf32>
  return %v, %i : tensor<1x3xf32>, tensor<1x3xi32>
}

// RUN: weir reference %s --function=search --input=input0=1x4xf32=1,2,2,5 --input=input1=1x3xf32=0,2,9 | FileCheck %s --check-prefix=SEARCH
// SEARCH: output0: 1x3xi32=0,1,4{{$}}
// SEARCH: output1: 1x3xi32=0,3,4{{$}}
func.func @search(%a: tensor<1x4xf32>, %b: tensor<1x3xf32>) -> (tensor<1x3xi32>, tensor<1x3xi32>) {
  %l = graph.search_sorted %a, %b : tensor<1x4xf32>, tensor<1x3xf32>
  %r = graph.search_sorted %a, %b right : tensor<1x4xf32>, tensor<1x3xf32>
  return %l, %r : tensor<1x3xi32>, tensor<1x3xi32>
}
