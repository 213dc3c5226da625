// RUN: weir-opt %s --split-input-file --weir-form-launches --canonicalize --verify-diagnostics | FileCheck %s

// Each work item has a thread, in blocks, and the range is no longer an argument.
// CHECK: module attributes {weir.gpu_kernels = [#weir.gpu_kernel<name = "shared">, #weir.gpu_kernel<name = "single">]}
// CHECK: module @weir_gpu_kernels {
// CHECK: func.func @shared(%[[X:.*]]: memref<1000xf32>{{.*}}) attributes {weir.kernel, weir.launch = #weir.launch<blocks = 8, threads = 128>}
// CHECK: nvvm.read.ptx.sreg.ctaid.x
// CHECK: %[[BASE:.*]] = arith.muli %{{.*}}, %c128
// CHECK: nvvm.read.ptx.sreg.tid.x
// CHECK: %[[FIRST:.*]] = arith.addi %[[BASE]], %{{.*}}
// CHECK: %[[LAST:.*]] = arith.minsi %{{.*}}, %c1000
// CHECK: scf.for %{{.*}} = %[[FIRST]] to %[[LAST]]
func.func private @shared(%x: memref<1000xf32>, %first: index, %last: index, %slot: index) attributes {weir.kernel} {
  %v = arith.constant 0.0 : f32
  %one = arith.constant 1 : index
  scf.for %i = %first to %last step %one {
    memref.store %v, %x[%i] : memref<1000xf32>
  }
  return
}

// One thread runs a kernel without work items, with the constants that it reads.
// CHECK: func.func @single(%{{.*}}: memref<1000xf32>{{.*}}) attributes {weir.kernel, weir.launch = #weir.launch<blocks = 1, threads = 1>}
// CHECK: memref.get_global @table
// CHECK: memref.global "private" constant @table
// CHECK-NOT: memref.global
// CHECK: plan.program
memref.global "private" constant @table : memref<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]>
func.func private @single(%x: memref<1000xf32>) attributes {weir.kernel} {
  %i = arith.constant 2 : index
  %table = memref.get_global @table : memref<4xf32>
  %v = memref.load %table[%i] : memref<4xf32>
  memref.store %v, %x[%i] : memref<1000xf32>
  return
}
plan.program @weir_entry_0 {
  %x = plan.buffer 0 live [0, 1] : memref<1000xf32>
  plan.run @shared(%x) {work_items = 1000 : i64} : (memref<1000xf32>)
  plan.run @single(%x) : (memref<1000xf32>)
}

// -----

plan.program @weir_entry_0 {
  %x = plan.buffer 0 live [0, 1] : memref<1000xf32>
  // expected-error @below {{runs a kernel that is not there}}
  plan.run @missing(%x) : (memref<1000xf32>)
}

// -----

func.func private @none(%x: memref<8xf32>, %first: index, %last: index, %slot: index) attributes {weir.kernel} {
  return
}
plan.program @weir_entry_0 {
  %x = plan.buffer 0 live [0, 1] : memref<8xf32>
  // expected-error @below {{has no work items}}
  plan.run @none(%x) {work_items = 0 : i64} : (memref<8xf32>)
}

// -----

func.func private @wide(%x: memref<8xf32>, %first: index, %last: index, %slot: index) attributes {weir.kernel} {
  return
}
plan.program @weir_entry_0 {
  %x = plan.buffer 0 live [0, 1] : memref<8xf32>
  // expected-error @below {{threads must be from 1 to 1024, not 2048}}
  plan.run @wide(%x) {weir.block = 2048 : i64, work_items = 8 : i64} : (memref<8xf32>)
}

// -----

// expected-error @below {{shared must be from 0 to 1048576, not 2097152}}
func.func private @vast(%x: memref<8xindex>) attributes {weir.kernel} {
  %shared = memref.alloca() : memref<2097152xi8, 3>
  %v = memref.extract_aligned_pointer_as_index %shared : memref<2097152xi8, 3> -> index
  %zero = arith.constant 0 : index
  memref.store %v, %x[%zero] : memref<8xindex>
  return
}
plan.program @weir_entry_0 {
  %x = plan.buffer 0 live [0, 1] : memref<8xindex>
  plan.run @vast(%x) : (memref<8xindex>)
}

