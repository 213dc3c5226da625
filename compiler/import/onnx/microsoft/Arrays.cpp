// Operators on arrays, most of which became ONNX's own.

#include "compiler/import/build/Linear.h"
#include "compiler/import/onnx/microsoft/Microsoft.h"
#include "compiler/import/onnx/microsoft/Part.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Index.h"
#include "dialects/graph/Linear.h"

using namespace mlir;

namespace weir::onnx {
namespace {

/// The step is 1 where there is none.
LogicalResult importRange(Node &node) {
  if (failed(wantOperands(node, 2)))
    return failure();
  Expr step =
      node.has(2) ? operand(node, 2) : filled(node.b, {}, node.element(0), 1);
  auto y =
      Part(node, "Range").runForOne({operand(node, 0), operand(node, 1), step});
  if (failed(y))
    return failure();
  return give(node, *y);
}

/// Different elements in the order in which they come, for each element which
/// of them it is, and how often each is there.
LogicalResult importUnique(Node &node) {
  if (failed(wantOperands(node, 1)))
    return failure();
  if (node.rank(0) != 1)
    return node.error() << "takes no list " << node.type(0);
  auto results =
      Part(node, "Unique").set("sorted", int64_t(0)).run({operand(node, 0)});
  if (failed(results))
    return failure();
  results->resize(4);
  return give(node, {(*results)[0], (*results)[2], (*results)[3]});
}

/// Distances of each row of one matrix to each of another.
LogicalResult importDistances(Node &node) {
  if (failed(wantFloats(node, 2)))
    return failure();
  Expr a = operand(node, 0), b = operand(node, 1);
  StringRef metric = node.stringAttr("metric", "sqeuclidean");
  if (metric != "sqeuclidean" && metric != "euclidean")
    return node.error() << "metric '" << escaped(metric, 40) << "' is unknown";
  if (a.rank() != 2 || b.rank() != 2 || a.size(1) != b.size(1) ||
      a.elementType() != b.elementType())
    return node.error() << "has no distances of " << a.type() << " to "
                        << b.type();
  Expr apart = reshape(a, {a.size(0), 1, a.size(1)}) -
               reshape(b, {1, b.size(0), b.size(1)});
  Expr squares = sum(apart * apart, {2});
  return give(node,
              metric == "euclidean" ? apply<graph::SqrtOp>(squares) : squares);
}

/// Inverses of square matrices by LU factors; an error of the run for singular
/// ones.
LogicalResult importInverse(Node &node) {
  if (failed(wantFloats(node, 1, 2)))
    return failure();
  Expr x = widened(operand(node, 0));
  int64_t size = x.shape().back(), batch = x.rank() - 2;
  if (x.size(batch) != size)
    return node.error() << "takes no square matrices " << node.type(0);
  if (size > 4096)
    return node.unsupported("matrices of this size");
  Factors factors = factorsOf(x);
  Expr pivots = apply<graph::AbsOp>(diagonalOf(factors.lu));
  if (failed(check(node, less(pivots * 0.0, pivots),
                   "the matrix is not invertible")))
    return failure();
  Type i64 = node.b.getI64Type();
  Expr row = along(counted(node.b, size, i64), 0, 2),
       column = along(counted(node.b, size, i64), 1, 2);
  Expr ones = broadcast(cast(equal(row, column), x.elementType()), x.shape());
  if (x.type().getNumElements() == 0)
    return give(node, operand(node, 0));
  Expr y(node.b,
         make<graph::GatherOp>(node.b, ones.value, factors.permutation.value,
                               batch, batch));
  for (bool lower : {true, false})
    y.value = make<graph::TriangularSolveOp>(node.b, factors.lu.value, y.value,
                                             lower, /*adjoint=*/false,
                                             /*unit=*/lower);
  return give(node, cast(y, node.element(0)));
}

} // namespace

void addMicrosoftArrayHandlers(Handlers &handlers) {
  handlers["com.microsoft::CDist"] = importDistances;
  for (StringRef op : {"GridSample", "Pad", "Trilu"}) {
    HandlerEntry own = handlers.lookup(op);
    handlers[("com.microsoft::" + op).str()] = own;
  }
  handlers["com.microsoft::Inverse"] = importInverse;
  handlers["com.microsoft::Range"] = importRange;
  handlers["com.microsoft::Unique"] = importUnique;
}

} // namespace weir::onnx
