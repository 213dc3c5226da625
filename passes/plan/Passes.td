// Passes that turn the outer program into a plan.

#ifndef WEIR_PASSES_PLAN
#define WEIR_PASSES_PLAN

include "mlir/Pass/PassBase.td"
include "passes/Optional.td"

def FormTaskGroups : Pass<"weir-form-task-groups", "::mlir::ModuleOp">, Optional {
  let summary = "Groups independent tasks into one parallel region";
  let description = [{
    Independent tasks of little work form a group (attribute `task_group`),
    which threads share as they share the work items of one kernel. They move no
    further than necessary, because their results are live together. A large
    task whose results several of them use comes before them.

    Long tasks that one thread computes (`weir.sequential_nanoseconds`) form
    groups as well, if the live bytes of the sequence grow by at most 64 MiB.
    With `weir.remat` they may not grow. Long tasks with work items join as far
    as threads would be idle. If such tasks are fewer than threads, the tasks
    that a further one needs come first.

    No task moves before the first op that needs the result of an all-reduce.
    Checks keep their order. In a module with variables no task moves across
    one. Nothing moves in a module whose `weir.slots` is 1.

    ```mlir
    %a = plan.task @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %b = plan.task @k(%a) : (tensor<4xf32>) -> tensor<4xf32>
    %c = plan.task @k(%y) : (tensor<4xf32>) -> tensor<4xf32>
    // becomes
    %a = plan.task @k(%x) {task_group = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
    %c = plan.task @k(%y) {task_group = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
    %b = plan.task @k(%a) : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let dependentDialects = ["::weir::plan::PlanDialect"];
}

def JoinLoops : Pass<"weir-join-loops", "::mlir::ModuleOp">, Optional {
  let summary = "Makes two loops with the same trip count one";
  let description = [{
    Independent loops with the same start, step and end, whose tasks are all
    small, become one. So a group of independent tasks may have tasks of both,
    such as the two directions of a recurrent net. Operands of the later loop
    move before the first. Nothing is joined in a module whose `weir.slots` is
    1.

    ```mlir
    %r:2 = graph.while(%zero, %x) : ...   // of %i, %h
    %s:2 = graph.while(%zero, %y) : ...   // of %j, %g
    // becomes
    %r:3 = graph.while(%zero, %x, %y) : ...  // of %i, %h, %g
    ```
  }];
  let dependentDialects = ["::weir::plan::PlanDialect"];
}

def OverlapExchanges : Pass<"weir-overlap-exchanges", "::mlir::ModuleOp">, Optional {
  let summary = "Lets ranks exchange gradients while kernels run";
  let description = [{
    An all-reduce that no other collective depends on begins right after the task that
    makes its operand. Ops that need its result come after all that need none, and
    those that need the first one come first. Between the two, the plan has other
    kernels (`plan.start`, `plan.wait`).

    Checks, assignments and reads of variables keep their order where it matters.
    With `weir.remat` memory goes before speed, and nothing moves.

    ```mlir
    %a = graph.all_reduce sum %x over ["data"] : tensor<4xf32>
    %b = plan.task @k(%a) : (tensor<4xf32>) -> tensor<4xf32>
    %c = plan.task @k(%y) : (tensor<4xf32>) -> tensor<4xf32>
    // becomes
    %a = graph.all_reduce sum %x over ["data"] : tensor<4xf32>
    %c = plan.task @k(%y) : (tensor<4xf32>) -> tensor<4xf32>
    %b = plan.task @k(%a) : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let dependentDialects = ["::weir::plan::PlanDialect"];
}

def PlanArena : Pass<"weir-plan-arena", "::mlir::ModuleOp"> {
  let summary = "Gives every buffer of the outer program an offset in one arena";
  let description = [{
    Each entry function, whose kernels are calls here, becomes a `plan.program`.
    A buffer is live from the task that writes it to the last that reads it. The
    tasks of one group count as one point in time. Buffers that are live at
    different times share bytes. A task whose kernel reads an input only where
    it writes (`weir.in_place`) reuses the buffer of an input that dies there.
    Contiguous slices and concatenations are views of a buffer, to which tasks
    write directly. Constants get offsets in the block of weights. The module's
    attributes have the arena's size and, as `weir.max_live_bytes`, the largest
    sum of live bytes: a lower bound for any plan.

    ```mlir
    %a = call @kernel_0(%x) : (tensor<4xf32>) -> tensor<4xf32>
    // becomes
    %b = plan.buffer 0 live [0, 1] : memref<4xf32>
    plan.run @kernel_0(%x, %b) : (memref<4xf32>, memref<4xf32>)
    ```
  }];
  let dependentDialects = ["::weir::plan::PlanDialect"];
}

def CheckTransfers : Pass<"weir-check-transfers", "::mlir::ModuleOp"> {
  let summary = "Proves that the transfers between ranks end";
  let description = [{
    Executes the transfers of each collective operation for all ranks of the mesh,
    and fails with the node's name if a rank would wait for ever, if two ranks
    disagree about a transfer's size, or if a transfer leaves its block of the
    arena or touches what another transfer of the step writes. A transfer counts as
    done only while both ranks are at its step, so the proof holds for transports
    that buffer nothing. So it need not matter when a rank polls: in the worst case
    an operation goes on only while all ranks wait for it. All ranks execute the same
    `weir.schedule`, so a proof for each operation is one for all, if each has one
    start before its wait. Operations that are in the air together have tags and
    memory of their own.

    Roles of a cluster have programs of their own. In a module of roles each key has
    one `graph.send` and one `graph.recv`, of one type. After the planning the pass
    executes all messages of each function for all ranks.

    ```mlir
    // What the ranks add lies where they receive: an error.
    module attributes {
      weir.mesh = #weir.mesh<axes = ["data"], sizes = [2]>,
      weir.collectives = [#weir.collective<axes = 1, type = tensor<4xf32>,
                                           data = 0, scratch = 8, node = "s">]
    } {}
    ```
  }];
}

def PlanScratch : Pass<"weir-plan-scratch", "::mlir::func::FuncOp"> {
  let summary = "Places a kernel's own buffers in one block of scratch memory";
  let description = [{
    Each `memref.alloc` becomes a view at an offset into one more argument,
    whose size is the attribute `weir.scratch_bytes`. Buffers that are not used
    by the same top-level op may share bytes. No allocation remains. A buffer
    within `kernel.parallel` exists once for each of the module's `weir.slots`.

    ```mlir
    %a = memref.alloc() : memref<4xf32>
    // becomes
    %a = memref.view %scratch[%c0][] : memref<64xi8> to memref<4xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect"];
}

def MarkInPlace : Pass<"weir-mark-in-place">, Optional {
  let summary = "Marks the inputs whose memory a kernel's output may share";
  let description = [{
    A kernel that is one loop over elements may write each element where it has
    read it. A kernel that first copies an input to its output needs no copy if
    both are one buffer. `weir.in_place` lists these inputs, as for epilogues
    (`weir-emit-kernels`). The plan then lets the kernel of a new value write to
    the variable, or to that of a loop, and a result alias an input that dies.

    ```mlir
    linalg.generic {indexing_maps = [#d0, #d0]} ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
    // the function becomes
    func.func private @kernel_0(%x, %y) attributes {weir.in_place = array<i64: 0>}
    ```
  }];
}

#endif // WEIR_PASSES_PLAN
