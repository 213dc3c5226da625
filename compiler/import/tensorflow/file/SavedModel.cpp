// Reads a SavedModel's directory.

#include "compiler/import/tensorflow/file/SavedModel.h"

#include "compiler/import/tensorflow/file/Load.h"

#include "llvm/ADT/StringExtras.h"

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
static LogicalResult checkAssets(Report &report, const MetaGraphDef &graph) {
  for (const auto &asset : graph.asset_file_def()) {
    StringRef name = asset.filename();
    SmallVector<StringRef> parts;
    name.split(parts, '/');
    if (name.empty() || name.contains('\0') ||
        llvm::is_contained(parts, "..") || name.starts_with("/")) {
      report.error() << "the asset '" << escaped(name)
                     << "' leads out of the model's directory";
      return failure();
    }
  }
  return success();
}

LogicalResult readSavedModel(Report &report, const std::string &path,
                             ArrayRef<std::string> tags,
                             SavedModelFile &model) {
  FailureOr<File> directory = File::openDirectory(report, path);
  if (failed(directory))
    return failure();
  model.directory = std::move(*directory);
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
  if (model.message.saved_model_schema_version() != 1) {
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
      model.graph = &graph;
      return checkAssets(report, graph);
    }
    offered += (offered.empty() ? "{" : ", {") + joined(names) + "}";
  }
  if (model.message.meta_graphs_size() == 0)
    report.error() << "holds no graph";
  else
    report.error() << "has no graph with the tags {" << joined(wanted)
                   << "}, only with " << escaped(offered, 600)
                   << "; choose by --tags";
  return failure();
}

} // namespace weir::tensorflow
