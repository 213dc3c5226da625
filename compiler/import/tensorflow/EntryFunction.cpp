// Traces what lies between inputs and outputs into a function.

#include "compiler/import/Build.h"
#include "compiler/import/tensorflow/Entry.h"
#include "compiler/import/tensorflow/bounded/Bounds.h"

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
                         const Entry &entry, const ImportOptions &options) {
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  size_t number = llvm::range_size(module.getOps<func::FuncOp>());
  SmallVector<Type> types;
  for (const Port &port : entry.inputs)
    types.push_back(port.type);
  auto function = builder.create<func::FuncOp>(
      report.file(), "weir_entry_" + std::to_string(number),
      builder.getFunctionType(types, {}));
  function->setAttr("weir.entry", builder.getStringAttr(entry.name));
  Block *block = function.addEntryBlock();
  builder.setInsertionPointToStart(block);
  SmallVector<std::pair<Edge, Traced>> fed;
  SmallVector<DictionaryAttr> argumentAttrs, resultAttrs;
  auto portAttrs = [&](const Port &port) {
    return SmallVector<NamedAttribute>{
        builder.getNamedAttr("weir.name", builder.getStringAttr(port.name)),
        builder.getNamedAttr("weir.tensor",
                             builder.getStringAttr(port.tensor))};
  };
  for (auto [i, port] : llvm::enumerate(entry.inputs)) {
    block->getArgument(i).setLoc(report.node(graph.name(port.edge.node)));
    FailureOr<Value> value =
        asDeclared(report, builder, graph, port, block->getArgument(i));
    if (failed(value))
      return failure();
    fed.push_back({port.edge, {*value, {}, nullptr}});
    argumentAttrs.push_back(builder.getDictionaryAttr(portAttrs(port)));
  }
  SmallVector<Edge> wanted;
  for (const Port &port : entry.outputs)
    wanted.push_back(port.edge);
  Tracer tracer(report, library, variables, builder);
  tracer.boundedElements = options.boundedElements;
  FailureOr<SmallVector<Traced>> traced = tracer.trace(graph, wanted, fed);
  if (failed(traced))
    return failure();
  SmallVector<Value> values;
  for (auto [port, result] : llvm::zip(entry.outputs, *traced)) {
    if (!result.value || result.imaginary) {
      StringRef what = result.imaginary ? "complex numbers"
                       : dynamic_cast<Strings *>(result.object.get())
                           ? "strings"
                           : "no tensor";
      report.error(report.node(graph.name(port.edge.node)), Status::unsupported)
          << "(" << escaped(graph.op(port.edge.node)) << "): output '"
          << escaped(port.name) << "' is " << what
          << ", which weir cannot give";
      return failure();
    }
    values.push_back(result.value);
    resultAttrs.push_back(builder.getDictionaryAttr(portAttrs(port)));
  }
  // After all results the sizes of those that have some known only at run time.
  for (size_t i = 0; i < entry.outputs.size(); ++i) {
    const Traced &result = (*traced)[i];
    if (!result.isBounded())
      continue;
    ImplicitLocOpBuilder b(values[i].getLoc(), builder);
    values[i] = compact(b, result);
    values.push_back(listOf(b, sizesOf(result), b.getI64Type()));
    Port port = entry.outputs[i];
    port.name += ".shape";
    port.tensor += ".shape";
    auto attributes = portAttrs(port);
    attributes.push_back(
        b.getNamedAttr("weir.shape_of", b.getI64IntegerAttr(i)));
    resultAttrs.push_back(b.getDictionaryAttr(attributes));
  }
  builder.create<func::ReturnOp>(report.file(), values);
  function.setType(
      builder.getFunctionType(types, ValueRange(values).getTypes()));
  // All at once: one by one, each would make a list of all anew.
  function.setAllArgAttrs(argumentAttrs);
  function.setAllResultAttrs(resultAttrs);
  return success();
}

} // namespace weir::tensorflow
