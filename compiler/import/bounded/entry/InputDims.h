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

/// The shape of an input: `said`, what the model says, if its rank is known,
/// with the sizes and the names that `--shape` gives. Open dimensions are
/// ShapedType::kDynamic. `port.dimNames` has the model's names. An error where
/// the two do not fit, or the rank is not known.
mlir::FailureOr<llvm::SmallVector<int64_t>>
joinShape(Report &report, mlir::Location at, EntryPort &port,
          std::optional<llvm::SmallVector<int64_t>> said,
          const ImportOptions &options);

/// Gives each open dimension of the inputs the range that `--dim` gives, or a
/// default one, of which one warning lists all. A range of one size fixes the
/// dimension. Training takes no defaults. An error where an input is larger
/// than a tensor may be.
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

/// An error where `--dim` names no dimension that is open, or `--specialize`
/// one without a range or a size outside of it.
mlir::LogicalResult checkDims(Report &report, const ImportOptions &options,
                              llvm::ArrayRef<const EntryPort *> inputs);

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_BOUNDED_ENTRY_INPUTDIMS_H
