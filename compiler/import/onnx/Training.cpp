// The entry that a loss is of, and the initializers that are trained.

#include "compiler/import/Trained.h"
#include "compiler/import/onnx/Entry.h"

using namespace mlir;

namespace weir::onnx {

FailureOr<Entry> trainingEntry(Report &report, const Model &model,
                               const ImportOptions &options) {
  const TrainingRequest &training = *options.training;
  ImportOptions needed = options;
  needed.fetches = {training.output};
  if (!training.labels.empty() && model.graph().has(training.labels))
    needed.fetches.push_back(training.labels);
  FailureOr<Entry> entry = findEntry(report, model, needed);
  if (failed(entry))
    return failure();
  entry->name = "loss";
  entry->isTraining = true;
  return entry;
}

/// What the entry needs of the model.
static Plan planOf(const Model &model, const Entry &entry) {
  llvm::StringSet<> fed;
  for (const Port &port : entry.inputs)
    fed.insert(port.name);
  SmallVector<StringRef> wanted;
  for (const Port &port : entry.outputs)
    wanted.push_back(port.name);
  return model.graph().plan(wanted, fed);
}

LogicalResult declareTrained(Report &report, ModuleOp module, Model &model,
                             const Entry &entry, const ImportOptions &options,
                             Trained &trained) {
  const Graph &graph = model.graph();
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  std::vector<std::string> others;
  for (StringRef name : planOf(model, entry).initializers) {
    auto *tensor = graph.initializer(name);
    if (!tensor || !isa_and_nonnull<FloatType>(
                       elementType(report.context, tensor->data_type())))
      continue;
    others.push_back(name.str());
    if (options.training->variables.empty() || !isTrained(options, name))
      continue;
    Fault fault;
    std::optional<Constant> constant =
        readTensor(report, *tensor, name, model.external, fault);
    if (!constant || !constant->value) {
      if (report.status == Status::ok)
        report.error(report.node(name), fault.status)
            << "tensor '" << escaped(name) << "' " << fault.why;
      return failure();
    }
    auto variable = b.create<graph::VariableOp>(
        report.node(name), ("var:" + name).str(), constant->value.getType(),
        constant->value, b.getStringAttr(name), StringAttr());
    markTrained(variable);
    trained[name] = variable;
  }
  return checkTrained(report, options, trained.size(), others);
}

} // namespace weir::onnx
