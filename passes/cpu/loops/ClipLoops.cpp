// Loops end where the actual sizes of results end.
//
// A result of dynamic size has a buffer of its bound. An iteration of a loop
// that stores nothing but elements beyond the actual sizes need not run: as
// indices grow with the loop's variable, these iterations are the last ones.
// Which elements a loop stores follows from its index arithmetic, whatever
// emitter made it. Iterations that remain are as before, so that results have
// the bits of a kernel for these very sizes.

#include "passes/cpu/Passes.h"

#include "passes/cpu/loops/Accesses.h"
#include "passes/cpu/loops/ActualSizes.h"

#include "dialects/kernel/Kernel.h"
#include "dialects/weir/Attributes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace weir::cpu {
#define GEN_PASS_DEF_CLIPLOOPS
#include "passes/cpu/Passes.h.inc"

namespace {

/// What loops store to one buffer, whose indices differ by constants only: the
/// least constants of each dimension.
struct Stores {
  Value root;
  SmallVector<LinearIndex> indices;
  /// The same as seen from within the loop's body.
  SmallVector<LinearIndex> inBody;
  /// Of each dimension how much the greatest constant is above the least.
  SmallVector<int64_t> spread;
};

class Clipping {
public:
  explicit Clipping(func::FuncOp kernel) : kernel(kernel) {}

  void run() {
    results = dynamicResults(kernel);
    if (results.empty())
      return;
    kernel.walk([&](memref::CollapseShapeOp view) {
      if (results.contains(view.getSrc()))
        results[view.getResult()] = collapsed(view, results[view.getSrc()]);
    });
    SmallVector<scf::ForOp> loops;
    kernel.walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
      if (loop.getNumResults() == 0)
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops)
      clip(loop);
  }

private:
  void clip(scf::ForOp loop) {
    std::optional<SmallVector<Stores, 2>> all = storesOf(loop);
    if (!all || all->empty())
      return;
    guardTiles(loop, *all);
    OpBuilder b(loop);
    Location loc = loop.getLoc();
    Value end;
    for (const Stores &stores : *all) {
      Value own = endOf(b, loop, stores);
      if (!own)
        return guard(loop, *all);
      end = end ? b.create<arith::MaxSIOp>(loc, end, own) : own;
    }
    Value bound = b.create<arith::MinSIOp>(loc, loop.getUpperBound(), end);
    loop.setUpperBound(bound);
    guard(loop, *all);
  }

  /// What the loop stores; nothing where it has other effects.
  std::optional<SmallVector<Stores, 2>> storesOf(scf::ForOp loop) {
    SmallVector<Stores, 2> all;
    WalkResult outcome = loop.walk([&](Operation *op) {
      if (op == loop || isHarmless(op))
        return WalkResult::advance();
      std::optional<Access> store =
          storeOf(op, [&](Value view) { return results.contains(view); });
      if (!store)
        return WalkResult::interrupt();
      if (!results.contains(store->root))
        return isPrivate(store->root, loop) ? WalkResult::advance()
                                            : WalkResult::interrupt();
      SmallVector<LinearIndex> inBody(store->indices);
      for (LinearIndex &index : inBody)
        index.enterBody(loop);
      for (LinearIndex &index : store->indices)
        index.enter(loop);
      add(all, *store, inBody);
      return WalkResult::advance();
    });
    if (outcome.wasInterrupted())
      return std::nullopt;
    return all;
  }

  /// Whether only the loop uses the memory, so that what it holds is for its
  /// stores only.
  static bool isPrivate(Value root, scf::ForOp loop) {
    SmallVector<Value> work{root};
    Operation *maker = root.getDefiningOp();
    if (!maker || !isa<memref::ViewOp, memref::AllocaOp>(maker))
      return false;
    while (!work.empty())
      for (Operation *user : work.pop_back_val().getUsers()) {
        if (isa<ViewLikeOpInterface, memref::TransposeOp>(user)) {
          llvm::append_range(work, user->getResults());
          continue;
        }
        if (!loop->isAncestor(user))
          return false;
      }
    return true;
  }

  static bool areAlike(ArrayRef<LinearIndex> some, ArrayRef<LinearIndex> more) {
    return llvm::all_of(llvm::zip_equal(some, more), [](auto both) {
      return std::get<0>(both).isAlike(std::get<1>(both));
    });
  }

