// Copies between a padded buffer and elements without gaps: by runs where both
// have the same neighbours, else by register transpose blocks.

#include "passes/cpu/Sharing.h"
#include "passes/cpu/kernels/Kernels.h"
#include "passes/cpu/loops/ActualSizes.h"
#include "passes/cpu/loops/TransposeBlocks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace weir::cpu {
namespace {

struct CornerEmitter {
  Emitter &e;
  kernel::CornerOp op;
  Value padded, flat;
  ArrayRef<int64_t> shape;
  int64_t lanes;
  /// Of each dimension of the padded buffer: its actual size, and how far apart
  /// its neighbours are without gaps.
  Emitter::Values ends, strides;

  CornerEmitter(Emitter &e, kernel::CornerOp op, const kernel::Target &target)
      : e(e), op(op), padded(op.getPadded()), flat(op.getFlat()),
        shape(Emitter::shape(padded)) {
    // Larger blocks do not fit into the registers.
    constexpr int64_t maxLanes = 16;
    Type element = Emitter::element(padded);
    bool isVectorizable = element.isIntOrFloat() && !element.isInteger(1);
    lanes = isVectorizable ? std::min(target.lanes(element), maxLanes) : 1;
    for (int64_t size : shape)
      ends.push_back(e.index(size));
    for (auto [dim, size] : llvm::zip_equal(op.getDims(), op.getSizes())) {
      Value number = readSize(e, e.getLoc(), size);
      ends[dim] = e.smaller(e.larger(number, e.index(0)), e.index(shape[dim]));
    }
    strides.resize(shape.size());
    Value stride = e.index(1);
    for (int64_t dim : llvm::reverse(op.getOrder())) {
      strides[dim] = stride;
      stride = e.create<arith::MulIOp>(stride, ends[dim]);
    }
  }

  int64_t rank() const { return static_cast<int64_t>(shape.size()); }

  /// Where the element of the padded buffer at these first indices lies without
  /// gaps.
  Value offsetOf(ValueRange at) {
    Value offset = e.index(0);
    for (auto [index, stride] : llvm::zip(at, strides))
      offset = e.plus(offset, e.create<arith::MulIOp>(index, stride));
    return offset;
  }

  /// Does `body` where the first indices are below the sizes.
  void within(ValueRange at, function_ref<void()> body) {
    Value holds;
    for (auto [dim, index] : llvm::enumerate(at)) {
      if (!llvm::is_contained(op.getDims(), static_cast<int64_t>(dim)))
        continue;
      Value below =
          e.create<arith::CmpIOp>(arith::CmpIPredicate::slt, index, ends[dim]);
      holds = holds ? e.create<arith::AndIOp>(holds, below) : below;
    }
    holds ? e.ifElse(holds, body, [] {}) : body();
  }

  Value load(Value buffer, ValueRange at, int64_t count) {
    return count == 1 ? e.create<memref::LoadOp>(buffer, at).getResult()
                      : e.load(buffer, at, count, count);
  }
  void store(Value value, Value buffer, ValueRange at, int64_t count) {
    if (count == 1)
      e.create<memref::StoreOp>(value, buffer, at);
    else
      e.store(value, buffer, at, count);
  }

  /// Loops from `first` to before `end` in steps, and returns where whole steps
  /// end.
  Value whole(Value first, Value end, int64_t step,
              function_ref<void(Value)> body) {
    Value length = e.create<arith::SubIOp>(end, first);
    Value last = e.plus(first, e.times(e.dividedBy(length, step), step));
    e.loop(first, last, step, body);
    return last;
  }

  /// The first of the last dimensions that are one run in both.
  int64_t runDim() {
    int64_t dim = rank() - 1;
    bool isDense = cast<MemRefType>(padded.getType()).getLayout().isIdentity();
    while (isDense && dim > 0 && op.getOrder()[dim - 1] == dim - 1 &&
           !llvm::is_contained(op.getDims(), dim))
      --dim;
    return dim;
  }

