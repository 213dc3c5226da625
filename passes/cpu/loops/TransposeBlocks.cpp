// Vectorizes loops whose operands are contiguous along another dimension than
// their result, by blocks that are transposed in registers.

#include "passes/cpu/loops/TransposeBlocks.h"

#include "passes/cpu/loops/LoopNest.h"

#include "dialects/kernel/Target.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace weir::cpu {

// Each round exchanges the halves of blocks half as large (Eklundh).
void transposeBlock(Emitter &e, MutableArrayRef<Value> rows) {
  size_t count = rows.size();
  for (size_t half = count / 2; half > 0; half /= 2) {
    SmallVector<int64_t> upper, lower;
    for (size_t lane = 0; lane < count; ++lane) {
      bool second = lane & half;
      upper.push_back(second ? count + lane - half : lane);
      lower.push_back(second ? count + lane : lane + half);
    }
    for (size_t i = 0; i < count; ++i) {
      if (i & half)
        continue;
      Value a = rows[i], b = rows[i + half];
      rows[i] = e.create<vector::ShuffleOp>(a, b, upper);
      rows[i + half] = e.create<vector::ShuffleOp>(a, b, lower);
    }
  }
}

/// The first elements of all rows, then the second, and so on, as whole
/// vectors.
static void interleave(Emitter &e, MutableArrayRef<Value> rows) {
  size_t half = rows.size() / 2;
  if (half == 0)
    return;
  int64_t lanes = cast<VectorType>(rows[0].getType()).getNumElements();
  SmallVector<int64_t> low, high;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    low.push_back(lane / 2 + (lane % 2) * lanes);
    high.push_back(low.back() + lanes / 2);
  }
  for (size_t i = 0; i < half; ++i) {
    Value a = rows[i], b = rows[half + i];
    rows[i] = e.create<vector::ShuffleOp>(a, b, low);
    rows[half + i] = e.create<vector::ShuffleOp>(a, b, high);
  }
  interleave(e, rows.take_front(half));
  interleave(e, rows.drop_front(half));
}

static bool hasNeighbours(Value buffer) {
  auto type = dyn_cast<MemRefType>(buffer.getType());
  return type && type.hasStaticShape() && isLastMemrefDimUnitStride(type);
}

static SmallVector<ReassociationIndices> lastTwoJoined(unsigned rank) {
  SmallVector<ReassociationIndices> groups;
  for (int64_t i = 0; i + 1 < rank; ++i)
    groups.push_back({i});
  groups.back().push_back(rank - 1);
  return groups;
}

/// The loop whose elements lie side by side; none of a single element.
static std::optional<unsigned> neighboursOf(AffineMap map) {
  if (map.getNumResults() == 0)
    return std::nullopt;
  return map.getDimPosition(map.getNumResults() - 1);
}

bool TransposeBlocks::isTransposed(AffineMap map) const {
  return map.isFunctionOfDim(across) && neighboursOf(map) != across;
}

std::optional<TransposeBlocks> TransposeBlocks::of(linalg::LinalgOp op) {
  // A transpose block that is mostly empty is worth it where the loop would
  // take each element by itself.
  constexpr int64_t minNeighbours = 4, minElements = 64;
  if (!op.hasPureBufferSemantics() || op.getNumDpsInits() != 1 ||
      op.getNumParallelLoops() != op.getNumLoops() || op.getNumLoops() < 2)
    return std::nullopt;
  OpOperand &out = op.getDpsInitsMutable()[0];
  Block &body = *op.getBlock();
  if (!op.getMatchingIndexingMap(&out).isIdentity() ||
      !op.getMatchingBlockArgument(&out).use_empty() ||
      !hasNeighbours(out.get()) ||
      !llvm::all_of(body.without_terminator(), [](Operation &inner) {
        return isWidenable(inner, /*makesBytes=*/true);
      }))
    return std::nullopt;
  TransposeBlocks blocks{0, op.getNumLoops() - 1};
  std::optional<unsigned> down;
  for (OpOperand &operand : op->getOpOperands()) {
    bool isInput = op.isDpsInput(&operand);
    if (isInput && op.getMatchingBlockArgument(&operand).use_empty())
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    Type element = getElementTypeOrSelf(operand.get().getType());
    if (!(is32Bit(element) || isFloat16(element) || element.isInteger(8)) ||
        !map.isProjectedPermutation())
      return std::nullopt;
    if (!isInput || !map.isFunctionOfDim(blocks.across))
      continue;
    if (!hasNeighbours(operand.get()))
      return std::nullopt;
    if (!blocks.isTransposed(map))
      continue;
    if (down && down != neighboursOf(map))
      return std::nullopt;
    down = neighboursOf(map);
  }
  if (!down)
    return std::nullopt;
  blocks.down = *down;
  blocks.interleaves = blocks.rowsAreShort(op);
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  int64_t tall = ranges[blocks.down], wide = ranges[blocks.across];
  if (tall < minNeighbours || tall * wide < minElements ||
      (wide < minNeighbours && !blocks.interleaves))
    return std::nullopt;
  return blocks;
}

