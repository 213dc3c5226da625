// Lowers graph.top_k to counts of elements or, for many of a row, to a sort.

#include "passes/lower/Patterns.h"
#include "passes/lower/index/Keys.h"

#include "dialects/graph/Index.h"
#include "dialects/graph/Shape.h"
#include "dialects/kernel/Kernel.h"
#include "dialects/weir/Attributes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace weir::lower {
namespace {

/// Finds the k largest of a row of keys by counting. The k-th largest key is
/// that of which bit after bit at least k keys are as large or, for a small k,
/// the greatest below the one before as long as those are fewer: comparisons
/// are of vectors, and no branch depends on one. Of a long row the greatest of
/// blocks come first: the k-th largest of these is a bound that few other keys
/// reach.
class TopOfRow {
public:
  TopOfRow(OpBuilder &b, Location loc, RankedTensorType keys, int64_t k)
      : b(b), loc(loc), keyType(cast<IntegerType>(keys.getElementType())),
        size(keys.getShape().back()), k(k) {
    while (block < 256 && size / (2 * block) >= 4 * k)
      block *= 2;
    byBlocks = size / block >= 2 * k;
  }

  /// Cycles of a core for each element, roughly.
  double cycles() const {
    return byBlocks ? 1.6 : 1.2 + 0.4 * double(std::min<int64_t>(k, 32));
  }

  /// Memory that the loops overwrite for each row: the maxima of blocks, then
  /// keys and their indices, of candidates and of selected elements.
  SmallVector<Value> scratch() {
    Type position = b.getI32Type();
    SmallVector<Value> made;
    for (auto [length, type] :
         {std::pair<int64_t, Type>{byBlocks ? size / block : 1, keyType},
          {size, keyType},
          {size, position},
          {k, keyType},
          {k, position}})
      made.push_back(
          emptyTensor(b, loc, RankedTensorType::get({length}, type)));
    return made;
  }

  /// The row `row` of both results, `values` of which are from `x`; then what
  /// scratch became.
  SmallVector<Value> run(Value x, Value keys, ValueRange row,
                         ValueRange carried) {
    SmallVector<Value> results(carried.take_front(2));
    Value most = carried[2];
    SmallVector<Value> candidates(carried.slice(3, 2)),
        chosen(carried.slice(5, 2));
    Value bound;
    if (byBlocks) {
      most = greatestOfBlocks(keys, row, most);
      bound = kth(most, {}, index(size / block));
    } else {
      bound = kth(keys, row, index(size));
    }
    Value count = take(keys, row, bound, most, candidates);
    Value least = byBlocks ? kth(candidates[0], {}, count) : bound;
    choose(candidates, count, least, chosen);
    sort(x, row, chosen, results);
    SmallVector<Value> all(results);
    all.push_back(most);
    llvm::append_range(all, candidates);
    llvm::append_range(all, chosen);
    return all;
  }

  /// Marks the outermost loops of a row with equal shares of its cycles.
  void markLoops() {
    for (scf::ForOp made : loops)
      attrs::cycles.set(made, cycles() * double(size) / double(loops.size()));
  }

private:
  using Body = function_ref<SmallVector<Value>(Value, ValueRange)>;
  /// Steps that take less time than those of 32 bits.
  static constexpr int64_t fewSteps = 16;

  Value index(int64_t value) {
    return b.create<arith::ConstantIndexOp>(loc, value);
  }
  Value number(int64_t value) {
    return b.create<arith::ConstantIntOp>(loc, value, 32);
  }
  Value compare(arith::CmpIPredicate predicate, Value x, Value y) {
    return b.create<arith::CmpIOp>(loc, predicate, x, y);
  }
  Value add(Value x, Value y) { return b.create<arith::AddIOp>(loc, x, y); }
  /// `count` and one more where the condition holds.
  Value plusOneIf(Value count, Value condition) {
    return add(
        count,
        count.getType().isIndex()
            ? b.create<arith::SelectOp>(loc, condition, index(1), index(0))
                  .getResult()
            : b.create<arith::ExtUIOp>(loc, count.getType(), condition));
  }
  Value at(Value tensor, ValueRange row, Value i) {
    SmallVector<Value> position(row);
    position.push_back(i);
    return b.create<tensor::ExtractOp>(loc, tensor, position);
  }
  Value placed(Value element, Value tensor, ValueRange row, Value i) {
    SmallVector<Value> position(row);
    position.push_back(i);
    return b.create<tensor::InsertOp>(loc, element, tensor, position);
  }

