// One block of a product by tiles: taken apart, multiplied.

#include "passes/cpu/kernels/Tiles.h"

#include "passes/cpu/Sharing.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace weir {

constexpr int sumsAt = 0; // tiles 0 to 3: sums, 4 and 5: A, 6 and 7: B
constexpr int leftAt = 4, rightAt = 6;

TileProduct::TileProduct(Emitter &e, kernel::MatmulOp op,
                         const kernel::Target &target, bool dots)
    : e(e), op(op), a(op.getA()), b(op.getB()), out(op.getOut()), dots(dots) {
  for (int64_t size : e.shape(out).drop_back())
    rows *= size;
  columns = e.shape(out).back();
  depth = e.shape(a).back();
  bytes = e.element(b).isInteger(8);
  sumType = bytes ? Type(e.getI32Type()) : Type(e.getF32Type());
  stepDepth = e.shape(b).back();
  panels = e.shape(b)[0], steps = e.shape(b)[1], parts = e.shape(b)[2];
  splitRows(slotsOf(op));
  // A panel stays in L2 beside the parts of some rows.
  int64_t most = dots ? 1024 / stepDepth
                      : std::max<int64_t>(8, target.l2 / 4 / (parts * 2048));
  // A single block for dot products leaves L2 to longer panels.
  if (dots && blocks == 1)
    most = std::max<int64_t>(most, llvm::divideCeil(steps, fewDepths));
  EvenSplit depths(steps, most);
  stepsABlock = depths.size + (depths.larger != 0);
  depthBlocks = (steps + stepsABlock - 1) / stepsABlock;
}

// Blocks are as even as can be, so that the last is not mostly empty, and of a
// few each thread has as many. Where the kernel is shared by grains of rows,
// they have whole blocks.
void TileProduct::splitRows(int64_t threads) {
  tall = rows > half || dots ? 2 : 1;
  height = half;
  blocks = llvm::divideCeil(rows, side);
  if (dots)
    return;
  auto grain = RowBlocks::of(op);
  if (grain && grain->rows == rows && isa<func::FuncOp>(op->getParentOp())) {
    int64_t own = llvm::divideCeil(grain->size, side);
    tall = grain->size > half ? 2 : 1;
    while (own * tall * 8 <= grain->size && grain->size % (own * tall))
      ++own;
    if (grain->size % (own * tall) == 0) {
      grains = grain->count();
      height = grain->size / (own * tall);
      blocks = grains * own;
      return;
    }
    tall = rows > half ? 2 : 1;
  }
  constexpr int64_t few = 8; // a thread
  if (blocks >= threads && blocks < few * threads)
    blocks = llvm::alignTo(blocks, threads);
  height = llvm::divideCeil(rows, blocks * tall);
  blocks = llvm::divideCeil(rows, blockRows());
}

Value TileProduct::word(int64_t value) {
  return e.create<arith::ConstantOp>(e.getI32IntegerAttr(value));
}

Emitter::Values TileProduct::sumsOf(Value block, Value panel) {
  if (depthBlocks > 1)
    return {block, panel};
  return {slot, e.index(0)};
}

Emitter::Values TileProduct::place(Value row) {
  ArrayRef<int64_t> shape = e.shape(out).drop_back();
  Emitter::Values at(shape.size());
  for (int64_t d = shape.size() - 1; d >= 0; --d) {
    at[d] = d ? e.modulo(row, shape[d]) : row;
    row = e.dividedBy(row, shape[d]);
  }
  return at;
}

Value TileProduct::validRows(Value row) {
  if (rows % blockRows() == 0)
    return e.index(blockRows());
  return e.smaller(e.index(blockRows()),
                   e.create<arith::SubIOp>(e.index(rows), row));
}

