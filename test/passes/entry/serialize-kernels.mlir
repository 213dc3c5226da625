// RUN: weir-opt %s --split-input-file --weir-serialize-kernels --verify-diagnostics | FileCheck %s
// RUN: weir-opt %s --split-input-file --pass-pipeline='builtin.module(weir-serialize-kernels{ops-of-part=1})' --verify-diagnostics | FileCheck %s

// The kernels become PTX for the oldest of the architectures.
// CHECK: weir.gpu_images = [#weir.gpu_image<kind = "ptx", sm = 80, data = "
// CHECK-SAME: .target sm_80
// CHECK-SAME: .visible .entry k(
// CHECK-SAME: .reqntid 128, 1, 1
// CHECK-SAME: mov.u32 {{.*}}%tid.x
// CHECK-SAME: st.global.u32
// CHECK-SAME: ">]
// CHECK-NOT: module @weir_gpu_kernels
module attributes {weir.gpu = #weir.gpu<archs = ["sm_80", "sm_90"]>} {
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

// Kernels for one specific GPU are marked as such. Inline instructions stay where all
// threads execute them together.
// CHECK: weir.gpu_images = [#weir.gpu_image<kind = "ptx", sm = 90, specific = true, data = "
// CHECK-SAME: .version 8.0
// CHECK-SAME: .target sm_90a
// CHECK-SAME: .extern .shared .align 1024 .b8 k_shared[];
// CHECK-SAME: wgmma.fence.sync.aligned;
// CHECK-SAME: ">]
module attributes {weir.gpu = #weir.gpu<archs = ["sm_90a"]>} {
  module @weir_gpu_kernels {
    llvm.mlir.global external @k_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
    llvm.func @k(%x: !llvm.ptr) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
      llvm.inline_asm has_side_effects "wgmma.fence.sync.aligned;", "~{memory}" : () -> ()
      %shared = llvm.mlir.addressof @k_shared : !llvm.ptr<3>
      %v = llvm.ptrtoint %shared : !llvm.ptr<3> to i64
      llvm.store %v, %x : i64, !llvm.ptr
      llvm.return
    }
  }
}

// -----

// The simulator interprets the kernels in the LLVM dialect.
// CHECK: module @weir_gpu_kernels
module attributes {weir.gpu = #weir.gpu<kind = "sim", archs = ["sm_80"]>} {
  module @weir_gpu_kernels {
  }
}

// -----

module attributes {weir.gpu = #weir.gpu<archs = ["sm_80"]>} {
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

// -----

// Modules that are compiled in parallel keep the order of the kernels, after one
// header. Each module has its own copy of shared definitions.
// CHECK: weir.gpu_images = [#weir.gpu_image<kind = "ptx", sm = 80, data = "
// CHECK-SAME: .target sm_80
// CHECK-NOT: .target
// CHECK-SAME: .visible .entry first(
// CHECK-NOT: .target
// CHECK-SAME: .visible .entry second(
// CHECK-SAME: .visible .entry third(
module attributes {weir.gpu = #weir.gpu<archs = ["sm_80"]>} {
  module @weir_gpu_kernels {
    llvm.mlir.global private constant @table(dense<[1.0, 2.0, 5.0, 7.0]> : tensor<4xf32>) : !llvm.array<4 x f32>
    llvm.func @first(%x: !llvm.ptr) attributes {nvvm.kernel} {
      %i = nvvm.read.ptx.sreg.tid.x : i32
      %t = llvm.mlir.addressof @table : !llvm.ptr
      %at = llvm.getelementptr %t[%i] : (!llvm.ptr, i32) -> !llvm.ptr, f32
      %v = llvm.load %at : !llvm.ptr -> f32
      llvm.store %v, %x : f32, !llvm.ptr
      llvm.return
    }
    llvm.func @second(%x: !llvm.ptr) attributes {nvvm.kernel} {
      %i = nvvm.read.ptx.sreg.tid.x : i32
      %t = llvm.mlir.addressof @table : !llvm.ptr
      %at = llvm.getelementptr %t[%i] : (!llvm.ptr, i32) -> !llvm.ptr, f32
      %v = llvm.load %at : !llvm.ptr -> f32
      llvm.store %v, %x : f32, !llvm.ptr
      llvm.return
    }
    llvm.func @third(%x: !llvm.ptr) attributes {nvvm.kernel} {
      llvm.return
    }
  }
}
