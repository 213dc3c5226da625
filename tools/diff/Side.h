// The two sides of a comparison: where their tensors come from.

#ifndef WEIR_TOOLS_DIFF_SIDE_H
#define WEIR_TOOLS_DIFF_SIDE_H

#include "compiler/reference/Interpreter.h"
#include "tools/diff/Model.h"
#include "llvm/ADT/StringMap.h"

namespace weir::diff {

/// What the f64 reference computes for a model.
struct ReferenceRun {
  /// Whether the reference evaluates the model.
  bool isComplete = false;
  llvm::SmallVector<reference::TensorRef> inputs;
  /// The value of each tensor that is compared, by value: of the last round of
  /// a loop.
  llvm::DenseMap<mlir::Value, reference::TensorRef> values;
  /// The largest finite magnitude of each value during the run.
  llvm::DenseMap<mlir::Value, double> magnitudes;
};

/// Evaluates the function, and keeps the values of the tensors. Without an
/// error `run` may be incomplete if `isOptional`.
Status evaluate(const Model &model, const Options &options, bool isOptional,
                ReferenceRun &run);

/// The tensors of one side.
class Side {
public:
  /// The files of a folder.
  Side(std::string name, std::string folder)
      : name(std::move(name)), folder(std::move(folder)) {}
  /// The reference.
  Side(std::string name, const ReferenceRun &run)
      : name(std::move(name)), run(&run) {}

  bool isReference() const { return run; }

  /// Finds the files of the tensors in the folder. It is an error if two
  /// tensors would have one file.
  Status findFiles(const Model &model);

  /// Reads a tensor. It is null if the side lacks it.
  Status read(const Kept &kept, reference::TensorRef &to) const;

  /// What the side is, for people.
  std::string name;

private:
  std::string folder;
  /// The files by tensor.
  llvm::StringMap<std::string> files;
  const ReferenceRun *run = nullptr;
};

} // namespace weir::diff

#endif // WEIR_TOOLS_DIFF_SIDE_H