/// Whether rows of the result are parts of a vector that lie one after the
/// other, and of nothing but what is transposed.
bool TransposeBlocks::rowsAreShort(linalg::LinalgOp op) const {
  Value out = op.getDpsInits()[0];
  int64_t wide = op.getStaticLoopRanges()[across];
  if (down + 1 != across || (wide != 2 && wide != 4))
    return false;
  for (OpOperand *input : op.getDpsInputOperands())
    if (!op.getMatchingBlockArgument(input).use_empty() &&
        isa<MemRefType>(input->get().getType()) &&
        !isTransposed(op.getMatchingIndexingMap(input)))
      return false;
  return memref::CollapseShapeOp::isGuaranteedCollapsible(
      cast<MemRefType>(out.getType()), lastTwoJoined(op.getNumLoops()));
}

namespace {

struct TransposeBlocksEmitter : TransposeBlocks {
  Emitter &e;
  linalg::LinalgOp op;
  int64_t lanes;
  SmallVector<int64_t> ranges;
  Emitter::Values at; // the index of each loop
  Value top;          // of the rows of transpose blocks at hand
  int64_t tall = 0;   // how many rows these have
  // Whether the lines of a transpose block's rows collide in L1, and leave it
  // soon: 16 rows 8 KB apart take four times as long to write. What a row has
  // is then written one after the other, in the order of the result, and lines
  // in runs where transpose blocks can wait for each other, in a tile that does
  // not collide.
  bool collides;
  static constexpr int64_t blocksOfRun = 4;
  Value tile;

  TransposeBlocksEmitter(const TransposeBlocks &blocks, Emitter &e,
                         linalg::LinalgOp op, int64_t lanes)
      : TransposeBlocks(blocks), e(e), op(op), lanes(lanes),
        ranges(op.getStaticLoopRanges()), at(ranges.size()) {
    Value out = op.getDpsInits()[0];
    auto [strides, offset] =
        getStridesAndOffset(cast<MemRefType>(out.getType()));
    collides = !interleaves && !ShapedType::isDynamic(strides[down]) &&
               kernel::Target::of(op).linesCollide(
                   strides[down] * e.elementBytes(out), lanes);
    if (collides && ranges[across] >= blocksOfRun * lanes)
      tile = e.stack({lanes, blocksOfRun * lanes}, e.element(out));
  }

  Emitter::Values position(AffineMap map) {
    Emitter::Values result;
    for (unsigned i = 0; i < map.getNumResults(); ++i)
      result.push_back(at[map.getDimPosition(i)]);
    return result;
  }

  /// The rows of a transpose block of an operand whose columns lie side by
  /// side.
  Emitter::Values transposed(OpOperand &operand, Value left, int64_t wide) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    Emitter::Values rows(lanes, e.zeros(e.element(operand.get()), lanes));
    at[down] = top;
    for (int64_t i = 0; i < wide; ++i) {
      at[across] = e.plus(left, i);
      rows[i] = e.load(operand.get(), position(map), lanes, tall);
    }
    transposeBlock(e, rows);
    return rows;
  }

  /// An operand that lies like the result, or is one element, at a row.
  Value read(OpOperand &operand, int64_t wide) {
    Value buffer = operand.get();
    if (!isa<MemRefType>(buffer.getType()))
      return e.splat(buffer, lanes);
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (map.isFunctionOfDim(across))
      return e.load(buffer, position(map), lanes, wide);
    return e.splat(e.create<memref::LoadOp>(buffer, position(map)), lanes);
  }

  /// What the loops make of rows of all inputs, which `row` gives.
  Value computed(function_ref<Value(OpOperand &)> row) {
    IRMapping mapping;
    for (OpOperand *input : op.getDpsInputOperands())
      if (isRead(*input))
        mapping.map(op.getMatchingBlockArgument(input), row(*input));
    return e.vectorize(*op.getBlock(), lanes, mapping)[0][0];
  }

  bool isRead(OpOperand &input) {
    return !op.getMatchingBlockArgument(&input).use_empty();
  }

