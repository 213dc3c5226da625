"""Writes IR with 1024 different weights, one splat, and the weights once more."""

import struct

weights = struct.pack("<1024f", *range(1024)).hex().upper()
print(f'''func.func @main(%x: tensor<1x32xf32>) -> tensor<1x32xf32> attributes {{weir.entry = "main"}} {{
  %w = graph.constant dense<"0x{weights}"> : tensor<32x32xf32>
  %v = graph.constant dense<"0x{weights}"> : tensor<32x32xf32>
  %s = graph.constant dense<2.0> : tensor<32x32xf32>
  %a = graph.matmul %x, %w : tensor<1x32xf32>, tensor<32x32xf32>
  %b = graph.matmul %a, %v : tensor<1x32xf32>, tensor<32x32xf32>
  %c = graph.matmul %b, %s : tensor<1x32xf32>, tensor<32x32xf32>
  return %c : tensor<1x32xf32>
}}''')
