// Loops over the elements of matrices.

#include "passes/lower/linear/LinearShared.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace weir::lower {

Value Matrices::index(int64_t value) {
  return b.create<arith::ConstantIndexOp>(value);
}

Value Matrices::number(double value) {
  return b.create<arith::ConstantOp>(b.getFloatAttr(type, value));
}

Matrices::State Matrices::loop(Value begin, Value end, ValueRange init,
                               Body body) {
  auto loop = b.create<scf::ForOp>(
      begin, end, index(1), init,
      // The builder that it is given is `b`.
      [&](OpBuilder &, Location, Value i, ValueRange state) {
        State result = body(i, state);
        b.create<scf::YieldOp>(result);
      });
  return State(loop.getResults());
}

Value Matrices::loop(Value begin, Value end, Value init,
                     function_ref<Value(Value, Value)> body) {
  return loop(begin, end, ValueRange{init},
              [&](Value i, ValueRange state) -> State {
                return {body(i, state[0])};
              })[0];
}

Value Matrices::get(Value tensor, ValueRange at) {
  return b.create<tensor::ExtractOp>(tensor, at);
}
Value Matrices::set(Value element, Value tensor, ValueRange at) {
  return b.create<tensor::InsertOp>(element, tensor, at);
}

Value Matrices::add(Value x, Value y) { return b.create<arith::AddFOp>(x, y); }
Value Matrices::sub(Value x, Value y) { return b.create<arith::SubFOp>(x, y); }
Value Matrices::mul(Value x, Value y) { return b.create<arith::MulFOp>(x, y); }
Value Matrices::div(Value x, Value y) { return b.create<arith::DivFOp>(x, y); }
Value Matrices::neg(Value x) { return b.create<arith::NegFOp>(x); }
Value Matrices::abs(Value x) { return b.create<math::AbsFOp>(x); }
Value Matrices::sqrt(Value x) { return b.create<math::SqrtOp>(x); }
Value Matrices::above(Value x, Value y) {
  return b.create<arith::CmpFOp>(arith::CmpFPredicate::OGT, x, y);
}
Value Matrices::select(Value condition, Value x, Value y) {
  return b.create<arith::SelectOp>(condition, x, y);
}

Value Matrices::next(Value i) { return addIndex(i, index(1)); }
Value Matrices::addIndex(Value x, Value y) {
  return b.create<arith::AddIOp>(x, y);
}
Value Matrices::subIndex(Value x, Value y) {
  return b.create<arith::SubIOp>(x, y);
}
Value Matrices::same(Value x, Value y) {
  return b.create<arith::CmpIOp>(arith::CmpIPredicate::eq, x, y);
}

int64_t batchOf(RankedTensorType type, int64_t matrixRank) {
  int64_t batch = 1;
  for (int64_t size : type.getShape().drop_back(matrixRank))
    batch *= size;
  return batch;
}

/// Which of `rank` dimensions are joined to a tensor of `joined` dimensions.
static SmallVector<ReassociationIndices> leading(int64_t rank, int64_t joined) {
  SmallVector<ReassociationIndices> groups(joined);
  for (int64_t i = 0; i < rank; ++i)
    groups[std::max<int64_t>(i - (rank - joined), 0)].push_back(i);
  return groups;
}

Value Matrices::copyBatched(Value x) {
  auto full = cast<RankedTensorType>(x.getType());
  int64_t rank = full.getRank();
  auto joined = full.clone(
      {batchOf(full), full.getDimSize(rank - 2), full.getDimSize(rank - 1)});
  if (rank == 2)
    x = b.create<tensor::ExpandShapeOp>(
        joined, x, SmallVector<ReassociationIndices>{{0, 1}, {2}});
  else if (rank > 3)
    x = b.create<tensor::CollapseShapeOp>(joined, x, leading(rank, 3));
  SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(3));
  return b
      .create<linalg::GenericOp>(
          joined, x, emptyTensor(b, b.getLoc(), joined), maps, parallelLoops(3),
          [](OpBuilder &b, Location loc, ValueRange args) {
            b.create<linalg::YieldOp>(loc, args[0]);
          })
      .getResult(0);
}

Value Matrices::eachElement(Value x, Value at, Value rows, Value columns,
                            function_ref<Value(Value)> change) {
  return loop(index(0), rows, x, [&](Value i, Value x) -> Value {
    return loop(index(0), columns, x, [&](Value k, Value x) -> Value {
      return set(change(get(x, {at, i, k})), x, {at, i, k});
    });
  });
}

Value Matrices::largest(Value x, Value at, Value rows, Value columns) {
  Value none = number(0);
  Value size = loop(index(0), rows, none, [&](Value i, Value most) -> Value {
    return loop(index(0), columns, most, [&](Value k, Value most) -> Value {
      Value element = abs(get(x, {at, i, k}));
      return select(above(element, most), element, most);
    });
  });
  return select(above(size, none), size, number(1));
}

Value Matrices::empty(ArrayRef<int64_t> shape, Type elementType) {
  return b.create<tensor::EmptyOp>(shape, elementType);
}

Value Matrices::zeros(ArrayRef<int64_t> shape) {
  return filledTensor(b, b.getLoc(), RankedTensorType::get(shape, type),
                      number(0));
}

Value Matrices::identity(int64_t batch, int64_t size) {
  return generateTensor(
      b, b.getLoc(), RankedTensorType::get({batch, size, size}, type),
      [&](OpBuilder &b, Location loc, ValueRange at) -> Value {
        Value one = b.create<arith::ConstantOp>(loc, b.getFloatAttr(type, 1));
        Value zero = b.create<arith::ConstantOp>(loc, b.getFloatAttr(type, 0));
        Value diagonal = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq,
                                                 at[1], at[2]);
        return b.create<arith::SelectOp>(loc, diagonal, one, zero);
      });
}

Value Matrices::split(Value x, Type result) {
  auto type = cast<RankedTensorType>(result);
  auto joined = cast<RankedTensorType>(x.getType());
  if (type == joined)
    return x;
  if (type.getRank() < joined.getRank()) {
    // A batch of one: its dimension joins the next, or goes away.
    SmallVector<ReassociationIndices> groups;
    if (type.getRank() > 0) {
      groups.push_back({0, 1});
      for (int64_t i = 2; i < joined.getRank(); ++i)
        groups.push_back({i});
    }
    return b.create<tensor::CollapseShapeOp>(type, x, groups);
  }
  return b.create<tensor::ExpandShapeOp>(
      type, x, leading(type.getRank(), joined.getRank()));
}

} // namespace weir::lower