  SmallVector<Value> loop(Value begin, Value end, ValueRange carried,
                          Body body) {
    ++depth;
    auto made = b.create<scf::ForOp>(
        loc, begin, end, index(1), carried,
        [&](OpBuilder &, Location, Value i, ValueRange carried) {
          b.create<scf::YieldOp>(loc, body(i, carried));
        });
    if (--depth == 0)
      loops.push_back(made);
    return SmallVector<Value>(made.getResults());
  }

  /// How many of the keys from `begin` to before `end` are to `bound` as the
  /// predicate says.
  Value count(Value keys, ValueRange row, Value begin, Value end,
              arith::CmpIPredicate predicate, Value bound) {
    return loop(begin, end, number(0), [&](Value i, ValueRange count) {
      return SmallVector<Value>{
          plusOneIf(count[0], compare(predicate, at(keys, row, i), bound))};
    })[0];
  }

  /// The k-th largest of the first `length` keys.
  Value kth(Value keys, ValueRange row, Value length) {
    return k <= fewSteps ? kthByMaxima(keys, row, length)
                         : kthByBits(keys, row, length);
  }

  Value kthByMaxima(Value keys, ValueRange row, Value length) {
    Value least = b.create<arith::ConstantOp>(
        loc, b.getIntegerAttr(keyType,
                              APInt::getSignedMinValue(keyType.getWidth())));
    Value greatest = loop(index(0), length, least, [&](Value i, ValueRange so) {
      return SmallVector<Value>{
          b.create<arith::MaxSIOp>(loc, so[0], at(keys, row, i))};
    })[0];
    return loop(index(1), index(k), greatest, [&](Value, ValueRange bound) {
      SmallVector<Value> seen = loop(
          index(0), length, {number(0), least},
          [&](Value i, ValueRange so) -> SmallVector<Value> {
            Value key = at(keys, row, i);
            Value isBelow = compare(arith::CmpIPredicate::slt, key, bound[0]);
            Value below = b.create<arith::SelectOp>(loc, isBelow, key, least);
            Value reaches = compare(arith::CmpIPredicate::sge, key, bound[0]);
            return {plusOneIf(so[0], reaches),
                    b.create<arith::MaxSIOp>(loc, so[1], below)};
          });
      Value enough = compare(arith::CmpIPredicate::sge, seen[0], number(k));
      return SmallVector<Value>{
          b.create<arith::SelectOp>(loc, enough, bound[0], seen[1])};
    })[0];
  }

  Value kthByBits(Value keys, ValueRange row, Value length) {
    unsigned width = keyType.getWidth();
    auto constant = [&](const APInt &value) -> Value {
      return b.create<arith::ConstantOp>(loc, b.getIntegerAttr(keyType, value));
    };
    Value sign = constant(APInt::getSignMask(width));
    Value zero = constant(APInt::getZero(width));
    // Built of the upper bits first as if keys were unsigned.
    Value made =
        loop(index(0), index(width), zero, [&](Value i, ValueRange so) {
          Value bit = b.create<arith::ShRUIOp>(
              loc, sign, b.create<arith::IndexCastOp>(loc, keyType, i));
          Value next = b.create<arith::OrIOp>(loc, so[0], bit);
          Value reached =
              count(keys, row, index(0), length, arith::CmpIPredicate::sge,
                    b.create<arith::XOrIOp>(loc, next, sign));
          Value enough = compare(arith::CmpIPredicate::sge, reached, number(k));
          return SmallVector<Value>{
              b.create<arith::SelectOp>(loc, enough, next, so[0])};
        })[0];
    return b.create<arith::XOrIOp>(loc, made, sign);
  }

  Value firstOfBlock(Value i) {
    return b.create<arith::MulIOp>(loc, i, index(block));
  }

