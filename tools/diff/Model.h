// The tensors of a model that `weir diff` compares.

#ifndef WEIR_TOOLS_DIFF_MODEL_H
#define WEIR_TOOLS_DIFF_MODEL_H

#include "compiler/Options.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace weir::diff {

/// The result of a node, which a library with `--keep` returns.
struct Kept {
  /// The tensor in the model, its node, and the output of the library.
  std::string tensor, node, output;
  mlir::Value value;
  /// The actual sizes of a dynamic shape, or null.
  mlir::Value sizes;
};

struct Model {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;
  /// In the order of the program.
  std::vector<Kept> tensors;
};

/// Imports the model with the tensors that `--keep` names.
Status readModel(mlir::MLIRContext *context, const Options &options,
                 Model &model);

} // namespace weir::diff

#endif // WEIR_TOOLS_DIFF_MODEL_H
