// The dimensions of an entry's inputs, as the model and the options have them:
// fixed, or open with a range.

#ifndef WEIR_COMPILER_IMPORT_BOUNDED_ENTRY_INPUTDIMS_H
#define WEIR_COMPILER_IMPORT_BOUNDED_ENTRY_INPUTDIMS_H

#include "compiler/import/bounded/entry/Inputs.h"

namespace weir {

/// What options may call an input: its name, its tensor's, its node's.
llvm::SmallVector<std::string> namesOf(const EntryPort &port);
/// What they may call dimension `i` of it: its name, if it has one, and each of
/// the above with its number.
llvm::SmallVector<std::string> dimNamesOf(const EntryPort &port, size_t i);
/// What messages and tables call dimension `i`: `batch`, or `x.0`.
std::string dimNameOf(const EntryPort &port, size_t i);
/// The range that `--dim` gives for it; null where it gives none.
const DimRange *rangeOf(const EntryPort &port, size_t i,
                        const ImportOptions &options);

/// Names the dimensions that have no name yet.
void addDimNames(EntryPort &port, llvm::ArrayRef<std::string> names);

/// The shape of an input: `said`, the shape in the model if its rank is known,
/// with the sizes and names of `--shape`. Dynamic dimensions are
/// ShapedType::kDynamic. `port.dimNames` has the model's names. An error if the
/// two do not match, or if the rank is unknown.
mlir::FailureOr<llvm::SmallVector<int64_t>>
joinShape(Report &report, mlir::Location at, EntryPort &port,
          std::optional<llvm::SmallVector<int64_t>> said,
          const ImportOptions &options);

/// Sets the range of each dynamic dimension of the inputs: that of `--dim`, or
/// a default, which one warning lists. A range of one size makes the dimension
/// static. Training accepts no defaults. An error if an input is too large for
/// a tensor.
mlir::LogicalResult boundInputs(Report &report, const ImportOptions &options,
                                llvm::ArrayRef<EntryPort *> inputs);
template <typename Entries>
mlir::LogicalResult boundEntries(Report &report, const ImportOptions &options,
                                 Entries &entries) {
  llvm::SmallVector<EntryPort *> inputs;
  for (auto &entry : entries)
    for (EntryPort &port : entry.inputs)
      inputs.push_back(&port);
  return boundInputs(report, options, inputs);
}

/// An error if `--dim` names no dynamic dimension, or `--specialize` one
/// without a range, or a size outside of it.
mlir::LogicalResult checkDims(Report &report, const ImportOptions &options,
                              llvm::ArrayRef<const EntryPort *> inputs);

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_BOUNDED_ENTRY_INPUTDIMS_H