// Takes elements of a row apart, and into the range.
void TileProduct::splitLine(Value row, Value step, int64_t valid,
                            Emitter::Values to, Emitter::Values &range) {
  SmallVector<Value> halves;
  for (int64_t i = 0; i < stepDepth; i += half) {
    Emitter::Values at = place(row);
    at.push_back(e.plus(e.times(step, stepDepth), i));
    Value x = valid > i ? e.load(a, at, half, valid - i)
                        : e.zeros(e.element(a), half);
    halves.push_back(e.widen(x, sumType));
  }
  to[2] = e.index(0);
  if (bytes) {
    auto part = VectorType::get(half, e.element(split));
    for (auto [i, x] : llvm::enumerate(halves)) {
      range[0] = e.create<arith::MinSIOp>(range[0], x);
      range[1] = e.create<arith::MaxSIOp>(range[1], x);
      to.back() = e.index(i * half);
      e.store(e.create<arith::TruncIOp>(part, x), split, to, half);
    }
    return;
  }
  auto bits = VectorType::get(half, e.getI32Type());
  for (Value x : halves) {
    Value magnitude = e.create<arith::AndIOp>(
        e.create<arith::BitcastOp>(bits, x), words(0x7fffffff));
    // Zero becomes the largest.
    range[0] = e.create<arith::MinUIOp>(
        range[0], e.create<arith::AddIOp>(magnitude, words(-1)));
    range[1] = e.create<arith::MaxUIOp>(range[1], magnitude);
  }
  to.back() = e.index(0);
  for (int64_t i = 0; i < parts; ++i) {
    to[2] = e.index(i);
    e.store(nextPart(halves, i), split, to, stepDepth);
  }
}

// Part `i` of 32 elements: the upper halves of their words, which are rounded,
// ties away from zero, where bits are left below. What is left stays in
// `halves`. Of three parts the last has all that is left.
Value TileProduct::nextPart(MutableArrayRef<Value> halves, int64_t i) {
  auto bits = VectorType::get(half, e.getI32Type());
  auto pieces = VectorType::get(2 * half, e.getI16Type());
  bool rest = i + 1 < parts;
  SmallVector<Value, 2> tops;
  for (Value &x : halves) {
    Value top = e.create<arith::BitcastOp>(bits, x);
    if (rest || parts == 2)
      top = e.create<arith::AddIOp>(top, words(0x8000));
    tops.push_back(e.create<vector::BitCastOp>(pieces, top));
    if (rest)
      x = e.create<arith::SubFOp>(
          x, e.create<arith::BitcastOp>(
                 x.getType(), e.create<arith::AndIOp>(top, words(-65536))));
  }
  SmallVector<int64_t> upper;
  for (int64_t k = 0; k < 2 * half; ++k)
    upper.push_back(2 * k + 1);
  Value part = e.create<vector::ShuffleOp>(tops[0], tops[1], upper);
  return e.create<arith::BitcastOp>(VectorType::get(2 * half, e.element(split)),
                                    part);
}

void TileProduct::splitBlock(Value first, Value block, const Depth &d) {
  if (dots && bytes)
    return shiftBlock(first, block, d);
  Value firstRow = e.times(e.plus(first, block), blockRows());
  int64_t tail = d.ends ? depth % stepDepth : 0;
  Emitter::Values range = {words(bytes ? INT32_MAX : -1),
                           words(bytes ? INT32_MIN : 0)};
  range =
      e.loop(e.index(0), validRows(firstRow), 1, range,
             [&](Value i, ValueRange soFar) {
               Value row = e.plus(firstRow, i);
               auto line = [&](Value step, ValueRange soFar, int64_t valid) {
                 Emitter::Values range(soFar);
                 splitLine(row, e.plus(d.first, step), valid,
                           {block, step, nullptr, e.dividedBy(i, height),
                            e.modulo(i, height), nullptr},
                           range);
                 return range;
               };
               int64_t whole = d.count - (tail != 0);
               Emitter::Values range =
                   e.loop(e.index(0), e.index(whole), 1, soFar,
                          [&](Value step, ValueRange so) {
                            return line(step, so, stepDepth);
                          });
               return tail ? line(e.index(whole), range, tail) : range;
             });
  using arith::CmpIPredicate;
  using vector::CombiningKind;
  ArrayRef<int32_t> bounds = *op.getRange();
  Value least = e.create<vector::ReductionOp>(
      bytes ? CombiningKind::MINSI : CombiningKind::MINUI, range[0]);
  Value most = e.create<vector::ReductionOp>(
      bytes ? CombiningKind::MAXSI : CombiningKind::MAXUI, range[1]);
  Value inside = e.create<arith::AndIOp>(
      e.create<arith::CmpIOp>(bytes ? CmpIPredicate::sge : CmpIPredicate::uge,
                              least, word(bounds[0] - !bytes)),
      e.create<arith::CmpIOp>(bytes ? CmpIPredicate::sle : CmpIPredicate::ule,
                              most, word(bounds[1])));
  e.create<memref::StoreOp>(e.create<arith::ExtUIOp>(e.getI32Type(), inside),
                            fits, block);
}

