// Passes that decide which ops become one kernel.

#ifndef WEIR_PASSES_FUSE
#define WEIR_PASSES_FUSE

include "mlir/Pass/PassBase.td"

def SplitBatches : Pass<"weir-split-batches", "::mlir::func::FuncOp"> {
  let summary = "Takes the large layers of a batch a few images at a time";
  let description = [{
    Of convolutions at the beginning of an entry whose results are more than the
    caches hold, and of what is elementwise, pooled, padded or rearranged between
    them, each layer of some images comes before the first layer of the next, so
    that their values stay near. What reads no large result any more is of the
    whole batch, and so are layers whose filters L2 does not hold, and what
    depends on them. Not on a GPU, whose layers want all images.

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
    Walks a block from its end. An op begins a group, which takes producers
    that only it uses where they make one loop nest with it: elementwise and
    rearranging ops; a contraction whose epilogue the group then is, unless that
    makes a variable's new value; reductions of rows, with what is computed of
    their values and of elements with these, as loops over the same rows. A
    product takes transposes that only move rows, of its operands and of its
    result.
    Splat constants are copied into each group that uses them. What is a view of
    memory between groups stays outside: reshapes, slices that are runs of most
    of their operand, and concats of runs.

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

def FlattenGroups : Pass<"weir-flatten-groups", "::mlir::func::FuncOp"> {
  let summary = "Merges the dimensions of elementwise groups";
  let description = [{
    Where no broadcast tells two adjacent dimensions apart, they become one:
    loops get longer, which vectorizes better, and more groups become equal.
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

def JoinGroups : Pass<"weir-join-groups", "::mlir::func::FuncOp"> {
  let summary = "Makes elementwise groups that feed each other one group";
  let description = [{
    Where an elementwise group uses what another makes of as many elements, and
    nobody needs that earlier, both are one group with the results of both: one
    loop, which reads and writes each element once. So the slots of an optimizer
    and its variable take one pass over memory. It declines where inputs that
    were done with would have to wait, more than results do less.

    ```mlir
    %m = graph.group(%g, %n) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> { ... }
    %y = graph.group(%x, %m) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> { ... }
    // becomes
    %r:2 = graph.group(%g, %n, %x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) { ... }
    ```
  }];
}

def FormAttention : Pass<"weir-form-attention", "::mlir::func::FuncOp"> {
  let summary = "Makes the two products of an attention one group";
  let description = [{
    A product, a softmax of its rows with elementwise ops, such as casts, on both
    sides, and a product that has these rows on its left, each of which only the next
    uses, become one group:
    its kernel makes a few of the rows at a time, and never all of them. Fewer than 32
    rows, as a decoder's step has, stay as they are for a processor; blocks of a GPU
    share their columns.

    ```mlir
    %s = graph.group(%q, %k) : (tensor<64x8xf32>, tensor<64x8xf32>) -> tensor<64x64xf32> { matmul }
    %p = graph.group(%s) : (tensor<64x64xf32>) -> tensor<64x64xf32> { softmax }
    %o = graph.group(%p, %v) : (tensor<64x64xf32>, tensor<64x8xf32>) -> tensor<64x8xf32> { matmul }
    // becomes
    %o = graph.group(%q, %k, %v) : (tensor<64x8xf32>, tensor<64x8xf32>, tensor<64x8xf32>) -> tensor<64x8xf32> { matmul, softmax, matmul }
    ```
  }];
}

def HoistUpdates : Pass<"weir-hoist-updates", "::mlir::func::FuncOp"> {
  let summary = "Assigns variables as soon as their new values can be made";
  let description = [{
    A step of training assigns its variables at its end, so that every gradient,
    or what it is made of, lives until then. In a module with `weir.remat`, the
    most bytes that its arena shall have, what serves nothing but an assignment
    goes behind the last op that it needs, and the assignment behind the last use
    of the variable's old value. What frees as much memory as it takes goes before
    other work, too: a gradient, of which the step makes something only at its
    end. Nothing that has an effect overtakes a check, or an op with regions.

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

def RecomputeGroups : Pass<"weir-recompute-groups", "::mlir::func::FuncOp"> {
  let summary = "Computes values again where they are used late, for less memory";
  let description = [{
    In a module with `weir.remat`, a number of bytes, where more than that are
    alive at once: values that are made before that moment and used behind it are
    made again by a copy of their group before their next use. A copy has the
    operands that are alive, or copies of those that are not. Groups become
    kernels, so a copy computes the same bits. It has a number, `weir.again`, which
    its task keeps, so that nothing makes one of the two.

    What loops over elements and reductions make goes first, the largest first,
    and no more of it than needed. Where that is not enough, of the values that
    products and convolutions make only each n-th stays, for the least n that is
    enough: of a chain of layers, about the square root of their number is alive
    then. Where no n is, the one that takes the least memory.

    Scratch memory of kernels is not counted, and what will be assigned in place
    is; whoever sets the number looks at the plan and asks for less or more.

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

def EndProducts : Pass<"weir-end-products", "::mlir::func::FuncOp"> {
  let summary = "Ends products at the actual length of what they sum over";
  let description = [{
    A product over a dynamic dimension has zeros from the actual size on, by masks
    of both operands. A product of f32 or f64 that no constant takes part in gets
    the size as its depth instead, and reads the operands themselves: a step of a
    decoder would else write a copy of its cache of values. Not for a GPU, nor for
    processors with Intel AMX, whose tiles read all terms.

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
  let summary = "Gives groups the actual sizes of their results as operands";
  let description = [{
    A group whose results have dynamic sizes (graph.symbol) takes these as
    operands, which its body does not use, and has the attribute `weir.sizes`:
    for each result and dimension pairs of a bound and the number of the operand
    that is the actual size, or -1. The kernel that the group becomes ends its
    loops there (`weir-clip-loops`). The two products of an attention end at the
    operand that `weir.columns` numbers. The attributes of ops and the symbols go.

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

def SpreadSizes : Pass<"weir-spread-sizes", "::mlir::func::FuncOp"> {
  let summary = "Gives operands the dynamic sizes that all their users have";
  let description = [{
    An operand of elementwise ops that all have the same dynamic sizes
    (graph.symbol) is not needed beyond them either: it gets the same attribute.
    Masks are such operands. So is what a transpose or graph.compact reads, with
    the sizes in its own order.

    ```mlir
    %b = graph.broadcast %m [1] : tensor<4xi1> to tensor<8x4xi1>
    %y = graph.select %b, %x, %z {weir.sizes = [array<i64: 8, 0>, array<i64: 4, -1>]} : tensor<8x4xi1>, tensor<8x4xf32>
    // becomes
    %b = graph.broadcast %m [1] {weir.sizes = [array<i64: 8, 0>, array<i64: 4, -1>]} : tensor<4xi1> to tensor<8x4xi1>
    ...
    ```
  }];
}

#endif // WEIR_PASSES_FUSE
