// The entry that gives gradients, as --grad asks for it.

#include "compiler/import/onnx/Entry.h"
#include "compiler/import/onnx/Tracer.h"

using namespace mlir;

namespace weir::onnx {

FailureOr<Entry> gradientEntry(Report &report, const Graph &graph,
                               const ImportOptions &options,
                               const Entry &model) {
  auto asked = askedDerivatives<Port>(
      report, options, [&](StringRef name) -> FailureOr<Port> {
        FailureOr<StringRef> tensor =
            resolveTensor(report, graph, name, "--grad");
        if (failed(tensor))
          return failure();
        return Port(*tensor);
      });
  if (failed(asked))
    return failure();
  Entry entry;
  entry.name = "gradients";
  entry.inputs = model.inputs;
  entry.derivatives = std::move(*asked);
  return entry;
}

SmallVector<StringRef> watchDerivatives(const Entry &entry, Tracer &tracer) {
  SmallVector<StringRef> names;
  tracer.watched.clear();
  for (const Derivatives<Port> &asked : entry.derivatives) {
    if (asked.loss)
      names.push_back(asked.loss->tensor);
    for (const Port &port : asked.variables) {
      names.push_back(port.tensor);
      tracer.watched.try_emplace(port.tensor, tracer.watched.size());
    }
  }
  return names;
}

LogicalResult buildDerivatives(Report &report, const Entry &entry,
                               OpBuilder &builder, ArrayRef<Traced> traced,
                               EntryResults &results) {
  auto tensorOf = [&](const Port &port) {
    Traced each = traced.front();
    traced = traced.drop_front();
    return differentiable(report, report.node(port.tensor), each);
  };
  return weir::buildDerivatives<Port>(builder, entry.derivatives, tensorOf,
                                      results);
}

} // namespace weir::onnx
