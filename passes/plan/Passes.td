// Passes that turn the outer program into a plan.

#ifndef WEIR_PASSES_PLAN
#define WEIR_PASSES_PLAN

include "mlir/Pass/PassBase.td"

def FormWaves : Pass<"weir-form-waves", "::mlir::ModuleOp"> {
  let summary = "Brings together small tasks that may run at once";
  let description = [{
    Tasks of little work that do not depend on each other become a wave, which
    threads share as they share the grains of one kernel. They move only as far
    as that takes, since their results live at one time; a task of much work that
    gives others a part each comes before them. Nothing moves in a module whose
    `weir.slots` is 1.

    ```mlir
    %a = plan.task @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %b = plan.task @k(%a) : (tensor<4xf32>) -> tensor<4xf32>
    %c = plan.task @k(%y) : (tensor<4xf32>) -> tensor<4xf32>
    // becomes
    %a = plan.task @k(%x) {wave = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
    %c = plan.task @k(%y) {wave = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
    %b = plan.task @k(%a) : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let dependentDialects = ["::weir::plan::PlanDialect"];
}

def JoinLoops : Pass<"weir-join-loops", "::mlir::ModuleOp"> {
  let summary = "Makes two loops of equally many rounds one";
  let description = [{
    Loops that begin, count and end alike, whose tasks are all small and that
    need nothing of each other, become one, so that a wave may bring tasks of
    both together: the two directions of a recurrent net. What the later loop
    needs moves before the first. Nothing is joined in a module whose
    `weir.slots` is 1.

    ```mlir
    %r:2 = graph.while(%zero, %x) : ...   // of %i, %h
    %s:2 = graph.while(%zero, %y) : ...   // of %j, %g
    // becomes
    %r:3 = graph.while(%zero, %x, %y) : ...  // of %i, %h, %g
    ```
  }];
  let dependentDialects = ["::weir::plan::PlanDialect"];
}

def PlanArena : Pass<"weir-plan-arena", "::mlir::ModuleOp"> {
  let summary = "Places every buffer of the outer program in one arena";
  let description = [{
    Each entry function, whose kernels are calls by now, becomes a
    `plan.program`. A buffer lives from the task that writes it to the last that
    reads it, tasks of one wave being one moment; buffers that live at different
    times share bytes. A task whose kernel reads an input only where it writes
    (`weir.in_place`) takes over the buffer of one that ends with it. Slices and concatenations of what lies one after the other
    are parts of a place, in which tasks then write. Constants get places in the
    block of weights. The module says how large the arena is and, as
    `weir.max_live_bytes`, the most bytes that live at one time: no plan can be
    smaller.

    ```mlir
    %a = call @kernel_0(%x) : (tensor<4xf32>) -> tensor<4xf32>
    // becomes
    %b = plan.buffer 0 live [0, 1] : memref<4xf32>
    plan.run @kernel_0(%x, %b) : (memref<4xf32>, memref<4xf32>)
    ```
  }];
  let dependentDialects = ["::weir::plan::PlanDialect"];
}

#endif // WEIR_PASSES_PLAN
