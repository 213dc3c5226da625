// Passes of the stage entry: planned programs become functions that run them.

#ifndef WEIR_PASSES_ENTRY
#define WEIR_PASSES_ENTRY

include "mlir/Pass/PassBase.td"

def LowerPlan : Pass<"weir-lower-plan", "::mlir::ModuleOp"> {
  let summary = "Makes each plan an LLVM function that calls the kernels";
  let description = [{
    The arguments are the arena, the weights, an array of the caller's tensors
    and the team that shares the work. The function returns the run's status: 0,
    or the number of the check that failed.

    With `weir.profile` on the module the function calls the runtime after each
    task, with the number of the task in `weir.profile_tasks`, which the pass
    writes (`runtime/profile/profile.h`).

    ```mlir
    plan.program @weir_entry_0 { ... }
    // becomes
    llvm.func @weir_entry_0(!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def IssueLaunches : Pass<"weir-issue-launches", "::mlir::ModuleOp"> {
  let summary = "Turns a plan into a function that issues work to a GPU";
  let description = [{
    Each `plan.program` becomes an LLVM function of (arena, weights, tensors,
    stream), and of state if the model has variables. It calls `weir_gpu_launch`,
    `weir_gpu_copy` and `weir_gpu_check`. For conditions it calls `weir_gpu_read`
    and waits for the byte. It also waits for checks of a program that uses
    variables, because these end it. Pointers are the device's: the function adds
    offsets to them and does not read through them. Entries whose program reads
    nothing back are marked `capturable` in `weir.entries`. Consecutive runs of the
    host become a function that is passed to `weir_gpu_on_host`, with
    `weir_gpu_to_host` and `weir_gpu_from_host` for copies. With `weir.profile` on
    the module the function calls the runtime before and after each task, and the
    pass writes `weir.profile_tasks` (`runtime/cuda/events.h`).

    ```mlir
    plan.run @k(%b) : (memref<4xf32>)
    // becomes
    llvm.call @weir_gpu_launch(%stream, %0, %blocks, %1, %1, %threads, %1, %1, %none, %args, %count)
    ```
  }];
  let dependentDialects = ["mlir::LLVM::LLVMDialect"];
}

def SerializeKernels : Pass<"weir-serialize-kernels", "::mlir::ModuleOp"> {
  let summary = "Turns the module of kernels into PTX, for each architecture";
  let description = [{
    LLVM compiles `@weir_gpu_kernels`, which is in LLVM's dialect here, for the
    first architecture in `weir.gpu`. The result is text in `weir.gpu_images`. PTX
    of one architecture serves all later ones, except that of `sm_90a`, which is
    `specific`. With `cubins` there is machine code for each architecture as well,
    if NVIDIA's `ptxas` is found. For the simulator the module does not change.
    Parts of the kernels are compiled in parallel.

    ```mlir
    module attributes {weir.gpu = #weir.gpu<archs = ["sm_80"]>} { module @weir_gpu_kernels { llvm.func @k() } }
    // becomes
    weir.gpu_images = [#weir.gpu_image<kind = "ptx", sm = 80, data = ".version 7.0 ...">]
    ```
  }];
  let options = [Option<"opsOfPart", "ops-of-part", "int64_t", "8192", "The minimum number of ops of a part">];
}

#endif // WEIR_PASSES_ENTRY
