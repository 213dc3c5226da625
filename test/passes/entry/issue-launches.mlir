// RUN: weir-opt %s --split-input-file --weir-issue-launches --canonicalize --verify-diagnostics | FileCheck %s

// Addresses are offsets from the arena, the weights and the caller's tensors. An entry
// returns the first status of the runtime that is not 0. Without conditions each run
// does the same work, so the entry is capturable.
// CHECK: weir.entries = [#weir.entry<name = "serve", symbol = "weir_entry_0", capturable = true>]
// CHECK: llvm.func @k(!llvm.ptr) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>, weir.launch = #weir.launch<blocks = 8, threads = 128>}
// CHECK: llvm.func @weir_entry_0(%[[ARENA:.*]]: !llvm.ptr, %[[WEIGHTS:.*]]: !llvm.ptr, %[[TENSORS:.*]]: !llvm.ptr, %[[STREAM:.*]]: !llvm.ptr) -> i32
// CHECK: %[[R:.*]] = llvm.call @weir_entry_0_part_0(%[[ARENA]], %[[WEIGHTS]], %[[TENSORS]], %[[STREAM]])
// CHECK-NEXT: llvm.br ^[[EXIT:.*]](%[[R]] : i32)
// CHECK-NEXT: ^[[EXIT]](%[[WHOLE:.*]]: i32):
// CHECK-NEXT: llvm.return %[[WHOLE]]
// CHECK-LABEL: llvm.func private @weir_entry_0_part_0
// CHECK-SAME: (%[[ARENA:.*]]: !llvm.ptr, %[[WEIGHTS:.*]]: !llvm.ptr, %[[TENSORS:.*]]: !llvm.ptr, %[[STREAM:.*]]: !llvm.ptr)
// CHECK-DAG: %[[BLOCKS:.*]] = llvm.mlir.constant(8 : i32)
// CHECK-DAG: %[[THREADS:.*]] = llvm.mlir.constant(128 : i32)
// CHECK: llvm.getelementptr inbounds %[[ARENA]][64]
// CHECK: %[[A:.*]] = llvm.call @weir_gpu_launch(%[[STREAM]], %{{.*}}, %[[BLOCKS]], %{{.*}}, %{{.*}}, %[[THREADS]],
// CHECK: %[[FAILED:.*]] = llvm.icmp "ne" %[[A]]
// CHECK: llvm.cond_br %[[FAILED]], ^[[END:.*]](%[[A]] : i32), ^{{.*}}
// CHECK: %[[FROM:.*]] = llvm.load
// CHECK: llvm.call @weir_gpu_copy(%[[STREAM]],
// CHECK: llvm.call @weir_gpu_check(%[[STREAM]],
// CHECK: ^[[END]](%[[ANSWER:.*]]: i32):
// CHECK: llvm.return %[[ANSWER]]
module attributes {weir.arena_bytes = 64 : i64, weir.gpu_kernels = [#weir.gpu_kernel<name = "k">], weir.entries = [#weir.entry<name = "serve", symbol = "weir_entry_0">]} {
  module @weir_gpu_kernels {
    llvm.func @k(!llvm.ptr) attributes {weir.launch = #weir.launch<blocks = 8, threads = 128>}
  }
  plan.program @weir_entry_0 {
    %x = plan.argument 0 : memref<4xf32>
    %b = plan.buffer 64 live [0, 0] : memref<4xf32>
    %p = plan.weight 8 : memref<i1>
    plan.run @k(%b) {work_items = 1000 : i64} : (memref<4xf32>)
    plan.copy %x to %b : memref<4xf32>
    plan.check %p, 1 : memref<i1>
  }
}

// -----

// A condition is read from the GPU, and the work differs between runs.
// CHECK: weir.entries = [#weir.entry<name = "serve", symbol = "weir_entry_0">]
// CHECK-LABEL: llvm.func private @weir_entry_0_part_0
// CHECK: %[[BYTE:.*]] = llvm.alloca %{{.*}} x i8
// CHECK: llvm.call @weir_gpu_read(%{{.*}}, %[[BYTE]],
// CHECK: llvm.load %[[BYTE]] : !llvm.ptr -> i8
module attributes {weir.arena_bytes = 64 : i64, weir.gpu_kernels = [], weir.entries = [#weir.entry<name = "serve", symbol = "weir_entry_0">]} {
  module @weir_gpu_kernels {
  }
  plan.program @weir_entry_0 {
    %p = plan.weight 8 : memref<i1>
    %x = plan.argument 0 : memref<4xf32>
    %b = plan.buffer 64 live [0, 0] : memref<4xf32>
    plan.if %p : memref<i1> {
      plan.copy %x to %b : memref<4xf32>
    } else {
    }
    plan.while %p : memref<i1> {
    } do {
      plan.copy %x to %b : memref<4xf32>
    }
  }
}

// -----

// Variables are the fifth block. Code after a failed check could assign them, so a
// program with variables reads its checks at once and is not capturable. A program
// without variables is.
// CHECK: weir.entries = [#weir.entry<name = "set", symbol = "weir_entry_0">, #weir.entry<name = "plain", symbol = "weir_entry_1", capturable = true>]
// CHECK-LABEL: llvm.func private @weir_entry_0_part_0
// CHECK-SAME: %[[STREAM:[a-z0-9]+]]: !llvm.ptr, %[[STATE:[a-z0-9]+]]: !llvm.ptr) -> i32
// CHECK: llvm.call @weir_gpu_read(%[[STREAM]], %[[BYTE:.*]], %{{.*}}, %{{.*}}) :
// CHECK: %[[PASSED:.*]] = llvm.load %[[BYTE]] : !llvm.ptr -> i8
// CHECK: %[[NE:.*]] = llvm.icmp "ne" %[[PASSED]],
// CHECK: llvm.cond_br %[[NE]], ^[[ON:.*]], ^[[END:.*]](%{{.*}} : i32)
// CHECK: ^[[ON]]:
// CHECK: %[[W:.*]] = llvm.getelementptr inbounds %[[STATE]][64]
// CHECK: llvm.call @weir_gpu_copy(%[[STREAM]], %[[W]],
// CHECK-LABEL: llvm.func private @weir_entry_1_part_0
// CHECK: llvm.call @weir_gpu_check
module attributes {weir.arena_bytes = 64 : i64, weir.state_bytes = 128 : i64, weir.gpu_kernels = [], weir.entries = [#weir.entry<name = "set", symbol = "weir_entry_0">, #weir.entry<name = "plain", symbol = "weir_entry_1">]} {
  module @weir_gpu_kernels {
  }
  plan.program @weir_entry_0 {
    %p = plan.weight 8 : memref<i1>
    %x = plan.argument 0 : memref<4xf32>
    %w = plan.state 64 : memref<4xf32>
    plan.check %p, 1 : memref<i1>
    plan.copy %x to %w : memref<4xf32>
  }
  plan.program @weir_entry_1 {
    %p = plan.weight 8 : memref<i1>
    plan.check %p, 2 : memref<i1>
  }
}

// -----

// A library computes the product. The arguments are its number, both operands, the bias
// or null, and the result.
// CHECK-LABEL: llvm.func private @weir_entry_0_part_0
// CHECK-SAME: (%[[ARENA:.*]]: !llvm.ptr, %[[WEIGHTS:.*]]: !llvm.ptr, %{{.*}}: !llvm.ptr, %[[STREAM:.*]]: !llvm.ptr)
// CHECK-DAG: %[[NUMBER:.*]] = llvm.mlir.constant(3 : i32)
// CHECK-DAG: %[[NONE:.*]] = llvm.mlir.zero : !llvm.ptr
// CHECK: %[[A:.*]] = llvm.getelementptr inbounds %[[WEIGHTS]][8]
// CHECK: %[[Y:.*]] = llvm.getelementptr inbounds %[[ARENA]][64]
// CHECK: llvm.call @weir_gpu_multiply(%[[STREAM]], %[[NUMBER]], %[[A]], %{{.*}}, %[[NONE]], %[[Y]])
module attributes {weir.arena_bytes = 192 : i64, weir.gpu_kernels = [], weir.entries = [#weir.entry<name = "serve", symbol = "weir_entry_0">]} {
  module @weir_gpu_kernels {
  }
  plan.program @weir_entry_0 {
    %b = plan.argument 0 : memref<4x4xf32>
    %a = plan.weight 8 : memref<4x4xf32>
    %y = plan.buffer 64 live [0, 0] : memref<4x4xf32>
    plan.run @k(%b, %a, %y) {weir.library_call = #weir.library_call<function = "weir_gpu_multiply", number = 3, operands = [1, 0, -1]>} : (memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>)
  }
}

// -----

// A library computes the convolution, too. The arguments are images, filter, bias or
// null, residual or null, and the result.
// CHECK-LABEL: llvm.func private @weir_entry_0_part_0
// CHECK-SAME: (%[[ARENA:.*]]: !llvm.ptr, %[[WEIGHTS:.*]]: !llvm.ptr, %{{.*}}: !llvm.ptr, %[[STREAM:.*]]: !llvm.ptr)
// CHECK-DAG: %[[NUMBER:.*]] = llvm.mlir.constant(2 : i32)
// CHECK-DAG: %[[NONE:.*]] = llvm.mlir.zero : !llvm.ptr
// CHECK: %[[W:.*]] = llvm.getelementptr inbounds %[[WEIGHTS]][8]
// CHECK: %[[Y:.*]] = llvm.getelementptr inbounds %[[ARENA]][64]
// CHECK: llvm.call @weir_gpu_convolve(%[[STREAM]], %[[NUMBER]], %{{.*}}, %[[W]], %[[NONE]], %{{[0-9]+}}, %[[Y]])
module attributes {weir.arena_bytes = 192 : i64, weir.gpu_kernels = [], weir.entries = [#weir.entry<name = "serve", symbol = "weir_entry_0">]} {
  module @weir_gpu_kernels {
  }
  plan.program @weir_entry_0 {
    %x = plan.argument 0 : memref<4x4xf32>
    %w = plan.weight 8 : memref<4x4xf32>
    %y = plan.buffer 64 live [0, 0] : memref<4x4xf32>
    plan.run @k(%x, %w, %y) {weir.library_call = #weir.library_call<function = "weir_gpu_convolve", number = 2, operands = [0, 1, -1, 0]>} : (memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>)
  }
}

// -----

// The simulator's state is in the arena after the model's buffers.
// CHECK: weir.arena_bytes = 192 : i64
// CHECK: llvm.call @weir_sim_begin
// CHECK: llvm.call @weir_sim_end
module attributes {weir.arena_bytes = 68 : i64, weir.gpu = #weir.gpu<kind = "sim", archs = ["sm_80"]>, weir.gpu_kernels = []} {
  module @weir_gpu_kernels {
  }
  plan.program @weir_entry_0 {
  }
}

// -----

// expected-error @below {{has no kernels for a GPU}}
module {
  plan.program @weir_entry_0 {
  }
}

// -----

// Consecutive tasks of the host are one function, with the addresses of its memory and
// weights. Copies have offsets in that memory.
// CHECK-LABEL: llvm.func private @weir_entry_0_part_0
// CHECK-DAG: %[[AT:.*]] = llvm.mlir.constant(64 : i64)
// CHECK-DAG: %[[CODE:.*]] = llvm.mlir.addressof @weir_entry_0_part_0_host_0
// CHECK: llvm.call @weir_gpu_to_host(%[[STREAM:.*]], %[[AT]],
// CHECK: llvm.call @weir_gpu_on_host(%[[STREAM]], %[[CODE]])
// CHECK-NOT: weir_gpu_on_host
// CHECK: llvm.call @weir_gpu_from_host(%[[STREAM]],
// CHECK: llvm.func private @weir_entry_0_part_0_host_0(%[[HOST:.*]]: !llvm.ptr) {
// CHECK: %[[MEMORY:.*]] = llvm.load %[[HOST]]
// CHECK: %[[WEIGHTS:.*]] = llvm.load
// CHECK: llvm.getelementptr inbounds %[[MEMORY]][64]
// CHECK: llvm.getelementptr inbounds %[[WEIGHTS]][8]
// CHECK: llvm.call @h
// CHECK: llvm.call @h
// CHECK: llvm.return
module attributes {weir.arena_bytes = 64 : i64, weir.host_bytes = 192 : i64, weir.gpu_kernels = [], weir.entries = [#weir.entry<name = "serve", symbol = "weir_entry_0">]} {
  module @weir_gpu_kernels {
  }
  module @weir_host_kernels {
    llvm.func @h(%x: !llvm.ptr, %y: !llvm.ptr) {
      llvm.return
    }
  }
  plan.program @weir_entry_0 {
    %x = plan.argument 0 : memref<4xf32>
    %w = plan.weight 8 {host} : memref<4xf32>
    %a = plan.buffer 64 live [0, 2] {host} : memref<4xf32>
    %b = plan.buffer 128 live [1, 2] {host} : memref<4xf32>
    plan.copy %x to %a : memref<4xf32>
    plan.run @h(%a, %w) {host} : (memref<4xf32>, memref<4xf32>)
    plan.run @h(%a, %b) {host} : (memref<4xf32>, memref<4xf32>)
    plan.copy %b to %x : memref<4xf32>
  }
}

// -----

module attributes {weir.gpu_kernels = []} {
  module @weir_gpu_kernels {
  }
  llvm.func @h() {
    llvm.return
  }
  module @weir_host_kernels {
    // expected-error@below {{is defined twice}}
    llvm.func @h() {
      llvm.return
    }
  }
}

// -----

// A launch requests the shared memory if the kernel has no static size of it.
// CHECK-LABEL: llvm.func private @weir_entry_0_part_0(%
// CHECK: %[[SHARED:.*]] = llvm.mlir.constant(65536 : i32)
// CHECK: llvm.call @weir_gpu_launch(%{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %[[SHARED]],
module attributes {weir.arena_bytes = 64 : i64, weir.gpu_kernels = [#weir.gpu_kernel<name = "k", shared = 65536>], weir.entries = [#weir.entry<name = "serve", symbol = "weir_entry_0">]} {
  module @weir_gpu_kernels {
    llvm.func @k(%x: !llvm.ptr) attributes {weir.launch = #weir.launch<blocks = 8, threads = 256>} {
      llvm.return
    }
  }
  plan.program @weir_entry_0 {
    %b = plan.buffer 0 live [0, 1] : memref<4xf32>
    plan.run @k(%b) : (memref<4xf32>)
  }
}

// -----

// The operands of a library call must be among those of the run.
module attributes {weir.arena_bytes = 64 : i64, weir.gpu_kernels = [], weir.entries = [#weir.entry<name = "serve", symbol = "weir_entry_0">]} {
  module @weir_gpu_kernels {
  }
  plan.program @weir_entry_0 {
    %y = plan.argument 0 : memref<4x4xf32>
    // expected-error@+1 {{has no operand 7 for weir_gpu_multiply}}
    plan.run @k(%y) {weir.library_call = #weir.library_call<function = "weir_gpu_multiply", number = 0, operands = [7]>} : (memref<4x4xf32>)
  }
}

// -----

module attributes {weir.arena_bytes = 64 : i64, weir.gpu_kernels = [], weir.entries = [#weir.entry<name = "serve", symbol = "weir_entry_0">]} {
  module @weir_gpu_kernels {
  }
  plan.program @weir_entry_0 {
    %y = plan.argument 0 : memref<4x4xf32>
    // expected-error@+1 {{has a kernel that weir.gpu_kernels lacks}}
    plan.run @k(%y) : (memref<4x4xf32>)
  }
}

// -----

// With weir.profile each task has calls before and after it, and the module has the
// table of tasks. The kernels of the host that one call runs are one task. Multiply-adds
// of a library's call are those of its operation.
// CHECK: weir.profile_tasks = [
// CHECK-SAME: #weir.profile_task<kernel = "k", nodes = ["one"], bytes_read = 16, bytes_written = 16, multiply_adds = 12>,
// CHECK-SAME: #weir.profile_task<kernel = "lt", nodes = ["two"], bytes_read = 32, bytes_written = 16, multiply_adds = 64>,
// CHECK-SAME: #weir.profile_task<kernel = "copy", bytes_read = 16, bytes_written = 16>,
// CHECK-SAME: #weir.profile_task<kernel = "h", nodes = ["three", "four"], bytes_read = 32, bytes_written = 32>,
// CHECK-SAME: #weir.profile_task<entry = 1, kernel = "conv", nodes = ["six"], bytes_read = 32, bytes_written = 16, multiply_adds = 6480>,
// CHECK-SAME: #weir.profile_task<entry = 1, kernel = "attend", nodes = ["seven"], bytes_read = 48, bytes_written = 16, multiply_adds = 240>,
// CHECK-SAME: #weir.profile_task<entry = 1, kernel = "k", nodes = ["five"], bytes_read = 16, bytes_written = 16, multiply_adds = 12>]
// CHECK-LABEL: llvm.func private @weir_entry_0_part_0
// CHECK-SAME: %[[STREAM:[a-z0-9]+]]: !llvm.ptr) -> i32
// CHECK-DAG: %[[ZERO:.*]] = llvm.mlir.constant(0 : i32)
// CHECK-DAG: %[[ONE:.*]] = llvm.mlir.constant(1 : i32)
// CHECK-DAG: %[[TWO:.*]] = llvm.mlir.constant(2 : i32)
// CHECK-DAG: %[[THREE:.*]] = llvm.mlir.constant(3 : i32)
// CHECK: %[[A:.*]] = llvm.call @weir_gpu_profile_task_begin(%[[STREAM]]) : (!llvm.ptr) -> i32
// CHECK: %[[FAILED:.*]] = llvm.icmp "ne" %[[A]]
// CHECK: llvm.cond_br %[[FAILED]]
// CHECK: llvm.call @weir_gpu_launch(
// CHECK: llvm.call @weir_gpu_profile_task_end(%[[STREAM]], %[[ZERO]]) : (!llvm.ptr, i32) -> i32
// CHECK: llvm.call @weir_gpu_profile_task_begin(
// CHECK: llvm.call @weir_gpu_multiply(
// CHECK: llvm.call @weir_gpu_profile_task_end(%[[STREAM]], %[[ONE]])
// CHECK: llvm.call @weir_gpu_profile_task_begin(
// CHECK: llvm.call @weir_gpu_copy(
// CHECK: llvm.call @weir_gpu_profile_task_end(%[[STREAM]], %[[TWO]])
// CHECK-NEXT: llvm.icmp
// CHECK-NOT: weir_gpu_profile
// CHECK: llvm.call @weir_gpu_check(
// CHECK: llvm.call @weir_gpu_profile_task_begin(
// CHECK: llvm.call @weir_gpu_on_host(
// CHECK: llvm.call @weir_gpu_profile_task_end(%[[STREAM]], %[[THREE]])
// CHECK-NOT: weir_gpu_profile
// CHECK-LABEL: llvm.func private @weir_entry_1_part_0
// CHECK: llvm.call @weir_gpu_profile_task_end(
module attributes {weir.profile, weir.arena_bytes = 64 : i64, weir.host_bytes = 64 : i64, weir.gpu_kernels = [#weir.gpu_kernel<name = "k">], weir.gpu_gemms = [#weir.gemm<m = 4, n = 4, k = 4, dtype = f32, workspace = 0>], weir.gpu_convs = [#weir.conv<images = 2, inputs = 4, outputs = 6, groups = 1, size = [5, 6], window = [3, 3], strides = [1, 2], dilations = [1, 1], padding_low = [1, 1], padding_high = [1, 1], dtype = f32, workspace = 0>], weir.gpu_attentions = [#weir.attention<batch = 2, heads = 3, rows = 2, columns = 4, depth = 3, width = 2, q = [18, 6, 3], k = [36, 12, 3], v = [24, 8, 2], out = [12, 4, 2], scale = 1.0 : f64, dtype = f16, workspace = 1024>], weir.entries = [#weir.entry<name = "serve", symbol = "weir_entry_0">, #weir.entry<name = "more", symbol = "weir_entry_1">]} {
  module @weir_gpu_kernels {
    llvm.func @k(!llvm.ptr, !llvm.ptr) attributes {weir.launch = #weir.launch<blocks = 8, threads = 128>, weir.work = #weir.work<inputs = 1, multiply_adds = 12>}
  }
  llvm.func @h(!llvm.ptr, !llvm.ptr)
  plan.program @weir_entry_0 {
    %x = plan.argument 0 : memref<4xf32>
    %y = plan.argument 1 : memref<4xf32>
    %p = plan.weight 8 : memref<i1>
    plan.run @k(%x, %y) {work_items = 1000 : i64} : (memref<4xf32>, memref<4xf32>) loc("one")
    plan.run @lt(%x, %x, %y) {weir.library_call = #weir.library_call<function = "weir_gpu_multiply", number = 0, operands = [0, 1, -1]>} : (memref<4xf32>, memref<4xf32>, memref<4xf32>) loc("two")
    plan.copy %x to %y : memref<4xf32>
    plan.check %p, 1 : memref<i1>
    %v = plan.weight 16 {host} : memref<4xf32>
    %z = plan.buffer 0 live [5, 6] {host} : memref<4xf32>
    plan.run @h(%v, %z) {host} : (memref<4xf32>, memref<4xf32>) loc("three")
    plan.run @h(%v, %z) {host} : (memref<4xf32>, memref<4xf32>) loc("four")
  }
  plan.program @weir_entry_1 {
    %x = plan.argument 0 : memref<4xf32>
    %y = plan.argument 1 : memref<4xf32>
    plan.run @conv(%x, %x, %y) {weir.library_call = #weir.library_call<function = "weir_gpu_convolve", number = 0, operands = [0, 1, -1, -1]>} : (memref<4xf32>, memref<4xf32>, memref<4xf32>) loc("six")
    plan.run @attend(%x, %x, %x, %y) {weir.library_call = #weir.library_call<function = "weir_gpu_attend", number = 0, operands = [0, 1, 2, -1]>} : (memref<4xf32>, memref<4xf32>, memref<4xf32>, memref<4xf32>) loc("seven")
    plan.run @k(%x, %y) {work_items = 1000 : i64} : (memref<4xf32>, memref<4xf32>) loc("five")
  }
}