// -----

// A block shares a work item if the run has a number of threads. The shared memory is a
// variable of the module.
// CHECK: func.func @together(%{{.*}}: memref<8xf32>{{.*}}) attributes {weir.kernel, weir.launch = #weir.launch<blocks = 8, threads = 256>}
// CHECK: nvvm.read.ptx.sreg.ctaid.x
// CHECK-NOT: nvvm.read.ptx.sreg.tid.x
// CHECK: memref.get_global @together_shared : memref<4xf32, 3>
// CHECK: memref.global "private" @together_shared : memref<4xf32, 3> = uninitialized
func.func private @together(%x: memref<8xf32>, %first: index, %last: index, %slot: index) attributes {weir.kernel} {
  %shared = memref.alloca() : memref<4xf32, 3>
  %one = arith.constant 1 : index
  scf.for %i = %first to %last step %one {
    %v = memref.load %shared[%one] : memref<4xf32, 3>
    memref.store %v, %x[%i] : memref<8xf32>
  }
  return
}
plan.program @weir_entry_0 {
  %x = plan.buffer 0 live [0, 1] : memref<8xf32>
  plan.run @together(%x) {weir.block = 256 : i64, work_items = 8 : i64} : (memref<8xf32>)
}

// -----

// A product of a library is a row of a table and no kernel, and its runs have its
// number. The row is marked if an operand of a run is not aligned to 16 bytes.
// CHECK: weir.gpu_gemms = [#weir.gemm<m = 4, n = 20, k = 8, dtype = f32>, #weir.gemm<m = 4, n = 20, k = 8, dtype = f32, unaligned = true>], weir.gpu_kernels = []
// CHECK-NOT: @product
// CHECK: plan.run @product(%{{.*}}) {weir.library_call = #weir.library_call<function = "weir_gpu_multiply", operands = [0, 1, -1]>}
// CHECK: plan.run @other(%{{.*}}) {weir.library_call = #weir.library_call<function = "weir_gpu_multiply", number = 1, operands = [0, 1, -1]>}
func.func private @product(%a: memref<4x8xf32>, %b: memref<8x20xf32>, %c: memref<4x20xf32>) attributes {weir.kernel, weir.gemm = #weir.gemm<m = 4, n = 20, k = 8, dtype = f32, operands = [0, 1, -1]>} {
  return
}
func.func private @other(%a: memref<4x8xf32>, %b: memref<8x20xf32>, %c: memref<4x20xf32>) attributes {weir.kernel, weir.gemm = #weir.gemm<m = 4, n = 20, k = 8, dtype = f32, operands = [0, 1, -1]>} {
  return
}
plan.program @weir_entry_0 {
  %x = plan.argument 0 : memref<5x8xf32>
  %rows = plan.view %x {offset = 32 : i64} : memref<5x8xf32> to memref<4x8xf32>
  %word = plan.view %x {offset = 4 : i64} : memref<5x8xf32> to memref<4x8xf32>
  %w = plan.weight 64 : memref<8x20xf32>
  %y = plan.buffer 0 live [0, 1] : memref<4x20xf32>
  plan.run @product(%rows, %w, %y) : (memref<4x8xf32>, memref<8x20xf32>, memref<4x20xf32>)
  plan.run @other(%word, %w, %y) : (memref<4x8xf32>, memref<8x20xf32>, memref<4x20xf32>)
}

// -----

// Convolutions are rows of another table.
// CHECK: weir.gpu_convs = [#weir.conv<images = 2, inputs = 8, outputs = 20, size = [1, 1], window = [1, 1], strides = [1, 1], dilations = [1, 1], padding_low = [0, 0], padding_high = [0, 0], dtype = f32>], weir.gpu_kernels = []
// CHECK: plan.run @convolution(%{{.*}}) {weir.library_call = #weir.library_call<function = "weir_gpu_convolve", operands = [0, 1, -1, -1]>}
func.func private @convolution(%x: memref<4x8xf32>, %w: memref<8x20xf32>, %y: memref<4x20xf32>) attributes {weir.kernel, weir.conv = #weir.conv<images = 2, inputs = 8, outputs = 20, size = [1, 1], window = [1, 1], strides = [1, 1], dilations = [1, 1], padding_low = [0, 0], padding_high = [0, 0], dtype = f32, operands = [0, 1, -1, -1]>} {
  return
}
plan.program @weir_entry_0 {
  %x = plan.argument 0 : memref<4x8xf32>
  %w = plan.weight 64 : memref<8x20xf32>
  %y = plan.buffer 0 live [0, 1] : memref<4x20xf32>
  plan.run @convolution(%x, %w, %y) : (memref<4x8xf32>, memref<8x20xf32>, memref<4x20xf32>)
}

