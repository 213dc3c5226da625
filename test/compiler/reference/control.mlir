// Control flow, calls and variables.

// RUN: weir reference %s --function=choose --input=input0=i1=1 --input=input1=2xf32=1,2 | FileCheck %s --check-prefix=CHOOSE
// CHOOSE: output0: 2xf32=-1,-2{{$}}
func.func @choose(%a: tensor<i1>, %b: tensor<2xf32>) -> tensor<2xf32> {
  %y = graph.if %a : tensor<i1> -> (tensor<2xf32>) {
  %n = graph.neg %b : tensor<2xf32>
  graph.yield %n : tensor<2xf32>
  } else {
  graph.yield %b : tensor<2xf32>
  }
  return %y : tensor<2xf32>
}

// The body uses values from outside.
// RUN: weir reference %s --function=count --input=input0=i32=3 --input=input1=i32=2 | FileCheck %s --check-prefix=COUNT
// COUNT: output0: i32=0{{$}}
// COUNT: output1: i32=16{{$}}
func.func @count(%a: tensor<i32>, %b: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
  %one = graph.constant dense<1> : tensor<i32>
  %n:2 = graph.while(%a, %b) : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>) {
  ^bb0(%i: tensor<i32>, %x: tensor<i32>):
  %zero = graph.constant dense<0> : tensor<i32>
  %p = graph.greater %i, %zero : tensor<i32>
  graph.yield %p : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %x: tensor<i32>):
  %j = graph.sub %i, %one : tensor<i32>
  %y = graph.mul %x, %b : tensor<i32>
  graph.yield %j, %y : tensor<i32>, tensor<i32>
  }
  return %n#0, %n#1 : tensor<i32>, tensor<i32>
}

// RUN: weir reference %s --function=call --input=input0=1xf32=2 | FileCheck %s --check-prefix=CALL
// CALL: output0: 1xf32=8{{$}}
func.func @call(%a: tensor<1xf32>) -> tensor<1xf32> {
  %y = func.call @twice(%a) : (tensor<1xf32>) -> tensor<1xf32>
  %z = func.call @twice(%y) : (tensor<1xf32>) -> tensor<1xf32>
  return %z : tensor<1xf32>
}

func.func @twice(%x: tensor<1xf32>) -> tensor<1xf32> {
  %y = graph.add %x, %x : tensor<1xf32>
  return %y : tensor<1xf32>
}

graph.variable @steps : tensor<i64> = dense<5> : tensor<i64>

// A read before an assignment keeps its value.
// RUN: weir reference %s --function=variable | FileCheck %s --check-prefix=VARIABLE
// VARIABLE: output0: i64=5{{$}}
// VARIABLE: output1: i64=10{{$}}
func.func @variable() -> (tensor<i64>, tensor<i64>) {
  %a = graph.read_variable @steps : tensor<i64>
  %b = graph.add %a, %a : tensor<i64>
  graph.write_variable @steps, %b : tensor<i64>
  %c = graph.read_variable @steps : tensor<i64>
  return %a, %c : tensor<i64>, tensor<i64>
}

// RUN: weir reference %s --function=marks --input=input0=1xf32=3 | FileCheck %s --check-prefix=MARKS
// MARKS: output0: 1xf32=3{{$}}
func.func @marks(%a: tensor<1xf32>) -> tensor<1xf32> {
  %b = graph.barrier %a : tensor<1xf32>
  %s = graph.stop_gradient %b : tensor<1xf32>
  return %s : tensor<1xf32>
}

// RUN: weir reference %s --function=named --input=input0=i32=3 | FileCheck %s --check-prefix=NAMED
// NAMED: output0: i32=16{{$}}
func.func @named(%a: tensor<i32>) -> tensor<i32> {
  %limit = graph.constant dense<10> : tensor<i32>
  %one = graph.constant dense<1> : tensor<i32>
  %n = graph.while(%one) : (tensor<i32>) -> tensor<i32> {
  ^bb0(%x: tensor<i32>):
    %p = graph.less %x, %limit : tensor<i32>
    graph.yield %p : tensor<i1>
  } do {
  ^bb0(%x: tensor<i32>):
    %y = graph.add %x, %x : tensor<i32> loc("body/next")
    graph.yield %y : tensor<i32>
  }
  return %n : tensor<i32>
}
