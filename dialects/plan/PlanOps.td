// The ops of a plan.

#ifndef WEIR_DIALECTS_PLAN_OPS
#define WEIR_DIALECTS_PLAN_OPS

include "dialects/plan/PlanBase.td"

def Plan_ProgramOp
    : Plan_Op<"program", [Symbol, IsolatedFromAbove, SingleBlock, NoTerminator,
                          DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "One entry point of the product";
  let description = [{
    Constraints:
    - (C1) a run that has a `task_group`, but no `row_wise`, writes no bytes that
      another run of the group reads or writes
    - (C2) the runs of a group with `row_wise` have equal numbers of work items
    - (C3) buffers of one arena that are live at the same time share no bytes
    - (C4) a `start` and its `wait` are in one block, and no task between them
      uses the bytes of the `start`

    ```mlir
    plan.program @weir_entry_0 {
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name attr-dict-with-keyword $body";
}

def Plan_TaskOp : Plan_Op<"task", [Pure]> {
  let summary = "A call of a kernel on tensors, before its buffers have offsets";
  let description = [{
    Neighbours with equal `task_group` are a group of independent tasks that
    share one parallel region. With `row_wise` they may depend on each other row
    by row (row-wise fusion): rows of a result need only the same rows of
    earlier results. In a program for a GPU, a task with `host` runs on the
    host: its operands and results are in the host's memory.

    ```mlir
    %y = plan.task @kernel_0(%x) : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel,
                   Variadic<AnyRankedTensor>:$inputs,
                   OptionalAttr<I64Attr>:$task_group, UnitAttr:$row_wise,
                   UnitAttr:$host);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $kernel `(` $inputs `)` attr-dict `:` functional-type($inputs, $results)
  }];
  let extraClassDeclaration = [{
    /// The task after this one if it is in the same group, else null. Views of
    /// results may be between them.
    TaskOp nextInGroup();
    /// The task before this one if it is in the same group, else null.
    TaskOp previousInGroup();
  }];
}

