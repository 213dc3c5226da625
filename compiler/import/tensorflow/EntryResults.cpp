// Traces an entry, and says what its results are.

#include "compiler/import/tensorflow/EntryResults.h"

#include "compiler/import/Names.h"

using namespace mlir;

namespace weir::tensorflow {

/// What the results that are wanted are called, and what they hold: what was
/// not asked for and is no tensor is none.
static std::pair<std::vector<Port>, SmallVector<Traced>>
outputsOf(const Entry &entry, ArrayRef<Traced> traced) {
  std::vector<Port> ports;
  SmallVector<Traced> results;
  for (auto [port, result] : llvm::zip(entry.outputs, traced))
    if (!entry.isGuess || (result.value && !result.imaginary)) {
      ports.push_back(port);
      results.push_back(result);
    }
  if (!ports.empty() || !entry.isGuess)
    return {ports, results};
  return {entry.outputs,
          SmallVector<Traced>(traced.take_front(entry.outputs.size()))};
}

FailureOr<EntryResults> traceEntry(const EntrySource &source,
                                   OpBuilder &builder, ArrayRef<Traced> fed,
                                   const EntryResults *like) {
  const Graph &graph = source.graph;
  const Entry &entry = source.entry;
  Feeds given;
  for (auto [port, value] : llvm::zip_equal(entry.inputs, fed))
    given.add(port.edge, value);
  SmallVector<Edge> wanted;
  for (const Port &port : entry.outputs)
    wanted.push_back(port.edge);
  Tracer tracer(source.report, source.library, source.variables, builder);
  tracer.boundedElements = source.options.boundedElements;
  tracer.derives = entry.isTraining || !entry.derivatives.empty();
  tracer.hasOpenSizes =
      llvm::any_of(fed, [](const Traced &value) { return value.isBounded(); });
  llvm::append_range(wanted, watchDerivatives(graph, entry, tracer));
  tracer.stateVariables = &source.state;
  if (entry.isTraining)
    readTrained(tracer, source.state);
  FailureOr<SmallVector<Traced>> traced =
      tracer.trace(graph, wanted, entry.targets, std::move(given));
  if (failed(traced))
    return failure();
  auto [ports, outputs] = outputsOf(entry, *traced);
  EntryResults results;
  for (auto [port, output] : llvm::zip(ports, outputs)) {
    if (!output.value || output.imaginary) {
      StringRef what = output.imaginary ? "complex numbers"
                       : dynamic_cast<Strings *>(output.object.get())
                           ? "strings"
                           : "no tensor";
      return source.report.error(source.report.node(graph.name(port.edge.node)),
                                 Status::unsupported)
             << "(" << escaped(graph.op(port.edge.node)) << "): output '"
             << escaped(port.name) << "' is " << what
             << ", which weir cannot give";
    }
  }
  results.addOutputs(builder, {entryPorts(entry.inputs), fed},
                     entryPorts(ports), outputs, like);
  if (failed(buildDerivatives(
          source.report, graph, entry, tracer,
          ArrayRef<Traced>(*traced).drop_front(entry.outputs.size()), results)))
    return failure();
  return results;
}

} // namespace weir::tensorflow
