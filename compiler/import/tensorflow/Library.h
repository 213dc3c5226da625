// The functions of a graph: found by name, checked before they are inlined.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_LIBRARY_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_LIBRARY_H

#include "compiler/import/tensorflow/Graph.h"

namespace weir::tensorflow {

/// The functions of a graph, by name, and what other ops are computed by.
class Library {
public:
  /// False after an error.
  bool add(Report &report, ::tensorflow::FunctionDefLibrary &defs);

  ::tensorflow::FunctionDef *find(llvm::StringRef name) const;
  llvm::SmallVector<llvm::StringRef> names() const;
  /// The function's graph, made at the first use; null after an error.
  Graph *graph(Report &report, ::tensorflow::FunctionDef &def);

  /// Reports a call of a function by itself, and graphs that calls make too
  /// large: before anything is inlined.
  bool check(Report &report, const Graph &root);

  /// The constants that any entry has read: reading one takes what is large out
  /// of its message.
  llvm::DenseMap<const ::tensorflow::TensorProto *, Constant> constants;

  /// The options of --custom-op by the op (compiler/import/Custom.h).
  llvm::StringMap<mlir::DictionaryAttr> customOps;

private:
  llvm::StringMap<::tensorflow::FunctionDef *> byName;
  llvm::DenseMap<const ::tensorflow::FunctionDef *, std::unique_ptr<Graph>>
      graphs;
};
/// The functions that a node calls or hands on, by name.
llvm::SmallVector<llvm::StringRef>
calledFunctions(const ::tensorflow::NodeDef &def);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_LIBRARY_H
