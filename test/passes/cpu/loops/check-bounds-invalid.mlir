// RUN: weir-opt %s --split-input-file --weir-check-bounds --verify-diagnostics

// The buffers of a plan are in their blocks of memory.
module attributes {weir.checks_bounds, weir.arena_bytes = 100 : i64} {
  plan.program @weir_entry_0 {
    // expected-error @+1 {{the 32 bytes at byte 96 are not in the arena, which has 100}}
    %a = plan.buffer 96 live [0, 0] : memref<8xf32>
  }
}

// -----

module attributes {weir.checks_bounds, weir.weights_bytes = 64 : i64} {
  plan.program @weir_entry_0 {
    %a = plan.weight 32 : memref<8xf32>
    // expected-error @+1 {{the 36 bytes at byte 32 are not in the weights, which has 64}}
    %b = plan.weight 32 : memref<9xf32>
  }
}

// -----

module attributes {weir.checks_bounds, weir.arena_bytes = 128 : i64} {
  plan.program @weir_entry_0 {
    %a = plan.buffer 0 live [0, 0] : memref<8xf32>
    // expected-error @+1 {{the 16 bytes at byte 20 are not in its buffer, which has 32}}
    %b = plan.view %a {offset = 20 : i64} : memref<8xf32> to memref<4xf32>
  }
}