// Which parts are multiplied: from one product to the next one side changes, so
// that 14 tiles are loaded for the 24 products of a step.
static ArrayRef<std::pair<int, int>> products(int64_t parts) {
  static constexpr std::pair<int, int> one[] = {{0, 0}},
                                       three[] = {{1, 0}, {0, 0}, {0, 1}},
                                       six[] = {{2, 0}, {1, 0}, {1, 1},
                                                {0, 1}, {0, 0}, {0, 2}};
  if (parts == 1)
    return one;
  if (parts == 2)
    return three;
  return six;
}

void TileProduct::byTiles(Value block, Value panel, const Depth &d,
                          const Ahead &ahead, Rows meanwhile) {
  int wide = columns > half ? 2 : 1;
  Emitter::Values at = sumsOf(block, panel);
  Value flat = e.create<memref::CollapseShapeOp>(
      sums, SmallVector<ReassociationIndices>{{0}, {1}, {2, 3}});
  auto eachSum = [&](llvm::function_ref<void(int, ValueRange)> body) {
    for (int i = 0; i < tall; ++i)
      for (int j = 0; j < wide; ++j)
        body(sumsAt + 2 * i + j,
             {at[0], at[1], e.index(i * height * side + j * half)});
  };
  constexpr int64_t stride = side * sizeof(float);
  eachSum([&](int sum, ValueRange from) {
    if (d.begins)
      registers.zero(sum);
    else
      registers.load(sum, flat, from, stride);
  });
  ArrayRef<std::pair<int, int>> order = products(parts);
  e.loop(d.count, [&](Value step) {
    auto loadLeft = [&](int part, int i) {
      registers.load(leftAt + i, split,
                     {block, step, e.index(part), e.index(i)});
    };
    auto loadRight = [&](int part, int j) {
      registers.load(rightAt + j, b,
                     {panel, e.plus(d.first, step), e.index(part), e.index(j)});
    };
    for (int i = 0; i < tall; ++i)
      loadLeft(order[0].first, i);
    for (int j = 0; j < wide; ++j)
      loadRight(order[0].second, j);
    int64_t made = 0, all = order.size() * tall * wide;
    // Many rows are not left to one place, behind which products would wait.
    int64_t share = llvm::divideCeil(blockRows(), d.count);
    int64_t places = share > 4 && order.size() > 1 ? order.size() : 1;
    int64_t some = llvm::divideCeil(share, places);
    auto goOn = [&](int64_t place) {
      Value first = e.plus(e.times(step, share), place * some);
      Value end = e.plus(first, std::min(some, share - place * some));
      if (some * place < share)
        meanwhile(first, end);
    };
    for (auto [n, now] : llvm::enumerate(order)) {
      bool ends = n + 1 == order.size();
      // A register is loaded again as soon as nothing more is made of it, under
      // products that do not need it: a row at a time where the left changes.
      bool leftChanges = ends || order[n + 1].first != now.first;
      int outer = leftChanges ? tall : wide, inner = leftChanges ? wide : tall;
      for (int x = 0; x < outer; ++x) {
        for (int y = 0; y < inner; ++y) {
          int i = leftChanges ? x : y, j = leftChanges ? y : x;
          registers.multiply(bytes, sumsAt + 2 * i + j, leftAt + i,
                             rightAt + j);
          fetchAhead(ahead, step, d, made++, all);
        }
        if (!ends && leftChanges)
          loadLeft(order[n + 1].first, x);
        else if (!ends)
          loadRight(order[n + 1].second, x);
      }
      if (places > 1 || n == order.size() / 2)
        goOn(places > 1 ? n : 0);
    }
  });
  eachSum(
      [&](int sum, ValueRange to) { registers.store(sum, flat, to, stride); });
}

// The next panel comes into L2 while this one is used: each block of a slab
// fetches a run of it, a share in each of its steps, between all products.
void TileProduct::fetchAhead(const Ahead &ahead, Value step, const Depth &d,
                             int64_t made, int64_t all) {
  if (panels == 1)
    return;
  int64_t line = 64 / e.elementBytes(b), lines = parts * 2 * half;
  int64_t share = llvm::divideCeil(lines, ahead.turns);
  int64_t first = made * share / all, end = (made + 1) * share / all;
  if (first == end)
    return;
  Value run = e.create<memref::CollapseShapeOp>(
      b, SmallVector<ReassociationIndices>{{0}, {1, 2, 3, 4, 5}});
  // Where blocks are more than shares, the last share is fetched again.
  Value turn =
      e.smaller(ahead.turn, e.index(llvm::divideCeil(lines, share) - 1));
  Value from =
      e.plus(e.times(ahead.first, lines * line),
             e.times(e.plus(e.times(turn, d.count), step), share * line));
  for (int64_t i = first; i < end; ++i)
    e.prefetch(run, {ahead.panel, e.plus(from, i * line)}, 2);
}

