// Traces what lies between inputs and outputs into a function.

#include "compiler/import/onnx/EntryFunction.h"

#include "compiler/import/Build.h"
#include "compiler/import/Trained.h"
#include "compiler/import/bounded/Labels.h"
#include "compiler/import/bounded/entry/EntryFunction.h"
#include "compiler/import/onnx/Declared.h"
#include "compiler/import/onnx/Entry.h"
#include "compiler/import/onnx/Gradients.h"
#include "compiler/import/onnx/StringTable.h"
#include "compiler/import/onnx/Tracer.h"
#include "compiler/import/onnx/narrow/Narrow.h"
#include "dialects/weir/Attributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace weir::onnx {

/// The results of the entry for these inputs.
static FailureOr<EntryResults>
traceEntry(Report &report, const Entry &entry, const Trained &trained,
           const ImportOptions &options, Tracer &tracer, ArrayRef<Traced> given,
           const EntryResults *like) {
  OpBuilder &builder = tracer.builder;
  SmallVector<std::pair<StringRef, Traced>> fed;
  for (auto [port, traced] : llvm::zip_equal(entry.inputs, given))
    fed.push_back({port.name, traced});
  for (auto [name, variable] : trained) {
    Value value = builder.create<graph::ReadVariableOp>(
        variable.getLoc(), variable.getTensorType(), variable.getSymName());
    fed.push_back({name, {value, {}, nullptr}});
  }
  SmallVector<StringRef> wanted;
  for (const Port &port : entry.outputs)
    wanted.push_back(port.name);
  llvm::append_range(wanted, watchDerivatives(entry, tracer));
  size_t refusals = tracer.refusals();
  FailureOr<SmallVector<Traced>> traced = tracer.trace(wanted, fed);
  if (failed(traced)) {
    // They have been reported; another version may do without.
    tracer.forget(refusals);
    return failure();
  }
  // Other inputs than the model's have results of other shapes, and a fetch
  // takes what there is.
  bool isWhole = options.fetches.empty() && options.feeds.empty() &&
                 options.shapes.empty() && options.dims.empty() &&
                 options.values.empty();
  std::vector<Port> outputs;
  for (auto [port, result] : llvm::zip(entry.outputs, *traced)) {
    if (isWhole &&
        failed(checkShape(report, report.node(port.name), port.name,
                          tracer.model.graph().declared(port.name), result)))
      return failure();
    if (auto *x = dynamic_cast<Narrow *>(result.object.get())) {
      ImplicitLocOpBuilder b(report.node(port.name), builder);
      result.value = packed({b, x->codes}, x->format).value;
    }
    if (!result.value)
      return report.error(report.node(port.name), Status::unsupported)
             << "output '" << escaped(port.name)
             << "' is no tensor, which weir cannot give";
    outputs.push_back(port);
    outputs.back().strings = stringsOf(result);
    for (StringRef string : outputs.back().strings)
      if (string.contains('\0'))
        return report.error(report.node(port.name), Status::unsupported)
               << "output '" << escaped(port.name)
               << "' has a string with a zero byte: '" << escaped(string)
               << "'";
  }
  EntryResults results;
  ArrayRef<Traced> all = *traced;
  auto at = [&](const Port &port) { return report.node(port.tensor); };
  if (failed(addResults(report, options, builder, entry, entryPorts(outputs),
                        all.take_front(outputs.size()),
                        all.drop_front(outputs.size()), at,
                        {entryPorts(entry.inputs), given}, like, results)))
    return failure();
  return results;
}

/// Leaves out inputs that nothing needs.
static void dropUnused(Entry &entry, const Graph &graph) {
  llvm::StringSet<> fed;
  SmallVector<StringRef> wanted;
  for (const Port &port : entry.inputs)
    fed.insert(port.name);
  for (const Port &port : entry.outputs)
    wanted.push_back(port.name);
  forEachDerived(
      entry, [&](const Port &port, bool) { wanted.push_back(port.tensor); });
  Plan plan = graph.plan(wanted, fed);
  llvm::erase_if(entry.inputs, [&](const Port &port) {
    return !plan.fed.contains(port.name);
  });
}

LogicalResult buildEntry(Report &report, ModuleOp module, Entry entry,
                         const Trained &trained, const ImportOptions &options,
                         Tracer &tracer) {
  if (entry.takesUsedOnly)
    dropUnused(entry, tracer.model.graph());
  tracer.hasDynamicInputs = llvm::any_of(
      entry.inputs, [](const Port &port) { return !port.dynamicDims.empty(); });
  tracer.hasDynamicSizes = tracer.hasDynamicInputs;
  tracer.derives = entry.derives();
  FailureOr<func::FuncOp> built = buildFunction(
      module, tracer.builder,
      {report, options, entry.name, entryPorts(entry.inputs), entry.isTraining,
       entry.derives(),
       /*canBranch=*/trained.empty() && !entry.derives(),
       [&](size_t i) { return report.node(entry.inputs[i].name); },
       [](ImplicitLocOpBuilder &, size_t, Value argument) {
         return FailureOr<Value>(argument);
       },
       [&](ImplicitLocOpBuilder &b, size_t i, Traced input) {
         const Port &port = entry.inputs[i];
         if (!port.format)
           return input;
         return narrow(*port.format,
                       unpacked({b, input.value}, *port.format, port.shape));
       },
       [&](ArrayRef<Traced> given, const EntryResults *like) {
         return traceEntry(report, entry, trained, options, tracer, given,
                           like);
       }});
  if (failed(built))
    return failure();
  func::FuncOp function = *built;
  // Those of which only the shape was used.
  for (unsigned i = entry.inputs.size(); entry.takesUsedOnly && i-- > 0;)
    if (function.getArgument(i).use_empty() && !tracer.hasDynamicInputs)
      function.eraseArgument(i);
  if (entry.isTraining)
    addLabels(function, *options.training);
  return success();
}

} // namespace weir::onnx
