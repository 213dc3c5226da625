// Makes threads share the work items for the actual sizes, not those for the
// bounds.
//
// For results with dynamic sizes, weir-clip-loops ends the loops over work
// items early. Without this pass the empty work items would be shared too, and
// the thread with the last ones would be idle.

#include "passes/cpu/Passes.h"

#include "passes/cpu/loops/Accesses.h"

#include "dialects/graph/Sizes.h"
#include "dialects/plan/Plan.h"
#include "dialects/weir/Attributes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace weir::cpu {
#define GEN_PASS_DEF_COUNTWORKITEMS
#include "passes/cpu/Passes.h.inc"

namespace {

/// A kernel with the arguments (operands, first work item, end of work items,
/// worker slot).
class Counting {
public:
  Counting(func::FuncOp kernel, int64_t workItems)
      : kernel(kernel), workItems(workItems),
        range(kernel.getArguments().take_back(3)) {}

  /// A function from the operands to the number of work items in which a loop
  /// runs; null if all work items run.
  func::FuncOp build(SymbolTable &symbols) {
    if (!visit(kernel.getBody().front(), range[0], 1) || loops.empty())
      return nullptr;
    return write(symbols);
  }

private:
  /// A loop over the iterations of work items: its iterations in a work item,
  /// and its end.
  struct Loop {
    int64_t each;
    SmallVector<Value> ends;
  };

  /// Finds the loops over work items, beside or inside each other. `first` is
  /// the first one of a chunk or block, and a work item has `each` times its
  /// iterations. Returns false if the block does more than such loops.
  bool visit(Block &block, Value first, int64_t each) {
    return llvm::all_of(block.without_terminator(), [&](Operation &op) {
      if (auto loop = dyn_cast<scf::ForOp>(op)) {
        std::optional<int64_t> times = timesFrom(loop.getLowerBound(), first);
        if (!times)
          return visit(*loop.getBody(), first, each);
        SmallVector<Value> ends = endsOf(loop);
        if (ends.empty())
          return visit(*loop.getBody(), loop.getInductionVar(), each * *times);
        loops.push_back({each * *times, ends});
        return true;
      }
      if (auto branch = dyn_cast<scf::IfOp>(op))
        return branch.getNumResults() == 0 && !branch.elseBlock() &&
               visit(*branch.thenBlock(), first, each);
      return isHarmless(&op);
    });
  }

  /// The end of the loop, other than the end of a chunk or of a block of work
  /// items.
  SmallVector<Value> endsOf(scf::ForOp loop) {
    SmallVector<Value> work{loop.getUpperBound()}, ends;
    while (!work.empty()) {
      Value value = work.pop_back_val();
      if (auto least = value.getDefiningOp<arith::MinSIOp>())
        llvm::append_range(work, least->getOperands());
      else if (!matchPattern(value, m_Constant()) && collect(value))
        ends.push_back(value);
    }
    return ends;
  }

  /// Where a loop begins at a multiple of `first`, or at a later place that no
  /// part decides, which multiple.
  static std::optional<int64_t> timesFrom(Value value, Value first) {
    if (auto most = value.getDefiningOp<arith::MaxSIOp>();
        most && matchPattern(most.getRhs(), m_Constant()))
      value = most.getLhs();
    if (value == first)
      return 1;
    auto product = value.getDefiningOp<arith::MulIOp>();
    APInt times;
    if (product && product.getLhs() == first &&
        matchPattern(product.getRhs(), m_ConstantInt(&times)) &&
        times.isStrictlyPositive())
      return times.getSExtValue();
    return std::nullopt;
  }

  /// Whether the value follows from the operands alone; `needed` then has what
  /// computes it.
  bool collect(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return argument.getOwner() == &kernel.getBody().front() &&
             !llvm::is_contained(range, value);
    Operation *op = value.getDefiningOp();
    if (needed.contains(op))
      return true;
    if (op->getNumRegions() > 0 ||
        !(isMemoryEffectFree(op) || readsOperand(op)) ||
        !llvm::all_of(op->getOperands(), [&](Value v) { return collect(v); }))
      return false;
    needed.insert(op);
    return true;
  }

  /// Sizes are operands, which a kernel does not write.
  static bool readsOperand(Operation *op) {
    auto load = dyn_cast<memref::LoadOp>(op);
    return load && load.getMemRefType().getRank() == 0 &&
           isa<BlockArgument>(load.getMemRef());
  }

  func::FuncOp write(SymbolTable &symbols) {
    OpBuilder b(kernel);
    Location loc = kernel.getLoc();
    auto parameters = kernel.getArgumentTypes().drop_back(3);
    auto count =
        b.create<func::FuncOp>(loc, (kernel.getName() + "_work_items").str(),
                               b.getFunctionType(parameters, b.getIndexType()));
    count.setPrivate();
    symbols.insert(count);
    Block *body = count.addEntryBlock();
    b.setInsertionPointToStart(body);
    IRMapping map;
    map.map(kernel.getArguments().drop_back(3), body->getArguments());
    // An op stands before those that need it.
    for (Operation *op : needed)
      b.clone(*op, map);
    Value most = b.create<arith::ConstantIndexOp>(loc, 0);
    for (const Loop &loop : loops) {
      Value least =
          b.create<arith::ConstantIndexOp>(loc, workItems * loop.each);
      for (Value end : loop.ends)
        least = b.create<arith::MinSIOp>(loc, least, map.lookupOrDefault(end));
      if (loop.each > 1) {
        Value each = b.create<arith::ConstantIndexOp>(loc, loop.each);
        least = b.create<arith::AddIOp>(
            loc, least, b.create<arith::ConstantIndexOp>(loc, loop.each - 1));
        least = b.create<arith::DivSIOp>(loc, least, each);
      }
      most = b.create<arith::MaxSIOp>(loc, most, least);
    }
    b.create<func::ReturnOp>(loc, most);
    return count;
  }

  func::FuncOp kernel;
  int64_t workItems;
  ValueRange range; // first, end and slot
  llvm::SmallSetVector<Operation *, 8> needed;
  SmallVector<Loop> loops;
};

struct CountWorkItems : impl::CountWorkItemsBase<CountWorkItems> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    llvm::StringMap<func::FuncOp> counts;
    getOperation().walk([&](plan::RunOp run) {
      if (!run.getWorkItems() || run.getHost())
        return;
      auto [known, isNew] = counts.try_emplace(run.getKernel());
      if (isNew) {
        auto kernel = symbols.lookup<func::FuncOp>(run.getKernel());
        if (kernel && attrs::sizes.isOn(kernel))
          known->second = Counting(kernel, *run.getWorkItems()).build(symbols);
      }
      if (known->second)
        run.setCount(known->second.getName());
    });
  }
};

} // namespace
} // namespace weir::cpu
