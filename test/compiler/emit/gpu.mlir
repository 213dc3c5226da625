// A model for a GPU computes y = x * w + b on four floats, with a check that x[0] is
// not negative. A second function does so n times, and the host reads the tensor n
// back. This test shows the output of the compiler; test/runtime/gpu.test runs it.

// RUN: rm -rf %t && mkdir %t
// RUN: weir-emit %s -o %t/libaffine.so --header=%t/affine.h
// RUN: FileCheck %s --check-prefix=HEADER < %t/affine.h
// HEADER: Target: cuda sm_80,sm_90a x86_64-
// HEADER: typedef struct weir_gpu_info
// HEADER: #define AFFINE_CTX_BYTES
// HEADER: weir_status affine_step(affine_ctx *context, const float *x, float *y);
// HEADER: weir_status affine_step_device(affine_ctx *context, const float *x, float *y, void *stream);
// HEADER: weir_status affine_repeat_device(affine_ctx *context, const float *x, const int32_t *n, float *y, void *stream);
// HEADER: weir_status affine_wait(affine_ctx *context);
// HEADER: const weir_gpu_info *affine_gpu(void);
// RUN: cc -std=c11 -Wall -Wextra -Werror -pedantic -fsyntax-only -x c %t/affine.h
// RUN: g++ -std=c++17 -Wall -Wextra -Werror -pedantic -fsyntax-only -x c++ %t/affine.h

// The library links neither with the driver nor with other parts of CUDA.
// RUN: readelf -dW %t/libaffine.so | FileCheck %s --check-prefix=DYNAMIC --implicit-check-not=TEXTREL
// DYNAMIC: (NEEDED) {{.*}} [libc.so.6]
// DYNAMIC-NOT: NEEDED
// RUN: nm -D --defined-only %t/libaffine.so | FileCheck %s --check-prefix=EXPORTS --implicit-check-not=weir
// EXPORTS: affine_create
// EXPORTS-NEXT: affine_destroy
// EXPORTS-NEXT: affine_gpu
// EXPORTS-NEXT: affine_info
// EXPORTS-NEXT: affine_last_error
// EXPORTS-NEXT: affine_repeat
// EXPORTS-NEXT: affine_repeat_device
// EXPORTS-NEXT: affine_status_text
// EXPORTS-NEXT: affine_step
// EXPORTS-NEXT: affine_step_device
// EXPORTS-NEXT: affine_wait
// EXPORTS-NOT: {{.}}

// A model for a processor has no GPU code.
// RUN: weir-emit %S/affine.mlir -o %t/plain.so --header=%t/plain.h
// RUN: nm %t/plain.so | not grep -i 'gpu\|dlopen'
// RUN: not grep -i 'gpu_info\|stream' %t/plain.h

// A library for another processor is compiled in the same way.
// RUN: weir-emit %s --target=aarch64-linux-gnu -o %t/arm.so
// RUN: llvm-readelf -h -s %t/arm.so | FileCheck %s --check-prefix=ARM
// ARM: Machine: AArch64
// ARM: arm_gpu

// Impossible attributes are refused.
// RUN: sed 's/kind = "ptx"/kind = "spirv"/' %s > %t/kind.mlir
// RUN: not weir-emit %t/kind.mlir -o %t/bad.so 2>&1 | FileCheck %s --check-prefix=KIND
// KIND: kind must be ptx or cubin, not 'spirv'
// RUN: sed 's/sm = 80/sm = -1/' %s > %t/sm.mlir
// RUN: not weir-emit %t/sm.mlir -o %t/bad.so 2>&1 | FileCheck %s --check-prefix=SM
// SM: sm must be from 10 to 9999, not -1
// RUN: sed 's/data = "[^"]*"/data = ""/' %s > %t/data.mlir
// RUN: not weir-emit %t/data.mlir -o %t/bad.so 2>&1 | FileCheck %s --check-prefix=DATA
// DATA: an image has data
// RUN: sed 's/shared = 65536/shared = "much"/' %s > %t/shared.mlir
// RUN: not weir-emit %t/shared.mlir -o %t/bad.so 2>&1 | FileCheck %s --check-prefix=SHARED
// SHARED: failed to parse Weir_GpuKernel parameter 'shared'
// RUN: sed 's/weir.gpu_images = .*/weir.gpu_images = [],/; /#weir.gpu_image</d' %s > %t/images.mlir
// RUN: not weir-emit %t/images.mlir -o %t/bad.so 2>&1 | FileCheck %s --check-prefix=IMAGES
// IMAGES: weir.gpu_kernels has kernels, and weir.gpu_images no code

