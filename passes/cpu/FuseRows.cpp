// Loops over the same rows become one loop over blocks of rows, so that what
// one computes of a row the next finds in L1.
//
// A softmax or a normalization is several loops over rows, each of which needs
// the last one's results of its own row alone. Here they are done for a few
// rows, then for the next few; a buffer that only they use holds these few.
// Blocks of rows are also what threads share.

#include "dialects/weir/Attributes.h"
#include "passes/cpu/Passes.h"

#include "passes/cpu/Sharing.h"
#include "passes/cpu/loops/Slices.h"

#include "dialects/kernel/Nests.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/MapVector.h"

#include <numeric>

using namespace mlir;

namespace weir::cpu {
#define GEN_PASS_DEF_FUSEROWS
#include "passes/cpu/Passes.h.inc"

namespace {

bool isCandidate(linalg::LinalgOp op) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  return op.hasPureBufferSemantics() && !ranges.empty() &&
         !llvm::is_contained(ranges, 0) &&
         !llvm::any_of(ranges, ShapedType::isDynamic) && isSliceable(op) &&
         !op.hasIndexSemantics();
}

/// Ranges of the parallel loops before the first that reduces.
SmallVector<int64_t> leadingRanges(linalg::LinalgOp op) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  auto iterators = op.getIteratorTypesArray();
  ranges.truncate(llvm::find(iterators, utils::IteratorType::reduction) -
                  iterators.begin());
  return ranges;
}

/// Ops that follow each other and loop over rows of one shape.
class Run {
public:
  explicit Run(ArrayRef<int64_t> rows) : rows(rows) {}

  /// Whether `op`, which comes next, needs of what the others write, and they
  /// of what it writes, only its own rows; it is then part of the run.
  bool add(linalg::LinalgOp op) {
    SmallVector<int64_t> ranges = leadingRanges(op);
    if (ranges.size() < rows.size() ||
        ArrayRef<int64_t>(ranges).take_front(rows.size()) !=
            ArrayRef<int64_t>(rows))
      return false;
    llvm::MapVector<Value, Use> with = uses;
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<MemRefType>(operand.get().getType()))
        continue;
      bool written = op.isDpsInit(&operand);
      for (auto &[other, use] : with)
        if (other != operand.get() &&
            kernel::baseOf(other) == kernel::baseOf(operand.get()) &&
            (written || use.written))
          return false;
      Use &use = with[operand.get()];
      use.rowWise &=
          kernel::isRowWise(op.getMatchingIndexingMap(&operand), rows.size());
      use.written |= written;
      if (use.written && !use.rowWise)
        return false;
    }
    uses = with;
    ops.push_back(op);
    return true;
  }

  size_t size() const { return ops.size(); }

  void fuse(const kernel::Target &target) {
    double cycles = 0;
    for (linalg::LinalgOp op : ops)
      cycles += loopCycles(op);
    int64_t block =
        rowsOfBlock(streams(target) ? target.l1 / 8 : target.l1 / 4 * 3);
    Emitter e(ops.back().getLoc(), ops.back());
    auto rowBlocks = RowBlocks::of(ops.back());
    if (rowBlocks && rowBlocks->rows != ShapedType::getNumElements(rows))
      rowBlocks.reset();
    if (rowBlocks)
      block = evenPart(std::gcd(rowBlocks->size, rows.back()), block);
    int64_t blocksOfRow = llvm::divideCeil(rows.back(), block);
    SmallVector<int64_t> shape(rows);
    shape.back() = blocksOfRow;
    int64_t blocks = ShapedType::getNumElements(shape);
    int64_t each =
        std::max<int64_t>(llvm::divideCeil(blocks, kernel::maxWorkItems),
                          std::ceil(kernel::workItemCycles * blocks / cycles));
    each = rowBlocks ? rowBlocks->size / block : std::min(each, blocks);
    e.share(cycles);
    SmallVector<Value> own = ownBuffers();
    auto body = [&](Value first, Value end) {
      shrink(e, own, block);
      e.loops(shape, e.times(first, each),
              e.smaller(e.times(end, each), e.index(blocks)),
              [&](ValueRange at) { someRows(e, at, block); });
    };
    if (rowBlocks)
      e.parallelRows(*rowBlocks, body);
    else
      e.parallel(llvm::divideCeil(blocks, each), /*coarse=*/false, body);
    for (linalg::LinalgOp op : ops)
      op.erase();
    for (Value buffer : own)
      kernel::eraseBuffer(buffer);
  }

