// RUN: weir-opt %s --split-input-file --weir-serialize-kernels --verify-diagnostics | FileCheck %s

// The kernels become PTX for the oldest of the architectures.
// CHECK: weir.gpu_images = [{data = "
// CHECK-SAME: .target sm_80
// CHECK-SAME: .visible .entry k(
// CHECK-SAME: .reqntid 128, 1, 1
// CHECK-SAME: mov.u32 {{.*}}%tid.x
// CHECK-SAME: st.global.u32
// CHECK-SAME: kind = "ptx", sm = 80 : i64}]
// CHECK-NOT: module @weir_gpu_kernels
module attributes {weir.gpu = {archs = ["sm_80", "sm_90"], kind = "cuda"}} {
  module @weir_gpu_kernels {
    llvm.func @k(%x: !llvm.ptr) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
      %i = nvvm.read.ptx.sreg.tid.x : i32
      %at = llvm.getelementptr %x[%i] : (!llvm.ptr, i32) -> !llvm.ptr, f32
      %v = llvm.mlir.constant(1.0 : f32) : f32
      llvm.store %v, %at : f32, !llvm.ptr
      llvm.return
    }
  }
}

// -----

// The simulator runs them from LLVM's dialect.
// CHECK: module @weir_gpu_kernels
module attributes {weir.gpu = {archs = ["sm_80"], kind = "sim"}} {
  module @weir_gpu_kernels {
  }
}

// -----

module attributes {weir.gpu = {archs = ["sm_80"], kind = "cuda"}} {
  // expected-error @below {{kernels call 'missing', which a GPU does not have}}
  module @weir_gpu_kernels {
    llvm.func @missing(f64) -> f64
    llvm.func @k(%x: !llvm.ptr) attributes {nvvm.kernel} {
      %v = llvm.load %x : !llvm.ptr -> f64
      %y = llvm.call @missing(%v) : (f64) -> f64
      llvm.store %y, %x : f64, !llvm.ptr
      llvm.return
    }
  }
}
