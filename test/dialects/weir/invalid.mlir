// RUN: weir-opt %s --split-input-file --verify-diagnostics

// A misspelled name is an error, which suggests the nearest name.
// expected-error@below {{has an unknown attribute 'weir.kernle'; did you mean 'weir.kernel'?}}
func.func private @unknown() attributes {weir.kernle}

// -----

// expected-error@below {{has an unknown attribute 'weir.trget'; did you mean 'weir.target'?}}
module attributes {weir.trget = 1} {}

// -----

// expected-error@below {{has an unknown attribute 'weir.nam'; did you mean 'weir.name'?}}
func.func private @argument(tensor<4xf32> {weir.nam = "x"})

// -----

// expected-error@below {{has an unknown attribute 'weir.tensr'; did you mean 'weir.tensor'?}}
func.func private @result() -> (tensor<4xf32> {weir.tensr = "x"})

// -----

// An attribute has the type of its declaration.
// expected-error@below {{attribute 'weir.kernel' must be a unit attribute, not 1 : i64}}
func.func private @flag() attributes {weir.kernel = 1 : i64}

// -----

// expected-error@below {{attribute 'weir.slots' must be an i64 of 1 or more, not 0 : i64}}
module attributes {weir.slots = 0 : i64} {}

// -----

// expected-error@below {{attribute 'weir.slots' must be an i64 of 1 or more, not 4 : i32}}
module attributes {weir.slots = 4 : i32} {}

// -----

// expected-error@below {{attribute 'weir.scratch_bytes' must be an i64 of 0 or more, not -1 : i64}}
func.func private @size() attributes {weir.scratch_bytes = -1 : i64}

// -----

// expected-error@below {{attribute 'weir.checks' must be an array of strings, not [1]}}
module attributes {weir.checks = [1]} {}

// -----

// expected-error@below {{attribute 'weir.stored_as' must be f16 or bf16, not f32}}
func.func private @type(tensor<4xf32> {weir.stored_as = f32})

// -----

// expected-error@below {{attribute 'weir.in_place' must be an array<i64> of 0 or more each, not array<i64: -1>}}
func.func private @numbers() attributes {weir.in_place = array<i64: -1>}

// -----

// expected-error@below {{attribute 'weir.sizes' must be an array with an array<i64> of pairs per dimension}}
func.func private @sizes(tensor<4xf32> {weir.sizes = [array<i64: 4>]})

// -----

// An attribute is valid only on its carriers.
// expected-error@below {{attribute 'weir.slots' is for module, not for func.func}}
func.func private @carrier() attributes {weir.slots = 4 : i64}

// -----

// expected-error@below {{attribute 'weir.kernel' is for function, not for builtin.module}}
module attributes {weir.kernel} {}

// -----

// expected-error@below {{attribute 'weir.constant' is for argument, not for a result}}
func.func private @side() -> (tensor<4xf32> {weir.constant})

// -----

func.func @op(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@below {{attribute 'weir.again' is for graph.group plan.task, not for graph.exp}}
  %y = graph.exp %x {weir.again = 0 : i64} : tensor<4xf32>
  return %y : tensor<4xf32>
}
