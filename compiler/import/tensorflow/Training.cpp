// The entry that a loss is of, as --loss asks for it.

#include "compiler/import/tensorflow/Training.h"

#include "compiler/import/Trained.h"
#include "compiler/import/tensorflow/Gradients.h"
#include "compiler/import/tensorflow/Library.h"
#include "compiler/import/tensorflow/state/State.h"

using namespace mlir;

namespace weir::tensorflow {

bool hasTensor(const Graph &graph, const Entry &model, StringRef name) {
  for (const auto *ports : {&model.inputs, &model.outputs})
    for (const Port &port : *ports)
      if (name == port.name || name == port.tensor)
        return true;
  return graph.find(name.split(':').first).has_value();
}

FailureOr<Entry> trainingEntry(Report &report, const Graph &graph,
                               const Library &library,
                               const ImportOptions &options, const Entry &model,
                               bool hasSignatures) {
  const TrainingRequest &training = *options.training;
  Entry entry;
  entry.name = "loss";
  entry.isTraining = true;
  SmallVector<StringRef> names{training.output};
  if (!training.labels.empty() && hasTensor(graph, model, training.labels))
    names.push_back(training.labels);
  ImportOptions needed = options;
  needed.fetches.clear();
  needed.entries.clear();
  needed.loss.reset();
  for (StringRef name : names) {
    FailureOr<Port> port = portNamed(report, graph, model, name, "--loss");
    if (failed(port))
      return failure();
    needed.fetches.push_back(port->tensor);
    entry.outputs.push_back(std::move(*port));
  }
  FailureOr<Entry> partial = partialEntry(report, graph, library, needed);
  if (failed(partial))
    return failure();
  entry.targets = std::move(partial->targets);
  entry.inputs = std::move(hasSignatures ? model.inputs : partial->inputs);
  // A loss is of tensors in their padded buffers.
  for (Port &port : entry.outputs)
    port.isStateInput = true;
  return entry;
}

void readTrained(Tracer &tracer, const StateVariables &state) {
  for (auto [name, variable] : state.all()) {
    if (!isMarkedTrained(variable))
      continue;
    // All who use it see this one value, also those in regions.
    Value value = tracer.builder.create<graph::ReadVariableOp>(
        variable.getLoc(), variable.getTensorType(), variable.getSymName());
    tracer.known[variable.getSymName()] = value;
    watch(tracer).variables[name] = value;
  }
}

} // namespace weir::tensorflow
