// Passes that decide which ops become one kernel.

#ifndef WEIR_PASSES_FUSE
#define WEIR_PASSES_FUSE

include "mlir/Pass/PassBase.td"
include "passes/Optional.td"

def SplitBatches : Pass<"weir-split-batches", "::mlir::func::FuncOp">, Optional {
  let summary = "Splits the large layers of a batch into a few images at a time";
  let description = [{
    Applies to the convolutions at the start of an entry whose results exceed the
    caches, and to the elementwise ops, pools, pads and rearrangements between
    them. A few images go through all of these layers before the next images do,
    so that their values stay in the caches. Ops that read no large result work on
    the whole batch. So do layers whose filters exceed L2, and ops that depend on
    them. The pass does nothing for a GPU, whose kernels need whole batches.

    ```mlir
    %a = graph.convolution %x, %v ... : tensor<2x224x224x3xf32>, tensor<3x3x3x64xf32>
    %b = graph.convolution %a, %w ... : tensor<2x224x224x64xf32>, tensor<3x3x64x64xf32>
    // becomes
    %x0 = graph.slice %x [0, 0, 0, 0] to [1, 224, 224, 3] by [1, 1, 1, 1] : tensor<2x224x224x3xf32>
    %a0 = graph.convolution %x0, %v ... : tensor<1x224x224x3xf32>, tensor<3x3x3x64xf32>
    %b0 = graph.convolution %a0, %w ... : tensor<1x224x224x64xf32>, tensor<3x3x64x64xf32>
    ...
    %b = graph.concat %b0, %b1 axis 0 : tensor<1x224x224x64xf32>, tensor<1x224x224x64xf32>
    ```
  }];
}

def FormGroups : Pass<"weir-form-groups", "::mlir::func::FuncOp"> {
  let summary = "Puts every op that computes into a group, one kernel each";
  let description = [{
    Walks a block from its end. An op starts a group, which absorbs producers
    without other users that form one loop nest with it. These are elementwise
    and rearranging ops, and a contraction, whose epilogue the group then is,
    unless the result is a variable's new value. Reductions of rows form a group
    with the ops on their values, as loops over the same rows. A product absorbs
    transposes that only move rows, of its operands and of its result.

    Splat constants are copied into each group that uses them. Views of memory
    between groups stay outside: reshapes, contiguous slices of most of their
    operand, and contiguous concats.

    ```mlir
    %a = graph.exp %x : tensor<4xf32>
    %b = graph.add %a, %y : tensor<4xf32>
    // becomes
    %b = graph.group(%x, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%p: tensor<4xf32>, %q: tensor<4xf32>):
      %a = graph.exp %p : tensor<4xf32>
      %c = graph.add %a, %q : tensor<4xf32>
      graph.yield %c : tensor<4xf32>
    }
    ```
  }];
}

def FlattenGroups : Pass<"weir-flatten-groups", "::mlir::func::FuncOp">, Optional {
  let summary = "Merges the dimensions of elementwise groups";
  let description = [{
    Two adjacent dimensions that no broadcast separates become one. Loops get
    longer, which vectorizes better, and more groups become equal.
    The reshapes around the group are views.

    ```mlir
    %y = graph.group(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32> { ... }
    // becomes
    %0 = graph.reshape %x : tensor<2x3xf32> to tensor<6xf32>
    %1 = graph.group(%0) : (tensor<6xf32>) -> tensor<6xf32> { ... }
    %y = graph.reshape %1 : tensor<6xf32> to tensor<2x3xf32>
    ```
  }];
}

def JoinGroups : Pass<"weir-join-groups", "::mlir::func::FuncOp">, Optional {
  let summary = "Makes elementwise groups that feed each other one group";
  let description = [{
    Joins an elementwise group with the group of an operand that has as many
    elements, if no op between them uses that operand. The joined group has the
    results of both: one loop, which reads and writes each element once. So the
    state of an optimizer and its variable take one pass over memory. The pass
    declines if the longer lifetimes of inputs take more memory than the shorter
    lifetimes of results save.

    ```mlir
    %m = graph.group(%g, %n) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> { ... }
    %y = graph.group(%x, %m) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> { ... }
    // becomes
    %r:2 = graph.group(%g, %n, %x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) { ... }
    ```
  }];
}

def JoinRows : Pass<"weir-join-rows", "::mlir::func::FuncOp"> {
  let summary = "Makes groups over the rows of a log softmax one group";
  let description = [{
    A group with a log softmax and groups that use its results row by row become
    one: sums of rows, and elementwise ops on elements or rows. Stage cpu makes
    one loop over rows of it (`weir-fuse-rows`). So a loss of softmax cross
    entropy and its gradient read the logits once, and write the gradient.
    Groups between them that use a result move behind. Rows of more than 2^17
    elements do not fit L2 and stay in several groups. Nothing changes for a GPU.

    ```mlir
    %l = graph.group(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32> { log_softmax }
    %s = graph.group(%y, %l) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4xf32> { mul, reduce_sum }
    %g = graph.group(%y, %l) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32> { exp, sub }
    // becomes
    %r:2 = graph.group(%x, %y) : (tensor<4x8xf32>, tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) { ... }
    ```
  }];
}

