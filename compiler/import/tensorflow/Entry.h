// One entry of a module: the tensors that come in, those that go out, and all
// that is traced between them.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_ENTRY_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_ENTRY_H

#include "compiler/import/Gradients.h"
#include "compiler/import/tensorflow/Tracer.h"

namespace tensorflow {
class MetaGraphDef;
class TensorInfo;
} // namespace tensorflow

namespace weir::tensorflow {

class StateVariables;

/// A tensor at the edge of an entry.
struct Port : EntryPort {
  Edge edge;
  /// What a signature says of an output; null where there is none.
  const ::tensorflow::TensorInfo *declared = nullptr;
};

struct Entry {
  std::string name;
  std::vector<Port> inputs, outputs;
  /// What gradients are of and by, and the loss.
  std::vector<Derivatives<Port>> derivatives = {};
  std::optional<FormedLoss<Port>> loss = {};
  /// What the entry returns, in this order; empty: its outputs.
  std::vector<Fetched> results = {};
  /// Nodes that run though nothing is asked of them.
  std::vector<int> targets = {};
  /// The outputs are what a loss is of.
  bool isTraining = false;
  /// The outputs are what nothing uses: those that turn out to be no tensors
  /// are left out.
  bool isGuess = false;

  /// Whether gradients go through the entry.
  bool derives() const { return isTraining || loss || !derivatives.empty(); }
};

bool isPlaceholder(llvm::StringRef op);
/// Whether the op gives the next element of an input pipeline (tf.data).
bool isIterator(llvm::StringRef op);
/// The type that a node's attributes say its first result has; DT_INVALID where
/// they do not.
int ownType(const ::tensorflow::NodeDef &def);

/// The tensor `node` or `node:1` of the graph; an error with the closest names
/// where there is none.
mlir::FailureOr<Edge> resolveTensor(Report &report, const Graph &graph,
                                    llvm::StringRef tensor,
                                    llvm::StringRef what);

/// Sets the type of an input, where a feed does not, from its node, from what
/// the model says of it (either may be absent) and from the options' shapes;
/// the dimensions that are left open have no bounds yet (boundInputs).
mlir::LogicalResult setInputType(Report &report, const Graph &graph, Port &port,
                                 const ::tensorflow::TensorShapeProto *shape,
                                 int dataType, const ImportOptions &options);

/// The entries that feeds, fetches and targets ask for; without feeds every
/// placeholder is one, and what iterators give, without fetches and targets
/// every result that nothing uses.
mlir::FailureOr<Entry> partialEntry(Report &report, const Graph &graph,
                                    const Library &library,
                                    const ImportOptions &options);
/// All of them, where the options name several.
mlir::FailureOr<std::vector<Entry>>
partialEntries(Report &report, const Graph &graph, const Library &library,
               const ImportOptions &options);

/// The nodes whose first result a graph gives where no one says which: those
/// that nothing uses and that always run. An error where there are none.
mlir::FailureOr<std::vector<int>>
defaultOutputs(Report &report, const Graph &graph, const Library &library);

/// The entries of a SavedModel's signatures: the one that the options name, the
/// default one, or all.
mlir::FailureOr<std::vector<Entry>>
signatureEntries(Report &report, const Graph &graph,
                 const ::tensorflow::MetaGraphDef &saved,
                 const ImportOptions &options);

/// A tensor by what callers of the model call it, or by its name in the graph;
/// an error about the option `what` where there is none.
mlir::FailureOr<Port> portNamed(Report &report, const Graph &graph,
                                const Entry &model, llvm::StringRef name,
                                llvm::StringRef what);

/// The entry that the options' loss is of, with the inputs of `model` where
/// that has signatures, or else those that it needs.
mlir::FailureOr<Entry> trainingEntry(Report &report, const Graph &graph,
                                     const Library &library,
                                     const ImportOptions &options,
                                     const Entry &model, bool hasSignatures);
/// Has the tracer of such an entry read each trained variable, once and first.
void readTrained(Tracer &tracer, const StateVariables &state);

/// The entries for gradients and the loss that the options ask for, with the
/// inputs of `model` where that has signatures, or else those that they need.
mlir::FailureOr<std::vector<Entry>>
derivedEntries(Report &report, const Graph &graph, const Library &library,
               const ImportOptions &options, const Entry &model,
               bool hasSignatures);
/// What `--grad` and `--loss` add to the tensors of the graph.
mlir::FailureOr<Derived<Port>> derivedOf(Report &report, const Graph &graph,
                                         const ImportOptions &options,
                                         const Entry &model);
/// The tensors that the entry's loss and derivatives are of and by; and has the
/// tracer keep the variables.
llvm::SmallVector<Edge> watchDerivatives(const Graph &graph, const Entry &entry,
                                         Tracer &tracer);
/// The traced values of these edges, with those of variables for handles.
llvm::SmallVector<Traced> derivedFrom(const Graph &graph, const Entry &entry,
                                      Tracer &tracer,
                                      llvm::ArrayRef<Traced> traced);
/// Whether the graph, or the signature, has a tensor that is called so.
bool hasTensor(const Graph &graph, const Entry &model, llvm::StringRef name);

/// Traces the entry into a function of the module.
mlir::LogicalResult buildEntry(Report &report, mlir::ModuleOp module,
                               const Graph &graph, Library &library,
                               VariableSource *variables, StateVariables &state,
                               const Entry &entry,
                               const ImportOptions &options);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_ENTRY_H
