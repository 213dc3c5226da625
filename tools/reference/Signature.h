// The inputs and outputs of a function, as users name them.

#ifndef WEIR_TOOLS_REFERENCE_SIGNATURE_H
#define WEIR_TOOLS_REFERENCE_SIGNATURE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tools/reference/FileNames.h"
#include <optional>
#include <string>
#include <vector>

namespace weir::reference {

/// An input or an output of a function.
struct SignatureTensor {
  /// The name in the library and that in the model.
  std::string name, tensor;
  mlir::RankedTensorType type;
  /// For a dynamic shape: the input or output with the actual sizes.
  std::optional<unsigned> sizes = {};
  /// Whether it has the sizes of another one.
  bool isSizes = false;

  /// Whether `--input=NAME=` means it. One of two names may lack `:0`.
  bool isCalled(llvm::StringRef given) const;
};

/// The files of these tensors.
FileNames fileNamesOf(llvm::ArrayRef<SignatureTensor> tensors);

std::vector<SignatureTensor> inputsOf(mlir::func::FuncOp function);
std::vector<SignatureTensor> outputsOf(mlir::func::FuncOp function);

} // namespace weir::reference

#endif // WEIR_TOOLS_REFERENCE_SIGNATURE_H