// The rows of 16 columns of the weights that one line holds, parts summed.
Emitter::Values TileProduct::weights(Value panel, Value line,
                                     int64_t columnHalf) {
  auto bits = VectorType::get(half, e.getI32Type());
  Emitter::Values rows(rowsALine());
  for (int64_t part = 0; part < parts; ++part) {
    Emitter::Values at = {panel,
                          e.dividedBy(line, half),
                          e.index(part),
                          e.index(columnHalf),
                          e.modulo(line, half),
                          e.index(0)};
    Value all =
        e.create<vector::BitCastOp>(bits, e.load(b, at, stepDepth, stepDepth));
    for (auto [i, row] : llvm::enumerate(rows)) {
      int64_t low = i * 32 / rows.size(), high = 32 - 32 / rows.size();
      Value now = e.create<arith::ShLIOp>(all, words(high - low));
      if (bytes) {
        row = e.create<arith::ShRSIOp>(now, words(high));
        continue;
      }
      now = e.create<arith::BitcastOp>(
          VectorType::get(half, sumType),
          e.create<arith::AndIOp>(now, words(-65536)));
      row = part ? e.sum(row, now) : now;
    }
  }
  return rows;
}

void TileProduct::byVectors(Value first, Value block, Value panel,
                            const Depth &d) {
  constexpr int64_t height = 8;
  Value firstRow = e.times(e.plus(first, block), blockRows());
  Value lastRow = e.index(rows - 1), firstK = e.times(d.first, stepDepth);
  Emitter::Values at = sumsOf(block, panel);
  int64_t wide = columns > half ? 2 : 1;
  e.loop(e.index(0), validRows(firstRow), height, [&](Value row) {
    auto sumAt = [&](int64_t i, int64_t j) {
      return Emitter::Values{at[0], at[1], e.plus(row, i), e.index(j * half)};
    };
    SmallVector<Emitter::Values> rowAt;
    for (int64_t i = 0; i < height; ++i)
      rowAt.push_back(
          place(e.smaller(e.plus(e.plus(firstRow, row), i), lastRow)));
    Emitter::Values made;
    for (int64_t i = 0; i < height; ++i)
      for (int64_t j = 0; j < wide; ++j)
        made.push_back(d.begins ? e.zeros(sumType, half)
                                : e.load(sums, sumAt(i, j), half, half));
    auto multiply = [&](Value line, int64_t valid, ValueRange carried) {
      Emitter::Values made(carried), right[2];
      for (int64_t j = 0; j < wide; ++j)
        right[j] = weights(panel, e.plus(line, e.times(d.first, half)), j);
      for (int64_t k = 0; k < valid; ++k)
        for (int64_t i = 0; i < height; ++i) {
          Emitter::Values from = rowAt[i];
          from.push_back(e.plus(firstK, e.plus(e.times(line, rowsALine()), k)));
          Value x = e.widen(e.create<memref::LoadOp>(a, from), sumType);
          for (int64_t j = 0; j < wide; ++j)
            made[i * wide + j] = e.multiplyAdd(e.splat(x, half), right[j][k],
                                               made[i * wide + j]);
        }
      return made;
    };
    int64_t valid = d.count * stepDepth;
    if (d.ends && depth % stepDepth)
      valid -= stepDepth - depth % stepDepth;
    int64_t lines = valid / rowsALine(), rest = valid % rowsALine();
    made = e.loop(e.index(0), e.index(lines), 1, made,
                  [&](Value line, ValueRange so) {
                    return multiply(line, rowsALine(), so);
                  });
    if (rest)
      made = multiply(e.index(lines), rest, made);
    for (int64_t i = 0; i < height; ++i)
      for (int64_t j = 0; j < wide; ++j)
        e.store(made[i * wide + j], sums, sumAt(i, j), half);
  });
}

} // namespace weir
