// Products of matrices.

#include "compiler/import/build/Einsum.h"
#include "compiler/import/onnx/Operands.h"

#include "dialects/graph/Graph.h"

using namespace mlir;

namespace weir::onnx {
namespace {

/// NumPy's matmul: a vector is a row on the left and a column on the right.
LogicalResult importMatMul(Node &node) {
  if (failed(wantOperands(node, 2, 2)) ||
      failed(wantElements(node, 0, Elements::numbers)))
    return failure();
  Expr x = operand(node, 0), y = operand(node, 1);
  if (!x.rank() || !y.rank() || x.elementType() != y.elementType())
    return node.error() << "multiplies " << x.type() << " by " << y.type();
  bool isRow = x.rank() == 1, isColumn = y.rank() == 1;
  if (isRow)
    x = reshape(x, {1, x.size(0)});
  if (isColumn)
    y = reshape(y, {y.size(0), 1});
  if (x.shape().back() != y.size(y.rank() - 2) ||
      failed(broadcastShapes(x.shape().drop_back(2), y.shape().drop_back(2))))
    return node.error() << "multiplies " << node.type(0) << " by "
                        << node.type(1);
  Expr z = matmul(x, y);
  if (!z)
    return give(node, z);
  Integers shape(z.shape());
  if (isColumn)
    shape.pop_back();
  if (isRow)
    shape.erase(shape.end() - (isColumn ? 1 : 2));
  return give(node, reshape(z, shape));
}

/// alpha A B + beta C, each of A and B transposed first where so said.
LogicalResult importGemm(Node &node) {
  if (failed(wantOperands(node, 2, 3)) ||
      failed(wantElements(node, 0, Elements::numbers)))
    return failure();
  Expr a = operand(node, 0), b = operand(node, 1), c = operand(node, 2);
  bool left = node.intAttr("transA") != 0, right = node.intAttr("transB") != 0;
  bool fits = a.rank() == 2 && b.rank() == 2 &&
              a.elementType() == b.elementType() &&
              a.size(left ? 0 : 1) == b.size(right ? 1 : 0);
  if (!fits)
    return node.error() << "multiplies " << a.type() << " by " << b.type();
  double alpha = node.floatAttr("alpha", 1), beta = node.floatAttr("beta", 1);
  Type element = a.elementType();
  bool isFloat = isa<FloatType>(element);
  // What is a half only when it is scaled may be more before.
  if (alpha != 1 || beta != 1) {
    a = widened(a);
    b = widened(b);
  }
  Expr product = matmul(a, b, left, right);
  if (!product)
    return give(node, product);
  if (!isFloat && (alpha != std::floor(alpha) || beta != std::floor(beta)))
    return node.unsupported("integers times fractions");
  if (alpha != 1)
    product = product * alpha;
  if (c) {
    auto shape = broadcastShapes(c.shape(), product.shape());
    if (c.elementType() != element || failed(shape) ||
        ArrayRef(*shape) != product.shape())
      return node.error() << "adds " << c.type() << " to " << product.type();
    c = cast(c, product.elementType());
    product = product + (beta == 1 ? c : c * beta);
  }
  return give(node, cast(product, element));
}

LogicalResult importEinsum(Node &node) {
  SmallVector<Expr> operands;
  for (unsigned i = 0; i < node.size(); ++i) {
    if (!node.has(i) || node.element(i) != node.element(0))
      return node.error() << "has operands of different types";
    operands.push_back(operand(node, i));
  }
  StringRef text = node.stringAttr("equation");
  if (operands.empty() || failed(wantElements(node, 0, Elements::numbers)))
    return node.error() << "has no operands of numbers";
  auto equation = readEquation(text, operands);
  if (!equation)
    return node.error() << "'" << escaped(text, 60)
                        << "' is no equation for its operands";
  return give(node, einsum(*equation));
}

} // namespace

void addProductHandlers(Handlers &handlers) {
  handlers["Einsum"] = importEinsum;
  handlers["Gemm"] = importGemm;
  handlers["MatMul"] = importMatMul;
}

} // namespace weir::onnx
