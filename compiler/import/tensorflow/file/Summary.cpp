// What `weir inspect` says of graphs and checkpoints, without tracing them.

#include "compiler/import/tensorflow/file/Summary.h"

#include "compiler/import/TypeText.h"
#include "compiler/import/tensorflow/Entry.h"
#include "compiler/import/tensorflow/Frontend.h"
#include "compiler/import/tensorflow/file/Checkpoint.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace weir::tensorflow {

std::string typeText(Report &report,
                     const ::tensorflow::TensorShapeProto *shape,
                     int dataType) {
  std::optional<ArrayRef<int64_t>> known;
  FailureOr<std::optional<SmallVector<int64_t>>> read = failure();
  if (shape)
    read = shapeOf(*shape);
  if (succeeded(read) && *read)
    known = **read;
  return weir::typeText(known, elementType(report.context, dataType),
                        dataTypeName(dataType));
}

std::optional<ModelSummary> summarizeCheckpoint(Report &report,
                                                const std::string &prefix) {
  StringRef folder = llvm::sys::path::parent_path(prefix);
  FailureOr<File> directory =
      File::openDirectory(report, folder.empty() ? "." : folder.str());
  if (failed(directory))
    return std::nullopt;
  std::unique_ptr<Checkpoint> checkpoint =
      Checkpoint::open(report, *directory, llvm::sys::path::filename(prefix));
  if (!checkpoint)
    return std::nullopt;
  ModelSummary summary;
  summary.kind = "checkpoint";
  for (StringRef key : checkpoint->keys()) {
    ::tensorflow::BundleEntryProto entry;
    // Parts of tensors have keys that begin so.
    if (key.starts_with(StringRef("\0", 1)))
      continue;
    if (failed(checkpoint->readEntry(key, entry)))
      return std::nullopt;
    summary.variables.push_back(
        {key.str(), key.str(),
         typeText(report, &entry.shape(), entry.dtype())});
  }
  return summary;
}

static void summarizeIterator(Report &report, const ::tensorflow::NodeDef &def,
                              ModelSummary::Signature &signature) {
  auto types = def.attr().find("output_types");
  auto shapes = def.attr().find("output_shapes");
  if (types == def.attr().end())
    return;
  for (int i = 0; i < types->second.list().type_size(); ++i) {
    std::string tensor = def.name() + ":" + std::to_string(i);
    bool hasShape =
        shapes != def.attr().end() && i < shapes->second.list().shape_size();
    signature.inputs.push_back(
        {i ? tensor : def.name(), tensor,
         typeText(report, hasShape ? &shapes->second.list().shape(i) : nullptr,
                  types->second.list().type(i))});
  }
}

void summarizePlaceholders(Report &report, const Graph &graph,
                           ModelSummary &summary) {
  ModelSummary::Signature all;
  std::vector<bool> used(graph.size());
  for (int i = 0; i < graph.size(); ++i)
    for (Edge edge : graph.operands(i))
      used[edge.node] = true;
  for (int i = 0; i < graph.size(); ++i) {
    const auto &attributes = graph.node(i).attr();
    auto type = attributes.find("dtype");
    auto shape = attributes.find("shape");
    std::string name = graph.name(i).str();
    if (graph.op(i) == "Placeholder")
      all.inputs.push_back(
          {name, name + ":0",
           typeText(report,
                    shape == attributes.end() ? nullptr
                                              : &shape->second.shape(),
                    type == attributes.end() ? 0 : type->second.type())});
    else if (isIterator(graph.op(i)))
      summarizeIterator(report, graph.node(i), all);
    else if (!used[i] && graph.op(i) != "NoOp")
      all.outputs.push_back({name, name + ":0", ""});
  }
  summary.signatures.push_back(std::move(all));
}

/// How many results a node has depends on its op; each has the first.
void listNodes(const Graph &graph, ModelSummary &summary) {
  for (int i = 0; i < graph.size(); ++i) {
    std::string name = graph.name(i).str();
    summary.nodes.push_back(
        {name, graph.op(i).str(), {{name, name + ":0", ""}}});
  }
}

std::map<std::string, int64_t> neededOps(Report &report, const Graph &graph,
                                         Library &library,
                                         ArrayRef<Edge> wanted) {
  std::map<std::string, int64_t> counts;
  llvm::SetVector<::tensorflow::FunctionDef *> called;
  auto count = [&](const Graph &graph, ArrayRef<Edge> results,
                   ArrayRef<int> controls) {
    for (int node : neededNodes(graph, results, controls)) {
      ++counts[graph.op(node).str()];
      for (StringRef name : calledFunctions(graph.node(node)))
        if (::tensorflow::FunctionDef *def = library.find(name))
          called.insert(def);
    }
  };
  count(graph, wanted, {});
  for (size_t i = 0; i < called.size(); ++i)
    if (const Graph *body = library.graph(report, *called[i]))
      count(*body, body->returns, body->controlReturns);
  return counts;
}

} // namespace weir::tensorflow