// -----

// If an argument is aligned to 16 bytes in each run, the kernel has the alignment. A
// GPU copies the caller's tensors to its own memory.
// CHECK: func.func @aligned(%{{.*}}: memref<8xf32> {llvm.align = 16 : i64}, %{{.*}}: memref<8xf32>, %{{.*}}: memref<8xf32> {llvm.align = 16 : i64})
module attributes {weir.gpu = #weir.gpu<>} {
  func.func private @aligned(%x: memref<8xf32>, %y: memref<8xf32>, %z: memref<8xf32>) attributes {weir.kernel} {
    return
  }
  plan.program @weir_entry_0 {
    %x = plan.argument 0 : memref<20xf32>
    %near = plan.view %x {offset = 16 : i64} : memref<20xf32> to memref<8xf32>
    %off = plan.view %x {offset = 20 : i64} : memref<20xf32> to memref<8xf32>
    %b = plan.buffer 64 live [0, 1] : memref<8xf32>
    plan.run @aligned(%near, %b, %b) : (memref<8xf32>, memref<8xf32>, memref<8xf32>)
    plan.run @aligned(%near, %off, %b) : (memref<8xf32>, memref<8xf32>, memref<8xf32>)
  }
}

// -----

// The simulator reads the caller's tensors in place.
// CHECK: func.func @simulated(%{{.*}}: memref<8xf32>, %{{.*}}: memref<8xf32> {llvm.align = 16 : i64})
module attributes {weir.gpu = #weir.gpu<kind = "sim">} {
  func.func private @simulated(%x: memref<8xf32>, %y: memref<8xf32>) attributes {weir.kernel} {
    return
  }
  plan.program @weir_entry_0 {
    %x = plan.argument 0 : memref<8xf32>
    %b = plan.buffer 64 live [0, 1] : memref<8xf32>
    plan.run @simulated(%x, %b) : (memref<8xf32>, memref<8xf32>)
  }
}

// -----