  static void add(SmallVector<Stores, 2> &all, const Access &store,
                  ArrayRef<LinearIndex> inBody) {
    for (Stores &other : all) {
      if (other.root != store.root || !areAlike(other.indices, store.indices) ||
          !areAlike(other.inBody, inBody))
        continue;
      for (auto [least, index] : llvm::zip_equal(other.inBody, inBody))
        least.constant = std::min(least.constant, index.constant);
      for (auto [least, index, spread] :
           llvm::zip_equal(other.indices, store.indices, other.spread)) {
        int64_t high = std::max(least.constant + spread, index.constant);
        least.constant = std::min(least.constant, index.constant);
        spread = high - least.constant;
      }
      return;
    }
    all.push_back({store.root, store.indices, SmallVector<LinearIndex>(inBody),
                   SmallVector<int64_t>(store.indices.size(), 0)});
  }

  /// From which value of the loop's variable on all that is stored lies beyond
  /// the sizes; null where there is none.
  Value endOf(OpBuilder &b, scf::ForOp loop, const Stores &stores) {
    Location loc = loop.getLoc();
    Value end;
    for (auto [dim, index] :
         llvm::zip_equal(results.lookup(stores.root), stores.indices)) {
      if (!dim.front().isDynamic() || !index.isUsable)
        continue;
      if (index.quotient) {
        // (i + r) / c + s < n where i < c * (n - s) - r.
        Value size = sizeOf(b, loop, dim);
        Value left = b.create<arith::SubIOp>(loc, size, index.build(b, loc));
        Value own = b.create<arith::SubIOp>(
            loc,
            b.create<arith::MulIOp>(
                loc, left,
                b.create<arith::ConstantIndexOp>(loc, index.divisor)),
            index.quotient->build(b, loc));
        end = end ? b.create<arith::MinSIOp>(loc, end, own) : own;
        continue;
      }
      int64_t factor = index.factorOf(loop.getInductionVar());
      if (factor < 0 || (factor == 0 && !isOfParts(index, loop)))
        continue;
      LinearIndex rest = index.without(loop.getInductionVar());
      Value size = sizeOf(b, loop, dim);
      Value left = b.create<arith::SubIOp>(loc, size, rest.build(b, loc));
      Value own;
      if (factor == 0) {
        Value zero = b.create<arith::ConstantIndexOp>(loc, 0);
        Value isBeyond =
            b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sle, left, zero);
        own = b.create<arith::SelectOp>(loc, isBeyond, loop.getLowerBound(),
                                        loop.getUpperBound());
      } else if (factor == 1) {
        own = left;
      } else {
        // Rounded up; what is left is positive where any iteration runs.
        Value raised = b.create<arith::AddIOp>(
            loc, left, b.create<arith::ConstantIndexOp>(loc, factor - 1));
        own = b.create<arith::DivSIOp>(
            loc, raised, b.create<arith::ConstantIndexOp>(loc, factor));
      }
      end = end ? b.create<arith::MinSIOp>(loc, end, own) : own;
    }
    return end;
  }

  /// Whether the index has a part that depends only on a loop over work items,
  /// of which this is the outermost loop.
  static bool isOfParts(const LinearIndex &index, scf::ForOp loop) {
    return llvm::any_of(index.terms, [&](auto term) {
      Value value = term.first;
      Operation *maker = value.getDefiningOp();
      return maker && maker->getBlock() == loop->getBlock() &&
             !isa<scf::ForOp>(maker);
    });
  }

  /// A loop over tiles of several dimensions at once: the body computes where a
  /// tile is, and runs where it begins within the sizes of the inner ones.
  void guardTiles(scf::ForOp loop, ArrayRef<Stores> all) {
    if (all.size() != 1)
      return;
    Block *body = loop.getBody();
    Operation *last = nullptr; // of the ops that compute where
    SmallVector<std::pair<LinearIndex, graph::SizeOfDim>> bounds;
    for (auto [dim, index] : llvm::zip_equal(results.lookup(all.front().root),
                                             all.front().inBody)) {
      if (!dim.front().isDynamic() || !index.isUsable)
        continue;
      bool isOfBody = false;
      for (auto [value, factor] : index.terms) {
        Operation *maker = value.getDefiningOp();
        if (!maker || maker->getBlock() != body)
          continue;
        isOfBody = true;
        last = !last || last->isBeforeInBlock(maker) ? maker : last;
      }
      if (isOfBody)
        bounds.push_back({index, dim});
    }
    if (!last || !areHarmlessUpTo(*last))
      return;
    OpBuilder b(body, std::next(last->getIterator()));
    Location loc = loop.getLoc();
    Value holds;
    for (const auto &[index, dim] : bounds) {
      Value within =
          b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt,
                                  index.build(b, loc), sizeOf(b, loop, dim));
      holds = holds ? b.create<arith::AndIOp>(loc, holds, within) : within;
    }
    wrapFrom(b, loop, holds);
  }

  /// Whether the ops of the block up to this one have no effect.
  static bool areHarmlessUpTo(Operation &last) {
    for (Operation *op = &last; op; op = op->getPrevNode())
      if (op->getNumRegions() > 0 || !isHarmless(op))
        return false;
    return true;
  }

  /// The rest of the loop's body, from the builder's place on, runs where this
  /// holds. What others than the rest use stands before it.
  static void wrapFrom(OpBuilder &b, scf::ForOp loop, Value holds) {
    SmallVector<Operation *> ops;
    for (auto at = b.getInsertionPoint();
         &*at != loop.getBody()->getTerminator(); ++at)
      ops.push_back(&*at);
    auto branch =
        b.create<scf::IfOp>(loop.getLoc(), holds, /*withElseRegion=*/false);
    for (Operation *op : ops)
      op->moveBefore(branch.thenBlock()->getTerminator());
  }

  /// A dimension of several factors of which an inner one is dynamic: the body
  /// runs where any of what it stores lies within.
  void guard(scf::ForOp loop, ArrayRef<Stores> all) {
    if (all.size() != 1)
      return;
    const Stores &stores = all.front();
    for (auto [dim, index, spread] : llvm::zip_equal(
             results.lookup(stores.root), stores.indices, stores.spread)) {
      if (!index.isUsable || index.quotient ||
          index.factorOf(loop.getInductionVar()) <= 0 || index.hasInner)
        continue;
      int64_t inner = 1;
      for (graph::SizeFactor factor : llvm::drop_begin(dim))
        inner *= factor.bound;
      graph::SizeOfDim rest(dim.begin() + 1, dim.end());
      if (rest.empty() || !rest.front().isDynamic() || spread >= inner)
        continue;
      wrap(loop, index, spread, inner, rest);
      return;
    }
  }

  void wrap(scf::ForOp loop, const LinearIndex &index, int64_t spread,
            int64_t inner, const graph::SizeOfDim &rest) {
    Location loc = loop.getLoc();
    OpBuilder b(loop.getBody(), loop.getBody()->begin());
    Value size = sizeOf(b, loop, rest);
    LinearIndex position = index;
    Value at =
        b.create<arith::RemSIOp>(loc, position.build(b, loc),
                                 b.create<arith::ConstantIndexOp>(loc, inner));
    Value holds =
        b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, at, size);
    if (spread > 0) {
      Value wraps = b.create<arith::CmpIOp>(
          loc, arith::CmpIPredicate::sge, at,
          b.create<arith::ConstantIndexOp>(loc, inner - spread));
      holds = b.create<arith::OrIOp>(loc, holds, wraps);
    }
    wrapFrom(b, loop, holds);
  }

  /// The actual size of a dimension whose first factor is dynamic, which the
  /// others are not seen to be.
  Value sizeOf(OpBuilder &b, scf::ForOp loop, const graph::SizeOfDim &dim) {
    int64_t inner = 1;
    for (graph::SizeFactor factor : llvm::drop_begin(dim))
      inner *= factor.bound;
    Value size = scalar(loop, dim.front().symbol);
    if (inner == 1)
      return size;
    return b.create<arith::MulIOp>(
        loop.getLoc(), size,
        b.create<arith::ConstantIndexOp>(loop.getLoc(), inner));
  }

  /// Read once for each part that threads run, and for what is outside of
  /// these.
  Value scalar(scf::ForOp loop, int64_t number) {
    Operation *position = loop;
    Block *block;
    if (auto parts = loop->getParentOfType<kernel::ParallelOp>()) {
      block = &parts.getBody().front();
      position = block->empty() ? nullptr : &block->front();
    } else {
      block = &kernel.getBody().front();
      position = block->findAncestorOpInBlock(*loop);
    }
    // Of one place outside of parts: what stands before an earlier op may be of
    // another phase.
    auto parts = loop->getParentOfType<kernel::ParallelOp>();
    Operation *owner = parts ? parts.getOperation() : position;
    Value &known = scalars[{owner, number}];
    if (!known) {
      OpBuilder b(kernel.getContext());
      if (parts)
        b.setInsertionPointToStart(block);
      else
        b.setInsertionPoint(position);
      known = readSize(b, loop.getLoc(), kernel.getArgument(number));
    }
    return known;
  }

  func::FuncOp kernel;
  /// Of the buffers of results and views in which several dimensions are one.
  DenseMap<Value, graph::SizesOfDims> results;
  DenseMap<std::pair<Operation *, int64_t>, Value> scalars;
};

struct ClipLoops : impl::ClipLoopsBase<ClipLoops> {
  void runOnOperation() override {
    if (attrs::kernel.isOn(getOperation()))
      Clipping(getOperation()).run();
  }
};

} // namespace
} // namespace weir::cpu