private:
  struct Use {
    bool rowWise = true, written = false;
  };

  /// Whether rows come from and go beyond L2: they do so all the time where
  /// blocks are small, and else in bursts, between which the rest is computed.
  bool streams(const kernel::Target &target) const {
    int64_t bytes = 0;
    for (auto &[buffer, use] : uses)
      if (auto type = cast<MemRefType>(buffer.getType());
          use.rowWise && !buffer.getDefiningOp<memref::AllocOp>())
        bytes += type.getNumElements() *
                 llvm::divideCeil(type.getElementTypeBitWidth(), 8);
    return bytes >= 2 * target.l2 * slotsOf(ops.back());
  }

  /// As many rows as fit in so many bytes, if possible a divisor of all.
  int64_t rowsOfBlock(int64_t most) const {
    int64_t bytes = 1, all = ShapedType::getNumElements(rows);
    for (auto &[buffer, use] : uses)
      if (use.rowWise) {
        auto type = cast<MemRefType>(buffer.getType());
        bytes += type.getNumElements() / all *
                 llvm::divideCeil(type.getElementTypeBitWidth(), 8);
      }
    return cpu::rowsOfBlock(rows.back(), std::max<int64_t>(most / bytes, 1));
  }

  /// Buffers that nothing but the run uses.
  SmallVector<Value> ownBuffers() const {
    SmallVector<Value> own;
    for (auto &[buffer, use] : uses)
      if (buffer.getDefiningOp<memref::AllocOp>() && use.rowWise &&
          llvm::all_of(buffer.getUsers(), [&](Operation *user) {
            return llvm::is_contained(ops, user) ||
                   isa<memref::DeallocOp>(user);
          }))
        own.push_back(buffer);
    return own;
  }

  void shrink(Emitter &e, ArrayRef<Value> buffers, int64_t block) {
    for (Value buffer : buffers) {
      auto type = cast<MemRefType>(buffer.getType());
      SmallVector<int64_t> shape(type.getShape());
      std::fill_n(shape.begin(), rows.size(), 1);
      shape[rows.size() - 1] = block;
      small[buffer] = e.buffer(shape, type.getElementType());
    }
  }

  /// All ops on a block of rows; the last may have fewer.
  void someRows(Emitter &e, ValueRange at, int64_t block) {
    emitBlock(e, at.back(), rows.back(), block, [&](int64_t count) {
      SmallVector<LoopSlice> slices;
      for (Value index : at.drop_back())
        slices.push_back({index, 1});
      slices.push_back({e.times(at.back(), block), count});
      for (linalg::LinalgOp op : ops)
        makeSlice(e, op, slices, [&](Value buffer) -> Value {
          Value held = small.lookup(buffer);
          return held ? firstOf(e, held, rows.size() - 1, count) : held;
        });
    });
  }

  SmallVector<int64_t> rows; // ranges of the loops over rows
  SmallVector<linalg::LinalgOp> ops;
  llvm::MapVector<Value, Use> uses;
  DenseMap<Value, Value> small; // of a block of rows, by buffer of all
};

struct FuseRows : impl::FuseRowsBase<FuseRows> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!attrs::kernel.isOn(kernel))
      return;
    auto target = kernel::Target::of(kernel);
    // Blocks first: fusing makes more of them, which need no second look.
    SmallVector<Block *> blocks;
    kernel.walk([&](Block *block) {
      if (!isa<linalg::LinalgOp>(block->getParentOp()))
        blocks.push_back(block);
    });
    for (Block *block : blocks)
      fuseIn(*block, target);
  }

private:
  static void fuseIn(Block &block, const kernel::Target &target) {
    SmallVector<linalg::LinalgOp> following;
    auto fuseFollowing = [&] {
      for (ArrayRef<linalg::LinalgOp> rest = following; !rest.empty();)
        rest = rest.drop_front(fuseFirst(rest, target));
      following.clear();
    };
    for (Operation &op : llvm::make_early_inc_range(block)) {
      auto loops = dyn_cast<linalg::LinalgOp>(op);
      if (loops && isCandidate(loops))
        following.push_back(loops);
      else if (!isMemoryEffectFree(&op) && !isa<memref::AllocOp>(op))
        fuseFollowing();
    }
    fuseFollowing();
  }

  /// Fuses the first of `ops` with those after it that it can be with; how many
  /// that are.
  static size_t fuseFirst(ArrayRef<linalg::LinalgOp> ops,
                          const kernel::Target &target) {
    auto sum = llvm::find_if(
        ops, [](linalg::LinalgOp op) { return op.getNumReductionLoops() > 0; });
    if (sum == ops.end())
      return ops.size();
    SmallVector<int64_t> rows = leadingRanges(*sum);
    if (ShapedType::getNumElements(rows) < 2)
      return sum - ops.begin() + 1;
    Run run(rows);
    size_t count = 0;
    while (count < ops.size() && run.add(ops[count]))
      ++count;
    if (count < 2)
      return 1;
    // Only what comes before the sum may have been added.
    if (ops.begin() + count <= sum)
      return count;
    run.fuse(target);
    return count;
  }
};

} // namespace
} // namespace weir::cpu
