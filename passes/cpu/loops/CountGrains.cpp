// Threads share the grains that there are, not those of the bounds.
//
// Where results have dynamic sizes, weir-clip-loops ends the loops over grains.
// The grains beyond would still be counted when threads share them, and the
// thread that has the last ones would have nothing to do.

#include "passes/cpu/Passes.h"

#include "passes/cpu/loops/Accesses.h"

#include "dialects/graph/Sizes.h"
#include "dialects/plan/Plan.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace weir {
#define GEN_PASS_DEF_COUNTGRAINS
#include "passes/cpu/Passes.h.inc"

namespace {

/// A kernel that takes (operands, first grain, end of grains, slot).
class Counting {
public:
  Counting(func::FuncOp kernel, int64_t grains)
      : kernel(kernel), grains(grains),
        range(kernel.getArguments().take_back(3)) {}

  /// A function from the operands to the number of grains in which any loop
  /// runs; null where all grains run.
  func::FuncOp build(SymbolTable &symbols) {
    SmallVector<SmallVector<Value>> loops;
    for (Operation &op : kernel.getBody().front().without_terminator()) {
      auto loop = dyn_cast<scf::ForOp>(op);
      if (!loop && isHarmless(&op))
        continue;
      std::optional<SmallVector<Value>> ends = endsOf(loop);
      if (!ends)
        return nullptr;
      loops.push_back(*ends);
    }
    if (loops.empty())
      return nullptr;
    return write(loops, symbols);
  }

private:
  /// Where the loop over grains ends beside the end of its part; nothing where
  /// it is no such loop, or ends nowhere else.
  std::optional<SmallVector<Value>> endsOf(scf::ForOp loop) {
    if (!loop || !isFirst(loop.getLowerBound()))
      return std::nullopt;
    SmallVector<Value> work{loop.getUpperBound()}, ends;
    bool hasLast = false;
    while (!work.empty()) {
      Value value = work.pop_back_val();
      if (auto least = value.getDefiningOp<arith::MinSIOp>()) {
        llvm::append_range(work, least->getOperands());
      } else if (value == range[1]) {
        hasLast = true;
      } else {
        if (!collect(value))
          return std::nullopt;
        ends.push_back(value);
      }
    }
    if (!hasLast || ends.empty())
      return std::nullopt;
    return ends;
  }

  /// Whether a loop from here on runs from its part's first grain on, or from a
  /// later one that no part decides.
  bool isFirst(Value value) {
    if (value == range[0])
      return true;
    auto most = value.getDefiningOp<arith::MaxSIOp>();
    return most && most.getLhs() == range[0] &&
           matchPattern(most.getRhs(), m_Constant());
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

  func::FuncOp write(ArrayRef<SmallVector<Value>> loops, SymbolTable &symbols) {
    OpBuilder b(kernel);
    Location loc = kernel.getLoc();
    auto parameters = kernel.getArgumentTypes().drop_back(3);
    auto count =
        b.create<func::FuncOp>(loc, (kernel.getName() + "_grains").str(),
                               b.getFunctionType(parameters, b.getIndexType()));
    count.setPrivate();
    symbols.insert(count);
    Block *body = count.addEntryBlock();
    b.setInsertionPointToStart(body);
    IRMapping map;
    map.map(kernel.getArguments().drop_back(3), body->getArguments());
    for (Operation &op : kernel.getBody().front())
      if (needed.contains(&op))
        b.clone(op, map);
    Value most = b.create<arith::ConstantIndexOp>(loc, 0);
    for (ArrayRef<Value> ends : loops) {
      Value least = b.create<arith::ConstantIndexOp>(loc, grains);
      for (Value end : ends)
        least = b.create<arith::MinSIOp>(loc, least, map.lookupOrDefault(end));
      most = b.create<arith::MaxSIOp>(loc, most, least);
    }
    b.create<func::ReturnOp>(loc, most);
    return count;
  }

  func::FuncOp kernel;
  int64_t grains;
  ValueRange range; // first, end and slot
  llvm::SmallSetVector<Operation *, 8> needed;
};

struct CountGrains : impl::CountGrainsBase<CountGrains> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    llvm::StringMap<func::FuncOp> counts;
    getOperation().walk([&](plan::RunOp run) {
      if (!run.getGrains() || run.getHost())
        return;
      auto [known, isNew] = counts.try_emplace(run.getKernel());
      if (isNew) {
        auto kernel = symbols.lookup<func::FuncOp>(run.getKernel());
        if (kernel && kernel->hasAttr(graph::sizesName))
          known->second = Counting(kernel, *run.getGrains()).build(symbols);
      }
      if (known->second)
        run.setCount(known->second.getName());
    });
  }
};

} // namespace
} // namespace weir
