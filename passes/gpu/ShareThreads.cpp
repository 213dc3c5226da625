// Turns loop nests and kernels into work items, one for each element of their
// results.

#include "passes/gpu/Passes.h"

#include "passes/gpu/kernels/Attention.h"
#include "passes/gpu/kernels/Blocks.h"
#include "passes/gpu/kernels/Nest.h"

#include "dialects/kernel/Nests.h"
#include "dialects/weir/Attributes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace weir::gpu {
#define GEN_PASS_DEF_SHARETHREADS
#include "passes/gpu/Passes.h.inc"

namespace {

/// The adjacent elements of one thread: 16 bytes of f32.
constexpr int64_t wide = 4;
/// With so many elements there are enough threads even if each computes
/// several.
constexpr int64_t manyElements = 1 << 16;

/// Emits a loop nest on buffers, element by element.
class NestEmitter : Nest {
public:
  using Nest::Nest;

  /// Whether the nest has parallel work items at all.
  bool canShare() {
    return op.hasPureBufferSemantics() &&
           llvm::none_of(ranges, ShapedType::isDynamic);
  }

  void share() {
    if (llvm::is_contained(ranges, 0))
      return;
    int64_t count = 1;
    SmallVector<int64_t> shape;
    for (auto [d, range] : llvm::enumerate(ranges)) {
      if (kernel::separates(op, d)) {
        count *= range;
        shape.push_back(range);
        outer.push_back(d);
      } else {
        inner.push_back(d);
      }
    }
    if (inner.empty() && count >= manyElements && canReadWide())
      return shareWide(count, shape);
    b.workItems(count, [&](Value workItem) {
      SmallVector<Value> indices = b.delinearize(workItem, shape);
      for (auto [d, index] : llvm::zip_equal(outer, indices))
        at[d] = index;
      if (keepsSums())
        store(reduce(0, loadInits()));
      else
        update(0);
    });
  }

  /// Reduces each row by a block of threads.
  void shareRows() {
    gpu::shareRows(b, op, [&](ArrayRef<Value> indices, ValueRange last) {
      at.assign(indices.begin(), indices.end());
      return compute(SmallVector<Value>(last));
    });
  }

private:
  /// Whether each operand that varies along the last dimension is contiguous in
  /// it, and its length is a multiple of the vector.
  bool canReadWide() {
    unsigned last = ranges.size() - 1;
    if (ranges.empty() || ranges[last] % wide)
      return false;
    return llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
      auto type = dyn_cast<MemRefType>(operand.get().getType());
      AffineMap map = op.getMatchingIndexingMap(&operand);
      if (!type || !map.isFunctionOfDim(last))
        return true;
      AffineExpr inside = map.getResults().back();
      SmallVector<int64_t> strides;
      int64_t offset;
      return inside == getAffineDimExpr(last, op.getContext()) &&
             llvm::none_of(
                 map.getResults().drop_back(),
                 [&](AffineExpr e) { return e.isFunctionOfDim(last); }) &&
             succeeded(getStridesAndOffset(type, strides, offset)) &&
             strides.back() == 1;
    });
  }

  /// Emits a work item for each group of adjacent elements. They are loaded and
  /// stored together if they are aligned.
  void shareWide(int64_t count, SmallVector<int64_t> shape) {
    shape.back() /= wide;
    b.workItems(count / wide, [&](Value workItem) {
      SmallVector<Value> group = b.delinearize(workItem, shape);
      SmallVector<SmallVector<Value>> at(wide, group), results;
      for (int64_t i = 0; i < wide; ++i)
        at[i].back() = b.plus(b.times(group.back(), wide), b.index(i));
      for (ArrayRef<Value> indices : at) {
        this->at.assign(indices.begin(), indices.end());
        results.push_back(compute(loadInits()));
      }
      for (auto [indices, values] : llvm::zip_equal(at, results)) {
        this->at = indices;
        store(values);
      }
    });
  }

  /// Whether a work item computes one element of each result.
  bool keepsSums() {
    for (OpOperand &init : op.getDpsInitsMutable())
      for (unsigned d : inner)
        if (op.getMatchingIndexingMap(&init).isFunctionOfDim(d))
          return false;
    return true;
  }

  SmallVector<Value> loadInits() {
    SmallVector<Value> values;
    for (OpOperand &init : op.getDpsInitsMutable())
      values.push_back(op.getMatchingBlockArgument(&init).use_empty() &&
                               inner.empty()
                           ? Value()
                           : load(init));
    return values;
  }

  SmallVector<Value> reduce(size_t depth, SmallVector<Value> sums) {
    if (depth == inner.size())
      return compute(sums);
    unsigned d = inner[depth];
    return b.loop(ranges[d], sums, [&](Value index, ValueRange carried) {
      at[d] = index;
      return reduce(depth + 1, SmallVector<Value>(carried));
    });
  }

  /// Loads and stores the results in each iteration.
  void update(size_t depth) {
    if (depth == inner.size())
      return store(compute(loadInits()));
    unsigned d = inner[depth];
    b.loop(ranges[d], {}, [&](Value index, ValueRange) {
      at[d] = index;
      update(depth + 1);
      return SmallVector<Value>();
    });
  }

  SmallVector<unsigned> outer, inner;
};

