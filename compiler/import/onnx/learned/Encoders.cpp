// Features made ready for a model: scaled, filled in, joined and encoded.

#include "compiler/import/onnx/learned/Encoders.h"

#include "compiler/import/onnx/learned/Learned.h"

#include "compiler/import/onnx/Tracer.h"
#include "compiler/import/onnx/learned/Labels.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"

using namespace mlir;

namespace weir::onnx {

Expr floatsOf(Node &node, StringRef name) {
  SmallVector<float> values = node.floatsAttr(name);
  SmallVector<double> numbers(values.begin(), values.end());
  return constant(node.b, node.b.getF32Type(),
                  {static_cast<int64_t>(numbers.size())}, numbers);
}

namespace {

LogicalResult importScaler(Node &node) {
  if (failed(wantOperands(node, 1)))
    return failure();
  Expr x = cast(operand(node, 0), node.b.getF32Type());
  Expr offset = floatsOf(node, "offset"), scale = floatsOf(node, "scale");
  if (offset.size(0) == 0)
    offset = filled(node.b, {1}, x.elementType(), 0);
  if (scale.size(0) == 0)
    scale = filled(node.b, {1}, x.elementType(), 1);
  Expr y = (x - offset) * scale;
  return give(node, y && y.shape() == x.shape() ? y : Expr());
}

LogicalResult importNormalizer(Node &node) {
  if (failed(wantOperands(node, 1)))
    return failure();
  Expr x = cast(operand(node, 0), node.b.getF32Type());
  if (x.rank() < 1)
    return node.error() << "cannot normalize " << x.type();
  StringRef norm = node.stringAttr("norm", "MAX");
  Integers last{x.rank() - 1};
  Expr size;
  if (norm == "MAX")
    size = largest(apply<graph::AbsOp>(x), last);
  else if (norm == "L1")
    size = sum(apply<graph::AbsOp>(x), last, /*keep=*/true);
  else if (norm == "L2")
    size = apply<graph::SqrtOp>(sum(x * x, last, /*keep=*/true));
  else
    return node.error() << "norm '" << norm << "' is unknown";
  return give(node, apply<graph::DivNoNanOp>(x, size));
}

LogicalResult importImputer(Node &node) {
  if (failed(wantOperands(node, 1)))
    return failure();
  Expr x = operand(node, 0), values, isMissing;
  if (isa<FloatType>(x.elementType())) {
    values = cast(floatsOf(node, "imputed_value_floats"), x.elementType());
    double missing = node.floatAttr("replaced_value_float", 0);
    isMissing = std::isnan(missing) ? apply<graph::IsNanOp>(x)
                                    : apply<graph::EqualOp>(x, x.like(missing));
  } else {
    values = Expr(node.b, numbers(node.b, x.elementType(),
                                  node.intsAttr("imputed_value_int64s")));
    isMissing = apply<graph::EqualOp>(
        x, x.like(static_cast<double>(node.intAttr("replaced_value_int64"))));
  }
  if (values.size(0) == 1)
    values = reshape(values, {});
  Expr y = select(isMissing, values, x);
  return give(node, y && y.shape() == x.shape() ? y : Expr());
}

LogicalResult importFeatureVectorizer(Node &node) {
  if (failed(wantOperands(node, std::max(node.size(), 1u))))
    return failure();
  SmallVector<Expr> parts;
  Integers sizes = node.intsAttr("inputdimensions");
  for (unsigned i = 0; i < node.size(); ++i) {
    Expr x = cast(operand(node, i), node.b.getF32Type());
    if (x.rank() == 1)
      x = reshape(x, {1, x.size(0)});
    if (x.rank() != 2 || (i < sizes.size() && sizes[i] != x.size(1)))
      return node.error() << "does not join " << node.type(i);
    parts.push_back(x);
  }
  return give(node, concat(parts, 1));
}

LogicalResult importArrayFeatureExtractor(Node &node) {
  if (failed(wantOperands(node, 2)))
    return failure();
  Expr x = operand(node, 0), at = operand(node, 1);
  if (x.rank() < 1 || !at.elementType().isSignlessInteger(64))
    return node.error() << "cannot take columns " << at.type() << " of "
                        << x.type();
  int64_t last = x.rank() - 1;
  at = reshape(at, {at.type().getNumElements()});
  if (failed(check(node,
                   apply<graph::LogicalAndOp>(
                       apply<graph::GreaterEqualOp>(at, at.like(0)),
                       apply<graph::LessOp>(
                           at, at.like(static_cast<double>(x.size(last))))),
                   "there is no such column")))
    return failure();
  Expr y = gather(x, at, last);
  if (y && x.rank() == 1)
    y = reshape(y, {1, y.size(0)});
  return give(node, y);
}

LogicalResult importOneHotEncoder(Node &node) {
  if (failed(wantOperands(node, 1)))
    return failure();
  Integers categories = node.intsAttr("cats_int64s");
  Expr x = cast(operand(node, 0), node.b.getI64Type());
  const StringTable *table = tableAt(node, 0);
  if (table) {
    std::vector<std::string> strings = stringsAttr(node, "cats_strings");
    categories = counting(strings.size());
    x = gather(list(node, positionsIn(strings, table->strings)), x, 0);
  }
  if (categories.empty())
    return node.error() << "has no categories of "
                        << (table ? "strings" : "integers");
  Integers shape(x.shape());
  shape.push_back(1);
  Expr hit = apply<graph::EqualOp>(
      reshape(x, shape),
      Expr(node.b, numbers(node.b, node.b.getI64Type(), categories)));
  Expr y = cast(hit, node.b.getF32Type());
  if (!node.intAttr("zeros", 1) && hit)
    if (failed(check(
            node,
            apply<graph::GreaterOp>(sum(y, {y.rank() - 1}),
                                    filled(node.b, {}, y.elementType(), 0)),
            "an element is of no category")))
      return failure();
  return give(node, y);
}

} // namespace

void addEncoderHandlers(Handlers &handlers) {
  handlers["ai.onnx.ml::Scaler"] = importScaler;
  handlers["ai.onnx.ml::Normalizer"] = importNormalizer;
  handlers["ai.onnx.ml::Imputer"] = importImputer;
  handlers["ai.onnx.ml::FeatureVectorizer"] = importFeatureVectorizer;
  handlers["ai.onnx.ml::ArrayFeatureExtractor"] = importArrayFeatureExtractor;
  handlers["ai.onnx.ml::OneHotEncoder"] = importOneHotEncoder;
}

} // namespace weir::onnx
