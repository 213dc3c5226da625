// The signatures of a SavedModel as entries.

#include "compiler/import/tensorflow/Signature.h"

#include "compiler/import/bounded/entry/InputDims.h"
#include "compiler/import/tensorflow/Entry.h"
#include "compiler/import/tensorflow/FixedInputs.h"
#include "compiler/import/tensorflow/InputTypes.h"
#include "compiler/import/tensorflow/proto/saved_model.pb.h"
#include "dialects/weir/TensorName.h"

#include <map>

using namespace mlir;
using ::tensorflow::SignatureDef;
using ::tensorflow::TensorInfo;

namespace weir::tensorflow {

/// What a SavedModel runs by itself when it is loaded; no one's to call.
static bool isInternal(StringRef name) {
  return name == "__saved_model_init_op" || name == "__saved_model_train_op";
}

static FailureOr<Port> portOf(Report &report, const Graph &graph, StringRef key,
                              const TensorInfo &info, StringRef what) {
  if (info.encoding_case() != TensorInfo::kName) {
    report.error(Status::unsupported)
        << what << " '" << escaped(key)
        << "': not supported: a tensor made of several (sparse or ragged)";
    return failure();
  }
  FailureOr<Edge> edge = resolveTensor(report, graph, info.name(), what);
  if (failed(edge))
    return failure();
  return Port{{key.str(), withIndex(info.name())}, *edge};
}

static FailureOr<Entry> signatureEntry(Report &report, const Graph &graph,
                                       StringRef name,
                                       const SignatureDef &signature,
                                       const ImportOptions &options) {
  Entry entry;
  entry.name = name.str();
  // The order of a map's entries says nothing; that of their names is stable.
  std::map<std::string, const TensorInfo *> inputs, outputs;
  for (const auto &[key, info] : signature.inputs())
    inputs[key] = &info;
  for (const auto &[key, info] : signature.outputs())
    outputs[key] = &info;
  for (const auto &[key, info] : inputs) {
    if (isFixed(options, key, info->name()))
      continue;
    FailureOr<Port> port = portOf(report, graph, key, *info, "signature input");
    if (failed(port))
      return failure();
    if (failed(setInputType(report, graph, *port,
                            info->has_tensor_shape() ? &info->tensor_shape()
                                                     : nullptr,
                            info->dtype(), options)))
      return failure();
    entry.inputs.push_back(*port);
  }
  for (const auto &[key, info] : outputs) {
    FailureOr<Port> port =
        portOf(report, graph, key, *info, "signature output");
    if (failed(port))
      return failure();
    port->declared = info;
    entry.outputs.push_back(*port);
  }
  if (entry.outputs.empty()) {
    report.error() << "signature '" << escaped(name) << "' has no outputs";
    return failure();
  }
  return entry;
}

FailureOr<std::vector<Entry>>
signatureEntries(Report &report, const Graph &graph,
                 const ::tensorflow::MetaGraphDef &saved,
                 const ImportOptions &options) {
  std::map<std::string, const SignatureDef *> all;
  std::vector<std::string> names;
  for (const auto &[name, signature] : saved.signature_def())
    if (!isInternal(name))
      all[name] = &signature;
  for (const auto &[name, signature] : all)
    names.push_back(name);
  SmallVector<StringRef> offered(names.begin(), names.end());
  auto list = [&] {
    std::string text;
    for (StringRef name : offered)
      if (text.size() < 600)
        text += (text.empty() ? "'" : ", '") + escaped(name, 60) + "'";
    return text;
  };
  if (all.empty()) {
    report.error() << "has no signature; name what is wanted with --feed and "
                      "--fetch";
    return failure();
  }
  std::vector<std::string> wanted;
  if (options.allSignatures)
    wanted = names;
  else if (!options.signature.empty())
    wanted = {options.signature};
  else if (all.count("serving_default"))
    wanted = {"serving_default"};
  else if (all.size() == 1)
    wanted = names;
  else {
    report.error() << "has several signatures and none is the default; choose "
                      "by --signature one of "
                   << list();
    return failure();
  }
  std::vector<Entry> entries;
  for (const std::string &name : wanted) {
    auto found = all.find(name);
    if (found == all.end()) {
      report.error(Status::badUsage)
          << "has no signature '" << escaped(name) << "'; it has " << list();
      return failure();
    }
    FailureOr<Entry> entry =
        signatureEntry(report, graph, name, *found->second, options);
    if (failed(entry))
      return failure();
    entries.push_back(std::move(*entry));
  }
  if (failed(boundEntries(report, options, entries)))
    return failure();
  return entries;
}

} // namespace weir::tensorflow
