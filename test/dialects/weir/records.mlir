// RUN: weir-opt %s --split-input-file | weir-opt --split-input-file | FileCheck %s

// A parameter that has its default value is not printed.
// CHECK: module @default attributes {weir.gpu = #weir.gpu<>, weir.target = #weir.target<>}
module @default attributes {weir.gpu = #weir.gpu<kind = "cuda", cubins = false>, weir.target = #weir.target<fma = true, vector_bits = 512>} {}

// -----

// CHECK: weir.gpu = #weir.gpu<kind = "sim", archs = ["sm_80", "sm_90a"], cubins = true, library = "auto", place = ["^x:cpu"]>
// CHECK-SAME: weir.target = #weir.target<triple = "aarch64-linux-gnu", cpu = "generic", features = "+neon", vector_bits = 128, panel_bits = 512, vector_registers = 32, l1 = 65536, l2 = 524288, fma = false, fma_rate = 2, adds_beside = true>
module attributes {
  weir.target = #weir.target<triple = "aarch64-linux-gnu", cpu = "generic", features = "+neon", vector_bits = 128, panel_bits = 512, vector_registers = 32, l1 = 65536, l2 = 524288, fma = false, fma_rate = 2, adds_beside = true>,
  weir.gpu = #weir.gpu<kind = "sim", archs = ["sm_80", "sm_90a"], cubins = true, library = "auto", place = ["^x:cpu"]>
} {}

// -----

// CHECK: weir.entries = [#weir.entry<name = "f", symbol = "weir_entry_0", inputs = [#weir.tensor<name = "x", tensor = "x:0", type = tensor<4xf32>>, #weir.tensor<name = "x.shape", type = tensor<1xi64>, shape_of = 0, least = [1], dims = ["n"]>], outputs = [#weir.tensor<name = "y", type = tensor<4xi64>, strings = ["cat", "dog"]>], state = true, init = true, capturable = true>]
// CHECK-SAME: weir.variables = [#weir.variable<name = "w", key = "w", offset = 64, type = tensor<4xf32>, slice = "8 0,4">]
// CHECK-SAME: weir.weights = [#weir.weight<elements = dense<1.000000e+00> : tensor<4xf32>>, #weir.weight<offset = 64, elements = dense<2> : tensor<i32>>]
module attributes {
  weir.entries = [#weir.entry<name = "f", symbol = "weir_entry_0", inputs = [#weir.tensor<name = "x", tensor = "x:0", type = tensor<4xf32>>, #weir.tensor<name = "x.shape", type = tensor<1xi64>, shape_of = 0, least = [1], dims = ["n"]>], outputs = [#weir.tensor<name = "y", type = tensor<4xi64>, strings = ["cat", "dog"]>], state = true, init = true, capturable = true>],
  weir.variables = [#weir.variable<name = "w", key = "w", offset = 64, type = tensor<4xf32>, slice = "8 0,4">],
  weir.weights = [#weir.weight<offset = 0, elements = dense<1.0> : tensor<4xf32>>, #weir.weight<offset = 64, elements = dense<2> : tensor<i32>>]
} {}

// -----

// CHECK: module attributes {weir.profile, weir.profile_tasks = [#weir.profile_task<entry = 1, kernel = "kernel_0", nodes = ["a", "b"], phase = 2, bytes_read = 4, bytes_written = 8, multiply_adds = 16>, #weir.profile_task<kernel = "copy">]}
module attributes {weir.profile, weir.profile_tasks = [#weir.profile_task<entry = 1, kernel = "kernel_0", nodes = ["a", "b"], phase = 2, bytes_read = 4, bytes_written = 8, multiply_adds = 16>, #weir.profile_task<kernel = "copy">]} {
  // CHECK: func.func private @k() attributes {weir.phase = 1 : i64, weir.work = #weir.work<inputs = 2, multiply_adds = 24>}
  func.func private @k() attributes {weir.phase = 1 : i64, weir.work = #weir.work<inputs = 2, multiply_adds = 24>}
}

// -----

// CHECK: weir.gpu_attentions = [#weir.attention<batch = 2, heads = 3, rows = 40, columns = 40, depth = 16, width = 16, q = [1920, 16, 48], k = [1920, 16, 48], v = [1920, 16, 48], mask = [40, 0, 0], out = [1920, 16, 48], scale = 1.250000e-01 : f64, dtype = f16, workspace = 1049536>]
// CHECK-SAME: weir.gpu_convs = [#weir.conv<images = 2, inputs = 3, outputs = 4, size = [5, 6], window = [3, 3], strides = [1, 1], dilations = [1, 1], padding_low = [1, 1], padding_high = [1, 1], dtype = f32, bias = true, residual = true, relu = true, clip = 6.000000e+00 : f64, workspace = 4194304>]
// CHECK-SAME: weir.gpu_gemms = [#weir.gemm<m = 4, n = 8, k = 16, dtype = bf16, bias = true, relu = true, stride_b = 0, workspace = 1048576>]
// CHECK-SAME: weir.gpu_images = [#weir.gpu_image<kind = "cubin", sm = 90, specific = true, data = "code">]
// CHECK-SAME: weir.gpu_kernels = [#weir.gpu_kernel<name = "k", shared = 65536>]
module attributes {
  weir.gpu_attentions = [#weir.attention<batch = 2, heads = 3, rows = 40, columns = 40, depth = 16, width = 16, q = [1920, 16, 48], k = [1920, 16, 48], v = [1920, 16, 48], mask = [40, 0, 0], out = [1920, 16, 48], scale = 0.125 : f64, dtype = f16, workspace = 1049536>],
  weir.gpu_convs = [#weir.conv<images = 2, inputs = 3, outputs = 4, size = [5, 6], window = [3, 3], strides = [1, 1], dilations = [1, 1], padding_low = [1, 1], padding_high = [1, 1], dtype = f32, bias = true, residual = true, relu = true, clip = 6.0 : f64, workspace = 4194304>],
  weir.gpu_gemms = [#weir.gemm<m = 4, n = 8, k = 16, dtype = bf16, bias = true, relu = true, stride_b = 0, workspace = 1048576>],
  weir.gpu_images = [#weir.gpu_image<kind = "cubin", sm = 90, specific = true, data = "code">],
  weir.gpu_kernels = [#weir.gpu_kernel<name = "k", shared = 65536>]
} {
  // CHECK: func.func private @k() attributes {weir.launch = #weir.launch<blocks = 8, threads = 128>, weir.row_blocks = #weir.row_blocks<rows = 64, size = 16>}
  func.func private @k() attributes {weir.launch = #weir.launch<blocks = 8, threads = 128>, weir.row_blocks = #weir.row_blocks<rows = 64, size = 16>}
  plan.program @p {
    // CHECK: plan.run @k(%{{.*}}, %{{.*}}) {weir.library_call = #weir.library_call<function = "weir_gpu_multiply", number = 1, operands = [0, 1, -1]>}
    %x = plan.argument 0 : memref<4xf32>
    plan.run @k(%x, %x) {weir.library_call = #weir.library_call<function = "weir_gpu_multiply", number = 1, operands = [0, 1, -1]>} : (memref<4xf32>, memref<4xf32>)
  }
}

// -----

// Weights in which ranks differ.
// CHECK: weir.variables = [#weir.variable<name = "w", key = "w", type = tensor<2x3xf32>, shards = [1, 0]>]
// CHECK-SAME: weir.weight_regions = [#weir.weight_region<axes = 1, offset = 64, stride = 128>]
// CHECK-SAME: weir.weights = [#weir.weight<region = 1, elements = #weir.parts<axes = 1, elements = [dense<1.000000e+00> : tensor<2xf32>, dense<2.000000e+00> : tensor<2xf32>]> : tensor<2xf32>>]
module attributes {
  weir.variables = [#weir.variable<name = "w", key = "w", type = tensor<2x3xf32>, shards = [1, 0]>],
  weir.weight_regions = [#weir.weight_region<axes = 1, offset = 64, stride = 128>],
  weir.weights = [#weir.weight<region = 1, elements = #weir.parts<axes = 1, elements = [dense<1.0> : tensor<2xf32>, dense<2.0> : tensor<2xf32>]>>]
} {}
