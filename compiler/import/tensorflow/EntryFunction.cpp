// Traces what lies between inputs and outputs into a function.

#include "compiler/import/Build.h"
#include "compiler/import/Names.h"
#include "compiler/import/Trained.h"
#include "compiler/import/tensorflow/EntryResults.h"
#include "compiler/import/tensorflow/bounded/Bounds.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
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

namespace {

/// The inputs of a function, with sizes where only the run knows them: those
/// come as a further argument each, after all inputs.
class Arguments {
public:
  Arguments(Report &report, const Entry &entry)
      : report(report), entry(entry) {}

  SmallVector<Type> types() const {
    SmallVector<Type> all;
    Builder b(report.context);
    for (const Port &port : entry.inputs)
      all.push_back(port.type);
    for (const Port &port : entry.inputs)
      if (!port.open.empty())
        all.push_back(
            RankedTensorType::get(port.type.getRank(), b.getI64Type()));
    return all;
  }

  /// Which argument holds the shape of input `i`.
  int64_t shapeOf(size_t i) const {
    auto at = static_cast<int64_t>(entry.inputs.size());
    for (size_t k = 0; k < i; ++k)
      at += !entry.inputs[k].open.empty();
    return at;
  }

  /// The input's value in a place of its bounds.
  Traced traced(ImplicitLocOpBuilder &b, size_t i, Value argument,
                Value shape) {
    const Port &port = entry.inputs[i];
    Sizes sizes;
    Size count{1, {}};
    for (auto [d, bound] : llvm::enumerate(port.type.getShape())) {
      sizes.push_back(sizeOf(b, port, d, elementOf(b, shape, d)));
      count.bound *= bound;
    }
    // Callers give the elements without gaps.
    count.exact = product(b, sizes, 0, sizes.size()).value;
    Value flat = reshapeTo(b, argument, {count.bound});
    return reshapeBounded(b, withSizes(flat, {count}), sizes);
  }

private:
  Size sizeOf(ImplicitLocOpBuilder &b, const Port &port, size_t d,
              Value given) {
    const std::string &name = port.dimNames[d];
    std::string which = "input '" + escaped(port.name) + "': dimension " +
                        std::to_string(d) +
                        (name.empty() ? "" : " ('" + escaped(name) + "')");
    auto check = [&](Expr holds, const Twine &what) {
      b.create<graph::CheckOp>(holds.value, (which + what).str());
    };
    Expr size(b, given);
    if (!port.open[d]) {
      int64_t fixed = port.type.getDimSize(d);
      check(apply<graph::EqualOp>(size, number(b, fixed)),
            " is not " + Twine(fixed));
      return {fixed, {}};
    }
    auto [low, high] = *port.open[d];
    Expr least = number(b, low), most = number(b, high);
    check(apply<graph::LogicalAndOp>(apply<graph::GreaterEqualOp>(size, least),
                                     apply<graph::LessEqualOp>(size, most)),
          " is not in [" + Twine(low) + ", " + Twine(high) + "]");
    Size result{high, minimum(maximum(size, least), most).value};
    if (name.empty())
      return result;
    // All dimensions of one name are of one size.
    auto [known, isFirst] = named.try_emplace(name, result);
    if (!isFirst && known->second.bound == high) {
      check(apply<graph::EqualOp>(size, Expr(b, known->second.exact)),
            " is not what it is of another input");
      result = known->second;
    }
    return result;
  }

  Report &report;
  const Entry &entry;
  llvm::StringMap<Size> named;
};

} // namespace

LogicalResult buildEntry(Report &report, ModuleOp module, const Graph &graph,
                         Library &library, VariableSource *variables,
                         StateVariables &state, const Entry &entry,
                         const ImportOptions &options) {
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  size_t number = llvm::range_size(module.getOps<func::FuncOp>());
  Arguments arguments(report, entry);
  SmallVector<Type> types = arguments.types();
  auto function = builder.create<func::FuncOp>(
      report.file(), "weir_entry_" + std::to_string(number),
      builder.getFunctionType(types, {}));
  function->setAttr("weir.entry", builder.getStringAttr(entry.name));
  Block *block = function.addEntryBlock();
  builder.setInsertionPointToStart(block);
  SmallVector<Traced> fed;
  SmallVector<DictionaryAttr> argumentAttrs;
  for (auto [i, port] : llvm::enumerate(entry.inputs)) {
    block->getArgument(i).setLoc(report.node(graph.name(port.edge.node)));
    FailureOr<Value> value =
        asDeclared(report, builder, graph, port, block->getArgument(i));
    if (failed(value))
      return failure();
    Traced traced{*value, {}, nullptr};
    if (!port.open.empty()) {
      Value shape = block->getArgument(arguments.shapeOf(i));
      ImplicitLocOpBuilder b(block->getArgument(i).getLoc(), builder);
      traced = arguments.traced(b, i, *value, shape);
    }
    fed.push_back(traced);
    argumentAttrs.push_back(portAttributes(builder, port));
  }
  for (auto [i, port] : llvm::enumerate(entry.inputs))
    if (!port.open.empty())
      argumentAttrs.push_back(shapeAttributes(builder, port, i));
  if (entry.isTraining)
    markTraining(function);
  EntrySource source{report, graph, library, variables, state, entry, options};
  FailureOr<EntryResults> results = traceVersions(source, builder, fed);
  if (failed(results))
    return failure();
  builder.create<func::ReturnOp>(report.file(), results->values);
  function.setType(
      builder.getFunctionType(types, ValueRange(results->values).getTypes()));
  // All at once: one by one, each would make a list of all anew.
  function.setAllArgAttrs(argumentAttrs);
  function.setAllResultAttrs(results->attributes);
  return success();
}

} // namespace weir::tensorflow
