// Traces what lies between inputs and outputs into a function.

#include "compiler/import/Build.h"
#include "compiler/import/Trained.h"
#include "compiler/import/bounded/Labels.h"
#include "compiler/import/bounded/entry/Versions.h"
#include "compiler/import/onnx/Declared.h"
#include "compiler/import/onnx/Entry.h"
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
  OpBuilder &builder = tracer.builder;
  if (entry.takesUsedOnly)
    dropUnused(entry, tracer.model.graph());
  builder.setInsertionPointToEnd(module.getBody());
  Inputs inputs(report.context, entryPorts(entry.inputs));
  SmallVector<Type> types = inputs.types();
  report.fixingSizes = inputs.fixing();
  auto function = builder.create<func::FuncOp>(
      report.file(),
      "weir_entry_" +
          std::to_string(llvm::range_size(module.getOps<func::FuncOp>())),
      builder.getFunctionType(types, {}));
  attrs::entry.set(function, builder.getStringAttr(entry.name));
  if (entry.isTraining)
    markTraining(function);
  Block *block = function.addEntryBlock();
  builder.setInsertionPointToStart(block);
  SmallVector<Traced> fed;
  tracer.hasOpenInputs = types.size() > entry.inputs.size();
  tracer.hasOpenSizes = tracer.hasOpenInputs;
  tracer.derives = entry.derives();
  for (auto [i, port] : llvm::enumerate(entry.inputs)) {
    Value argument = block->getArgument(i);
    argument.setLoc(report.node(port.name));
    ImplicitLocOpBuilder b(argument.getLoc(), builder);
    fed.push_back(inputs.traced(b, *block, i, argument));
    if (tracer.derives)
      zeroBeyond(b, fed.back());
    else if (fed.back().isBounded())
      writeSizes(report, fed.back().value, sizesOf(fed.back()));
    if (port.format)
      fed.back() = narrow(*port.format,
                          unpacked({b, argument}, *port.format, port.shape));
  }
  // A loss adds its labels behind them.
  inputs.describe(function);
  // What is done under a condition assigns nothing and gives no derivatives.
  FailureOr<EntryResults> results =
      traceVersions({report, options, entry.name, entryPorts(entry.inputs),
                     trained.empty() && !entry.derives(),
                     [&](ArrayRef<Traced> given, const EntryResults *like) {
                       return traceEntry(report, entry, trained, options,
                                         tracer, given, like);
                     }},
                    builder, fed);
  if (failed(results))
    return failure();
  builder.create<func::ReturnOp>(report.file(), results->values);
  function.setType(builder.getFunctionType(
      function.getArgumentTypes(), ValueRange(results->values).getTypes()));
  function.setAllResultAttrs(results->attributes);
  // Those of which only the shape was used.
  for (unsigned i = entry.inputs.size(); entry.takesUsedOnly && i-- > 0;)
    if (function.getArgument(i).use_empty() && !tracer.hasOpenInputs)
      function.eraseArgument(i);
  if (entry.isTraining)
    addLabels(function, *options.training);
  return success();
}

} // namespace weir::onnx
