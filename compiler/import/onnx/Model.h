// A model as it was read: its graph, its functions and its opsets.

#ifndef WEIR_COMPILER_IMPORT_ONNX_MODEL_H
#define WEIR_COMPILER_IMPORT_ONNX_MODEL_H

#include "compiler/import/File.h"
#include "compiler/import/Import.h"
#include "compiler/import/onnx/External.h"
#include "compiler/import/onnx/Graph.h"
#include "compiler/import/onnx/Tensors.h"

#include <deque>

namespace weir::onnx {

/// The newest opset of ONNX's own domain that weir knows. Ops that later ones
/// do not change keep their meaning.
constexpr int64_t newestOpset = 27;
/// ONNX counts its opsets one by one: larger numbers are damage.
constexpr int64_t maxOpset = 1000;
constexpr int64_t newestFormat = 14;

/// By domain, the version of its ops; ONNX's own domain is the empty one.
using Opsets = llvm::StringMap<int64_t>;

class Model {
public:
  /// Null after an error.
  static std::unique_ptr<Model> read(Report &report,
                                     const ImportOptions &options);

  const Graph &graph() const { return *root; }
  const ::onnx::ModelProto &proto() const { return message; }

  Opsets opsets;
  ExternalData external;
  /// Ops that functions outside of the model compute, with the attributes of
  /// their `graph.custom`.
  llvm::StringMap<mlir::DictionaryAttr> customOps;

  /// The function that a node calls, of the model or, for an op that weir does
  /// not know, of a file of ops; null where it calls none.
  ::onnx::FunctionProto *function(const ::onnx::NodeProto &node) const;
  /// The function's body, and the opsets that it is written in.
  struct Body {
    std::unique_ptr<Graph> graph;
    Opsets opsets;
  };
  /// Made at the first use; null after an error.
  const Body *body(Report &report, ::onnx::FunctionProto &function);
  /// A graph inside a node; null after an error.
  const Graph *inner(Report &report, ::onnx::GraphProto &graph);

private:
  explicit Model(llvm::StringRef path) : external(path) {}

  bool index(Report &report);
  bool addFunctions(Report &report);
  bool addOps(Report &report, const std::string &path);

  ::onnx::ModelProto message;
  std::unique_ptr<Graph> root;
  llvm::StringMap<::onnx::FunctionProto *> functions;
  /// Those of files of ops, and which file each is of.
  std::deque<::onnx::FunctionProto> outside;
  llvm::StringMap<std::pair<::onnx::FunctionProto *, std::string>> outsideByKey;
  llvm::DenseMap<const ::onnx::FunctionProto *, std::unique_ptr<Body>> bodies;
  llvm::DenseMap<const ::onnx::GraphProto *, std::unique_ptr<Graph>> inners;
};

} // namespace weir::onnx

#endif // WEIR_COMPILER_IMPORT_ONNX_MODEL_H
