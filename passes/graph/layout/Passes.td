// Passes on the layout of elements: transposes, reshapes and repetitions.

#ifndef WEIR_PASSES_GRAPH_LAYOUT
#define WEIR_PASSES_GRAPH_LAYOUT

include "mlir/Pass/PassBase.td"
include "passes/Optional.td"

def FoldTransposes : Pass<"weir-fold-transposes">, Optional {
  let summary = "Moves transposes towards the results until they cancel";
  let description = [{
    Frameworks write a layout change around each layer; most of them cancel. A
    transpose moves behind elementwise ops, concat, pad, slice, reverse, gathers
    along one dimension, graph.fill_beyond and reductions. Two adjacent transposes
    become one, or none. A reshape between two of them that splits or joins
    dimensions moves away.

    ```mlir
    %1 = graph.transpose %0 [0, 3, 1, 2] : tensor<1x8x8x4xf32>
    %2 = graph.relu %1 : tensor<1x4x8x8xf32>
    %3 = graph.transpose %2 [0, 2, 3, 1] : tensor<1x4x8x8xf32>
    // becomes
    %3 = graph.relu %0 : tensor<1x8x8x4xf32>
    ```
  }];
}

def HoistTransposes : Pass<"weir-hoist-transposes">, Optional {
  let summary = "Moves transposes before ops that enlarge a tensor";
  let description = [{
    A transpose may have moved behind gathers that enlarge an image, without
    canceling. It moves back before them, where it has fewer elements, with the
    elementwise ops in between. A transpose also moves before graph.fill_beyond, so
    that it ends at the actual size. The pass runs after weir-fold-transposes.

    ```mlir
    %1 = graph.gather %0, %i axis 1 batch_dims 0 : tensor<1x8x4xf32>, tensor<32xi64>
    %2 = graph.transpose %1 [0, 2, 1] : tensor<1x32x4xf32>
    // becomes
    %1 = graph.transpose %0 [0, 2, 1] : tensor<1x8x4xf32>
    %2 = graph.gather %1, %i axis 2 batch_dims 0 : tensor<1x4x8xf32>, tensor<32xi64>
    ```
  }];
}

def FormRepeats : Pass<"weir-form-repeats">, Optional {
  let summary = "Makes gathers that repeat each element broadcasts";
  let description = [{
    Nearest-neighbour upsampling gathers by indices that each occur several
    consecutive times. A broadcast along a new dimension moves whole vectors
    instead. Gathers of several dimensions become one broadcast. The pass runs
    after transposes have moved through the gathers.

    ```mlir
    %i = graph.constant dense<[0, 0, 1, 1]> : tensor<4xi64>
    %y = graph.gather %x, %i axis 1 batch_dims 0 : tensor<1x2x3xf32>, tensor<4xi64>
    // becomes
    %b = graph.broadcast %x [0, 1, 3] : tensor<1x2x3xf32> to tensor<1x2x2x3xf32>
    %y = graph.reshape %b : tensor<1x2x2x3xf32> to tensor<1x4x3xf32>
    ```
  }];
}

def SinkReshapes : Pass<"weir-sink-reshapes">, Optional {
  let summary = "Moves reshapes behind elementwise ops, and of batches behind products";
  let description = [{
    A reshape between an op and the elementwise op that follows would separate their
    kernels. It moves if the other operands are splats, are reshaped alike, or are
    repeated along the first dimensions. It always moves behind a possible epilogue
    of a contraction; other operands are then reshaped, which is a view. A reshape
    that keeps the last two dimensions moves behind a softmax. It also moves behind
    a product whose other operand is reshaped from the same batches: heads and
    batches of an attention may be one dimension in one op and two in another.
    Broadcasts read their operand without the dimensions of size 1 that were
    inserted for them.

    ```mlir
    %1 = graph.reshape %0 : tensor<6xf32> to tensor<2x3xf32>
    %2 = graph.relu %1 : tensor<2x3xf32>
    // becomes
    %1 = graph.relu %0 : tensor<6xf32>
    %2 = graph.reshape %1 : tensor<6xf32> to tensor<2x3xf32>
    ```
  }];
}

#endif // WEIR_PASSES_GRAPH_LAYOUT
