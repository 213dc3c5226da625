// Reads a file, checks its graph, and builds a function for each entry.

#include "compiler/import/tensorflow/Frontend.h"

#include "compiler/import/tensorflow/Entry.h"
#include "compiler/import/tensorflow/file/Load.h"

#include "dialects/graph/Graph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using ::tensorflow::GraphDef;

namespace weir::tensorflow {

namespace {

/// All that is read of a model. The graph refers to the messages.
struct Model {
  GraphDef graphDef;
  Library library;
  std::unique_ptr<Graph> graph;
};

} // namespace

static LogicalResult indexGraph(Report &report, Model &model) {
  if (!model.library.add(report, *model.graphDef.mutable_library()))
    return failure();
  if (!model.graphDef.node_size()) {
    report.error() << "is not a graph of TensorFlow's, or one without nodes";
    return failure();
  }
  model.graph = Graph::create(report, model.graphDef, model.library);
  return success(model.graph != nullptr);
}

static LogicalResult readModel(Report &report, const ImportOptions &options,
                               Model &model) {
  FailureOr<File> file = File::open(report, options.path);
  if (failed(file))
    return failure();
  FailureOr<MessageFile> from = recognize(report, std::move(*file));
  if (failed(from))
    return failure();
  if (from->kind != FileKind::graph) {
    report.error() << "is not a graph of TensorFlow's";
    return failure();
  }
  if (failed(load(report, *from, model.graphDef)))
    return failure();
  return indexGraph(report, model);
}

OwningOpRef<ModuleOp> importModel(Report &report,
                                  const ImportOptions &options) {
  report.context->loadDialect<func::FuncDialect, graph::GraphDialect>();
  Model model;
  if (failed(readModel(report, options, model)))
    return {};
  FailureOr<Entry> entry = partialEntry(report, *model.graph, options);
  if (failed(entry) || !model.library.check(report, *model.graph))
    return {};
  OwningOpRef<ModuleOp> module = ModuleOp::create(report.file());
  module.get()->setAttr(
      "weir.source",
      StringAttr::get(report.context,
                      escaped(llvm::sys::path::filename(options.path))));
  if (failed(buildEntry(report, *module, *model.graph, model.library, nullptr,
                        *entry)))
    return {};
  if (failed(verify(*module))) {
    report.error(Status::internal) << "the importer made a wrong module";
    return {};
  }
  return module;
}

} // namespace weir::tensorflow