  Value greatestOfBlocks(Value keys, ValueRange row, Value most) {
    return loop(index(0), index(size / block), most,
                [&](Value i, ValueRange most) {
                  Value first = firstOfBlock(i);
                  Value greatest =
                      loop(add(first, index(1)), add(first, index(block)),
                           at(keys, row, first), [&](Value j, ValueRange so) {
                             return SmallVector<Value>{b.create<arith::MaxSIOp>(
                                 loc, so[0], at(keys, row, j))};
                           })[0];
                  return SmallVector<Value>{placed(greatest, most[0], {}, i)};
                })[0];
  }

  /// Collects keys that reach the bound, and their indices, into `candidates`
  /// in order. Returns their number.
  Value take(Value keys, ValueRange row, Value bound, Value most,
             SmallVector<Value> &candidates) {
    auto all = [&](Value begin, Value end, ValueRange carried) {
      return loop(begin, end, carried, [&](Value i, ValueRange so) {
        Value key = at(keys, row, i);
        Value position = b.create<arith::IndexCastOp>(loc, b.getI32Type(), i);
        // What does not reach it is written over.
        Value reaches = compare(arith::CmpIPredicate::sge, key, bound);
        return SmallVector<Value>{plusOneIf(so[0], reaches),
                                  placed(key, so[1], {}, so[0]),
                                  placed(position, so[2], {}, so[0])};
      });
    };
    SmallVector<Value> now{index(0)};
    llvm::append_range(now, candidates);
    int64_t blocks = byBlocks ? size / block : 0;
    if (byBlocks)
      now = loop(index(0), index(blocks), now, [&](Value i, ValueRange so) {
        Value reaches =
            compare(arith::CmpIPredicate::sge, at(most, {}, i), bound);
        auto choice = b.create<scf::IfOp>(
            loc, reaches,
            [&](OpBuilder &, Location) {
              Value first = firstOfBlock(i);
              b.create<scf::YieldOp>(loc,
                                     all(first, add(first, index(block)), so));
            },
            [&](OpBuilder &, Location) { b.create<scf::YieldOp>(loc, so); });
        return SmallVector<Value>(choice.getResults());
      });
    now = all(index(blocks * block), index(size), now);
    candidates.assign({now[1], now[2]});
    return now[0];
  }

  /// The k largest of the candidates, in their order: of those that equal the
  /// k-th largest, `least`, the first ones.
  void choose(ArrayRef<Value> candidates, Value length, Value least,
              SmallVector<Value> &chosen) {
    Value larger = count(candidates[0], {}, index(0), length,
                         arith::CmpIPredicate::sgt, least);
    Value equal = b.create<arith::SubIOp>(loc, number(k), larger);
    SmallVector<Value> now{index(0), equal};
    llvm::append_range(now, chosen);
    now = loop(index(0), length, now, [&](Value i, ValueRange so) {
      Value key = at(candidates[0], {}, i);
      Value isLarger = compare(arith::CmpIPredicate::sgt, key, least);
      Value isLeast = compare(arith::CmpIPredicate::eq, key, least);
      Value isLeft = compare(arith::CmpIPredicate::sgt, so[1], number(0));
      Value fills = b.create<arith::AndIOp>(loc, isLeast, isLeft);
      Value wanted = b.create<arith::OrIOp>(loc, isLarger, fills);
      auto choice = b.create<scf::IfOp>(
          loc, wanted,
          [&](OpBuilder &, Location) {
            b.create<scf::YieldOp>(
                loc,
                ValueRange{placed(key, so[2], {}, so[0]),
                           placed(at(candidates[1], {}, i), so[3], {}, so[0])});
          },
          [&](OpBuilder &, Location) {
            b.create<scf::YieldOp>(loc, so.drop_front(2));
          });
      Value used = b.create<arith::ExtUIOp>(loc, b.getI32Type(), fills);
      return SmallVector<Value>{plusOneIf(so[0], wanted),
                                b.create<arith::SubIOp>(loc, so[1], used),
                                choice.getResult(0), choice.getResult(1)};
    });
    chosen.assign({now[2], now[3]});
  }

