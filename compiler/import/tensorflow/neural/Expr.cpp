// Operands and results of nodes as expressions.

#include "compiler/import/tensorflow/neural/Expr.h"

using namespace mlir;

namespace weir::tensorflow {

Expr operand(Node &node, unsigned i) {
  return i < node.size() ? Expr(node.b, node.operand(i)) : Expr();
}

LogicalResult give(Node &node, ArrayRef<Expr> results) {
  SmallVector<Value> values;
  for (Expr result : results)
    values.push_back(result.value);
  return node.results(values);
}

} // namespace weir::tensorflow