  /// Columns that are rows of the result, short ones, side by side.
  void shortRows() {
    int64_t wide = ranges[across];
    Value flat = e.create<memref::CollapseShapeOp>(
        op.getDpsInits()[0], lastTwoJoined(ranges.size()));
    llvm::SmallDenseMap<OpOperand *, Emitter::Values> inputs;
    at[down] = top;
    for (OpOperand *input : op.getDpsInputOperands()) {
      if (!isRead(*input) || !isa<MemRefType>(input->get().getType()))
        continue;
      Emitter::Values &columns = inputs[input];
      for (int64_t i = 0; i < wide; ++i) {
        at[across] = e.index(i);
        columns.push_back(e.load(input->get(),
                                 position(op.getMatchingIndexingMap(input)),
                                 lanes, tall));
      }
      interleave(e, columns);
    }
    Emitter::Values to(at);
    to.pop_back();
    for (int64_t i = 0; i * lanes < tall * wide; ++i) {
      Value row = computed([&](OpOperand &input) {
        auto found = inputs.find(&input);
        return found == inputs.end() ? e.splat(input.get(), lanes)
                                     : found->second[i];
      });
      to[down] = e.plus(e.times(top, wide), i * lanes);
      e.store(row, flat, to, std::min(lanes, tall * wide - i * lanes));
    }
  }

  /// `keep` takes each row of the result.
  using Keep = function_ref<void(Value row, int64_t i)>;
  void block(Value left, int64_t wide, Keep keep) {
    llvm::SmallDenseMap<OpOperand *, Emitter::Values> turned;
    for (OpOperand *input : op.getDpsInputOperands())
      if (isRead(*input) && isTransposed(op.getMatchingIndexingMap(input)))
        turned[input] = transposed(*input, left, wide);
    at[across] = left;
    for (int64_t i = 0; i < tall; ++i) {
      at[down] = e.plus(top, i);
      Value row = computed([&](OpOperand &input) {
        auto found = turned.find(&input);
        return found == turned.end() ? read(input, wide) : found->second[i];
      });
      keep(row, i);
    }
  }

  void block(Value left, int64_t wide) {
    block(left, wide, [&](Value row, int64_t) {
      e.store(row, op.getDpsInits()[0], at, wide);
    });
  }

  /// Some transpose blocks beside each other, which wait in a tile: the lines
  /// of a row of the result are then written one after the other.
  void run(Value left) {
    e.loop(blocksOfRun, [&](Value k) {
      Value column = e.times(k, lanes);
      block(e.plus(left, column), lanes, [&](Value row, int64_t i) {
        e.store(row, tile, {e.index(i), column}, lanes);
      });
    });
    e.loop(tall, [&](Value i) {
      at[down] = e.plus(top, i);
      for (int64_t k = 0; k < blocksOfRun; ++k) {
        Value row = e.load(tile, {i, e.index(k * lanes)}, lanes, lanes);
        at[across] = e.plus(left, k * lanes);
        e.store(row, op.getDpsInits()[0], at, lanes);
      }
    });
  }

  /// The transpose blocks of some rows of the result.
  void rowsOfBlocks() {
    int64_t done = 0;
    if (tile) {
      int64_t wide = blocksOfRun * lanes;
      done = ranges[across] / wide * wide;
      e.loop(e.index(0), e.index(done), wide, [&](Value left) { run(left); });
    }
    split(across, done, [&](Value left, int64_t wide) { block(left, wide); });
  }

  /// Whole transpose blocks along `d` from `begin` on, and what is left.
  void split(unsigned d, int64_t begin,
             function_ref<void(Value, int64_t)> body) {
    int64_t whole = ranges[d] / lanes * lanes;
    e.loop(e.index(begin), e.index(whole), lanes,
           [&](Value first) { body(first, lanes); });
    if (whole < ranges[d])
      body(e.index(whole), ranges[d] - whole);
  }

  /// Does `body` for the rows of each transpose block of a column of them.
  void rows(function_ref<void()> body) {
    split(down, 0, [&](Value first, int64_t count) {
      top = first, tall = count;
      body();
    });
  }

  void outer(unsigned d) {
    if (d == ranges.size()) {
      if (collides)
        return rowsOfBlocks();
      return rows([&] { interleaves ? shortRows() : rowsOfBlocks(); });
    }
    if (d == down && collides)
      return rows([&] { outer(d + 1); });
    if (d == down || d == across)
      return outer(d + 1);
    e.loop(ranges[d], [&](Value i) {
      at[d] = i;
      outer(d + 1);
    });
  }
};

} // namespace

void TransposeBlocks::emit(Emitter &e, linalg::LinalgOp op,
                           int64_t lanes) const {
  TransposeBlocksEmitter(*this, e, op, lanes).outer(0);
}

} // namespace weir::cpu
