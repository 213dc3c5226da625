// Verifies, infers and folds the ops of the family Linear.

#include "dialects/graph/Linear.h"

#include "dialects/graph/Gradients.h"

using namespace mlir;
using namespace weir::graph;

#define GET_OP_CLASSES
#include "dialects/graph/LinearOps.cpp.inc"

static bool isSquare(ArrayRef<int64_t> shape) {
  return shape.size() >= 2 && shape.back() == shape[shape.size() - 2];
}

LogicalResult CholeskyOp::verify() {
  // (C1)
  if (!isSquare(getType().getShape()))
    return emitOpError("needs square matrices, not ") << getType();
  return success();
}

LogicalResult
TriangularSolveOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                    Adaptor adaptor,
                                    SmallVectorImpl<Type> &results) {
  auto a = cast<RankedTensorType>(adaptor.getA().getType());
  auto b = cast<RankedTensorType>(adaptor.getB().getType());
  // (C1)
  if (!isSquare(a.getShape()) || b.getRank() != a.getRank() ||
      a.getShape().drop_back() != b.getShape().drop_back() ||
      a.getElementType() != b.getElementType())
    return emitOptionalError(loc, "cannot solve ", a, " for ", b);
  results.push_back(b);
  return success();
}

LogicalResult LuOp::inferReturnTypes(MLIRContext *context,
                                     std::optional<Location> loc,
                                     Adaptor adaptor,
                                     SmallVectorImpl<Type> &results) {
  auto x = cast<RankedTensorType>(adaptor.getX().getType());
  // (C1)
  if (!isSquare(x.getShape()))
    return emitOptionalError(loc, "needs square matrices, not ", x);
  results.push_back(x);
  results.push_back(RankedTensorType::get(x.getShape().drop_back(),
                                          IntegerType::get(context, 32)));
  results.push_back(x.clone(x.getShape().drop_back(2)));
  return success();
}

/// The type of `x` with other sizes of its matrices.
static RankedTensorType matrices(RankedTensorType x, ArrayRef<int64_t> sizes) {
  SmallVector<int64_t> shape(x.getShape().drop_back(2));
  llvm::append_range(shape, sizes);
  return x.clone(shape);
}

LogicalResult QrOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                     Adaptor adaptor,
                                     SmallVectorImpl<Type> &results) {
  auto x = cast<RankedTensorType>(adaptor.getX().getType());
  // (C1)
  if (x.getRank() < 2)
    return emitOptionalError(loc, "needs matrices, not ", x);
  int64_t m = x.getShape().end()[-2], n = x.getShape().back();
  int64_t p = adaptor.getFull() ? m : std::min(m, n);
  results.push_back(matrices(x, {m, p}));
  results.push_back(matrices(x, {p, n}));
  return success();
}

LogicalResult SvdOp::inferReturnTypes(MLIRContext *,
                                      std::optional<Location> loc,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &results) {
  auto x = cast<RankedTensorType>(adaptor.getX().getType());
  // (C1)
  if (x.getRank() < 2)
    return emitOptionalError(loc, "needs matrices, not ", x);
  int64_t m = x.getShape().end()[-2], n = x.getShape().back();
  int64_t p = std::min(m, n);
  bool full = adaptor.getFull();
  results.push_back(matrices(x, {p}));
  results.push_back(matrices(x, {m, full ? m : p}));
  results.push_back(matrices(x, {n, full ? n : p}));
  return success();
}

void weir::graph::attachLinearDerivatives(MLIRContext *context) {
  attachDerivatives<
#define GET_OP_LIST
#include "dialects/graph/LinearOps.cpp.inc"
      >(context);
}
