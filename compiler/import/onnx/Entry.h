// One entry of a module: the tensors that come in and those that go out.

#ifndef WEIR_COMPILER_IMPORT_ONNX_ENTRY_H
#define WEIR_COMPILER_IMPORT_ONNX_ENTRY_H

#include "compiler/import/Gradients.h"
#include "compiler/import/onnx/Model.h"

#include "dialects/graph/state/State.h"

namespace weir::onnx {

struct Format;
class Tracer;

/// Initializers that training makes variables of, in the order of their names.
using Trained =
    llvm::SmallVector<std::pair<llvm::StringRef, graph::VariableOp>>;

/// A tensor at the edge of an entry, under the model's name of it.
struct Port : EntryPort {
  explicit Port(llvm::StringRef name, mlir::RankedTensorType type = {})
      : EntryPort{name.str(), name.str(), type} {}
  explicit Port(EntryPort port) : EntryPort(std::move(port)) {}

  /// Inputs of a narrow type, `format`, and of `shape`, come packed.
  const Format *format = nullptr;
  llvm::SmallVector<int64_t> shape = {};
};

struct Entry {
  std::vector<Port> inputs, outputs;
  /// What gradients are of and by, and the loss.
  std::vector<Derivatives<Port>> derivatives = {};
  std::optional<FormedLoss<Port>> loss = {};
  /// What the entry returns, in this order; empty: its outputs.
  std::vector<Fetched> results = {};
  std::string name = "main";
  /// The outputs are what a loss is of.
  bool isTraining = false;
  /// Inputs that nothing uses are left out.
  bool takesUsedOnly = false;

  /// Whether gradients go through the entry.
  bool derives() const { return isTraining || loss || !derivatives.empty(); }
};

/// What a model says of a type, for people: `1x4xf32`, unknown sizes by their
/// names or as `?`.
std::string typeText(Report &report, const ::onnx::TypeProto *type);

/// The entry of the model: its inputs and outputs, or those that feeds and
/// fetches name. An error where the type of an input is not known.
mlir::FailureOr<Entry> findEntry(Report &report, const Model &model,
                                 const ImportOptions &options);
/// The entries that the options ask for: that of the model, and those of
/// `--entry`.
mlir::FailureOr<std::vector<Entry>>
findEntries(Report &report, const Model &model, const ImportOptions &options);

/// The tensor of the graph that an option names; an error with the closest
/// names where there is none.
mlir::FailureOr<llvm::StringRef> resolveTensor(Report &report,
                                               const Graph &graph,
                                               llvm::StringRef given,
                                               llvm::StringRef what);

} // namespace weir::onnx

#endif // WEIR_COMPILER_IMPORT_ONNX_ENTRY_H
