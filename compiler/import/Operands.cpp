// What handlers read and check of their operands in every frontend.

#include "compiler/import/Operands.h"

#include "compiler/import/Elements.h"

#include "dialects/graph/Graph.h"
#include "dialects/graph/Reduce.h"

using namespace mlir;

namespace weir {

Expr operand(TracedNode &node, unsigned i) { return {node.b, node.operand(i)}; }

LogicalResult give(TracedNode &node, ArrayRef<Expr> results) {
  SmallVector<Value> values;
  for (Expr result : results)
    values.push_back(result.value);
  return node.results(values);
}

bool isOf(Type elementType, Elements elements) {
  bool isBool = elementType.isInteger(1);
  switch (elements) {
  case Elements::numbers:
    return !isBool;
  case Elements::floats:
    return isa<FloatType>(elementType);
  case Elements::integers:
    return isa<IntegerType>(elementType) && !isBool;
  case Elements::bools:
    return isBool;
  case Elements::any:
    break;
  }
  return true;
}

LogicalResult check(TracedNode &node, Expr condition, const Twine &message) {
  if (!condition || !condition.elementType().isInteger(1))
    return node.error() << "its operands do not fit together";
  // A splat is known whatever its size, which folders have a limit of.
  if (knownBoolean(condition.value) == true)
    return success();
  auto dims = llvm::to_vector(llvm::seq<int64_t>(0, condition.rank()));
  Value all = make<graph::ReduceAndOp>(node.b, condition.value, dims);
  if (knownBoolean(all) == true)
    return success();
  node.b.create<graph::CheckOp>(
      all, ("node '" + escaped(node.name()) + "': " + message).str());
  return success();
}

} // namespace weir
