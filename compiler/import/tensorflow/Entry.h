// One entry of a module: the tensors that come in, those that go out, and all
// that is traced between them.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_ENTRY_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_ENTRY_H

#include "compiler/import/Gradients.h"
#include "compiler/import/tensorflow/Library.h"
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
/// Whether the op returns the next element of an input pipeline (tf.data).
bool isIterator(llvm::StringRef op);

/// The tensor `node` or `node:1` of the graph; an error with the closest names
/// where there is none.
mlir::FailureOr<Edge> resolveTensor(Report &report, const Graph &graph,
                                    llvm::StringRef tensor,
                                    llvm::StringRef what);

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

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_ENTRY_H
