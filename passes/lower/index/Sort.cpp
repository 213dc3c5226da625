// Lowers graph.sort to a merge sort.

#include "passes/lower/Patterns.h"

#include "dialects/graph/Index.h"
#include "dialects/weir/Attributes.h"
#include "passes/lower/index/Keys.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;

namespace weir::lower {

double sortCycles(int64_t size) {
  return 20. * double(size) * std::log2(double(size));
}

namespace {

/// Whether x is less than y; a NaN is greater than every number. `type` tells
/// the sign.
Value isLess(OpBuilder &b, Location loc, Type type, Value x, Value y) {
  if (!isa<FloatType>(type)) {
    bool isUnsigned = type.isUnsignedInteger() || type.isInteger(1);
    return b.create<arith::CmpIOp>(
        loc, isUnsigned ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt,
        x, y);
  }
  using Predicate = arith::CmpFPredicate;
  Value less = b.create<arith::CmpFOp>(loc, Predicate::OLT, x, y);
  Value number = b.create<arith::CmpFOp>(loc, Predicate::ORD, x, x);
  Value nan = b.create<arith::CmpFOp>(loc, Predicate::UNO, y, y);
  nan = b.create<arith::AndIOp>(loc, number, nan);
  return b.create<arith::OrIOp>(loc, less, nan);
}

/// One element of each tensor at `prefix`, `index`; the index is made valid.
SmallVector<Value> extractAll(OpBuilder &b, Location loc, ValueRange tensors,
                              ValueRange prefix, Value index) {
  int64_t size = cast<RankedTensorType>(tensors[0].getType()).getShape().back();
  Value last = b.create<arith::ConstantIndexOp>(loc, size - 1);
  SmallVector<Value> at(prefix), elements;
  at.push_back(b.create<arith::MinUIOp>(loc, index, last));
  for (Value tensor : tensors)
    elements.push_back(b.create<tensor::ExtractOp>(loc, tensor, at));
  return elements;
}

SmallVector<Value> insertAll(OpBuilder &b, Location loc, ValueRange elements,
                             ValueRange tensors, ValueRange prefix,
                             Value index) {
  SmallVector<Value> at(prefix), results;
  at.push_back(index);
  for (auto [element, tensor] : llvm::zip_equal(elements, tensors))
    results.push_back(b.create<tensor::InsertOp>(loc, element, tensor, at));
  return results;
}

/// Sorts by merging runs of `width` elements into runs of twice that, from one
/// set of tensors into another and back, until one run is left.
struct LowerSort : OpConversionPattern<graph::SortOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(graph::SortOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    size_t count = adaptor.getInputs().size();
    SmallVector<Value> inits;
    for (Value input : adaptor.getInputs())
      inits.push_back(copyTensor(rewriter, loc, input));
    int64_t size = cast<RankedTensorType>(inits[0].getType()).getShape().back();
    if (size < 2) {
      rewriter.replaceOp(op, inits);
      return success();
    }
    for (Value input : adaptor.getInputs())
      inits.push_back(emptyTensor(rewriter, loc, input.getType()));

    Value zero = rewriter.create<arith::ConstantIndexOp>(loc, 0);
    Value one = rewriter.create<arith::ConstantIndexOp>(loc, 1);
    Value rounds = rewriter.create<arith::ConstantIndexOp>(
        loc, llvm::divideCeil(llvm::Log2_64_Ceil(size), 2));
    inits.push_back(one);
    auto loop = rewriter.create<scf::ForOp>(
        loc, zero, rounds, one, inits,
        [&](OpBuilder &b, Location loc, Value, ValueRange carried) {
          ValueRange first = carried.take_front(count),
                     second = carried.slice(count, count);
          Value width = carried.back();
          SmallVector<Value> there = merge(b, loc, op, first, second, width);
          width = b.create<arith::ShLIOp>(loc, width, one);
          SmallVector<Value> back = merge(b, loc, op, there, first, width);
          llvm::append_range(back, there);
          back.push_back(b.create<arith::ShLIOp>(loc, width, one));
          b.create<scf::YieldOp>(loc, back);
        });
    int64_t rows =
        cast<RankedTensorType>(inits[0].getType()).getNumElements() / size;
    attrs::cycles.set(loop, double(rows) * sortCycles(size));
    rewriter.replaceOp(op, loop.getResults().take_front(count));
    return success();
  }

private:
  /// One pass over all rows: the runs of `from` become longer runs of `to`.
  static SmallVector<Value> merge(OpBuilder &b, Location loc, graph::SortOp op,
                                  ValueRange from, ValueRange to, Value width) {
    ArrayRef<int64_t> shape =
        cast<RankedTensorType>(op.getInputs()[0].getType()).getShape();
    Value size = b.create<arith::ConstantIndexOp>(loc, shape.back());
    Value zero = b.create<arith::ConstantIndexOp>(loc, 0);
    Value one = b.create<arith::ConstantIndexOp>(loc, 1);
    Value twice = b.create<arith::ShLIOp>(loc, width, one);
    return sequentialLoops(
        b, loc, shape.drop_back(), to,
        [&](OpBuilder &b, Location loc, ValueRange row, ValueRange carried) {
          auto loop = b.create<scf::ForOp>(
              loc, zero, size, twice, carried,
              [&](OpBuilder &b, Location loc, Value begin, ValueRange carried) {
                Value middle = b.create<arith::AddIOp>(loc, begin, width);
                middle = b.create<arith::MinUIOp>(loc, middle, size);
                Value end = b.create<arith::AddIOp>(loc, begin, twice);
                end = b.create<arith::MinUIOp>(loc, end, size);
                b.create<scf::YieldOp>(loc, mergeRuns(b, loc, op, from, row,
                                                      {begin, middle, end},
                                                      carried));
              });
          return SmallVector<Value>(loop.getResults());
        });
  }

