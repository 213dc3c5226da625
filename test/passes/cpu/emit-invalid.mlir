// What a kernel cannot be emitted of.
// RUN: weir-opt %s -split-input-file --weir-choose-schedules --weir-emit-kernels -verify-diagnostics

module attributes {weir.target = {vector_bits = 128 : i64}} {
  func.func @wide_groups(%x: memref<1x8x8xf64>, %w: memref<3x4x8xf64>, %y: memref<1x6x8xf64>) {
    // expected-error@+1 {{has groups that are wider than vectors}}
    kernel.depthwise ins(%x, %w : memref<1x8x8xf64>, memref<3x4x8xf64>) outs(%y : memref<1x6x8xf64>) attributes {dilations = array<i64: 1>, padding = array<i64: 0>, strides = array<i64: 1>} {
    ^bb0(%sum: f64):
      kernel.yield %sum : f64
    }
    return
  }
}
