// What gradients are asked of, while a graph is traced.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_GRADIENTS_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_GRADIENTS_H

#include "compiler/import/Build.h"
#include "compiler/import/tensorflow/Entry.h"
#include "compiler/import/tensorflow/Library.h"
#include "compiler/import/tensorflow/Tracer.h"

namespace weir::tensorflow {

/// Nothing folds past these: the model keeps them as values. Is in the tracer's
/// state where gradients are asked for at all; then what the model stops is,
/// too.
struct Watched : Object {
  /// Results of the outermost graph.
  llvm::SmallVector<Edge> edges;
  /// Variables by name, with the value that all who read them share, once it
  /// has been read.
  llvm::StringMap<mlir::Value> variables;

  /// The value as one that nothing folds past, nor merges with an equal one.
  mlir::Value keep(mlir::ImplicitLocOpBuilder &b, mlir::Value value);

private:
  int64_t kept = 0;
};

/// Null where no gradients are asked for.
Watched *watchedOf(Tracer &tracer);
Watched &watch(Tracer &tracer);

/// The value as one that nothing folds past, where it is that of a watched
/// edge.
void keepWatched(Tracer &tracer, int node, mlir::ImplicitLocOpBuilder &b,
                 llvm::MutableArrayRef<Traced> results);

/// The value with the derivatives of `path`, which is finite where they are to
/// count: TensorFlow gives such to values that are rounded to few, so that what
/// trains with them learns. Where no gradients are asked for, the value.
Expr alongside(Node &node, Expr value, Expr path);

/// A tensor by what callers of the model call it, or by its name in the graph;
/// an error about the option `what` where there is none.
mlir::FailureOr<Port> portNamed(Report &report, const Graph &graph,
                                const Entry &model, llvm::StringRef name,
                                llvm::StringRef what);
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

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_GRADIENTS_H
