// A block of threads computes rows of an attention, without its scores ever
// being in memory (Dao et al., "FlashAttention", 2022; "FlashAttention-2",
// 2023).
//
// The scores s of a row come in tiles of columns. A row keeps the maximum m of
// all scores so far, the sum l of their exponentials and the sums o of these
// times v, which a tile changes to
//
//   m' = max(m, max(s)),  p = exp(s - m'),  c = exp(m - m'),
//   l' = c l + sum(p),    o' = c o + p v,
//
// and the result is o / l at the end. The exponentials are powers of two by the
// unit for these, whose relative error is 2^-22 at most. A row without a score
// above -inf has NaN, as the softmax has: its sums are 0 / 0. So has one with
// NaN or +inf in it.
//
// Where rows are few, blocks share the columns of each, and leave m, l and o to
// a second launch (AttentionParts.cpp).
//
// Each of a row's lanes adds up its own share of l; m is the same in all of
// them. While a tile's scores are multiplied, its part of v is on its way to
// shared memory, and during all else the next tile's part of k is.

#include "passes/gpu/kernels/AttentionPlan.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace weir::gpu {
namespace {

// What is stored together at most, by 16 bytes or twice that.
constexpr int64_t maxNeighbours = 8;

/// What a row is after some of its tiles.
struct Rows {
  SmallVector<Value> largest, total, sums;

  Rows(int64_t rows, ValueRange values)
      : largest(values.take_front(rows)),
        total(values.drop_front(rows).take_front(rows)),
        sums(values.drop_front(2 * rows)) {}
  SmallVector<Value> values() const {
    SmallVector<Value> all(largest);
    llvm::append_range(all, total);
    llvm::append_range(all, sums);
    return all;
  }
};

/// What one block does.
class AttentionBlock {
public:
  AttentionBlock(ThreadBuilder &b, const Attention &a,
                 const AttentionPlan &plan, const AttentionParts &parts,
                 const AttentionPosition &position, Value thread)
      : b(b), a(a), plan(plan), parts(parts), part(position.part),
        batch(position.batch), firstRow(position.firstRow),
        firstResult(position.firstResult), thread(thread) {}

  void emit();

private:
  struct Copied {
    Side side;
    Slice slice;
    Part part;
    Value target;
    int64_t chunksTogether;
  };

  void position();
  void begin(const Copied &copied, Value line, Value k) {
    Part part = copied.part;
    part.first = line;
    beginSlice(b, copied.side, copied.slice, part, k, copied.target, thread,
               plan.warps * warp, copied.chunksTogether);
  }
  /// Slice `i` of the tile of k, and of q where that has several.
  void beginScores(Value firstColumn, Value i) {
    Value k = b.times(i, plan.depthOfSlice);
    begin(*keys, firstColumn, k);
    if (plan.depthSlices > 1)
      begin(*queries, firstRow, k);
  }
  void beginValues(Value firstColumn, int64_t i) {
    begin(*values, firstResult,
          b.plus(firstColumn, b.index(i * plan.tileOfSlice)));
  }
  void arrive(int64_t groups) {
    waitForGroups(b, groups);
    b.barrier();
  }

  SmallVector<Value> tile(Value first, Value number, ValueRange before);
  SmallVector<Placed> scores(ValueRange sums, Value firstColumn);
  void weigh(SmallVector<Placed> &scores, Rows &rows);
  void store(const Rows &rows);
  /// Leaves what is known of the rows to the launch that combines parts.
  void keepBounds(ArrayRef<Value> largest, ArrayRef<Value> totals);
  Value acrossRow(Value value, llvm::function_ref<Value(Value, Value)> combine);
  Value exponential(Value score, Value base, Value baseOfTwo);
  Value exp2(Value x) {
    return b
        .create<LLVM::CallIntrinsicOp>(
            b.getF32Type(), b.getStringAttr("llvm.nvvm.ex2.approx.ftz.f"),
            ValueRange(x))
        ->getResult(0);
  }
  /// The exponent of two of a power of e with exponent `x`.
  Value ofTwo(Value x) {
    return b.create<arith::MulFOp>(x, number(llvm::numbers::log2e));
  }
  Value number(double value) {
    return b.create<arith::ConstantOp>(b.getF32FloatAttr(value));
  }

