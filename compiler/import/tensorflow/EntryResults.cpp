// Traces an entry, and says what its results are.

#include "compiler/import/tensorflow/EntryResults.h"

#include "compiler/import/Build.h"
#include "compiler/import/Names.h"
#include "compiler/import/tensorflow/Gradients.h"
#include "compiler/import/tensorflow/Training.h"
#include "compiler/import/tensorflow/Types.h"
#include "compiler/import/tensorflow/file/Summary.h"
#include "compiler/import/tensorflow/proto/saved_model.pb.h"

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

/// An error where a signature declares another type of an output, or, unless
/// the options change the inputs, another shape.
static LogicalResult checkDeclared(const EntrySource &source, const Port &port,
                                   const Traced &output) {
  const ::tensorflow::TensorInfo *info = port.declared;
  Report &report = source.report;
  if (!info || !output.value)
    return success();
  RankedTensorType type = typeOf(output.value);
  Type element = elementType(report.context, info->dtype());
  bool holds = !element || element == type.getElementType();
  const ImportOptions &options = source.options;
  if (holds && info->has_tensor_shape() && options.shapes.empty() &&
      options.dims.empty() && options.values.empty() && options.feeds.empty()) {
    auto shape = shapeOf(info->tensor_shape());
    if (succeeded(shape) && *shape) {
      holds = (*shape)->size() == type.getShape().size();
      for (size_t i = 0; holds && i < (*shape)->size(); ++i) {
        int64_t size = (**shape)[i];
        bool isKnown = output.extents.empty() || !output.extents[i];
        holds =
            ShapedType::isDynamic(size) ||
            (isKnown ? size == type.getDimSize(i) : size <= type.getDimSize(i));
      }
    }
  }
  if (holds)
    return success();
  return report.error(report.node(source.graph.name(port.edge.node)))
         << "(" << escaped(source.graph.op(port.edge.node)) << "): output '"
         << escaped(port.name) << "' is " << type
         << ", and the signature declares "
         << typeText(report,
                     info->has_tensor_shape() ? &info->tensor_shape() : nullptr,
                     info->dtype());
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
  tracer.onTensor = source.options.onTensor;
  tracer.instruments = source.options.instruments.get();
  tracer.derives = entry.derives();
  tracer.hasDynamicSizes =
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
    if (failed(checkDeclared(source, port, output)))
      return failure();
  }
  SmallVector<Traced> derived =
      derivedFrom(graph, entry, tracer,
                  ArrayRef<Traced>(*traced).drop_front(entry.outputs.size()));
  auto at = [&](const Port &port) {
    return source.report.node(graph.name(port.edge.node));
  };
  if (failed(addResults(source.report, source.options, builder, entry,
                        entryPorts(ports), outputs, derived, at,
                        {entryPorts(entry.inputs), fed}, like, results)))
    return failure();
  return results;
}

} // namespace weir::tensorflow
