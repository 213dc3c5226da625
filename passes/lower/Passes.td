// Passes from the graph dialect to linalg: the graph becomes loops.

#ifndef WEIR_PASSES_LOWER
#define WEIR_PASSES_LOWER

include "mlir/Pass/PassBase.td"

def LowerGraph : Pass<"weir-lower-graph"> {
  let summary = "Lowers the ops of the graph dialect to linalg on tensors";
  let description = [{
    Elementwise ops become `linalg.generic` by their `ScalarOpInterface`, the
    others by a pattern of their family. Unsigned integers become signless.
    Outer ops (constants, groups, control, checks) stay.

    ```mlir
    %y = graph.exp %x : tensor<4xf32>
    // becomes
    %y = linalg.generic ... ins(%x) outs(%empty) { math.exp ... }
    ```
  }];
  let dependentDialects = ["mlir::arith::ArithDialect",
                           "mlir::func::FuncDialect",
                           "mlir::linalg::LinalgDialect",
                           "mlir::math::MathDialect",
                           "mlir::scf::SCFDialect",
                           "mlir::tensor::TensorDialect"];
}

#endif // WEIR_PASSES_LOWER
