// Functional control flow: If, Case, While.

#include "compiler/import/Build.h"
#include "compiler/import/tensorflow/control/Control.h"
#include "compiler/import/tensorflow/control/Loops.h"

#include "dialects/graph/Elementwise.h"

using namespace mlir;
using ::tensorflow::AttrValue;
using ::tensorflow::NameAttrList;

namespace weir::tensorflow {

static FailureOr<const NameAttrList *> functionAttr(Node &node,
                                                    StringRef name) {
  const AttrValue *value = node.attr(name, "a function");
  if (!value)
    return node.missing(name);
  return &value->func();
}

static SmallVector<Traced> operandsFrom(Node &node, unsigned first) {
  SmallVector<Traced> values;
  for (unsigned i = first; i < node.size(); ++i)
    values.push_back(node.traced(i));
  return values;
}

static LogicalResult give(Node &node, FailureOr<SmallVector<Traced>> results) {
  return failed(results) ? failure() : node.tracedResults(std::move(*results));
}

static LogicalResult importIf(Node &node) {
  if (!node.size())
    return node.error() << "has no condition";
  FailureOr<Value> condition = scalarBoolean(node, node.traced(0));
  auto onTrue = functionAttr(node, "then_branch");
  auto onFalse = functionAttr(node, "else_branch");
  if (failed(condition) || failed(onTrue) || failed(onFalse))
    return failure();
  SmallVector<Traced> operands = operandsFrom(node, 1);
  if (std::optional<bool> known = knownBoolean(*condition)) {
    const NameAttrList &taken = *known ? **onTrue : **onFalse;
    return node.tracer.call(node, taken.name(), taken.attr(), operands);
  }
  auto branch = [&](const NameAttrList &function) {
    return [&node, &operands, &function] {
      return node.tracer.traceFunction(node, function.name(), function.attr(),
                                       operands);
    };
  };
  return give(node,
              buildIf(node, *condition, branch(**onTrue), branch(**onFalse)));
}

/// Zeros of the types that `like` has.
static SmallVector<Traced> zerosLike(Node &node, ArrayRef<Traced> like) {
  SmallVector<Traced> results;
  ImplicitLocOpBuilder b(node.b.getLoc(), node.tracer.builder);
  for (const Traced &traced : like) {
    SmallVector<Value> values, zeros;
    flatten(traced, values);
    for (Value value : values)
      zeros.push_back(splat(b, typeOf(value), 0));
    ArrayRef<Value> rest = zeros;
    results.push_back(rebuild(traced, rest));
  }
  return results;
}

static LogicalResult importCase(Node &node) {
  const auto *branches = node.listAttr("branches", "functions");
  if (!node.size() || !branches || !branches->func_size())
    return node.error() << "has no branches";
  const auto &functions = branches->func();
  int last = functions.size() - 1;
  SmallVector<Traced> operands = operandsFrom(node, 1);
  if (!node.operand(0) || node.type(0).getRank() != 0 ||
      !node.type(0).getElementType().isInteger(32))
    return node.error() << "its branch index is no scalar int32";
  auto trace = [&](int i) {
    return node.tracer.traceFunction(node, functions[i].name(),
                                     functions[i].attr(), operands);
  };
  if (auto known = node.tryConstant(0)) {
    int64_t index = known->getSplatValue<APInt>().getSExtValue();
    const NameAttrList &taken =
        functions[index < 0 || index > last ? last : index];
    return node.tracer.call(node, taken.name(), taken.attr(), operands);
  }
  // One branch after the other, each in place of what came before where the
  // index is its own; an index that is none of them means the last.
  SmallVector<Traced> results;
  for (int i = last; i >= 0; --i) {
    ImplicitLocOpBuilder b(node.b.getLoc(), node.tracer.builder);
    Value number = splat(b, node.type(0), i);
    Value isThis = make<graph::EqualOp>(b, node.operand(0), number);
    if (i == last) {
      Value above =
          make<graph::LessOp>(b, splat(b, node.type(0), i), node.operand(0));
      Value below =
          make<graph::LessOp>(b, node.operand(0), splat(b, node.type(0), 0));
      isThis = make<graph::LogicalOrOp>(
          b, isThis, make<graph::LogicalOrOp>(b, above, below));
    }
    SmallVector<Traced> taken;
    auto onTrue = [&]() -> FailureOr<SmallVector<Traced>> {
      auto traced = trace(i);
      if (succeeded(traced))
        taken = *traced;
      return traced;
    };
    auto onFalse = [&]() -> FailureOr<SmallVector<Traced>> {
      return i == last ? zerosLike(node, taken) : results;
    };
    FailureOr<SmallVector<Traced>> both =
        buildIf(node, isThis, onTrue, onFalse);
    if (failed(both))
      return failure();
    results = std::move(*both);
  }
  return node.tracedResults(std::move(results));
}

/// The argument that the function hands on as this result, through nodes that
/// change nothing.
static bool handsOn(const Graph &graph, unsigned index) {
  return index < graph.returns.size() &&
         graph.behindIdentities(graph.returns[index]) == Edge::argument(index);
}

static LogicalResult importWhile(Node &node) {
  auto condition = functionAttr(node, "cond");
  auto body = functionAttr(node, "body");
  if (failed(condition) || failed(body))
    return failure();
  Graph *bodyGraph = node.tracer.functionGraph(node, (*body)->name());
  if (!bodyGraph)
    return failure();
  if (bodyGraph->returns.size() != node.size())
    return node.error() << "its body gives " << bodyGraph->returns.size()
                        << " results for " << node.size() << " variables";
  Loop loop;
  loop.inits = operandsFrom(node, 0);
  for (unsigned i = 0; i < node.size(); ++i)
    loop.invariant.push_back(handsOn(*bodyGraph, i));
  auto step = [&node](const NameAttrList &function) {
    return [&node, &function](ArrayRef<Traced> values) {
      return node.tracer.traceFunction(node, function.name(), function.attr(),
                                       values);
    };
  };
  loop.condition = step(**condition);
  loop.body = step(**body);
  return give(node, buildLoop(node, std::move(loop)));
}

void addControlHandlers(Handlers &handlers) {
  for (StringRef op : {"If", "StatelessIf", "XlaIf"})
    handlers[op] = {importIf, Takes::whole};
  for (StringRef op : {"Case", "StatelessCase"})
    handlers[op] = {importCase, Takes::whole};
  for (StringRef op : {"While", "StatelessWhile", "XlaWhile"})
    handlers[op] = {importWhile, Takes::whole};
}

} // namespace weir::tensorflow