  void copyRuns() {
    int64_t dim = runDim();
    Value length = ends[dim], rows = padded;
    if (dim + 1 < rank()) {
      SmallVector<ReassociationIndices> groups;
      for (int64_t i = 0; i < rank(); ++i)
        i <= dim ? groups.push_back({i}) : groups.back().push_back(i);
      rows = e.create<memref::CollapseShapeOp>(padded, groups);
      length = e.create<arith::MulIOp>(ends[dim], strides[dim]);
    }
    SmallVector<int64_t> outer(shape.take_front(dim));
    eachOf(outer, [&](ValueRange at) {
      within(at, [&] {
        Value offset = offsetOf(at), done = e.index(0);
        for (int64_t step : {4 * lanes, lanes, int64_t(1)})
          done = whole(done, length, step, [&](Value first) {
            int64_t count = std::min(step, lanes);
            for (int64_t i = 0; i < step; i += count) {
              Emitter::Values run(at);
              run.push_back(e.plus(first, i));
              Value position = e.plus(offset, run.back());
              if (op.getCompacts())
                store(load(rows, run, count), flat, position, count);
              else
                store(load(flat, position, count), rows, run, count);
            }
          });
      });
    });
  }

  /// Loops over the indices of `dims`, which threads share.
  void eachOf(ArrayRef<int64_t> dims, function_ref<void(ValueRange)> body) {
    int64_t count = ShapedType::getNumElements(dims);
    e.parallel(count, /*coarse=*/false, [&](Value low, Value high) {
      e.loops(dims, e.isShared() ? low : e.index(0),
              e.isShared() ? high : e.index(count), body);
    });
  }

  /// The elements of `tall` times `wide` neighbours: of the padded buffer from
  /// `at` on along the last dimension, and without gaps along `inner`.
  void copyBlock(Emitter::Values at, int64_t inner, int64_t tall,
                 int64_t wide) {
    Value offset = offsetOf(at), first = rank() ? at[inner] : Value();
    auto positionIn = [&](int64_t i) {
      if (i > 0)
        at[inner] = e.plus(first, i);
      return at;
    };
    auto positionOf = [&](int64_t j) {
      return j == 0 ? offset
                    : e.plus(offset, e.create<arith::MulIOp>(strides.back(),
                                                             e.index(j)));
    };
    Emitter::Values rows;
    for (int64_t i = 0; i < (op.getCompacts() ? tall : wide); ++i)
      rows.push_back(op.getCompacts() ? load(padded, positionIn(i), wide)
                                      : load(flat, positionOf(i), tall));
    if (tall > 1)
      transposeBlock(e, rows);
    for (auto [i, row] : llvm::enumerate(rows))
      if (op.getCompacts())
        store(row, flat, positionOf(i), tall);
      else
        store(row, padded, positionIn(i), wide);
  }

  void copyBlocks() {
    int64_t inner = op.getOrder().back(), last = rank() - 1;
    // A block of `inner` is what a thread does at once.
    constexpr int64_t block = 16;
    SmallVector<int64_t> outer(shape.drop_back());
    outer[inner] = llvm::divideCeil(shape[inner], block);
    auto positionAt = [](Emitter::Values at, Value left) {
      at.push_back(left);
      return at;
    };
    auto rows = [&](const Emitter::Values &at, int64_t tall) {
      Value done = whole(e.index(0), ends[last], tall, [&](Value left) {
        copyBlock(positionAt(at, left), inner, tall, tall);
      });
      e.loop(done, ends[last], 1, [&](Value left) {
        e.loop(tall, [&](Value i) {
          Emitter::Values one = positionAt(at, left);
          one[inner] = e.plus(at[inner], i);
          copyBlock(one, inner, 1, 1);
        });
      });
    };
    eachOf(outer, [&](ValueRange indices) {
      Emitter::Values at(indices);
      at[inner] = e.times(indices[inner], block);
      within(at, [&] {
        Value end = e.smaller(e.plus(at[inner], block), ends[inner]);
        Value done = at[inner];
        for (int64_t tall : {lanes, int64_t(1)})
          done = whole(done, end, tall, [&](Value first) {
            Emitter::Values position(at);
            position[inner] = first;
            rows(position, tall);
          });
      });
    });
  }
};

} // namespace

void emitCorner(Emitter &e, kernel::CornerOp op, const kernel::Target &target) {
  CornerEmitter emitter(e, op, target);
  auto count = static_cast<double>(ShapedType::getNumElements(emitter.shape));
  auto bytes = static_cast<double>(Emitter::elementBytes(emitter.padded));
  e.share(kernel::movingCycles(2 * bytes * count));
  if (emitter.rank() == 0)
    emitter.copyBlock({}, 0, 1, 1);
  else if (op.getOrder().back() == emitter.rank() - 1)
    emitter.copyRuns();
  else
    emitter.copyBlocks();
}

} // namespace weir::cpu