def Plan_TransferOp
    : Plan_Op<"transfer", [Pure, AllTypesMatch<["source", "result"]>]> {
  let summary = "A copy of a tensor in the other memory: a GPU's, or its host's";
  let description = [{
    Constraints:
    - (C1) the source is in the other memory

    ```mlir
    %h = plan.transfer %x to host : tensor<4xf32>
    %d = plan.transfer %y to device : tensor<4xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source, UnitAttr:$host);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $source `to` (`host` $host^) : (`device`)? attr-dict `:` type($source)
  }];
  let hasVerifier = 1;
}

def Plan_BufferOp : Plan_Op<"buffer", [Pure]> {
  let summary = "A buffer at an offset in the arena";
  let description = [{
    `offset` is in bytes from the arena's start, a multiple of 64. `first` and
    `last` are the numbers of the first and the last task that use the buffer,
    in the order of the program. With `host` the arena is that of a GPU's host,
    for the host's tasks.

    ```mlir
    %b = plan.buffer 64 live [0, 1] : memref<4x4xf32>
    ```
  }];
  let arguments = (ins I64Attr:$offset, I64Attr:$first, I64Attr:$last,
                   UnitAttr:$host);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = [{
    $offset `live` `[` $first `,` $last `]` attr-dict `:` type($result)
  }];
}

def Plan_WeightOp : Plan_Op<"weight", [Pure]> {
  let summary = "A constant at an offset in the block of weights";
  let description = [{
    No task writes it. With `host` the block is that of a GPU's host, for the
    host's tasks. With a `region`, counted from 1 in `weir.weight_regions`, the
    offset is that in the rank's own part of the region.

    - (C1) the module has the region.

    ```mlir
    %w = plan.weight 128 : memref<4x4xf32>
    %v = plan.weight 64 in region 1 : memref<4x4xf32>
    ```
  }];
  let arguments = (ins I64Attr:$offset, DefaultValuedAttr<I64Attr, "0">:$region,
                   UnitAttr:$host);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = [{
    $offset (`in` `region` $region^)? attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

def Plan_StateOp : Plan_Op<"state", [Pure]> {
  let summary = "A variable at an offset in the block of state";
  let description = [{
    ```mlir
    %s = plan.state 64 : memref<4x4xf32>
    ```
  }];
  let arguments = (ins I64Attr:$offset);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = "$offset attr-dict `:` type($result)";
}

def Plan_ArgumentOp : Plan_Op<"argument", [Pure]> {
  let summary = "A tensor of the caller: the inputs first, then the outputs";
  let description = [{
    ```mlir
    %x = plan.argument 0 : memref<4x4xf32>
    ```
  }];
  let arguments = (ins I64Attr:$index);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = "$index attr-dict `:` type($result)";
}

def Plan_ViewOp : Plan_Op<"view", [Pure]> {
  let summary = "Bytes of another buffer, with another shape";
  let description = [{
    The view starts at byte `offset`, by default 0.

    ```mlir
    %v = plan.view %b : memref<4x4xf32> to memref<16xf32>
    %part = plan.view %b {offset = 16 : i64} : memref<4x4xf32> to memref<4xf32>
    ```
  }];
  let arguments = (ins AnyMemRef:$source, DefaultValuedAttr<I64Attr, "0">:$offset);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `to` type($result)";
}

def Plan_RunOp : Plan_Op<"run"> {
  let summary = "Calls a kernel";
  let description = [{
    The operands are the kernel's inputs, its outputs and its scratch memory, if
    any, in this order. There is one output, or the number `outputs`. With `work_items`, the number of work items, the kernel
    also has the first work item, the end of the range and a worker slot as
    arguments, and threads share the work items of kernel.parallel. Neighbours
    with equal `task_group` may run in parallel. With `items` the run counts as
    so many items of its group, in proportion to its time. The chunk that has the
    first of them runs a kernel without work items. With `row_wise` neighbours have equal
    numbers of work items, and a work item runs after those of the same number
    in earlier runs. With `count`, a function of the operands returns the number
    of work items for the actual sizes. With `host`, a GPU's host runs it, and
    all operands are in its memory.

    Constraints:
    - (C1) `items` is positive, and the run is in a group

    ```mlir
    plan.run @kernel_0(%x, %b) : (memref<4x4xf32>, memref<4x4xf32>)
    plan.run @kernel_1(%x, %b) {work_items = 160 : i64} : (memref<4x4xf32>, memref<4x4xf32>)
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel,
                   Variadic<AnyMemRef>:$operands,
                   OptionalAttr<I64Attr>:$work_items,
                   OptionalAttr<FlatSymbolRefAttr>:$count,
                   DefaultValuedAttr<I64Attr, "0">:$slots, UnitAttr:$coarse,
                   OptionalAttr<I64Attr>:$task_group,
                   OptionalAttr<I64Attr>:$items, UnitAttr:$row_wise,
                   UnitAttr:$host, DefaultValuedAttr<I64Attr, "1">:$outputs);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $kernel `(` $operands `)` attr-dict `:` `(` type($operands) `)`
  }];
  let extraClassDeclaration = [{
    /// The op after this one if it is in the same group, else null.
    RunOp nextInGroup() {
      auto next = ::llvm::dyn_cast_or_null<RunOp>((*this)->getNextNode());
      return next && getTaskGroup() && getTaskGroup() == next.getTaskGroup() ? next : RunOp();
    }
  }];
}

def Plan_CopyOp : Plan_Op<"copy", [AllTypesMatch<["source", "target"]>]> {
  let summary = "Copies bytes from one buffer to another of the same type";
  let description = [{
    One of the two may be in the memory of a GPU's host.

    ```mlir
    plan.copy %x to %b : memref<4x4xf32>
    ```
  }];
  let arguments = (ins AnyMemRef:$source, AnyMemRef:$target);
  let assemblyFormat = "$source `to` $target attr-dict `:` type($source)";
}

def Plan_CheckOp : Plan_Op<"check"> {
  let summary = "Sets the run's status if the Boolean is false";
  let description = [{
    `code` counts the module's `weir.checks` from 1. The first failure is kept.
    `element` are the buffers of the index and the value, or of the integer, that
    the message ends with. They are in the arena, which stays as it is after a
    failure.

    ```mlir
    plan.check %p, 1 : memref<i1>
    plan.check %q, 2 element(%i, %x : memref<i64>, memref<f32>) : memref<i1>
    ```
  }];
  let arguments = (ins AnyMemRef:$condition, I64Attr:$code,
                   Variadic<AnyMemRef>:$element);
  let assemblyFormat = [{
    $condition `,` $code (`element` `(` $element^ `:` type($element) `)`)? attr-dict `:`
    type($condition)
  }];
}

