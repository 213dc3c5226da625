// The operands of elementwise nodes, checked and of one shape.

#include "compiler/import/tensorflow/elementwise/Operands.h"

#include "dialects/graph/Elements.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Reduce.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace weir::tensorflow {

bool isOf(Type type, Elements elements) {
  bool isBool = type.isInteger(1);
  switch (elements) {
  case Elements::numbers:
    return !isBool;
  case Elements::floats:
    return isa<FloatType>(type);
  case Elements::integers:
    return isa<IntegerType>(type) && !isBool;
  case Elements::bools:
    return isBool;
  case Elements::any:
    break;
  }
  return true;
}

LogicalResult broadcastAll(Node &node, MutableArrayRef<Expr> operands) {
  SmallVector<int64_t> shape;
  for (Expr x : operands) {
    auto joined = broadcastShapes(shape, x.shape());
    if (failed(joined)) {
      InFlightDiagnostic error = node.error();
      error << "its operands do not broadcast:";
      for (Expr each : operands)
        error << ' ' << each.type();
      return error;
    }
    shape = *joined;
  }
  if (!graph::countElements(shape))
    return node.error() << "its result is larger than a tensor may be";
  for (Expr &x : operands)
    x = broadcast(x, shape);
  return success();
}

FailureOr<SmallVector<Expr>> operandsOf(Node &node, unsigned count,
                                        Elements elements) {
  if (count ? node.size() != count : node.size() == 0)
    return node.error() << "has " << node.size() << " operands instead of "
                        << std::max(count, 1u);
  SmallVector<Expr> operands;
  for (unsigned i = 0; i < node.size(); ++i) {
    operands.push_back(operand(node, i));
    Type type = operands[i].elementType(), first = operands[0].elementType();
    if (!isOf(type, elements))
      return node.error() << "does not take " << operands[i].type();
    if (type != first)
      return node.error() << "its operands differ in type: "
                          << operands[0].type() << " and "
                          << operands[i].type();
  }
  if (failed(broadcastAll(node, operands)))
    return failure();
  return operands;
}

Expr zerosOf(Expr x) { return x ? Expr(*x.b, splat(*x.b, x.type(), 0)) : x; }

LogicalResult check(Node &node, Expr condition, const Twine &message) {
  if (!condition || !condition.elementType().isInteger(1))
    return node.error() << "its operands do not fit together";
  auto dims = llvm::to_vector(llvm::seq<int64_t>(0, condition.rank()));
  // The attribute of a splat of any size is known without its elements.
  Attribute known;
  if (matchPattern(condition.value, m_Constant(&known)))
    if (auto dense = dyn_cast<DenseElementsAttr>(known);
        dense && dense.isSplat() && dense.getSplatValue<bool>())
      return success();
  Value all = make<graph::ReduceAndOp>(node.b, condition.value, dims);
  if (matchPattern(all, m_Constant(&known)))
    if (auto dense = dyn_cast<DenseElementsAttr>(known);
        dense && dense.isSplat() && dense.getSplatValue<bool>())
      return success();
  node.b.create<graph::CheckOp>(
      all, ("node '" + node.name() + "': " + message).str());
  return success();
}

} // namespace weir::tensorflow
