"""pairing.py: writes modules for pairing.test, which have too many weights for the test itself."""

import numpy as np

PRODUCT = """
module attributes {{weir.target = #weir.target<{target}>}} {{
func.func @{name}(%x: tensor<{rows}x48xf32>) -> tensor<{rows}x160xf32> attributes {{weir.entry = "serve"}} {{
  %w = graph.constant dense<"0x{weights}"> : tensor<48x160xf32>
  %y = plan.task @kernel_0(%x, %w) : (tensor<{rows}x48xf32>, tensor<48x160xf32>) -> tensor<{rows}x160xf32>
  return %y : tensor<{rows}x160xf32>
}}
func.func private @kernel_0(%a: tensor<{rows}x48xf32>, %w: tensor<48x160xf32> {{weir.constant}}) -> tensor<{rows}x160xf32> attributes {{weir.kernel}} {{
  %e = tensor.empty() : tensor<5x48x32xf32>
  %p = kernel.pack ins(%w : tensor<48x160xf32>) layout <panels(32)> outs(%e : tensor<5x48x32xf32>) -> tensor<5x48x32xf32>
  %c = tensor.empty() : tensor<{rows}x160xf32>
  %y = kernel.matmul ins(%a, %p : tensor<{rows}x48xf32>, tensor<5x48x32xf32>) layout <panels(32)> outs(%c : tensor<{rows}x160xf32>) -> tensor<{rows}x160xf32> {{
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }}
  return %y : tensor<{rows}x160xf32>
}}
}}"""

PIXELS = """
module attributes {{weir.target = #weir.target<{target}>}} {{
func.func @{name}(%x: tensor<1x7x7x48xf32>) -> tensor<1x4x7x160xf32> attributes {{weir.entry = "serve"}} {{
  %w = graph.constant dense<"0x{weights}"> : tensor<1x1x48x160xf32>
  %y = plan.task @kernel_0(%x, %w) : (tensor<1x7x7x48xf32>, tensor<1x1x48x160xf32>) -> tensor<1x4x7x160xf32>
  return %y : tensor<1x4x7x160xf32>
}}
func.func private @kernel_0(%x: tensor<1x7x7x48xf32>, %w: tensor<1x1x48x160xf32> {{weir.constant}}) -> tensor<1x4x7x160xf32> attributes {{weir.kernel}} {{
  %e = tensor.empty() : tensor<5x1x1x48x32xf32>
  %p = kernel.pack_filter ins(%w : tensor<1x1x48x160xf32>) groups 1 layout <panels(32)> outs(%e : tensor<5x1x1x48x32xf32>) -> tensor<5x1x1x48x32xf32>
  %c = tensor.empty() : tensor<1x4x7x160xf32>
  %y = kernel.convolution ins(%x, %p : tensor<1x7x7x48xf32>, tensor<5x1x1x48x32xf32>) layout <panels(32)> outs(%c : tensor<1x4x7x160xf32>) -> tensor<1x4x7x160xf32> attributes {{strides = array<i64: 2, 1>, padding = array<i64: {padding}, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64}} {{
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }}
  return %y : tensor<1x4x7x160xf32>
}}
}}"""

WINDOWS = """
module attributes {{weir.target = #weir.target<{target}>}} {{
func.func @{name}(%x: tensor<1x8x9x8xf32>) -> tensor<1x4x7x160xf32> attributes {{weir.entry = "serve"}} {{
  %w = graph.constant dense<"0x{weights}"> : tensor<2x3x8x160xf32>
  %y = plan.task @kernel_0(%x, %w) : (tensor<1x8x9x8xf32>, tensor<2x3x8x160xf32>) -> tensor<1x4x7x160xf32>
  return %y : tensor<1x4x7x160xf32>
}}
func.func private @kernel_0(%x: tensor<1x8x9x8xf32>, %w: tensor<2x3x8x160xf32> {{weir.constant}}) -> tensor<1x4x7x160xf32> attributes {{weir.kernel}} {{
  %e = tensor.empty() : tensor<5x2x3x8x32xf32>
  %p = kernel.pack_filter ins(%w : tensor<2x3x8x160xf32>) groups 1 layout <panels(32)> outs(%e : tensor<5x2x3x8x32xf32>) -> tensor<5x2x3x8x32xf32>
  %c = tensor.empty() : tensor<1x4x7x160xf32>
  %y = kernel.convolution ins(%x, %p : tensor<1x8x9x8xf32>, tensor<5x2x3x8x32xf32>) layout <panels(32)> outs(%c : tensor<1x4x7x160xf32>) -> tensor<1x4x7x160xf32> attributes {{strides = array<i64: 2, 1>, padding = array<i64: 0, {padding}>, dilations = array<i64: 1, 1>, groups = 1 : i64}} {{
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }}
  return %y : tensor<1x4x7x160xf32>
}}
}}"""

ADDS = 'adds_beside = true, features = "+avx512f"'


def write(name, w, form=PRODUCT, target=ADDS, rows=16, **more):
    weights = np.float32(w).tobytes().hex().upper()
    print(form.format(name=name, weights=weights, target=target, rows=rows, **more))
    print("\n// -----")


third = np.full((48, 160), 1 / 3, np.float32)
third[:, 1::2] *= 8
write("products", third)
write("adds_nothing_beside", third, target='features = "+avx512f"')
write("panels_of_other_processors", third, target=ADDS + ", panel_bits = 512")
write("few_rows", third, rows=4)
write("two_products_a_cycle", third, target=ADDS + ", fma_rate = 2")
write("integers", np.arange(48 * 160).reshape(48, 160) % 4095)
uneven = third.copy()
uneven[6:8, 5] = 1700
write("uneven_weights", uneven)
tiny = third.copy()
tiny[:, 7] *= np.float32(2.0**-70)
write("tiny_weights", tiny)
infinite = third.copy()
infinite[40, 90] = np.inf
write("infinite_weights", infinite)
write("pixels", third, form=PIXELS, padding=0)
write("padded_pixels", third, form=PIXELS, padding=1)
write("windows", third, form=WINDOWS, padding=0)
write("windows_mostly_outside", third, form=WINDOWS, padding=6)