  /// Puts the chosen in descending order: each goes behind as many as are
  /// larger or, before it, equal.
  void sort(Value x, ValueRange row, ArrayRef<Value> chosen,
            SmallVector<Value> &results) {
    results = loop(index(0), index(k), results, [&](Value i, ValueRange so) {
      Value key = at(chosen[0], {}, i);
      Value before =
          count(chosen[0], {}, index(0), i, arith::CmpIPredicate::sge, key);
      Value behind = count(chosen[0], {}, add(i, index(1)), index(k),
                           arith::CmpIPredicate::sgt, key);
      Value rank = b.create<arith::IndexCastOp>(loc, b.getIndexType(),
                                                add(before, behind));
      Value position = at(chosen[1], {}, i);
      Value value =
          at(x, row,
             b.create<arith::IndexCastOp>(loc, b.getIndexType(), position));
      return SmallVector<Value>{placed(value, so[0], row, rank),
                                placed(position, so[1], row, rank)};
    });
  }

  OpBuilder &b;
  Location loc;
  IntegerType keyType;
  int64_t size, k, block = 16;
  bool byBlocks;
  int depth = 0; // of the loop that is built
  SmallVector<scf::ForOp> loops;
};

/// Of so many that counting each among them takes longer, the largest are the
/// first after a sort.
struct LowerTopK : OpConversionPattern<graph::TopKOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(graph::TopKOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType type = op.getX().getType();
    auto k = static_cast<int64_t>(op.getK());
    SmallVector<Value> kept{
        emptyTensor(rewriter, loc, op.getValues().getType()),
        emptyTensor(rewriter, loc, op.getIndices().getType())};
    if (op.getValues().getType().getNumElements() == 0) {
      rewriter.replaceOp(op, kept);
      return success();
    }
    // In cycles, from what both take on a core with vectors of 16 keys.
    if (double(k) * double(k) / 8 > sortCycles(type.getShape().back())) {
      replaceBySort(op, rewriter);
      return success();
    }
    Value keys = keysOf(rewriter, loc, adaptor.getX(), type.getElementType());
    TopOfRow top(rewriter, loc, cast<RankedTensorType>(keys.getType()), k);
    llvm::append_range(kept, top.scratch());
    kept = sequentialLoops(
        rewriter, loc, type.getShape().drop_back(), kept,
        [&](OpBuilder &, Location, ValueRange row, ValueRange carried) {
          return top.run(adaptor.getX(), keys, row, carried);
        });
    if (!markRows(kept[0], type.getShape().drop_back(),
                  top.cycles() * double(type.getNumElements())))
      top.markLoops();
    rewriter.replaceOp(op, ArrayRef(kept).take_front(2));
    return success();
  }

private:
  /// Marks the outermost loop over several rows of `result`, which are
  /// independent, with the cycles of all. Returns false if there is one row.
  static bool markRows(Value result, ArrayRef<int64_t> rows, double cycles) {
    auto loop = result.getDefiningOp<scf::ForOp>();
    for (int64_t count : rows) {
      if (count != 1) {
        attrs::rowsApart.set(loop, cycles);
        return true;
      }
      auto inner = loop.getBody()->getOps<scf::ForOp>();
      if (inner.empty())
        return false;
      loop = *inner.begin();
    }
    return false;
  }

  static void replaceBySort(graph::TopKOp op,
                            ConversionPatternRewriter &rewriter) {
    RankedTensorType type = op.getX().getType();
    SmallVector<int64_t> starts(type.getRank()), strides(type.getRank(), 1);
    Value positions = rewriter.create<graph::IotaOp>(
        op.getLoc(), type.clone(rewriter.getI32Type()), type.getRank() - 1);
    auto sort = rewriter.create<graph::SortOp>(
        op.getLoc(), ValueRange{op.getX(), positions}, true);
    SmallVector<Value> results;
    for (Value sorted : sort.getOutputs())
      results.push_back(rewriter.create<graph::SliceOp>(
          op.getLoc(), sorted, starts, op.getValues().getType().getShape(),
          strides));
    rewriter.replaceOp(op, results);
  }
};

} // namespace

void addTopKPatterns(const TypeConverter &converter,
                     RewritePatternSet &patterns) {
  patterns.add<LowerTopK>(converter, patterns.getContext());
}

} // namespace weir::lower