  /// Merges begin .. middle and middle .. end (`ends`) of a row.
  static SmallVector<Value> mergeRuns(OpBuilder &b, Location loc,
                                      graph::SortOp op, ValueRange from,
                                      ValueRange row, ArrayRef<Value> ends,
                                      ValueRange to) {
    Type type = getElementTypeOrSelf(op.getInputs()[0]);
    Value one = b.create<arith::ConstantIndexOp>(loc, 1);
    SmallVector<Value> inits{ends[0], ends[1]};
    llvm::append_range(inits, to);
    auto loop = b.create<scf::ForOp>(
        loc, ends[0], ends[2], one, inits,
        [&](OpBuilder &b, Location loc, Value position, ValueRange carried) {
          // The next of the left run, unless the right one's is before it.
          Value left = carried[0], right = carried[1];
          Value x = extractAll(b, loc, from.front(), row, left)[0];
          Value y = extractAll(b, loc, from.front(), row, right)[0];
          Value before = op.getDescending() ? isLess(b, loc, type, x, y)
                                            : isLess(b, loc, type, y, x);
          using Predicate = arith::CmpIPredicate;
          Value leftEnded =
              b.create<arith::CmpIOp>(loc, Predicate::uge, left, ends[1]);
          Value rightLeft =
              b.create<arith::CmpIOp>(loc, Predicate::ult, right, ends[2]);
          Value takeRight = b.create<arith::OrIOp>(loc, leftEnded, before);
          takeRight = b.create<arith::AndIOp>(loc, takeRight, rightLeft);
          Value index = b.create<arith::SelectOp>(loc, takeRight, right, left);
          Value next = b.create<arith::AddIOp>(loc, index, one);
          SmallVector<Value> yields{
              b.create<arith::SelectOp>(loc, takeRight, left, next),
              b.create<arith::SelectOp>(loc, takeRight, next, right)};
          llvm::append_range(
              yields, insertAll(b, loc, extractAll(b, loc, from, row, index),
                                carried.drop_front(2), row, position));
          b.create<scf::YieldOp>(loc, yields);
        });
    return SmallVector<Value>(loop.getResults().drop_front(2));
  }
};

} // namespace

void addSortPatterns(const TypeConverter &converter,
                     RewritePatternSet &patterns) {
  patterns.add<LowerSort>(converter, patterns.getContext());
}

} // namespace weir::lower
