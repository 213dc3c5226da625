// The inputs and outputs of an entry, where some have sizes that only the run
// knows: those come, and go, as a further tensor each.

#ifndef WEIR_COMPILER_IMPORT_BOUNDED_ENTRY_INPUTS_H
#define WEIR_COMPILER_IMPORT_BOUNDED_ENTRY_INPUTS_H

#include "compiler/import/Import.h"
#include "compiler/import/Report.h"
#include "compiler/import/bounded/Sizes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
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
  llvm::SmallVector<std::optional<DimRange>, 0> dynamicDims = {};
  /// The shape before ranges: ShapedType::kDynamic where the model and
  /// `--shape` leave a size open.
  llvm::SmallVector<int64_t, 0> said = {};
  /// Names of the dimensions, empty for those without: the model's, or those
  /// that `--shape` gives.
  llvm::SmallVector<std::string, 0> dimNames = {};
  /// Of an output of strings, what its elements are indices of; of an output of
  /// maps, the names of its columns.
  std::vector<std::string> strings = {};
  /// Whether it becomes state: then it comes and goes as it lies in its place,
  /// and not without gaps.
  bool isStateInput = false;
};
using EntryPorts = llvm::SmallVector<const EntryPort *>;

/// The port of what `--feed` names, as the option has it.
inline EntryPort fedPort(const Feed &feed, llvm::StringRef name) {
  EntryPort port{name.str(), name.str(), feed.type};
  port.dimNames = feed.dimNames;
  return port;
}

template <typename Ports>
EntryPorts entryPorts(const Ports &ports) {
  EntryPorts all;
  for (const EntryPort &port : ports)
    all.push_back(&port);
  return all;
}

/// Marks the port where the options hold what it is called, an input or an
/// output.
void markStateInput(const ImportOptions &options, EntryPort &port,
                    bool isInput);
/// Marks what the options hold of each entry.
template <typename Entries>
void markStateInput(const ImportOptions &options, Entries &entries) {
  for (auto &entry : entries) {
    for (EntryPort &port : entry.inputs)
      markStateInput(options, port, /*isInput=*/true);
    for (EntryPort &port : entry.outputs)
      markStateInput(options, port, /*isInput=*/false);
  }
}

/// The attributes of the argument or result that a port is.
mlir::DictionaryAttr portAttributes(mlir::Builder &b, const EntryPort &port);
/// What callers hear of a dimension: its least size, and its name, or none.
struct PortDim {
  int64_t least = 0;
  std::string name;
};
/// Of the one that holds the shape of port number `of`.
mlir::DictionaryAttr shapeAttributes(mlir::Builder &b, const EntryPort &port,
                                     size_t of, llvm::ArrayRef<PortDim> dims);

/// The arguments of an entry's function: the inputs, and then the shape of each
/// one with sizes that only the run knows.
class Inputs {
public:
  Inputs(mlir::MLIRContext *context, EntryPorts ports)
      : context(context), ports(std::move(ports)) {}

  llvm::SmallVector<mlir::Type> types() const;
  /// Gives the arguments of the entry their attributes, beside the dynamic
  /// sizes that they have.
  void describe(mlir::func::FuncOp entry) const;
  /// Which dimensions only the run knows, and the options that give them their
  /// largest sizes; empty where all are known.
  std::string fixing() const;
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

#endif // WEIR_COMPILER_IMPORT_BOUNDED_ENTRY_INPUTS_H
