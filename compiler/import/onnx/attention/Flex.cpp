// Attention whose scores and shares graphs of the node change.
//
// The graphs take all scores at once, or, as a draft of the operator had it,
// one score and the places that it is for. A graph of scalars is traced once
// for all of them: its places are vectors along the dimensions of the scores,
// which its elementwise operators broadcast.

#include "compiler/import/onnx/Tracer.h"
#include "compiler/import/onnx/attention/Attention.h"

#include "dialects/graph/Elementwise.h"

#include <limits>

using namespace mlir;

namespace weir::onnx {
namespace {

/// Operators that give of scalars a scalar, and of tensors that for each place.
bool isElementwise(StringRef op) {
  static const llvm::StringSet<> ops = {
      "Abs",      "Add",     "And",       "Cast",        "Ceil",
      "Clip",     "Cos",     "Div",       "Elu",         "Equal",
      "Erf",      "Exp",     "Floor",     "Greater",     "GreaterOrEqual",
      "Identity", "Less",    "LeakyRelu", "LessOrEqual", "Log",
      "Max",      "Min",     "Mod",       "Mul",         "Neg",
      "Not",      "Or",      "Pow",       "Reciprocal",  "Relu",
      "Round",    "Sigmoid", "Sign",      "Sin",         "Softplus",
      "Sqrt",     "Sub",     "Tan",       "Tanh",        "Where",
      "Xor"};
  return ops.contains(op);
}

/// The rank of a value that the node's graph uses from around it; nothing where
/// there is none.
std::optional<int64_t> rankAround(const Node &node, StringRef name) {
  for (const Scope *scope = &node.scope; scope; scope = scope->outer)
    if (auto found = scope->values.find(name); found != scope->values.end()) {
      if (!found->second.traced.value)
        return std::nullopt;
      return mlir::cast<RankedTensorType>(found->second.traced.value.getType())
          .getRank();
    }
  return std::nullopt;
}

/// An error where the graph of an attribute does more to its scalars than what
/// can be done to all at once.
LogicalResult checkScalars(Node &node, StringRef attribute,
                           const ::onnx::GraphProto &graph) {
  llvm::StringMap<int64_t> ranks;
  for (const auto &input : graph.input())
    ranks[input.name()] = 0;
  for (const auto &tensor : graph.initializer())
    ranks[tensor.name()] = tensor.dims_size();
  auto rankOf = [&](StringRef name) -> std::optional<int64_t> {
    auto own = ranks.find(name);
    return own != ranks.end() ? std::optional<int64_t>(own->second)
                              : rankAround(node, name);
  };
  for (const ::onnx::NodeProto &inner : graph.node()) {
    StringRef op = inner.op_type();
    bool holds = inner.output_size() == 1 &&
                 (inner.domain().empty() || inner.domain() == "ai.onnx");
    if (op == "Constant") {
      for (const auto &value : inner.attribute())
        holds &= value.has_t() ? value.t().dims_size() <= 1
                               : value.has_f() || value.has_i();
      for (const auto &value : inner.attribute())
        if (holds && value.has_t())
          ranks[inner.output(0)] = value.t().dims_size();
    } else if (op == "Gather") {
      // Of a vector, at a scalar.
      holds = holds && inner.input_size() == 2 && rankOf(inner.input(0)) == 1 &&
              rankOf(inner.input(1)) == 0;
    } else {
      holds = holds && isElementwise(op);
      for (const std::string &name : inner.input())
        holds = holds && (name.empty() || rankOf(name) == 0);
    }
    if (!holds)
      return node.unsupported("its graph '" + attribute +
                              "' does more to scalars than elementwise "
                              "operators and gathers of vectors: " +
                              escaped(op, 40));
    ranks.try_emplace(inner.output(0), 0);
  }
  return success();
}

/// What a graph of the node makes of `x`, or, with places, of each element of
/// `x` and where it is; `x` where the node has none. A mask has the places
/// alone.
FailureOr<Expr> changed(Node &node, StringRef attribute, Expr x,
                        bool isMask = false) {
  ::onnx::GraphProto *graph = node.graphAttr(attribute);
  if (!graph || !x)
    return x;
  ImplicitLocOpBuilder &b = node.b;
  SmallVector<Traced> arguments;
  bool takesAll = graph->input_size() == 1;
  if (takesAll || !isMask)
    arguments.push_back({x.value, {}, nullptr});
  if (!takesAll) {
    if (failed(checkScalars(node, attribute, *graph)))
      return failure();
    for (int64_t d = 0; d < 4; ++d)
      arguments.push_back(
          {along(counted(b, x.size(d), b.getI64Type()), d, 4).value,
           {},
           nullptr});
  }
  auto results = node.tracer.traceInner(node, *graph, arguments);
  if (failed(results))
    return failure();
  bool asksMask = isMask && !takesAll;
  Type element = asksMask ? b.getI1Type() : x.elementType();
  Expr y = results->size() == 1 && results->front().value
               ? Expr(b, results->front().value)
               : Expr();
  bool isWhole = y && y.elementType() == element &&
                 (takesAll ? y.type() == x.type() : y.rank() <= 4);
  if (!isWhole)
    return node.error() << "its graph '" << attribute << "' does not give "
                        << (takesAll ? Type(x.type()) : element);
  if (takesAll)
    return y;
  y = broadcast(y, x.shape());
  constexpr double nothing = -std::numeric_limits<double>::infinity();
  return asksMask && y ? select(y, x, x.like(nothing)) : y;
}

LogicalResult importFlexAttention(Node &node) {
  if (failed(wantOperands(node, 3, 3)))
    return failure();
  Expr present[2];
  auto heads = headsOf(node, present);
  if (failed(heads))
    return failure();
  Type element = heads->q.elementType();
  auto products = productsOf(node, *heads);
  if (failed(products))
    return failure();
  auto precision =
      precisionOf(node, element.isF64() ? element : Type(node.b.getF32Type()));
  if (failed(precision))
    return failure();
  auto scores = changed(node, "score_mod", cast(*products, *precision));
  if (failed(scores))
    return failure();
  scores = changed(node, "mask_mod", *scores, /*isMask=*/true);
  if (failed(scores))
    return failure();
  bool isMasked = node.hasAttr("score_mod") || node.hasAttr("mask_mod");
  auto shares = changed(node, "prob_mod", sharesOf(*scores, isMasked));
  if (failed(shares))
    return failure();
  return give(node, matmul(cast(*shares, element), heads->v));
}

} // namespace

void addFlexAttentionHandlers(Handlers &handlers) {
  handlers["ai.onnx.preview::FlexAttention"] = importFlexAttention;
}

} // namespace weir::onnx