// The source of a copy to shared memory is only aligned to 4 bytes in one run, so it
// becomes four copies. Elements at odd offsets are loaded. A view has the alignment of
// its offset in its source, even with another shape.
// CHECK-LABEL: func.func @copies
// CHECK-SAME: (%[[X:.*]]: memref<64xi8>
// CHECK: %[[BASE:.*]] = memref.extract_aligned_pointer_as_index %[[X]]
// CHECK: arith.addi %[[BASE]], %c16
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.nvvm.cp.async.ca.shared.global.4.s"
// CHECK-NOT: cp.async
// CHECK-LABEL: func.func @odd
// CHECK-NOT: cp.async
// CHECK-COUNT-8: llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr<1> -> i16
// CHECK-NOT: cp.async
// CHECK-LABEL: func.func @whole
// CHECK: llvm.call_intrinsic "llvm.nvvm.cp.async.cg.shared.global.16"
func.func private @copies(%x: memref<64xi8>) attributes {weir.kernel} {
  %start = arith.constant 16 : index
  %view = memref.view %x[%start][] : memref<64xi8> to memref<2x2xf32>
  %row = memref.collapse_shape %view [[0, 1]] : memref<2x2xf32> into memref<4xf32>
  %memory = memref.alloca() : memref<16xi8, 3>
  %to = memref.extract_aligned_pointer_as_index %memory : memref<16xi8, 3> -> index
  %at = arith.index_castui %to : index to i64
  %target = llvm.inttoptr %at : i64 to !llvm.ptr<3>
  %from = memref.extract_aligned_pointer_as_index %row : memref<4xf32> -> index
  %address = arith.index_castui %from : index to i64
  %generic = llvm.inttoptr %address : i64 to !llvm.ptr
  %source = llvm.addrspacecast %generic : !llvm.ptr to !llvm.ptr<1>
  %bytes = llvm.mlir.constant(16 : i32) : i32
  llvm.call_intrinsic "llvm.nvvm.cp.async.cg.shared.global.16.s"(%target, %source, %bytes) : (!llvm.ptr<3>, !llvm.ptr<1>, i32) -> ()
  return
}
func.func private @odd(%x: memref<8xf16>) attributes {weir.kernel} {
  %memory = memref.alloca() : memref<16xi8, 3>
  %to = memref.extract_aligned_pointer_as_index %memory : memref<16xi8, 3> -> index
  %at = arith.index_castui %to : index to i64
  %target = llvm.inttoptr %at : i64 to !llvm.ptr<3>
  %from = memref.extract_aligned_pointer_as_index %x : memref<8xf16> -> index
  %address = arith.index_castui %from : index to i64
  %generic = llvm.inttoptr %address : i64 to !llvm.ptr
  %source = llvm.addrspacecast %generic : !llvm.ptr to !llvm.ptr<1>
  llvm.call_intrinsic "llvm.nvvm.cp.async.cg.shared.global.16"(%target, %source) : (!llvm.ptr<3>, !llvm.ptr<1>) -> ()
  return
}
func.func private @whole(%x: memref<8xf16>) attributes {weir.kernel} {
  %memory = memref.alloca() : memref<16xi8, 3>
  %to = memref.extract_aligned_pointer_as_index %memory : memref<16xi8, 3> -> index
  %at = arith.index_castui %to : index to i64
  %target = llvm.inttoptr %at : i64 to !llvm.ptr<3>
  %from = memref.extract_aligned_pointer_as_index %x : memref<8xf16> -> index
  %address = arith.index_castui %from : index to i64
  %generic = llvm.inttoptr %address : i64 to !llvm.ptr
  %source = llvm.addrspacecast %generic : !llvm.ptr to !llvm.ptr<1>
  llvm.call_intrinsic "llvm.nvvm.cp.async.cg.shared.global.16"(%target, %source) : (!llvm.ptr<3>, !llvm.ptr<1>) -> ()
  return
}
plan.program @copying {
  %x = plan.argument 0 : memref<64xi8>
  %h = plan.argument 1 : memref<100xf16>
  %part = plan.view %x {offset = 4 : i64} : memref<64xi8> to memref<64xi8>
  %odd = plan.view %h {offset = 6 : i64} : memref<100xf16> to memref<8xf16>
  %even = plan.view %h {offset = 32 : i64} : memref<100xf16> to memref<8xf16>
  plan.run @copies(%x) : (memref<64xi8>)
  plan.run @copies(%part) : (memref<64xi8>)
  plan.run @odd(%odd) : (memref<8xf16>)
  plan.run @whole(%even) : (memref<8xf16>)
}

// -----

// A kernel with more shared memory than the default has no static size in the module.
// Each launch requests it.
// CHECK: weir.gpu_kernels = [#weir.gpu_kernel<name = "much", shared = 65536>]
// CHECK: func.func @much
// CHECK: %[[SHARED:.*]] = memref.get_global @much_shared : memref<0xi8, 3>
// CHECK: memref.extract_aligned_pointer_as_index %[[SHARED]]
// CHECK: memref.global @much_shared : memref<0xi8, 3> {alignment = 1024 : i64}
func.func private @much(%x: memref<8xindex>, %first: index, %last: index, %slot: index) attributes {weir.kernel} {
  %shared = memref.alloca() {alignment = 1024 : i64} : memref<65536xi8, 3>
  %one = arith.constant 1 : index
  scf.for %i = %first to %last step %one {
    %v = memref.extract_aligned_pointer_as_index %shared : memref<65536xi8, 3> -> index
    memref.store %v, %x[%i] : memref<8xindex>
  }
  return
}
plan.program @weir_entry_0 {
  %x = plan.buffer 0 live [0, 1] : memref<8xindex>
  plan.run @much(%x) {weir.block = 256 : i64, work_items = 8 : i64} : (memref<8xindex>)
}
