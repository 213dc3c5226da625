// The inputs and outputs of an entry, where some have sizes that only the run
// knows: those come, and go, as a further tensor each.

#ifndef WEIR_COMPILER_IMPORT_BOUNDED_INPUTS_H
#define WEIR_COMPILER_IMPORT_BOUNDED_INPUTS_H

#include "compiler/import/Import.h"
#include "compiler/import/Report.h"
#include "compiler/import/bounded/Sizes.h"

#include "llvm/ADT/StringMap.h"

namespace weir {

/// A tensor at the edge of an entry.
struct EntryPort {
  /// What callers call it, and the model's name of it.
  std::string name, tensor;
  /// Of inputs: null until it is known.
  mlir::RankedTensorType type = {};
  /// Of an input with dimensions that only the run knows, for each dimension
  /// its range, whose end the type has; none for those that are fixed.
  llvm::SmallVector<std::optional<DimRange>, 0> open = {};
  /// The model's names of the dimensions, empty for those without.
  llvm::SmallVector<std::string, 0> dimNames = {};
  /// Whether it becomes state: then it comes and goes as it lies in its place,
  /// and not without gaps.
  bool isHeld = false;
};
using EntryPorts = llvm::SmallVector<const EntryPort *>;

template <typename Ports>
EntryPorts entryPorts(const Ports &ports) {
  EntryPorts all;
  for (const EntryPort &port : ports)
    all.push_back(&port);
  return all;
}

/// Marks the port where the options hold what it is called, an input or an
/// output.
void markHeld(const ImportOptions &options, EntryPort &port, bool isInput);
/// Marks what the options hold of each entry.
template <typename Entries>
void markHeld(const ImportOptions &options, Entries &entries) {
  for (auto &entry : entries) {
    for (EntryPort &port : entry.inputs)
      markHeld(options, port, /*isInput=*/true);
    for (EntryPort &port : entry.outputs)
      markHeld(options, port, /*isInput=*/false);
  }
}

/// What options may call an input: its name, its tensor's, its node's.
llvm::SmallVector<std::string> namesOf(const EntryPort &port);
/// What they may call dimension `i` of it: the model's name, if there is one,
/// and each of the above with its number.
llvm::SmallVector<std::string> dimNamesOf(const EntryPort &port, size_t i);
/// The range that `--dim` gives for it; null where it gives none.
const DimRange *rangeOf(const EntryPort &port, size_t i,
                        const ImportOptions &options);

/// An error where `--dim` names no dimension that is open, or `--specialize`
/// one without a range or a size outside of it.
mlir::LogicalResult checkDims(Report &report, const ImportOptions &options,
                              llvm::ArrayRef<const EntryPort *> inputs);

/// The attributes of the argument or result that a port is.
mlir::DictionaryAttr portAttributes(mlir::Builder &b, const EntryPort &port);
/// Of the one that holds the shape of port number `of`.
mlir::DictionaryAttr shapeAttributes(mlir::Builder &b, const EntryPort &port,
                                     size_t of);

/// The arguments of an entry's function: the inputs, and then the shape of each
/// one with sizes that only the run knows.
class Inputs {
public:
  Inputs(mlir::MLIRContext *context, EntryPorts ports)
      : context(context), ports(std::move(ports)) {}

  llvm::SmallVector<mlir::Type> types() const;
  llvm::SmallVector<mlir::DictionaryAttr> attributes() const;
  /// Input `i` as edges carry it: in a place of its bounds, by `value`, what
  /// became of the block's argument. Checks its sizes.
  Traced traced(mlir::ImplicitLocOpBuilder &b, mlir::Block &block, size_t i,
                mlir::Value value);

private:
  Size sizeOf(mlir::ImplicitLocOpBuilder &b, const EntryPort &port, size_t d,
              mlir::Value given);

  mlir::MLIRContext *context;
  EntryPorts ports;
  /// All dimensions of one name are of one size.
  llvm::StringMap<Size> named;
};

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_BOUNDED_INPUTS_H
