// What handlers read and check of their operands.

#include "compiler/import/onnx/Operands.h"

#include "compiler/import/bounded/Lists.h"
#include "compiler/import/onnx/ByName.h"
#include "compiler/import/onnx/Scalars.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Shape.h"

using namespace mlir;

namespace weir::onnx {

LogicalResult wantOperands(Node &node, unsigned least, unsigned most) {
  unsigned size = node.size();
  if (size < least || size > most) {
    InFlightDiagnostic error = node.error();
    error << "has " << size << " operands instead of " << least;
    if (most != least)
      error << " to " << most;
    return error;
  }
  for (unsigned i = 0; i < least; ++i)
    if (!node.has(i))
      return node.error() << "lacks operand " << i;
  return success();
}

LogicalResult wantElements(Node &node, unsigned i, Elements elements) {
  if (!node.has(i) || isOf(node.element(i), elements))
    return success();
  return node.error() << "does not take " << node.type(i) << " as operand "
                      << i;
}

FailureOr<SmallVector<Expr>> alike(Node &node, Elements elements) {
  SmallVector<Value> values;
  for (unsigned i = 0; i < node.size(); ++i) {
    if (!node.has(i))
      return node.error() << "lacks operand " << i;
    if (failed(wantElements(node, i, elements)))
      return failure();
    if (node.element(i) != node.element(0))
      return node.error() << "its operands differ in type: " << node.type(0)
                          << " and " << node.type(i);
    values.push_back(node.operand(i));
  }
  if (values.empty())
    return node.error() << "has no operands";
  if (failed(broadcastAll(node, values)))
    return failure();
  SmallVector<Expr> operands;
  for (Value value : values)
    operands.emplace_back(node.b, value);
  return operands;
}

FailureOr<std::optional<Integers>> integersAt(Node &node, StringRef attribute,
                                              unsigned i) {
  if (node.has(i)) {
    FailureOr<Integers> values = node.integers(i);
    if (failed(values))
      return failure();
    return std::optional(*values);
  }
  if (!node.hasAttr(attribute))
    return std::optional<Integers>();
  return std::optional(node.intsAttr(attribute));
}

FailureOr<std::optional<SmallVector<Value>>>
scalarsAt(Node &node, StringRef attribute, unsigned i) {
  if (node.has(i)) {
    auto scalars = listedScalars(node, i);
    if (failed(scalars))
      return failure();
    return std::optional(*scalars);
  }
  if (!node.hasAttr(attribute))
    return std::optional<SmallVector<Value>>();
  SmallVector<Value> scalars;
  for (int64_t value : node.intsAttr(attribute))
    scalars.push_back(number(node, value).value);
  return std::optional(scalars);
}

SmallVector<Expr> scalarsOf(Node &node, unsigned i) {
  Expr all = cast(operand(node, i), node.b.getI64Type());
  if (!all || all.rank() > 1)
    return {};
  if (all.rank() == 0)
    return {all};
  SmallVector<Expr> scalars;
  for (int64_t k = 0; k < all.size(0); ++k)
    scalars.push_back(reshape(slice(all, 0, k, 1), {}));
  return scalars;
}

Expr number(Node &node, int64_t value) {
  Type i64 = node.b.getI64Type();
  return reshape(Expr(node.b, numbers(node.b, i64, value)), {});
}

Expr list(Node &node, ArrayRef<int64_t> values) {
  return {node.b, numbers(node.b, node.b.getI64Type(), values)};
}

Expr filled(Node &node, ArrayRef<int64_t> shape, Type elementType,
            double value) {
  return {node.b,
          splat(node.b, RankedTensorType::get(shape, elementType), value)};
}

Expr iota(Node &node, ArrayRef<int64_t> shape, Type elementType, int64_t axis) {
  auto type = RankedTensorType::get(shape, elementType);
  return {node.b,
          make<graph::IotaOp>(node.b, type, node.b.getI64IntegerAttr(axis))};
}

Expr equal(Expr x, Expr y) { return apply<graph::EqualOp>(x, y); }
Expr less(Expr x, Expr y) { return apply<graph::LessOp>(x, y); }
Expr both(Expr x, Expr y) { return apply<graph::LogicalAndOp>(x, y); }
Expr either(Expr x, Expr y) { return apply<graph::LogicalOrOp>(x, y); }
Expr isFalse(Expr x) { return apply<graph::LogicalNotOp>(x); }
Expr inRange(Expr x, Expr low, Expr high) {
  return both(apply<graph::GreaterEqualOp>(x, low), less(x, high));
}

bool isForRun(Node &node, unsigned i) {
  if (!node.has(i) || !node.type(i).getNumElements() || node.tryConstant(i))
    return false;
  for (unsigned k = 0; k < node.size(); ++k)
    if (node.traced(k).isBounded())
      return true;
  return node.tracer.hasDynamicInputs ||
         !(node.declaredShape(0) || node.likelyShape(0));
}

FailureOr<Integers> promisedShape(Node &node, unsigned i, const Twine &what) {
  if (auto shape = node.declaredShape(i))
    return *shape;
  if (auto shape = node.likelyShape(i))
    return *shape;
  return node.unsupported(what +
                          " is not known at compile time, and the model does "
                          "not say the shape of result " +
                          Twine(i));
}

FailureOr<Integers> promisedList(Node &node, unsigned i) {
  auto shape = promisedShape(node, 0, "operand " + Twine(i));
  if (failed(shape))
    return failure();
  SmallVector<Expr> given;
  if (failed(readScalars(node, i, given)))
    return failure();
  if (given.size() != shape->size())
    return node.error() << "makes [" << *shape << "] of sizes " << node.type(i);
  for (auto [size, promised] : llvm::zip_equal(given, *shape))
    if (failed(check(node, equal(size, number(node, promised)),
                     "makes another shape than the model says")))
      return failure();
  return shape;
}

Expr widened(Expr x) {
  if (!x)
    return x;
  bool isFloat16 = isa<FloatType>(x.elementType()) &&
                   x.elementType().getIntOrFloatBitWidth() < 32;
  return isFloat16 ? cast(x, x.b->getF32Type()) : x;
}

} // namespace weir::onnx
