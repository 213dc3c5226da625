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

// expected-error@below {{archs has "sm_9", which is no architecture such as sm_80}}
module attributes {weir.gpu = #weir.gpu<archs = ["sm_9"]>} {}

// -----

// expected-error@below {{place has "x:tpu", which is not REGEX:cpu or REGEX:gpu}}
module attributes {weir.gpu = #weir.gpu<place = ["x:tpu"]>} {}

// -----

// expected-error@below {{type must have a static shape}}
// expected-error@below {{failed to parse Weir_Entry parameter 'inputs'}}
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

// -----

// expected-error@below {{dtype must be f32, f16 or bf16, not 'f64'}}
func.func private @gemm() attributes {weir.gemm = #weir.gemm<m = 4, n = 8, k = 16, dtype = f64>}

// -----

// expected-error@below {{window must have 2 numbers, not 1}}
func.func private @conv() attributes {weir.conv = #weir.conv<images = 1, inputs = 3, outputs = 4, size = [5, 6], window = [3], strides = [1, 1], dilations = [1, 1], padding_low = [0, 0], padding_high = [0, 0], dtype = f32>}

// -----

// expected-error@below {{the window is larger than the image}}
func.func private @conv() attributes {weir.conv = #weir.conv<images = 1, inputs = 3, outputs = 4, size = [5, 6], window = [7, 3], strides = [1, 1], dilations = [1, 1], padding_low = [0, 0], padding_high = [0, 0], dtype = f32>}

// -----

// expected-error@below {{a gradient has no bias, residual or relu}}
func.func private @conv() attributes {weir.conv = #weir.conv<images = 1, inputs = 3, outputs = 4, size = [5, 6], window = [3, 3], strides = [1, 1], dilations = [1, 1], padding_low = [0, 0], padding_high = [0, 0], dtype = f32, bias = true, gradient = true>}

// -----

// expected-error@below {{workspace must have room for a number of each row, not 64 bytes}}
func.func private @attention() attributes {weir.attention = #weir.attention<batch = 2, heads = 3, rows = 40, columns = 40, depth = 16, width = 16, q = [1920, 16, 48], k = [1920, 16, 48], v = [1920, 16, 48], out = [1920, 16, 48], scale = 0.125 : f64, dtype = f16, workspace = 64>}

// -----

// expected-error@below {{struct is missing required parameter: q}}
func.func private @attention() attributes {weir.attention = #weir.attention<batch = 2, heads = 3, rows = 40, columns = 40, depth = 16, width = 16, scale = 0.125 : f64, dtype = f16, workspace = 1024>}

// -----

// expected-error@below {{kind must be ptx or cubin, not 'elf'}}
module attributes {weir.gpu_images = [#weir.gpu_image<kind = "elf", sm = 80, data = "code">]} {}

// -----

// expected-error@below {{sm must be from 10 to 9999, not 8}}
module attributes {weir.gpu_images = [#weir.gpu_image<kind = "ptx", sm = 8, data = "code">]} {}

// -----

// expected-error@below {{an image has data}}
module attributes {weir.gpu_images = [#weir.gpu_image<kind = "ptx", sm = 80>]} {}

// -----

// expected-error@below {{a kernel has a name}}
module attributes {weir.gpu_kernels = [#weir.gpu_kernel<shared = 64>]} {}

// -----

plan.program @p {
  %x = plan.argument 0 : memref<4xf32>
  // expected-error@below {{function must be one of runtime/cuda/gpu.h, not 'puts'}}
  plan.run @k(%x) {weir.library_call = #weir.library_call<function = "puts", operands = [0]>} : (memref<4xf32>)
}

// -----

// expected-error@below {{multiply_adds must be from 0 to 9223372036854775807, not -1}}
func.func private @work() attributes {weir.work = #weir.work<multiply_adds = -1>}

// -----

// expected-error@below {{a task has a kernel}}
module attributes {weir.profile_tasks = [#weir.profile_task<entry = 1>]} {}

// -----

// expected-error@below {{nodes must be an array of strings}}
module attributes {weir.profile_tasks = [#weir.profile_task<kernel = "k", nodes = [1]>]} {}

// -----

// expected-error@below {{phase must be from 0 to 2147483647, not -1}}
module attributes {weir.profile_tasks = [#weir.profile_task<kernel = "k", phase = -1>]} {}

// -----

// expected-error@below {{kind must be compute, start, progress or wait, not 'stop'}}
module attributes {weir.schedule = [#weir.schedule_item<kind = "stop">]} {}

// -----

// expected-error@below {{nanoseconds must be from 0 to 9223372036854775807, not -1}}
module attributes {weir.schedule = [#weir.schedule_item<nanoseconds = -1>]} {}

// -----

// expected-error@below {{parts have one type, not 'tensor<2xf32>' and 'tensor<3xf32>'}}
module attributes {weir.x = #weir.parts<axes = 1, elements = [dense<1.0> : tensor<2xf32>, dense<2.0> : tensor<3xf32>]>} {}

// -----

// expected-error@below {{there is no part}}
module attributes {weir.x = #weir.parts<axes = 1>} {}

// -----

// expected-error@below {{axes must be from 1 to 2147483647, not 0}}
module attributes {weir.x = #weir.parts<elements = [dense<1.0> : tensor<2xf32>]>} {}

// -----

// expected-error@below {{a weight in a region has parts, and no other has}}
module attributes {weir.weights = [#weir.weight<region = 1, elements = dense<1.0> : tensor<2xf32>>]} {}

// -----

// expected-error@below {{stride must be a multiple of 64, not 8}}
module attributes {weir.weight_regions = [#weir.weight_region<axes = 1, stride = 8>]} {}

// -----

// expected-error@below {{shards has 1 numbers for a rank of 2}}
module attributes {weir.variables = [#weir.variable<name = "w", key = "w", type = tensor<2x3xf32>, shards = [1]>]} {}
