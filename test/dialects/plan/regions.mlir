// RUN: weir-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// Weights in which ranks differ.
// CHECK: plan.weight 64 in region 1 : memref<4x4xf32>
module attributes {
  weir.weights_bytes = 512 : i64,
  weir.weight_table = 0 : i64,
  weir.arena_bytes = 64 : i64,
  weir.weight_regions = [#weir.weight_region<axes = 1, offset = 256, stride = 128>]
} {
  plan.program @f {
    %v = plan.weight 64 in region 1 : memref<4x4xf32>
  }
}

// -----

module attributes {weir.weights_bytes = 512 : i64} {
  plan.program @f {
    // expected-error@below {{'plan.weight' op is in region 1, and the module has 0}}
    %v = plan.weight 64 in region 1 : memref<4x4xf32>
  }
}
