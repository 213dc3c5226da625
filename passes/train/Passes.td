// Passes that add the training step of a model.

#ifndef WEIR_PASSES_TRAIN
#define WEIR_PASSES_TRAIN

include "mlir/Pass/PassBase.td"

def FormTraining : Pass<"weir-form-training", "::mlir::ModuleOp"> {
  let summary = "Adds the loss and the entry train_step to a model";
  let description = [{
    The module's attribute `weir.training` has the loss and the optimizer. The
    function with `weir.loss_operands` returns the operands of the loss:
    the loss itself, or an output and the labels, if the model has them. That
    function becomes the entry `loss`, with one result, and with the labels as a
    further input if the model has none. The entry `train_step` has the same
    inputs, and one for the learning rate if requested. It returns the loss before
    the step, and assigns the variables with `weir.trained` and their optimizer
    state: new variables with TensorFlow's names, `VAR/Momentum`.

    `graph.gradient` computes the gradients. They are accumulated over steps,
    clipped and decayed by the options. The formulas are those of imported
    optimizers (`dialects/graph/build/Updates.h`). Variables that the loss does not
    depend on do not change. Updates of only some steps, or only with finite
    gradients, are in a `graph.if`. For a 16-bit variable an f32 copy is updated,
    and the variable gets the rounded copy. Assignments of the model itself happen
    in `train_step` and not in `loss`.

    ```mlir
    module attributes {weir.training = {loss = "", optimizer = "Momentum", rate = 0.5, momentum = 0.9}} {
      graph.variable @w : tensor<4xf32> {weir.trained}
      func.func @f(%x: tensor<4xf32>) -> tensor<f32> attributes {weir.entry = "loss", weir.loss_operands = array<i64>} {
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
