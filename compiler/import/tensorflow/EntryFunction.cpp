// Traces what lies between inputs and outputs into a function.

#include "compiler/import/tensorflow/EntryFunction.h"

#include "compiler/import/Build.h"
#include "compiler/import/Names.h"
#include "compiler/import/bounded/Labels.h"
#include "compiler/import/bounded/entry/EntryFunction.h"
#include "compiler/import/tensorflow/EntryResults.h"
#include "compiler/import/tensorflow/InputTypes.h"
#include "compiler/import/tensorflow/Library.h"
#include "compiler/import/tensorflow/Types.h"
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
  OpBuilder builder(module.getBodyRegion());
  EntrySource source{report, graph, library, variables, state, entry, options};
  bool canBranch = entry.derivatives.empty() && !entry.loss &&
                   entry.targets.empty() && state.all().empty();
  FailureOr<func::FuncOp> function = buildFunction(
      module, builder,
      {report, options, entry.name, entryPorts(entry.inputs), entry.isTraining,
       entry.derives(), canBranch,
       [&](size_t i) {
         return report.node(graph.name(entry.inputs[i].edge.node));
       },
       [&](ImplicitLocOpBuilder &b, size_t i, Value argument) {
         return asDeclared(report, b, graph, entry.inputs[i], argument);
       },
       [](ImplicitLocOpBuilder &, size_t, Traced input) { return input; },
       [&](ArrayRef<Traced> given, const EntryResults *like) {
         return traceEntry(source, builder, given, like);
       }});
  if (failed(function))
    return failure();
  if (entry.isTraining)
    addLabels(*function, *options.training);
  return success();
}

} // namespace weir::tensorflow
