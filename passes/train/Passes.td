// Passes that add what trains a model.

#ifndef WEIR_PASSES_TRAIN
#define WEIR_PASSES_TRAIN

include "mlir/Pass/PassBase.td"

def FormTraining : Pass<"weir-form-training", "::mlir::ModuleOp"> {
  let summary = "Adds the loss and the entry train_step to a model";
  let description = [{
    The module's attribute `weir.training` says what the loss is and which
    optimizer makes it less; the function with the attribute `weir.training`
    gives what the loss is of: the loss itself, or an output and, where the model
    has them, the labels. That function becomes the entry `loss`, with one
    result, and takes labels as a further input where the model has none. The
    entry `train_step` has the same inputs, and one for the rate where that is
    asked for; it gives the loss before the step, and assigns the variables that
    are marked `weir.trained` and what the optimizer keeps for them, which are
    new variables with TensorFlow's names, `VAR/Momentum`.

    Gradients are asked of `graph.gradient`, of several steps where they
    accumulate, clipped and added to as the options say, and the formulas are
    those that imported optimizers have (`dialects/graph/build/Updates.h`).
    Variables that the loss does not depend on stay as they are. What moves only
    at some steps, or only where gradients are finite, stands in a `graph.if`. Of
    a variable of 16 bits a copy of f32 moves, and the variable gets that
    rounded. What the model itself assigns happens in `train_step` and not in
    `loss`.

    ```mlir
    module attributes {weir.training = {loss = "", optimizer = "Momentum", rate = 0.5, momentum = 0.9}} {
      graph.variable @w : tensor<4xf32> {weir.trained}
      func.func @f(%x: tensor<4xf32>) -> tensor<f32> attributes {weir.entry = "loss", weir.training} {
        %w = graph.read_variable @w : tensor<4xf32>
        %y = graph.mul %w, %x : tensor<4xf32>
        %l = graph.reduce_sum %y [0] : tensor<4xf32>
        return %l : tensor<f32>
      }
    }
    // gets
    graph.variable @"var:w/Momentum" : tensor<4xf32> = dense<0.0> : tensor<4xf32> {called = "w/Momentum"}
    func.func @f_step(%x: tensor<4xf32>) -> tensor<f32> attributes {weir.entry = "train_step"} {
      // ... %l as above
      %g = graph.gradient %l of %w : tensor<f32>, (tensor<4xf32>)
      %m = graph.read_variable @"var:w/Momentum" : tensor<4xf32>
      // ... %m * 0.9 + %g
      graph.write_variable @"var:w/Momentum", %speed : tensor<4xf32>
      // ... %w - %speed * 0.5
      graph.write_variable @w, %new : tensor<4xf32>
      return %l : tensor<f32>
    }
    ```
  }];
  let dependentDialects = ["::weir::graph::GraphDialect"];
}

#endif // WEIR_PASSES_TRAIN