  ThreadBuilder &b;
  const Attention &a;
  const AttentionPlan &plan;
  const AttentionParts &parts;
  Value part;
  ValueRange batch;
  Value firstRow, firstResult, thread, held;
  std::function<Position(Value, Value, Value)> queryAt, keyAt, valueAt;
  std::optional<Copied> queries, keys, values;
  std::unique_ptr<HoldingThreads> inner, outer; // scores, and the result
};

void AttentionBlock::position() {
  kernel::MatmulOp scores = a.scores, product = a.product;
  bool isTurned = scores.getTransposeA();
  queryAt = [this, isTurned](Value, Value row, Value k) {
    Position position{SmallVector<Value>(batch)};
    position.at.append({isTurned ? k : row, isTurned ? row : k});
    return position;
  };
  auto rightOf = [this](bool isShared) {
    return [this, isShared](Value, Value column, Value k) {
      Position position;
      if (!isShared)
        position.at.assign(batch.begin(), batch.end());
      position.at.append({k, column});
      return position;
    };
  };
  keyAt = rightOf(scores.getShared());
  valueAt = rightOf(product.getShared());
  bool passesDepth = plan.depthSlices * plan.depthOfSlice != plan.depth,
       passesColumns =
           plan.parts * plan.tilesOfPart * plan.tile != plan.columns;
  int64_t rowsOfBlock = plan.rowsOfBlock();
  auto copied = [&](Side side, int64_t lines, int64_t depth, Part part) {
    Slice slice{lines, depth, side.byDepth, side.elementBytes()};
    Value memory = b.shared({slice.bytes()}, b.getI8Type());
    return Copied{side, slice, part, pointerTo(b, memory),
                  plan.chunksTogether(part)};
  };
  queries =
      copied(sideOf(a.q, !isTurned, queryAt), rowsOfBlock, plan.depthOfSlice,
             {Value(), Value(), plan.rows, plan.depth,
              plan.rows % rowsOfBlock != 0, passesDepth});
  keys = copied(
      sideOf(a.k, false, keyAt), plan.tile, plan.depthOfSlice,
      {Value(), Value(), plan.columns, plan.depth, passesColumns, passesDepth});
  values =
      copied(sideOf(a.v, false, valueAt), plan.widthOfTile, plan.tileOfSlice,
             {Value(), Value(), plan.width, plan.columns,
              plan.width % plan.widthOfTile != 0, passesColumns});
  Tiling ofScores{rowsOfBlock, plan.tile, plan.warps, 1, 1, 1},
      ofResult{rowsOfBlock, plan.widthOfTile, plan.warps, 1, 1, 1};
  // What threads make by rows as they have these of q, they hold so.
  Slice made{rowsOfBlock, plan.tile, queries->slice.byDepth,
             values->slice.elementBytes};
  if (plan.multiplier == Multiplier::Threads) {
    held = pointerTo(b, b.shared({made.bytes()}, b.getI8Type()));
    inner = makeFloatThreads(b, ofScores, queries->slice, keys->slice, thread);
    outer = makeFloatThreads(b, ofResult, made, values->slice, thread);
  } else {
    Type element = values->side.element();
    inner = makeUnitThreads(b, ofScores, queries->slice, keys->slice, element,
                            thread);
    outer = makeUnitThreads(b, ofResult, made, values->slice, element, thread);
  }
}

void AttentionBlock::emit() {
  position();
  if (plan.depthSlices == 1)
    begin(*queries, firstRow, b.index(0));
  Value first = b.times(part, plan.tilesOfPart);
  beginScores(b.times(first, plan.tile), b.index(0));
  endGroup(b);
  int64_t count = inner->rows();
  SmallVector<Value> start(count,
                           number(-std::numeric_limits<double>::infinity()));
  start.append(count + outer->sums(), number(0));
  SmallVector<Value> rows =
      b.loop(plan.tilesOfPart, start, [&](Value number, ValueRange before) {
        return tile(first, number, before);
      });
  store(Rows(count, rows));
}

/// What is known after tile `number` of those from `first` on.
SmallVector<Value> AttentionBlock::tile(Value first, Value number,
                                        ValueRange before) {
  Rows rows(inner->rows(), before);
  Value firstColumn = b.times(b.plus(first, number), plan.tile);
  arrive(0);
  beginValues(firstColumn, 0);
  endGroup(b);
  SmallVector<Value> sums(inner->sums(), b.zero(b.getF32Type()));
  sums = inner->multiply(queries->target, keys->target, sums);
  if (plan.depthSlices > 1)
    sums = b.loop(plan.depthSlices - 1, sums, [&](Value i, ValueRange now) {
      b.barrier();
      beginScores(firstColumn, b.plus(i, b.index(1)));
      endGroup(b);
      arrive(0);
      return inner->multiply(queries->target, keys->target, now);
    });
  b.barrier();
  Value next = b.plus(number, b.index(1));
  b.onlyIf(b.isInside(next, plan.tilesOfPart), [&] {
    beginScores(b.plus(firstColumn, b.index(plan.tile)), b.index(0));
  });
  endGroup(b);
  SmallVector<Placed> found = scores(sums, firstColumn);
  weigh(found, rows);
  SmallVector<Value> left = outer->hold(found, held);
  arrive(1);
  for (int64_t begin = 0; begin < plan.tile; begin += plan.tileOfSlice) {
    if (begin > 0) {
      b.barrier();
      beginValues(firstColumn, begin / plan.tileOfSlice);
      endGroup(b);
      arrive(0);
    }
    rows.sums = outer->multiplyHeld(left, begin, values->target, rows.sums);
  }
  return rows.values();
}

/// The scores of a tile, -inf where there are no columns.
SmallVector<Placed> AttentionBlock::scores(ValueRange sums, Value firstColumn) {
  SmallVector<Placed> found;
  Value none = number(-std::numeric_limits<double>::infinity());
  inner->finish(sums, 1, [&](Value row, Value column, ArrayRef<Value> sum) {
    SmallVector<Value> at(batch);
    Value there = b.plus(firstColumn, column);
    at.append({b.plus(firstRow, row), there});
    if (queries->part.passesLines)
      at[at.size() - 2] = b.clamped(at[at.size() - 2], plan.rows);
    if (keys->part.passesLines)
      at.back() = b.clamped(there, plan.columns);
    Value score = finished(b, a.scores, sum[0], at);
    // Rounded only for an epilogue that wants it so.
    auto rounded = score.getDefiningOp<arith::TruncFOp>();
    score = rounded && rounded.getIn().getType().isF32() ? rounded.getIn()
                                                         : b.widened(score);
    if (keys->part.passesLines)
      score = b.create<arith::SelectOp>(b.isInside(there, plan.columns), score,
                                        none);
    found.push_back({score, row, column});
  });
  return found;
}

/// Makes scores their exponentials, and adds up what is known of the rows but
/// for the products of these.
void AttentionBlock::weigh(SmallVector<Placed> &scores, Rows &rows) {
  auto greater = [&](Value x, Value y) -> Value {
    return b.create<arith::MaxNumFOp>(x, y);
  };
  Value none = number(-std::numeric_limits<double>::infinity());
  SmallVector<Value> corrections;
  size_t count = scores.size() / rows.largest.size();
  for (auto [r, largest] : llvm::enumerate(rows.largest)) {
    auto own = MutableArrayRef(scores).slice(r * count, count);
    Value most = own[0].value;
    for (const Placed &score : own.drop_front())
      most = greater(most, score.value);
    most = greater(largest, acrossRow(most, greater));
    // Where all scores are -inf their distances from it are no numbers.
    Value base = b.create<arith::SelectOp>(
        b.create<arith::CmpFOp>(arith::CmpFPredicate::OEQ, most, none),
        number(0), most);
    Value total, baseOfTwo = ofTwo(base);
    for (Placed &score : own) {
      score.value = exponential(score.value, base, baseOfTwo);
      total = total ? b.create<arith::AddFOp>(total, score.value).getResult()
                    : score.value;
    }
    // Exactly 1 where the largest score is the same: it adds up over the tiles.
    corrections.push_back(exp2(ofTwo(b.create<arith::SubFOp>(largest, base))));
    largest = most;
    rows.total[r] =
        b.create<math::FmaOp>(rows.total[r], corrections.back(), total);
  }
  for (auto [i, sum] : llvm::enumerate(rows.sums))
    sum = b.create<arith::MulFOp>(sum, corrections[outer->rowOf(i)]);
}

/// exp(score - base). Floats of 32 bits may be so large that the exponent of
/// two would overflow, and differ by less than it is rounded.
Value AttentionBlock::exponential(Value score, Value base, Value baseOfTwo) {
  if (plan.multiplier != Multiplier::Float16)
    return exp2(ofTwo(b.create<arith::SubFOp>(score, base)));
  return exp2(b.create<math::FmaOp>(score, number(llvm::numbers::log2e),
                                    b.create<arith::NegFOp>(baseOfTwo)));
}

void AttentionBlock::store(const Rows &rows) {
  SmallVector<Value> sums(rows.sums), totals;
  for (Value total : rows.total)
    totals.push_back(acrossRow(total, [&](Value x, Value y) -> Value {
      return b.create<arith::AddFOp>(x, y);
    }));
  if (parts.sums) {
    keepBounds(rows.largest, totals);
  } else {
    SmallVector<RowScale> scales;
    for (Value total : totals)
      scales.emplace_back(b, a, total);
    for (auto [i, sum] : llvm::enumerate(sums))
      sum = scales[outer->rowOf(i)].apply(b, sum);
  }
  // Lanes exchange what they store together by tiles of 32 columns.
  int64_t most = plan.widthOfTile % 32 == 0 ? maxNeighbours : 2;
  while (plan.width % most)
    most /= 2;
  outer->finish(sums, most, [&](Value row, Value column, ArrayRef<Value> sums) {
    SmallVector<Value> at(batch);
    at.append({b.plus(firstRow, row), b.plus(firstResult, column)});
    b.onlyIf(b.both(b.isInside(at[at.size() - 2], plan.rows),
                    b.isInside(at.back(), plan.width)),
             [&] {
               if (!parts.sums)
                 return finishTogether(b, a.product, sums, at);
               at.insert(at.begin(), part);
               for (Value sum : sums) {
                 b.store(sum, parts.sums, at);
                 at.back() = b.plus(at.back(), b.index(1));
               }
             });
  });
}

void AttentionBlock::keepBounds(ArrayRef<Value> largest,
                                ArrayRef<Value> totals) {
  SmallVector<Placed> positions;
  inner->finish(SmallVector<Value>(inner->sums(), number(0)), 1,
                [&](Value row, Value column, ArrayRef<Value> sum) {
                  positions.push_back({sum[0], row, column});
                });
  size_t count = positions.size() / largest.size();
  for (size_t r = 0; r < largest.size(); ++r) {
    Value row = b.plus(firstRow, positions[r * count].row);
    // One lane has the row's first column.
    Value isOwn = b.both(b.equals(positions[r * count].column, 0),
                         b.isInside(row, plan.rows));
    if (plan.blocksOfWidth() > 1)
      isOwn = b.both(isOwn, b.equals(firstResult, 0));
    b.onlyIf(isOwn, [&] {
      SmallVector<Value> at = {part};
      llvm::append_range(at, batch);
      at.push_back(row);
      b.store(largest[r], parts.largest, at);
      b.store(totals[r], parts.totals, at);
    });
  }
}

/// A row's values of all its lanes, combined; each lane gets the same.
Value AttentionBlock::acrossRow(
    Value value, llvm::function_ref<Value(Value, Value)> combine) {
  for (int64_t distance = inner->lanesOfRow() / 2; distance > 0; distance /= 2)
    value = combine(value, b.exchange(value, distance));
  return value;
}

} // namespace

void emitAttention(ThreadBuilder &b, const Attention &a,
                   const AttentionPlan &plan, const AttentionParts &parts,
                   const AttentionPosition &position, Value thread) {
  AttentionBlock(b, a, plan, parts, position, thread).emit();
}

} // namespace weir::gpu
