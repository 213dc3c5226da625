// One block of a product by tiles: taken apart, multiplied.

#include "passes/cpu/kernels/Tiles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace weir {

constexpr int sumsAt = 0; // tiles 0 to 3: sums, 4 and 5: A, 6 and 7: B
constexpr int leftAt = 4, rightAt = 6;

TileProduct::TileProduct(Emitter &e, kernel::MatmulOp op)
    : e(e), op(op), a(op.getA()), b(op.getB()), out(op.getOut()) {
  for (int64_t size : e.shape(out).drop_back())
    rows *= size;
  columns = e.shape(out).back();
  depth = e.shape(a).back();
  panels = e.shape(b)[0], steps = e.shape(b)[1], parts = e.shape(b)[2];
  blocks = (rows + side - 1) / side;
  EvenSplit depths(steps, 1024 / side);
  stepsABlock = depths.size + (depths.larger != 0);
  depthBlocks = (steps + stepsABlock - 1) / stepsABlock;
}

Value TileProduct::word(int64_t value) {
  return e.create<arith::ConstantOp>(e.getI32IntegerAttr(value));
}

Emitter::Values TileProduct::sumsOf(Value block, Value panel) {
  if (depthBlocks > 1)
    return {block, panel};
  return {e.index(0), e.index(0)};
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
  if (rows % side == 0)
    return e.index(side);
  return e.smaller(e.index(side), e.create<arith::SubIOp>(e.index(rows), row));
}

// Takes 32 elements of a row apart, and into the range of magnitudes.
void TileProduct::splitLine(Value row, Value step, int64_t valid,
                            Emitter::Values to, Emitter::Values &range) {
  auto bits = VectorType::get(half, e.getI32Type());
  auto bf16 = VectorType::get(half, e.getBF16Type());
  for (int64_t i = 0; i < side; i += half) {
    Emitter::Values at = place(row);
    at.push_back(e.plus(e.times(step, side), i));
    Value x = valid > i ? e.load(a, at, half, valid - i)
                        : e.zeros(e.element(a), half);
    x = e.widen(x, e.getF32Type());
    Value magnitude = e.create<arith::AndIOp>(
        e.create<arith::BitcastOp>(bits, x), words(0x7fffffff));
    // Zero becomes the largest.
    range[0] = e.create<arith::MinUIOp>(
        range[0], e.create<arith::AddIOp>(magnitude, words(-1)));
    range[1] = e.create<arith::MaxUIOp>(range[1], magnitude);
    to.back() = e.index(i);
    for (int64_t part = 0; part < parts; ++part) {
      Value top = e.create<arith::TruncFOp>(bf16, x);
      to[2] = e.index(part);
      e.store(top, split, to, half);
      if (part + 1 < parts)
        x = e.create<arith::SubFOp>(x, e.widen(top, e.getF32Type()));
    }
  }
}

void TileProduct::splitBlock(Value first, Value block, const Depth &d) {
  Value firstRow = e.times(e.plus(first, block), side);
  int64_t tail = d.ends ? depth % side : 0;
  Emitter::Values range = {words(-1), words(0)};
  range = e.loop(
      e.index(0), validRows(firstRow), 1, range,
      [&](Value i, ValueRange soFar) {
        Value row = e.plus(firstRow, i);
        auto line = [&](Value step, ValueRange soFar, int64_t valid) {
          Emitter::Values range(soFar);
          splitLine(row, e.plus(d.first, step), valid,
                    {block, step, nullptr, e.dividedBy(i, half),
                     e.modulo(i, half), nullptr},
                    range);
          return range;
        };
        int64_t whole = d.count - (tail != 0);
        Emitter::Values range = e.loop(
            e.index(0), e.index(whole), 1, soFar,
            [&](Value step, ValueRange so) { return line(step, so, side); });
        return tail ? line(e.index(whole), range, tail) : range;
      });
  ArrayRef<int32_t> bounds = *op.getRange();
  Value least =
      e.create<vector::ReductionOp>(vector::CombiningKind::MINUI, range[0]);
  Value most =
      e.create<vector::ReductionOp>(vector::CombiningKind::MAXUI, range[1]);
  Value inside = e.create<arith::AndIOp>(
      e.create<arith::CmpIOp>(arith::CmpIPredicate::uge, least,
                              word(bounds[0] - 1)),
      e.create<arith::CmpIOp>(arith::CmpIPredicate::ule, most,
                              word(bounds[1])));
  e.create<memref::StoreOp>(e.create<arith::ExtUIOp>(e.getI32Type(), inside),
                            fits, block);
}

// Which parts are multiplied, in an order in which mostly one side changes.
static ArrayRef<std::pair<int, int>> products(int64_t parts) {
  static constexpr std::pair<int, int> one[] = {{0, 0}},
                                       three[] = {{1, 0}, {0, 0}, {0, 1}},
                                       six[] = {{2, 0}, {1, 0}, {0, 0},
                                                {0, 1}, {0, 2}, {1, 1}};
  if (parts == 1)
    return one;
  if (parts == 2)
    return three;
  return six;
}