module attributes {
  weir.source = "affine.pb", weir.arena_bytes = 64 : i64,
  weir.max_live_bytes = 17 : i64, weir.weights_bytes = 128 : i64,
  weir.weights = [
    #weir.weight<elements = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>>,
    #weir.weight<offset = 64, elements = dense<0.5> : tensor<4xf32>>],
  weir.checks = ["node 'assert': x must not be negative"],
  weir.gpu_images = [
    #weir.gpu_image<kind = "ptx", sm = 80, data = ".version 7.0 .target sm_80 .address_size 64 .visible .entry affine(.param .u64 affine_x, .param .u64 affine_w, .param .u64 affine_b, .param .u64 affine_y, .param .u64 affine_ok, .param .u32 affine_n) { .reg .pred %p<4>; .reg .f32 %f<5>; .reg .b32 %r<4>; .reg .b64 %d<12>; .reg .b16 %h<2>; ld.param.u64 %d1, [affine_x]; ld.param.u64 %d2, [affine_w]; ld.param.u64 %d3, [affine_b]; ld.param.u64 %d4, [affine_y]; ld.param.u64 %d5, [affine_ok]; ld.param.u32 %r2, [affine_n]; mov.u32 %r1, %tid.x; setp.ge.s32 %p1, %r1, %r2; @%p1 bra DONE; mul.wide.s32 %d6, %r1, 4; add.s64 %d7, %d1, %d6; ld.global.f32 %f1, [%d7]; add.s64 %d8, %d2, %d6; ld.global.f32 %f2, [%d8]; add.s64 %d9, %d3, %d6; ld.global.f32 %f3, [%d9]; fma.rn.f32 %f4, %f1, %f2, %f3; add.s64 %d10, %d4, %d6; st.global.f32 [%d10], %f4; setp.ne.s32 %p2, %r1, 0; @%p2 bra DONE; setp.ge.f32 %p3, %f1, 0f00000000; selp.u16 %h1, 1, 0, %p3; st.global.u8 [%d5], %h1; DONE: ret; } .visible .entry large(.param .u64 large_y) { ret; }">,
    #weir.gpu_image<kind = "cubin", sm = 90, specific = true, data = "\7FELF affine">],
  weir.gpu_kernels = [#weir.gpu_kernel<name = "affine">, #weir.gpu_kernel<name = "large", shared = 65536>],
  weir.entries = [
    #weir.entry<name = "step", symbol = "weir_entry_0",
      inputs = [#weir.tensor<name = "x", tensor = "x:0", type = tensor<4xf32>>],
      outputs = [#weir.tensor<name = "y", tensor = "add:0", type = tensor<4xf32>>], capturable = true>,
    #weir.entry<name = "repeat", symbol = "weir_entry_1",
      inputs = [#weir.tensor<name = "x", tensor = "x:0", type = tensor<4xf32>>, #weir.tensor<name = "n", tensor = "n:0", type = tensor<i32>>],
      outputs = [#weir.tensor<name = "y", tensor = "loop:0", type = tensor<4xf32>>]>]
} {
  llvm.func @weir_gpu_launch(!llvm.ptr, i32, i32, i32, i32, i32, i32, i32, i32, !llvm.ptr, i32) -> i32
  llvm.func @weir_gpu_copy(!llvm.ptr, !llvm.ptr, !llvm.ptr, i64) -> i32
  llvm.func @weir_gpu_fill(!llvm.ptr, !llvm.ptr, i32, i64) -> i32
  llvm.func @weir_gpu_read(!llvm.ptr, !llvm.ptr, !llvm.ptr, i64) -> i32
  llvm.func @weir_gpu_check(!llvm.ptr, !llvm.ptr, i32) -> i32

  // The kernel computes y from x; the byte at `ok` is the result of the check.
  llvm.func @affine(%stream: !llvm.ptr, %weights: !llvm.ptr, %x: !llvm.ptr, %y: !llvm.ptr, %ok: !llvm.ptr) -> i32 {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %c4 = llvm.mlir.constant(4 : i32) : i32
    %c6 = llvm.mlir.constant(6 : i32) : i32
    %c32 = llvm.mlir.constant(32 : i32) : i32
    %b = llvm.getelementptr %weights[64] : (!llvm.ptr) -> !llvm.ptr, i8
    %values = llvm.alloca %c1 x !llvm.struct<(ptr, ptr, ptr, ptr, ptr, i32)> : (i32) -> !llvm.ptr
    %args = llvm.alloca %c6 x !llvm.ptr : (i32) -> !llvm.ptr
    %v0 = llvm.getelementptr %values[0, 0] : (!llvm.ptr) -> !llvm.ptr, !llvm.struct<(ptr, ptr, ptr, ptr, ptr, i32)>
    %v1 = llvm.getelementptr %values[0, 1] : (!llvm.ptr) -> !llvm.ptr, !llvm.struct<(ptr, ptr, ptr, ptr, ptr, i32)>
    %v2 = llvm.getelementptr %values[0, 2] : (!llvm.ptr) -> !llvm.ptr, !llvm.struct<(ptr, ptr, ptr, ptr, ptr, i32)>
    %v3 = llvm.getelementptr %values[0, 3] : (!llvm.ptr) -> !llvm.ptr, !llvm.struct<(ptr, ptr, ptr, ptr, ptr, i32)>
    %v4 = llvm.getelementptr %values[0, 4] : (!llvm.ptr) -> !llvm.ptr, !llvm.struct<(ptr, ptr, ptr, ptr, ptr, i32)>
    %v5 = llvm.getelementptr %values[0, 5] : (!llvm.ptr) -> !llvm.ptr, !llvm.struct<(ptr, ptr, ptr, ptr, ptr, i32)>
    llvm.store %x, %v0 : !llvm.ptr, !llvm.ptr
    llvm.store %weights, %v1 : !llvm.ptr, !llvm.ptr
    llvm.store %b, %v2 : !llvm.ptr, !llvm.ptr
    llvm.store %y, %v3 : !llvm.ptr, !llvm.ptr
    llvm.store %ok, %v4 : !llvm.ptr, !llvm.ptr
    llvm.store %c4, %v5 : i32, !llvm.ptr
    %a1 = llvm.getelementptr %args[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %a2 = llvm.getelementptr %args[2] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %a3 = llvm.getelementptr %args[3] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %a4 = llvm.getelementptr %args[4] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %a5 = llvm.getelementptr %args[5] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    llvm.store %v0, %args : !llvm.ptr, !llvm.ptr
    llvm.store %v1, %a1 : !llvm.ptr, !llvm.ptr
    llvm.store %v2, %a2 : !llvm.ptr, !llvm.ptr
    llvm.store %v3, %a3 : !llvm.ptr, !llvm.ptr
    llvm.store %v4, %a4 : !llvm.ptr, !llvm.ptr
    llvm.store %v5, %a5 : !llvm.ptr, !llvm.ptr
    %failed = llvm.call @weir_gpu_launch(%stream, %c0, %c1, %c1, %c1, %c32, %c1, %c1, %c0, %args, %c6) : (!llvm.ptr, i32, i32, i32, i32, i32, i32, i32, i32, !llvm.ptr, i32) -> i32
    %bad = llvm.icmp "ne" %failed, %c0 : i32
    llvm.cond_br %bad, ^end(%failed : i32), ^check
  ^check:
    %checked = llvm.call @weir_gpu_check(%stream, %ok, %c1) : (!llvm.ptr, !llvm.ptr, i32) -> i32
    llvm.br ^end(%checked : i32)
  ^end(%status: i32):
    llvm.return %status : i32
  }

  // The results pass through the arena, with two fills of 32 bits: one of four equal
  // bytes, and one of different bytes.
  llvm.func @weir_entry_0(%arena: !llvm.ptr, %weights: !llvm.ptr, %tensors: !llvm.ptr, %stream: !llvm.ptr) -> i32 {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %ones = llvm.mlir.constant(16843009 : i32) : i32
    %float = llvm.mlir.constant(1065353216 : i32) : i32
    %bytes = llvm.mlir.constant(16 : i64) : i64
    %x = llvm.load %tensors : !llvm.ptr -> !llvm.ptr
    %slot = llvm.getelementptr %tensors[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %y = llvm.load %slot : !llvm.ptr -> !llvm.ptr
    %ok = llvm.getelementptr %arena[16] : (!llvm.ptr) -> !llvm.ptr, i8
    %f0 = llvm.call @weir_gpu_fill(%stream, %ok, %ones, %bytes) : (!llvm.ptr, !llvm.ptr, i32, i64) -> i32
    %b0 = llvm.icmp "ne" %f0, %c0 : i32
    llvm.cond_br %b0, ^end(%f0 : i32), ^fill
  ^fill:
    %f1 = llvm.call @weir_gpu_fill(%stream, %arena, %float, %bytes) : (!llvm.ptr, !llvm.ptr, i32, i64) -> i32
    %b1 = llvm.icmp "ne" %f1, %c0 : i32
    llvm.cond_br %b1, ^end(%f1 : i32), ^copy
  ^copy:
    %f2 = llvm.call @weir_gpu_copy(%stream, %arena, %x, %bytes) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, i64) -> i32
    %b2 = llvm.icmp "ne" %f2, %c0 : i32
    llvm.cond_br %b2, ^end(%f2 : i32), ^launch
  ^launch:
    %f3 = llvm.call @affine(%stream, %weights, %arena, %y, %ok) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
    llvm.br ^end(%f3 : i32)
  ^end(%status: i32):
    llvm.return %status : i32
  }

  llvm.func @weir_entry_1(%arena: !llvm.ptr, %weights: !llvm.ptr, %tensors: !llvm.ptr, %stream: !llvm.ptr) -> i32 {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %bytes = llvm.mlir.constant(16 : i64) : i64
    %four = llvm.mlir.constant(4 : i64) : i64
    %count = llvm.alloca %c1 x i32 : (i32) -> !llvm.ptr
    %x = llvm.load %tensors : !llvm.ptr -> !llvm.ptr
    %slot1 = llvm.getelementptr %tensors[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %n = llvm.load %slot1 : !llvm.ptr -> !llvm.ptr
    %slot2 = llvm.getelementptr %tensors[2] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %y = llvm.load %slot2 : !llvm.ptr -> !llvm.ptr
    %ok = llvm.getelementptr %arena[16] : (!llvm.ptr) -> !llvm.ptr, i8
    %f0 = llvm.call @weir_gpu_read(%stream, %count, %n, %four) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, i64) -> i32
    %b0 = llvm.icmp "ne" %f0, %c0 : i32
    llvm.cond_br %b0, ^end(%f0 : i32), ^copy
  ^copy:
    %times = llvm.load %count : !llvm.ptr -> i32
    %f1 = llvm.call @weir_gpu_copy(%stream, %y, %x, %bytes) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, i64) -> i32
    %b1 = llvm.icmp "ne" %f1, %c0 : i32
    llvm.cond_br %b1, ^end(%f1 : i32), ^head(%c0 : i32)
  ^head(%i: i32):
    %more = llvm.icmp "slt" %i, %times : i32
    llvm.cond_br %more, ^body, ^end(%c0 : i32)
  ^body:
    %f2 = llvm.call @affine(%stream, %weights, %y, %y, %ok) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
    %next = llvm.add %i, %c1 : i32
    %b2 = llvm.icmp "ne" %f2, %c0 : i32
    llvm.cond_br %b2, ^end(%f2 : i32), ^head(%next : i32)
  ^end(%status: i32):
    llvm.return %status : i32
  }
}
