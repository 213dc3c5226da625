// The entry that gives gradients, as --grad asks for it.

#include "compiler/import/onnx/Gradients.h"

#include "compiler/import/onnx/Entry.h"
#include "compiler/import/onnx/Tracer.h"

using namespace mlir;

namespace weir::onnx {

FailureOr<Derived<Port>> derivedOf(Report &report, const Graph &graph,
                                   const ImportOptions &options) {
  return derivedResults<Port>(
      report, options,
      [&](StringRef name, StringRef what) -> FailureOr<Port> {
        FailureOr<StringRef> tensor = resolveTensor(report, graph, name, what);
        if (failed(tensor))
          return failure();
        return Port(*tensor);
      },
      [&](StringRef name) { return graph.has(name); });
}

SmallVector<StringRef> watchDerivatives(const Entry &entry, Tracer &tracer) {
  SmallVector<StringRef> names;
  tracer.watched.clear();
  forEachDerived(entry, [&](const Port &port, bool isVariable) {
    names.push_back(port.tensor);
    if (isVariable)
      tracer.watched.try_emplace(port.tensor, tracer.watched.size());
  });
  return names;
}

} // namespace weir::onnx