void TileProduct::byTiles(Value block, Value panel, const Depth &d) {
  int tall = rows > half ? 2 : 1, wide = columns > half ? 2 : 1;
  Emitter::Values at = sumsOf(block, panel);
  Value flat = e.create<memref::CollapseShapeOp>(
      sums, SmallVector<ReassociationIndices>{{0}, {1}, {2, 3}});
  auto eachSum = [&](llvm::function_ref<void(int, int, int, ValueRange)> body) {
    for (int i = 0; i < tall; ++i)
      for (int j = 0; j < wide; ++j)
        body(sumsAt + 2 * i + j, leftAt + i, rightAt + j,
             {at[0], at[1], e.index((i * side + j) * half)});
  };
  constexpr int64_t stride = side * sizeof(float);
  eachSum([&](int sum, int, int, ValueRange from) {
    if (d.begins)
      registers.zero(sum);
    else
      registers.load(sum, flat, from, stride);
  });
  e.loop(d.count, [&](Value step) {
    int left = -1, right = -1;
    for (auto [leftPart, rightPart] : products(parts)) {
      for (int i = 0; left != leftPart && i < tall; ++i)
        registers.load(leftAt + i, split,
                       {block, step, e.index(leftPart), e.index(i)});
      for (int j = 0; right != rightPart && j < wide; ++j)
        registers.load(
            rightAt + j, b,
            {panel, e.plus(d.first, step), e.index(rightPart), e.index(j)});
      left = leftPart, right = rightPart;
      eachSum([&](int sum, int left, int right, ValueRange) {
        registers.multiply(sum, left, right);
      });
    }
  });
  eachSum([&](int sum, int, int, ValueRange to) {
    registers.store(sum, flat, to, stride);
  });
}

// Two rows of 16 columns of the weights, their parts summed.
Emitter::Values TileProduct::weights(Value panel, Value pair,
                                     int64_t columnHalf) {
  auto bits = VectorType::get(half, e.getI32Type());
  auto floats = VectorType::get(half, e.getF32Type());
  Emitter::Values rows(2);
  for (int64_t part = 0; part < parts; ++part) {
    Emitter::Values at = {panel,
                          e.dividedBy(pair, half),
                          e.index(part),
                          e.index(columnHalf),
                          e.modulo(pair, half),
                          e.index(0)};
    Value both = e.create<vector::BitCastOp>(bits, e.load(b, at, side, side));
    Value of[2] = {e.create<arith::ShLIOp>(both, words(16)),
                   e.create<arith::AndIOp>(both, words(-65536))};
    for (int odd = 0; odd < 2; ++odd) {
      Value now = e.create<arith::BitcastOp>(floats, of[odd]);
      rows[odd] = part ? e.sum(rows[odd], now) : now;
    }
  }
  return rows;
}

void TileProduct::byVectors(Value first, Value block, Value panel,
                            const Depth &d) {
  constexpr int64_t height = 8;
  Value firstRow = e.times(e.plus(first, block), side);
  Value lastRow = e.index(rows - 1), firstK = e.times(d.first, side);
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
        made.push_back(d.begins ? e.zeros(e.getF32Type(), half)
                                : e.load(sums, sumAt(i, j), half, half));
    auto multiply = [&](Value pair, int64_t valid, ValueRange carried) {
      Emitter::Values made(carried), right[2];
      for (int64_t j = 0; j < wide; ++j)
        right[j] = weights(panel, e.plus(pair, e.times(d.first, half)), j);
      for (int64_t odd = 0; odd < valid; ++odd)
        for (int64_t i = 0; i < height; ++i) {
          Emitter::Values from = rowAt[i];
          from.push_back(e.plus(firstK, e.plus(e.times(pair, 2), odd)));
          Value x = e.widen(e.create<memref::LoadOp>(a, from), e.getF32Type());
          for (int64_t j = 0; j < wide; ++j)
            made[i * wide + j] = e.multiplyAdd(e.splat(x, half), right[j][odd],
                                               made[i * wide + j]);
        }
      return made;
    };
    int64_t pairs = d.count * half;
    if (d.ends && depth % side)
      pairs -= (side - depth % side + 1) / 2;
    made = e.loop(
        e.index(0), e.index(pairs), 1, made,
        [&](Value pair, ValueRange so) { return multiply(pair, 2, so); });
    if (d.ends && depth % 2)
      made = multiply(e.index(pairs), 1, made);
    for (int64_t i = 0; i < height; ++i)
      for (int64_t j = 0; j < wide; ++j)
        e.store(made[i * wide + j], sums, sumAt(i, j), half);
  });
}

} // namespace weir
