// The entry that a loss is of, and the initializers that are trained.

#include "compiler/import/onnx/Training.h"

#include "compiler/import/Trained.h"
#include "compiler/import/onnx/Entry.h"
#include "compiler/import/onnx/Types.h"

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
  // A loss is of tensors in their padded buffers.
  for (Port &port : entry->outputs)
    port.isStateInput = true;
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

/// The running statistics of the nodes that normalize by those of the batch.
static llvm::StringSet<> runningStatistics(const Graph &graph,
                                           const Plan &plan) {
  llvm::StringSet<> names;
  for (int node : plan.nodes) {
    const ::onnx::NodeProto &def = graph.node(node);
    bool trains =
        def.op_type() == "BatchNormalization" && def.input_size() == 5 &&
        llvm::any_of(def.attribute(), [](const auto &attribute) {
          return attribute.name() == "training_mode" && attribute.i() != 0;
        });
    if (trains)
      for (int i : {3, 4})
        names.insert(def.input(i));
  }
  return names;
}

LogicalResult declareTrained(Report &report, ModuleOp module, Model &model,
                             const Entry &entry, const ImportOptions &options,
                             Trained &trained) {
  const Graph &graph = model.graph();
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  std::vector<std::string> others;
  Plan plan = planOf(model, entry);
  llvm::StringSet<> kept = runningStatistics(graph, plan);
  size_t count = 0;
  for (StringRef name : plan.initializers) {
    auto *tensor = graph.initializer(name);
    if (!tensor || !isa_and_nonnull<FloatType>(
                       elementType(report.context, tensor->data_type())))
      continue;
    others.push_back(name.str());
    bool learns =
        !options.training->variables.empty() && isTrained(options, name);
    if (!learns && !kept.contains(name))
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
    if (learns)
      markTrained(variable);
    count += learns;
    trained.push_back({name, variable});
  }
  return checkTrained(report, options, count, others);
}

} // namespace weir::onnx