def GroupAttention : Pass<"weir-group-attention", "::mlir::func::FuncOp">, Optional {
  let summary = "Makes the two products of an attention one group";
  let description = [{
    The group has a product, a softmax of its rows with elementwise ops, such as
    casts, on both sides, and a product with these rows on its left. Only the next
    of them may use each. Stage lower makes a kernel.attention of them
    (`weir-form-attention`), which never stores all scores. For a CPU, fewer than
    32 rows, as in a decoder's step, do not change; blocks of a GPU share their
    columns.

    ```mlir
    %s = graph.group(%q, %k) : (tensor<64x8xf32>, tensor<64x8xf32>) -> tensor<64x64xf32> { matmul }
    %p = graph.group(%s) : (tensor<64x64xf32>) -> tensor<64x64xf32> { softmax }
    %o = graph.group(%p, %v) : (tensor<64x64xf32>, tensor<64x8xf32>) -> tensor<64x8xf32> { matmul }
    // becomes
    %o = graph.group(%q, %k, %v) : (tensor<64x8xf32>, tensor<64x8xf32>, tensor<64x8xf32>) -> tensor<64x8xf32> { matmul, softmax, matmul }
    ```
  }];
}

def HoistUpdates : Pass<"weir-hoist-updates", "::mlir::func::FuncOp">, Optional {
  let summary = "Assigns variables as soon as their new values can be computed";
  let description = [{
    A training step assigns its variables at its end, so that every gradient,
    or its operands, are live until then. `weir.remat` of a module is the maximum
    size of its arena in bytes. In such a module, ops that only an assignment needs
    move behind their last operand. The assignment moves behind the last use
    of the variable's old value. Ops that free as much memory as they take move
    before other work, too, such as a gradient that the step uses only at its end.
    No op with an effect moves across a check, or across an op with regions.

    ```mlir
    %g = graph.group(%x) : (tensor<4xf32>) -> tensor<4xf32> { ... }
    %h = graph.group(%x) : (tensor<4xf32>) -> tensor<4xf32> { ... }
    %v = graph.group(%w, %g) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> { ... }
    graph.write_variable @w, %v : tensor<4xf32>
    // becomes
    %g = graph.group(%x) : (tensor<4xf32>) -> tensor<4xf32> { ... }
    %v = graph.group(%w, %g) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> { ... }
    graph.write_variable @w, %v : tensor<4xf32>
    %h = graph.group(%x) : (tensor<4xf32>) -> tensor<4xf32> { ... }
    ```
  }];
}

def RecomputeGroups : Pass<"weir-recompute-groups", "::mlir::func::FuncOp">, Optional {
  let summary = "Recomputes values for late uses, to save memory";
  let description = [{
    `weir.remat` of a module is the maximum size of its arena in bytes. At points
    with more live bytes, values from before that are used after it are
    recomputed: a copy of their group comes before the next use. A copy has the
    live operands, or copies of the others. Groups become kernels, so a copy
    computes the same bits. It has a number, `weir.again`, which its task keeps,
    so that no pass merges the two.

    Results of elementwise loops and reductions are recomputed first, the largest
    first, and no more than needed. If that is not enough, only every n-th result
    of products and convolutions is kept, for the smallest n that is enough. In a
    chain of layers about the square root of their number is then live. If no n is
    enough, the pass uses the one that takes the least memory.

    The count excludes scratch memory of kernels, and includes values that will be
    assigned in place. The driver compares it with the plan and adapts the number.

    ```mlir
    %a = graph.group(%x) : (tensor<4xf32>) -> tensor<4xf32> { ... }
    %b = graph.group(%a) : (tensor<4xf32>) -> tensor<1xf32> { ... }
    %c = graph.group(%b) : (tensor<1xf32>) -> tensor<9xf32> { ... }
    %d = graph.group(%c) : (tensor<9xf32>) -> tensor<1xf32> { ... }
    %e = graph.group(%a, %d) : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32> { ... }
    // becomes
    %a = graph.group(%x) : (tensor<4xf32>) -> tensor<4xf32> { ... }
    %b = graph.group(%a) : (tensor<4xf32>) -> tensor<1xf32> { ... }
    %c = graph.group(%b) : (tensor<1xf32>) -> tensor<9xf32> { ... }
    %d = graph.group(%c) : (tensor<9xf32>) -> tensor<1xf32> { ... }
    %f = graph.group(%x) attributes {weir.again = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32> { ... }
    %e = graph.group(%f, %d) : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32> { ... }
    ```
  }];
}

