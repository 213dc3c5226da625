// Copies a panel; lines of a transposed matrix by squares in registers.

#include "passes/cpu/kernels/PanelCopy.h"
#include "passes/cpu/loops/TransposeBlocks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace weir::cpu {

PanelCopy::PanelCopy(Emitter &e, kernel::PackOp op, int64_t width,
                     const kernel::Target &target)
    : e(e), b(op.getB()), transposed(op.getTransposeB()), width(width),
      lanes(target.lanesWithin(e.element(b), width)) {}

static Emitter::Values join(ValueRange position, Value line, Value column) {
  Emitter::Values at(position);
  at.append({line, column});
  return at;
}

void PanelCopy::run(ValueRange batch, Value first, int64_t valid, Value line,
                    int64_t lines, Value out, ValueRange position) {
  if (transposed)
    return runTransposed(batch, first, valid, line, lines, out, position);
  e.loop(lines, [&](Value k) {
    for (int64_t c = 0; c < width; c += lanes) {
      Value vector =
          c < valid ? e.load(b, join(batch, e.plus(line, k), e.plus(first, c)),
                             lanes, valid - c)
                    : e.zeros(e.element(b), lanes);
      e.store(vector, out, join(position, k, e.index(c)), lanes);
    }
  });
}

void PanelCopy::runTransposed(ValueRange batch, Value first, int64_t valid,
                              Value line, int64_t lines, Value out,
                              ValueRange position) {
  auto one = [&](Value column, Value k) {
    Value element = e.create<memref::LoadOp>(
        b, join(batch, e.plus(first, column), e.plus(line, k)));
    e.create<memref::StoreOp>(element, out, join(position, k, column));
  };
  bool turns = lanes > 1 && llvm::isPowerOf2_64(lanes);
  int64_t columns = turns ? valid / lanes * lanes : 0;
  int64_t squares = turns ? lines / lanes * lanes : 0;
  e.loop(e.index(0), e.index(columns), lanes, [&](Value column) {
    e.loop(e.index(0), e.index(squares), lanes, [&](Value k) {
      Emitter::Values rows;
      for (int64_t lane = 0; lane < lanes; ++lane)
        rows.push_back(e.load(
            b,
            join(batch, e.plus(e.plus(first, column), lane), e.plus(line, k)),
            lanes, lanes));
      transposeBlock(e, rows);
      for (int64_t lane = 0; lane < lanes; ++lane)
        e.store(rows[lane], out, join(position, e.plus(k, lane), column),
                lanes);
    });
    e.loop(lanes, [&](Value lane) {
      e.loop(e.index(squares), e.index(lines), 1,
             [&](Value k) { one(e.plus(column, lane), k); });
    });
  });
  e.loop(e.index(columns), e.index(valid), 1, [&](Value column) {
    e.loop(lines, [&](Value k) { one(column, k); });
  });
  Value none = e.create<arith::ConstantOp>(e.getZeroAttr(e.element(out)));
  e.loop(e.index(valid), e.index(width), 1, [&](Value column) {
    e.loop(lines, [&](Value k) {
      e.create<memref::StoreOp>(none, out, join(position, k, column));
    });
  });
}

void copyLine(Emitter &e, kernel::MatmulOp op, ValueRange from, int64_t count,
              Value copy, Value target, int64_t lanes, bool isInterleaved) {
  int64_t unit = isInterleaved ? 4 : 1, step = lanes * unit;
  auto move = [&](Value k, int64_t valid) {
    Emitter::Values at(from);
    at.back() = e.plus(at.back(), k);
    Value some = e.load(op.getA(), at, step, valid);
    if (isInterleaved)
      some = e.create<vector::BitCastOp>(
          VectorType::get(lanes, e.element(copy)), some);
    else
      some = e.widen(some, e.element(copy), op.getUnsignedA());
    e.store(some, copy, {target, e.dividedBy(k, unit)},
            llvm::divideCeil(valid, unit));
  };
  int64_t whole = count / step * step;
  e.loop(e.index(0), e.index(whole), step, [&](Value k) { move(k, step); });
  if (count > whole)
    move(e.index(whole), count - whole);
}

} // namespace weir::cpu
