// Traces what lies between inputs and outputs into a function.

#include "compiler/import/Build.h"
#include "compiler/import/Names.h"
#include "compiler/import/Trained.h"
#include "compiler/import/bounded/Labels.h"
#include "compiler/import/tensorflow/EntryResults.h"
#include "compiler/import/tensorflow/state/State.h"

#include "dialects/graph/Graph.h"
#include "dialects/weir/Attributes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using ::tensorflow::NodeDef;

namespace weir::tensorflow {

/// The argument as the placeholder's own type. Numbers of a type that callers
/// rarely have, such as bf16, may be fed as wider ones.
static FailureOr<Value> asDeclared(Report &report, OpBuilder &builder,
                                   const Graph &graph, const Port &port,
                                   Value argument) {
  const NodeDef &def = graph.node(port.edge.node);
  Type wanted = isPlaceholder(def.op())
                    ? elementType(report.context, ownType(def))
                    : Type();
  Type given = typeOf(argument).getElementType();
  if (!wanted || wanted == given)
    return argument;
  if (!isa<FloatType>(wanted) || !isa<FloatType>(given) ||
      wanted.getIntOrFloatBitWidth() >= given.getIntOrFloatBitWidth()) {
    report.error(report.node(def.name()))
        << "(" << escaped(def.op()) << "): is fed " << given << " but is of "
        << wanted;
    return failure();
  }
  ImplicitLocOpBuilder b(report.node(def.name()), builder);
  return castTo(b, argument, wanted);
}

LogicalResult buildEntry(Report &report, ModuleOp module, const Graph &graph,
                         Library &library, VariableSource *variables,
                         StateVariables &state, const Entry &entry,
                         const ImportOptions &options) {
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  size_t number = llvm::range_size(module.getOps<func::FuncOp>());
  Inputs inputs(report.context, entryPorts(entry.inputs));
  SmallVector<Type> types = inputs.types();
  report.fixingSizes = inputs.fixing();
  auto function = builder.create<func::FuncOp>(
      report.file(), "weir_entry_" + std::to_string(number),
      builder.getFunctionType(types, {}));
  attrs::entry.set(function, builder.getStringAttr(entry.name));
  Block *block = function.addEntryBlock();
  builder.setInsertionPointToStart(block);
  SmallVector<Traced> fed;
  for (auto [i, port] : llvm::enumerate(entry.inputs)) {
    block->getArgument(i).setLoc(report.node(graph.name(port.edge.node)));
    FailureOr<Value> value =
        asDeclared(report, builder, graph, port, block->getArgument(i));
    if (failed(value))
      return failure();
    ImplicitLocOpBuilder b(block->getArgument(i).getLoc(), builder);
    fed.push_back(inputs.traced(b, *block, i, *value));
    if (entry.derives())
      zeroBeyond(b, fed.back());
    else if (fed.back().isBounded())
      writeSizes(report, fed.back().value, sizesOf(fed.back()));
  }
  if (entry.isTraining)
    markTraining(function);
  // A loss adds its labels behind them.
  inputs.describe(function);
  EntrySource source{report, graph, library, variables, state, entry, options};
  // What is done under a condition can give no derivatives and assigns nothing.
  bool canBranch = entry.derivatives.empty() && !entry.loss &&
                   entry.targets.empty() && state.all().empty();
  FailureOr<EntryResults> results = traceVersions(
      {report, options, entry.name, entryPorts(entry.inputs), canBranch,
       [&](ArrayRef<Traced> given, const EntryResults *like) {
         return traceEntry(source, builder, given, like);
       }},
      builder, fed);
  if (failed(results))
    return failure();
  builder.create<func::ReturnOp>(report.file(), results->values);
  function.setType(builder.getFunctionType(
      function.getArgumentTypes(), ValueRange(results->values).getTypes()));
  function.setAllResultAttrs(results->attributes);
  if (entry.isTraining)
    addLabels(function, *options.training);
  return success();
}

} // namespace weir::tensorflow
