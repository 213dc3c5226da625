// The kernels that --kernel selects.
#ifndef WEIR_COMPILER_DUMP_SELECTION_H
#define WEIR_COMPILER_DUMP_SELECTION_H

#include "dialects/weir/NamePattern.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

namespace weir {

/// Finds kernels by the name of a kernel or of a node, by the symbol of a
/// kernel, or by a regular expression for the whole name.
class Selection {
public:
  explicit Selection(llvm::StringRef wanted);

  /// Selects among the kernels below `root` and the tasks that run kernels. A
  /// kernel that several nodes share has one function, and a task for each.
  void add(mlir::Operation *root);
  /// Whether a kernel is selected. A phase is selected with its kernel.
  bool contains(llvm::StringRef kernel) const;
  /// The selected kernels below `root`, in order.
  llvm::SmallVector<mlir::Operation *> kernelsIn(mlir::Operation *root) const;

  bool isEmpty() const { return selected.empty(); }
  /// The message for a name that selects nothing, with the nearest names.
  std::string fault() const;

private:
  bool matches(llvm::StringRef name) const;
  void addKernel(llvm::StringRef kernel, mlir::Operation *op);

  std::string wanted, wantedKernel;
  NamePattern pattern;
  llvm::StringSet<> selected;
  /// All names of kernels and nodes. The context owns them.
  llvm::SetVector<llvm::StringRef> known;
};

} // namespace weir

#endif // WEIR_COMPILER_DUMP_SELECTION_H