def EndProducts : Pass<"weir-end-products", "::mlir::func::FuncOp">, Optional {
  let summary = "Ends products at the actual length of the summed dimension";
  let description = [{
    A product over a dynamic dimension has zeros from the actual size on, by masks
    of both operands. A product of f32 or f64 without constant operands gets the
    size as its depth instead, and reads the operands without masks. Otherwise a
    decoder's step would write a copy of its cache of values. The pass does nothing
    for a GPU, or for processors with tile registers, whose kernels read all terms.

    ```mlir
    graph.symbol 0 is %n : tensor<i64>
    %end = graph.broadcast %n [] : tensor<i64> to tensor<8xi64>
    %in = graph.less %indices, %end : tensor<8xi64>
    %m = graph.broadcast %in [0] : tensor<8xi1> to tensor<8x4xi1>
    %v = graph.select %m, %x, %zeros : tensor<8x4xi1>, tensor<8x4xf32>
    %y = graph.matmul %p, %v : tensor<2x8xf32>, tensor<8x4xf32>
    // becomes
    %y = graph.matmul %p, %x depth %n : tensor<2x8xf32>, tensor<8x4xf32>
    ```
  }];
}

def BindSizes : Pass<"weir-bind-sizes", "::mlir::func::FuncOp"> {
  let summary = "Adds the actual sizes of their results to groups, as operands";
  let description = [{
    A group whose results have dynamic sizes (graph.symbol) gets these as
    operands, which its body does not use, and the attribute `weir.sizes`. For
    each result and dimension this has pairs of a bound and the number of the
    operand that is the actual size, or -1. The kernel of the group ends its
    loops there (`weir-clip-loops`). The two products of an attention end at the
    operand number `weir.columns`. The pass removes the attributes of ops and the
    symbols.

    ```mlir
    graph.symbol 0 is %n : tensor<i64>
    %y = graph.group(%x) : (tensor<8x4xf32>) -> tensor<8x4xf32> {
    ^bb0(%a: tensor<8x4xf32>):
      %b = graph.exp %a {weir.sizes = [array<i64: 8, 0>, array<i64: 4, -1>]} : tensor<8x4xf32>
      graph.yield %b : tensor<8x4xf32>
    }
    // becomes
    %y = graph.group(%x, %n) attributes {weir.sizes = [[array<i64: 8, 1>, array<i64: 4, -1>]]} : (tensor<8x4xf32>, tensor<i64>) -> tensor<8x4xf32> {
    ^bb0(%a: tensor<8x4xf32>, %size: tensor<i64>):
      %b = graph.exp %a : tensor<8x4xf32>
      graph.yield %b : tensor<8x4xf32>
    }
    ```
  }];
}

def SpreadSizes : Pass<"weir-spread-sizes", "::mlir::func::FuncOp">, Optional {
  let summary = "Adds the dynamic sizes of all users to operands";
  let description = [{
    If all users of an operand are elementwise ops with the same dynamic sizes
    (graph.symbol), the operand is not needed beyond them either: it gets the same
    attribute. Masks are such operands. So are the operands of a transpose or
    graph.compact, with the sizes in their own order.

    ```mlir
    %b = graph.broadcast %m [1] : tensor<4xi1> to tensor<8x4xi1>
    %y = graph.select %b, %x, %z {weir.sizes = [array<i64: 8, 0>, array<i64: 4, -1>]} : tensor<8x4xi1>, tensor<8x4xf32>
    // becomes
    %b = graph.broadcast %m [1] {weir.sizes = [array<i64: 8, 0>, array<i64: 4, -1>]} : tensor<4xi1> to tensor<8x4xi1>
    ...
    ```
  }];
}

def SpreadBiases : Pass<"weir-spread-biases", "::mlir::func::FuncOp">, Optional {
  let summary = "Makes biases of equal numbers vectors, which libraries can add";
  let description = [{
    A splat constant that is added to a product or a convolution becomes a vector
    with an element for each column or channel. The vector is a resource, which no
    group copies into its kernel: an operand like any other bias. The pass runs
    only if `weir.gpu` of the module names a `library`. The bias of 16-bit results
    that are added in f32 has their type, if it can represent the number.

    ```mlir
    %b = graph.constant dense<0.5> : tensor<1x4x4x8xf32>
    %z = graph.add %y, %b : tensor<1x4x4x8xf32>
    // becomes
    %v = graph.constant dense_resource<bias> : tensor<8xf32>
    %b = graph.broadcast %v [3] : tensor<8xf32> to tensor<1x4x4x8xf32>
    %z = graph.add %y, %b : tensor<1x4x4x8xf32>
    ```
  }];
  let dependentDialects = ["::weir::graph::GraphDialect"];
}

#endif // WEIR_PASSES_FUSE
