// A row by a matrix each of whose columns is a run: dot products.
//
// Few columns in panels of rows of B would be mostly padding, and what the run
// computes would have to be transposed. Here vectors are pieces of the depth:
// one of the row is multiplied by that of each column, whose sums stand side by
// side in registers. In the end each vector of partial sums becomes one sum,
// all of them together, by halves.

#include "passes/cpu/Sharing.h"
#include "passes/cpu/kernels/Epilogue.h"
#include "passes/cpu/kernels/Kernels.h"
#include "passes/cpu/kernels/LaneSums.h"
#include "passes/cpu/kernels/WaitingSums.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace weir {

bool hasColumnRuns(kernel::MatmulOp op) {
  ArrayRef<int64_t> out = Emitter::shape(op.getOut());
  return op.isPacked() && !op.isTiled() && !op.isInWords() &&
         !op.getTransposeA() && Emitter::shape(op.getB()).back() == 1 &&
         out[out.size() - 2] == 1 &&
         isa<FloatType>(Emitter::element(op.getB()));
}

void emitRowDots(Emitter &e, kernel::MatmulOp op,
                 const kernel::Target &target) {
  Value a = op.getA(), b = op.getB(), out = op.getOut();
  ArrayRef<int64_t> shape = e.shape(out);
  Type element = op.getEpilogue().front().getArgument(0).getType();
  int64_t lanes = target.lanes(element), columns = shape.back();
  int64_t depth = e.shape(b)[e.shape(b).size() - 2];
  SmallVector<ReassociationIndices> runs;
  for (int64_t i = 0; i + 1 < int64_t(e.shape(b).size()); ++i)
    runs.push_back({i});
  runs.back().push_back(e.shape(b).size() - 1);
  b = e.create<memref::CollapseShapeOp>(b, runs);

  // Few sums make short chains of dependent additions: several sets of them
  // take turns over the depth, also of the last columns, which may be fewer, so
  // that equal columns have equal sums.
  int64_t vectors = depth / lanes, sets = 1;
  while (sets * std::min(columns, lanes) < 8 && sets * 2 <= vectors)
    sets *= 2;
  // As many columns as a vector has lanes.
  auto some = [&](ValueRange batch, Value first, int64_t count) {
    auto step = [&](Value k, int64_t valid, MutableArrayRef<Value> sums) {
      Emitter::Values left(batch), right;
      left.append({e.index(0), k});
      if (!op.getShared())
        right.assign(batch.begin(), batch.end());
      right.append({nullptr, k});
      Value row = e.widen(e.load(a, left, lanes, valid), element);
      for (int64_t c = 0; c < count; ++c) {
        right[right.size() - 2] = e.plus(first, c);
        Value column = e.widen(e.load(b, right, lanes, valid), element);
        sums[c] = e.multiplyAdd(row, column, sums[c]);
      }
    };
    auto steps = [&](Value vector, int64_t some, Emitter::Values &sums) {
      for (int64_t u = 0; u < some; ++u)
        step(e.times(e.plus(vector, u), lanes), lanes,
             MutableArrayRef<Value>(sums).slice(u % sets * count, count));
    };
    Emitter::Values sums(count, e.zeros(element, lanes));
    WaitingSums waiting{e, longestChain(target), target.fewRegisters()};
    if (vectors)
      sums =
          waiting.loop(vectors, std::max<int64_t>(sets, 2), sums, steps, sets);
    if (int64_t rest = depth % lanes)
      step(e.index(depth - rest), rest, sums);
    auto position = [&](Value, Value) {
      Emitter::Values at(batch);
      at.push_back(e.index(0));
      return at;
    };
    Tile tile{1, 1, count, lanes, position, first};
    finishTile(e, op, tile, sumEach(e, sums));
  };

  // Blocks of columns, of one product after the other.
  ArrayRef<int64_t> batches = shape.drop_back(2);
  int64_t count = ShapedType::getNumElements(batches);
  int64_t blocks = llvm::divideCeil(columns, lanes), rest = columns % lanes;
  e.share(std::max(productTime(double(count) * columns * depth, lanes),
                   movingTime(double(ShapedType::getNumElements(e.shape(b))) *
                              Emitter::elementBytes(b))));
  e.parts(count * blocks, /*few=*/false, [&](Value low, Value high) {
    SmallVector<int64_t> sizes(batches);
    sizes.push_back(blocks);
    e.loops(sizes, low, high, [&](ValueRange at) {
      ValueRange batch = at.drop_back();
      Value first = e.times(at.back(), lanes);
      if (rest == 0 || blocks == 1)
        return some(batch, first, rest ? rest : lanes);
      Value whole = e.create<arith::CmpIOp>(arith::CmpIPredicate::ne, at.back(),
                                            e.index(blocks - 1));
      e.ifElse(
          whole, [&] { some(batch, first, lanes); },
          [&] { some(batch, first, rest); });
    });
  });
}

} // namespace weir
