// RUN: weir-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// Weights of which each rank has another part.
// CHECK: plan.weight 64 in region 1 : memref<4xf32>
module attributes {
  weir.weights_bytes = 512 : i64,
  weir.weight_table = 0 : i64,
  weir.arena_bytes = 64 : i64,
  weir.weight_regions = [#weir.weight_region<axes = 1, offset = 256, stride = 128>]
} {
  plan.program @f {
    %w = plan.weight 64 in region 1 : memref<4xf32>
  }
}

// -----

module attributes {weir.weights_bytes = 512 : i64} {
  plan.program @f {
    // expected-error@below {{'plan.weight' op is in region 1, and the module has 0}}
    %w = plan.weight 64 in region 1 : memref<4xf32>
  }
}