/// Emits a copy as a loop nest.
void expandCopy(memref::CopyOp copy) {
  OpBuilder b(copy);
  int64_t rank = cast<MemRefType>(copy.getTarget().getType()).getRank();
  SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  b.create<linalg::GenericOp>(copy.getLoc(), copy.getSource(), copy.getTarget(),
                              maps, loops,
                              [](OpBuilder &b, Location loc, ValueRange args) {
                                b.create<linalg::YieldOp>(loc, args[0]);
                              });
  copy.erase();
}

/// Returns whether the kernel was turned into work items.
bool shareKernel(Operation *op, bool mayUseBarriers) {
  ThreadBuilder b(op->getLoc(), op);
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](kernel::MatmulOp op) {
        if (op.getLayout().isAmx())
          return false;
        shareMatmul(b, op, mayUseBarriers);
        return true;
      })
      .Case([&](kernel::ConvolutionOp op) {
        shareConvolution(b, op, mayUseBarriers);
        return true;
      })
      .Case([&](kernel::DepthwiseOp op) {
        shareDepthwise(b, op);
        return true;
      })
      .Case([&](kernel::PackOp op) {
        sharePack(b, op);
        return true;
      })
      .Case([&](kernel::PackFilterOp op) {
        sharePackFilter(b, op);
        return true;
      })
      .Default(false);
}

struct ShareThreads : impl::ShareThreadsBase<ShareThreads> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!attrs::kernel.isOn(kernel))
      return;
    if (attrs::gemm.isOn(kernel) || attrs::conv.isOn(kernel) ||
        attrs::attention.isOn(kernel))
      return clear(kernel);
    SmallVector<memref::CopyOp> copies;
    kernel.walk([&](memref::CopyOp copy) { copies.push_back(copy); });
    for (memref::CopyOp copy : copies)
      expandCopy(copy);
    bool split = canSplit(kernel);
    shareAttentions(kernel, split);
    if (split)
      fuseRows(kernel);
    kernel.walk([](kernel::MatmulOp op) { readUnpacked(op); });
    SmallVector<Operation *> ops;
    kernel.walk([&](Operation *op) {
      if (isa<linalg::LinalgOp>(op) ||
          (isa<kernel::KernelDialect>(op->getDialect()) &&
           isa<DestinationStyleOpInterface>(op)))
        ops.push_back(op);
    });
    for (Operation *op : ops)
      if (failed(share(op, split)))
        return signalPassFailure();
  }

private:
  /// A library has its own code, so the kernel's is erased.
  static void clear(func::FuncOp kernel) {
    Block &body = kernel.getBody().front();
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
      if (&op != body.getTerminator())
        op.erase();
  }

  /// Whether each op of the body can be a launch of its own, because no op uses
  /// a result of another, except addresses. Otherwise one thread may have to
  /// run them all, and barriers are impossible.
  static bool canSplit(func::FuncOp kernel) {
    return llvm::all_of(kernel.getBody().front(), [](Operation &op) {
      return op.use_empty() || isMemoryEffectFree(&op) ||
             isa<memref::AllocOp>(op);
    });
  }

  static LogicalResult share(Operation *op, bool split) {
    bool mayUseBarriers = split && isa<func::FuncOp>(op->getParentOp());
    if (auto nest = dyn_cast<linalg::LinalgOp>(op)) {
      ThreadBuilder b(op->getLoc(), op);
      NestEmitter emitter(b, nest);
      if (!emitter.canShare())
        return success();
      if (mayUseBarriers && isRowReduction(nest))
        emitter.shareRows();
      else if (OpOperand *operand =
                   mayUseBarriers ? transposedOperand(nest) : nullptr)
        shareTranspose(b, nest, *operand);
      else
        emitter.share();
    } else if (!cast<DestinationStyleOpInterface>(op)
                    .hasPureBufferSemantics()) {
      return op->emitOpError("is not bufferized");
    } else if (cast<MemRefType>(op->getOperands().back().getType())
                       .getNumElements() != 0 &&
               !shareKernel(op, mayUseBarriers)) {
      return op->emitOpError("has no form for a GPU");
    }
    op->erase();
    return success();
  }
};

} // namespace
} // namespace weir::gpu
