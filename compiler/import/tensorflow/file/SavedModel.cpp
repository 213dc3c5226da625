// Reads a SavedModel's directory.

#include "compiler/import/tensorflow/file/SavedModel.h"

#include "compiler/import/tensorflow/file/Load.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using ::tensorflow::MetaGraphDef;

namespace weir::tensorflow {

static SmallVector<StringRef> sorted(SmallVector<StringRef> names) {
  llvm::sort(names);
  return names;
}

static std::string joined(ArrayRef<StringRef> names) {
  std::string text;
  for (StringRef name : names)
    text += (text.empty() ? "'" : ", '") + escaped(name, 60) + "'";
  return text;
}

/// An asset's name is a file below `assets/`, and no way out of it.
static bool isAssetName(StringRef name) {
  if (name.empty() || name.size() > 1024 || name.starts_with("/") ||
      name.starts_with("~") || name.contains("://") || name.contains('\\') ||
      name.contains('\0'))
    return false;
  SmallVector<StringRef> parts;
  name.split(parts, '/');
  return llvm::none_of(parts, [](StringRef part) {
    return part.empty() || part == "." || part == "..";
  });
}

LogicalResult checkReferences(Report &report, const SavedModelFile &model,
                              const Graph &graph) {
  auto isTensor = [&](StringRef name) {
    return graph.find(name.split(':').first).has_value();
  };
  for (const auto &asset : model.graph->asset_file_def()) {
    StringRef name = asset.filename();
    if (!isAssetName(name)) {
      report.error() << "the asset '" << escaped(name)
                     << "' leads out of the model's directory";
      return failure();
    }
    if (!isTensor(asset.tensor_info().name())) {
      report.error() << "the asset '" << escaped(name) << "' is for tensor '"
                     << escaped(asset.tensor_info().name())
                     << "', which the graph does not have";
      return failure();
    }
    if (failed(model.directory.openBelow(report, "assets/" + name.str())))
      return failure();
  }
  for (const auto &[name, signature] : model.graph->signature_def())
    for (const auto *tensors : {&signature.inputs(), &signature.outputs()})
      for (const auto &[key, info] : *tensors)
        if (!info.name().empty() && !isTensor(info.name())) {
          report.error() << "signature '" << escaped(name) << "', '"
                         << escaped(key) << "': the graph has no node '"
                         << escaped(info.name()) << "'";
          return failure();
        }
  const auto &objects = model.graph->object_graph_def();
  for (const auto &object : objects.nodes()) {
    for (const auto &child : object.children())
      if (child.node_id() < 0 || child.node_id() >= objects.nodes_size()) {
        report.error() << "an object refers to object " << child.node_id()
                       << " of " << objects.nodes_size();
        return failure();
      }
    if (object.has_asset() && (object.asset().asset_file_def_index() < 0 ||
                               object.asset().asset_file_def_index() >=
                                   model.graph->asset_file_def_size())) {
      report.error() << "an object refers to asset "
                     << object.asset().asset_file_def_index() << " of "
                     << model.graph->asset_file_def_size();
      return failure();
    }
  }
  return success();
}

/// Clients of model hubs keep all files in `blobs`, beside `snapshots`, whose
/// folders hold links to them. Empty where the path lies in no such folder.
static std::string blobsBeside(const std::string &path) {
  namespace sys = llvm::sys;
  llvm::SmallString<256> real;
  if (sys::fs::real_path(path, real))
    return "";
  for (StringRef at = real; !at.empty(); at = sys::path::parent_path(at)) {
    StringRef folder = sys::path::parent_path(at);
    std::string blobs = (sys::path::parent_path(folder) + "/blobs").str();
    if (sys::path::filename(folder) == "snapshots" &&
        sys::fs::is_directory(blobs))
      return blobs;
  }
  return "";
}

LogicalResult readSavedModel(Report &report, const std::string &path,
                             ArrayRef<std::string> tags,
                             SavedModelFile &model) {
  FailureOr<File> directory = File::openDirectory(report, path);
  if (failed(directory))
    return failure();
  model.directory = std::move(*directory);
  model.directory.allowLinksTo(blobsBeside(path));
  StringRef name = model.directory.has("saved_model.pb") ? "saved_model.pb"
                                                         : "saved_model.pbtxt";
  if (!model.directory.has(name)) {
    report.error() << "is no SavedModel: the directory holds neither "
                      "saved_model.pb nor saved_model.pbtxt";
    return failure();
  }
  FailureOr<File> file = model.directory.openBelow(report, name);
  if (failed(file))
    return failure();
  FailureOr<MessageFile> from = recognize(report, std::move(*file));
  if (failed(from) || failed(load(report, *from, model.message)))
    return failure();
  // Some writers leave it out.
  if (model.message.saved_model_schema_version() < 0 ||
      model.message.saved_model_schema_version() > 1) {
    report.error() << "its version is "
                   << model.message.saved_model_schema_version()
                   << "; weir reads version 1";
    return failure();
  }
  SmallVector<StringRef> wanted = sorted({tags.begin(), tags.end()});
  std::string offered;
  for (MetaGraphDef &graph : *model.message.mutable_meta_graphs()) {
    const auto &own = graph.meta_info_def().tags();
    SmallVector<StringRef> names = sorted({own.begin(), own.end()});
    if (names == wanted) {
      if (model.graph) {
        report.error() << "has two graphs with the tags {" << joined(wanted)
                       << "}";
        return failure();
      }
      model.graph = &graph;
    }
    offered += (offered.empty() ? "{" : ", {") + joined(names) + "}";
  }
  if (model.graph)
    return success();
  bool isUsual = wanted.size() == 1 && wanted.front() == "serve";
  if (model.message.meta_graphs_size() == 0)
    report.error() << "holds no graph";
  else
    report.error(isUsual ? Status::badInput : Status::badUsage)
        << "has no graph with the tags {" << joined(wanted) << "}, only with "
        << escaped(offered, 600) << "; choose by --tags";
  return failure();
}

} // namespace weir::tensorflow