def Plan_ExchangeOp : Plan_Op<"exchange"> {
  let summary = "All ranks compute a collective operation";
  let description = [{
    `number` counts the module's `weir.collectives` from 0. An all-reduce works in
    place on the first buffer, and the second is its scratch memory. The others
    read the first buffer and write the second. With `agrees` the first buffer is
    an i64: the run ends on all ranks if a check has failed on one of them.

    ```mlir
    plan.exchange 0(%b, %s) : memref<4xf32>, memref<16xi8>
    plan.exchange 1(%c, %t) agrees : memref<1xi64>, memref<8xi8>
    ```
  }];
  let arguments = (ins I64Attr:$number, AnyMemRef:$first, AnyMemRef:$second,
                   UnitAttr:$agrees);
  let assemblyFormat = [{
    $number `(` $first `,` $second `)` (`agrees` $agrees^)? attr-dict `:`
    type($first) `,` type($second)
  }];
}

def Plan_StartOp : Plan_Op<"start"> {
  let summary = "Ranks begin an all-reduce, which goes on beside later tasks";
  let description = [{
    The operands are those of `plan.exchange`. Until the `plan.wait` of the number
    no task uses their bytes (C4 of `plan.program`).

    ```mlir
    plan.start 0(%b, %s) : memref<4xf32>, memref<16xi8>
    plan.progress
    plan.wait 0
    ```
  }];
  let arguments = (ins I64Attr:$number, AnyMemRef:$data, AnyMemRef:$scratch);
  let assemblyFormat = [{
    $number `(` $data `,` $scratch `)` attr-dict `:` type($data) `,` type($scratch)
  }];
}

def Plan_ProgressOp : Plan_Op<"progress"> {
  let summary = "Continues the all-reduces that have begun, and waits for none";
  let description = [{
    Where the transfers of a step are complete, the task adds the received elements
    and begins the next step. No thread does so in the background.

    ```mlir
    plan.progress
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Plan_WaitOp : Plan_Op<"wait"> {
  let summary = "Ends an all-reduce";
  let description = [{
    ```mlir
    plan.wait 0
    ```
  }];
  let arguments = (ins I64Attr:$number);
  let assemblyFormat = "$number attr-dict";
}

def Plan_CheckAccessesOp : Plan_Op<"check_accesses"> {
  let summary = "Ends the run if a kernel has recorded an access out of bounds";
  let description = [{
    The record has the number of a message, counted from 1, or 0; the index; and
    the number of such accesses. `code` is the code of the first message, as that
    of `plan.check`.

    ```mlir
    plan.check_accesses %record, 5 : memref<3xi64>
    ```
  }];
  let arguments = (ins MemRefRankOf<[I64], [1]>:$record, I64Attr:$code);
  let assemblyFormat = "$record `,` $code attr-dict `:` type($record)";
}

def Plan_IfOp : Plan_Op<"if", [SingleBlock, NoTerminator]> {
  let summary = "Runs one of two lists of tasks";
  let description = [{
    ```mlir
    plan.if %p : memref<i1> {
    } else {
    }
    ```
  }];
  let arguments = (ins AnyMemRef:$condition);
  let regions = (region SizedRegion<1>:$thenRegion,
                 SizedRegion<1>:$elseRegion);
  let assemblyFormat = [{
    $condition `:` type($condition) attr-dict-with-keyword $thenRegion `else`
    $elseRegion
  }];
}

def Plan_WhileOp : Plan_Op<"while", [SingleBlock, NoTerminator]> {
  let summary = "Repeats tasks while a Boolean in memory is true";
  let description = [{
    `before` writes the Boolean to the buffer. If it is true, `body` runs, and
    then `before` again.

    ```mlir
    plan.while %p : memref<i1> {
    } do {
    }
    ```
  }];
  let arguments = (ins AnyMemRef:$condition);
  let regions = (region SizedRegion<1>:$before, SizedRegion<1>:$body);
  let assemblyFormat = [{
    $condition `:` type($condition) attr-dict-with-keyword $before `do` $body
  }];
}

#endif // WEIR_DIALECTS_PLAN_OPS
