// RUN: weir-opt %s --split-input-file --verify-diagnostics

// expected-error@below {{attribute 'weir.target' must be #weir.target<...>, not {vector_bits = 512 : i64}}}
module attributes {weir.target = {vector_bits = 512 : i64}} {}

// -----

// expected-error@below {{attribute 'weir.entries' must be an array of #weir.entry<...>, not [{name = "f"}]}}
module attributes {weir.entries = [{name = "f"}]} {}

// -----

// expected-error@below {{duplicate or unknown struct parameter name: vector_bit}}
module attributes {weir.target = #weir.target<vector_bit = 512>} {}

// -----

// expected-error@below {{vector_bits must be a power of two, not 500}}
module attributes {weir.target = #weir.target<vector_bits = 500>} {}

// -----

// expected-error@below {{panel_bits must be from 512 to 2048, not 256}}
module attributes {weir.target = #weir.target<panel_bits = 256>} {}

// -----

// expected-error@below {{vector_registers must be from 8 to 64, not 4}}
module attributes {weir.target = #weir.target<vector_registers = 4>} {}

// -----

// expected-error@below {{kind must be cuda or sim, not 'rocm'}}
module attributes {weir.gpu = #weir.gpu<kind = "rocm">} {}

// -----

// expected-error@below {{archs has "gfx90", which is no architecture such as sm_80}}
module attributes {weir.gpu = #weir.gpu<archs = ["gfx90"]>} {}

// -----

// expected-error@below {{place has "x:tpu", which is not REGEX:cpu or REGEX:gpu}}
module attributes {weir.gpu = #weir.gpu<place = ["x:tpu"]>} {}

// -----

// expected-error@below {{type must have a static shape}}
module attributes {weir.entries = [#weir.entry<symbol = "f", inputs = [#weir.tensor<type = tensor<?xf32>>]>]} {}

// -----

// expected-error@below {{inputs must be an array of #weir.tensor}}
module attributes {weir.entries = [#weir.entry<symbol = "f", inputs = ["x"]>]} {}

// -----

// expected-error@below {{an entry has a symbol}}
module attributes {weir.entries = [#weir.entry<name = "f">]} {}

// -----

// expected-error@below {{offset must be a multiple of 64, not 8}}
module attributes {weir.variables = [#weir.variable<name = "w", key = "w", offset = 8, type = tensor<4xf32>>]} {}

// -----

// expected-error@below {{offset must be a multiple of 64, not 8}}
module attributes {weir.weights = [#weir.weight<offset = 8, elements = dense<1.0> : tensor<4xf32>>]} {}

// -----

// expected-error@below {{size must divide the 64 rows, not be 7}}
func.func private @rows() attributes {weir.row_blocks = #weir.row_blocks<rows = 64, size = 7>}

// -----

// expected-error@below {{threads must be from 1 to 1024, not 2048}}
func.func private @launch() attributes {weir.launch = #weir.launch<blocks = 1, threads = 2048>}

// -----

// expected-error@below {{ldb must be from 8 to 2147483648, not 4}}
func.func private @gemm() attributes {weir.gemm = #weir.gemm<m = 4, n = 8, k = 16, dtype = f32, ldb = 4>}

// -----

// expected-error@below {{operands must have 3 numbers, not 1}}
func.func private @gemm() attributes {weir.gemm = #weir.gemm<m = 4, n = 8, k = 16, dtype = f32, operands = [0]>}
