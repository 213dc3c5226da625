// Checks a plan: runs in parallel do not conflict, and live buffers do not
// overlap.

#include "dialects/plan/Plan.h"

#include "dialects/plan/Tasks.h"
#include "dialects/weir/Attributes.h"
#include <map>

using namespace mlir;

namespace weir::plan {
namespace {

/// Bytes of one block of memory.
struct Bytes {
  /// The arenas, the weights and the state; each tensor of the caller is a
  /// block of its own.
  enum Block : int64_t { arena, hostArena, weights, state, firstArgument };
  int64_t block, begin, end;

  bool overlaps(const Bytes &other) const {
    return block == other.block && begin < other.end && other.begin < end;
  }
};

/// The bytes of a buffer or of a view. The planner creates no type without a
/// size.
Bytes bytesAt(Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  bool hasSize = type.hasStaticShape() && type.getElementType().isIntOrFloat();
  int64_t size = hasSize ? bytesOf(type) : 0, begin = 0;
  while (auto view = memref.getDefiningOp<ViewOp>()) {
    begin += view.getOffset();
    memref = view.getSource();
  }
  int64_t block = Bytes::firstArgument;
  if (auto buffer = memref.getDefiningOp<BufferOp>()) {
    block = buffer.getHost() ? Bytes::hostArena : Bytes::arena;
    begin += buffer.getOffset();
  } else if (auto weight = memref.getDefiningOp<WeightOp>()) {
    // No task writes weights, so those of all regions may be one block.
    block = Bytes::weights;
    begin += weight.getOffset();
  } else if (auto variable = memref.getDefiningOp<StateOp>()) {
    block = Bytes::state;
    begin += variable.getOffset();
  } else if (auto argument = memref.getDefiningOp<ArgumentOp>()) {
    block += argument.getIndex();
  }
  return {block, begin, begin + size};
}

/// What a run reads and writes.
struct Accesses {
  RunOp run;
  SmallVector<Bytes> read, written;
};

Accesses accessesOf(RunOp run, SymbolTableCollection &symbols) {
  Operation *kernel = symbols.lookupNearestSymbolFrom(run, run.getKernelAttr());
  int64_t operands = run.getOperands().size();
  int64_t scratch = kernel && attrs::scratchBytes.isOn(kernel);
  int64_t inputs = operands - scratch - run.getOutputs();
  Accesses all{run, {}, {}};
  for (auto [i, operand] : llvm::enumerate(run.getOperands()))
    (int64_t(i) < inputs ? all.read : all.written).push_back(bytesAt(operand));
  return all;
}

bool overlap(ArrayRef<Bytes> some, ArrayRef<Bytes> others) {
  return llvm::any_of(some, [&](const Bytes &one) {
    return llvm::any_of(
        others, [&](const Bytes &other) { return one.overlaps(other); });
  });
}

/// `kernel 'k' (node 'conv1')`. Tools that print a file and a line lack the
/// node.
std::string describe(RunOp run) {
  std::string text = ("kernel '" + run.getKernel() + "'").str();
  if (auto name = run.getLoc()->findInstanceOf<NameLoc>())
    text += " (node '" + name.getName().str() + "')";
  return text;
}

LogicalResult conflict(RunOp run, RunOp other, StringRef text) {
  InFlightDiagnostic error =
      run.emitOpError() << "of " << describe(run) << ' ' << text << ' '
                        << describe(other) << ", which runs in the same group";
  error.attachNote(other.getLoc()) << "the other run";
  return error;
}

/// (C1)
LogicalResult verifyIndependent(ArrayRef<RunOp> group,
                                SymbolTableCollection &symbols) {
  SmallVector<Accesses> earlier;
  for (RunOp run : group) {
    Accesses own = accessesOf(run, symbols);
    for (const Accesses &other : earlier) {
      if (overlap(own.read, other.written))
        return conflict(run, other.run, "reads bytes of the result of");
      if (overlap(own.written, other.read))
        return conflict(run, other.run, "writes bytes of an operand of");
      if (overlap(own.written, other.written))
        return conflict(run, other.run, "writes bytes of the result of");
    }
    earlier.push_back(std::move(own));
  }
  return success();
}

/// (C2)
LogicalResult verifyRowWise(ArrayRef<RunOp> group) {
  RunOp first = group.front();
  for (RunOp run : group)
    if (run.getWorkItems() != first.getWorkItems())
      return conflict(run, first,
                      "has another number of work items than row-wise");
  return success();
}

LogicalResult verifyGroups(ProgramOp program, SymbolTableCollection &symbols) {
  SmallVector<RunOp> runs;
  program.walk([&](RunOp run) { runs.push_back(run); });
  for (size_t i = 0; i < runs.size();) {
    SmallVector<RunOp> group = {runs[i]};
    while (RunOp next = group.back().nextInGroup())
      group.push_back(next);
    i += group.size();
    if (failed(group.front().getRowWise() ? verifyRowWise(group)
                                          : verifyIndependent(group, symbols)))
      return failure();
  }
  return success();
}

/// (C3) Buffers come and go in the order of their lifetimes, so that each one
/// has to be apart from its two neighbours in memory only.
LogicalResult verifyBuffers(ArrayRef<BufferOp> buffers) {
  SmallVector<std::pair<int64_t, unsigned>> byFirst, byLast;
  for (auto [i, each] : llvm::enumerate(buffers)) {
    BufferOp buffer = each;
    byFirst.push_back({buffer.getFirst(), i});
    byLast.push_back({buffer.getLast(), i});
  }
  llvm::sort(byFirst);
  llvm::sort(byLast);
  std::map<int64_t, BufferOp> live; // by offset
  const auto *ended = byLast.begin();
  for (auto [now, i] : byFirst) {
    BufferOp buffer = buffers[i];
    for (; ended != byLast.end() && ended->first < now; ++ended) {
      BufferOp dead = buffers[ended->second];
      if (auto found = live.find(dead.getOffset());
          found != live.end() && found->second == dead)
        live.erase(found);
    }
    Bytes own = bytesAt(buffer);
    if (own.begin == own.end)
      continue;
    auto next = live.lower_bound(own.begin);
    BufferOp other;
    if (next != live.end() && bytesAt(next->second).overlaps(own))
      other = next->second;
    else if (next != live.begin() &&
             bytesAt(std::prev(next)->second).overlaps(own))
      other = std::prev(next)->second;
    if (other) {
      InFlightDiagnostic error =
          buffer.emitOpError("shares bytes with another buffer that is live at "
                             "the same time");
      error.attachNote(other.getLoc()) << "the other buffer";
      return error;
    }
    live.emplace(own.begin, buffer);
  }
  return success();
}

/// (C4)
class InAir {
public:
  LogicalResult verify(Block &block) {
    size_t outer = all.size();
    for (Operation &op : block)
      if (failed(verify(op, outer)))
        return failure();
    if (all.size() > outer)
      return all.back().start.emitOpError("has no wait in its block");
    return success();
  }

private:
  /// The bytes of an all-reduce between its start and its wait.
  struct Exchange {
    StartOp start;
    Bytes data, scratch;
  };

  LogicalResult verify(Operation &op, size_t outer) {
    if (auto wait = dyn_cast<WaitOp>(op)) {
      auto *found = llvm::find_if(all, [&](Exchange &each) {
        return each.start.getNumber() == wait.getNumber();
      });
      if (found == all.end() || found < all.begin() + outer)
        return wait.emitOpError("has no start in its block");
      all.erase(found);
      return success();
    }
    // An op with a result defines a buffer.
    if (op.getNumResults() == 0)
      for (Value operand : op.getOperands())
        if (failed(verifyUse(op, bytesAt(operand))))
          return failure();
    if (auto start = dyn_cast<StartOp>(op)) {
      for (Exchange &each : all)
        if (each.start.getNumber() == start.getNumber())
          return start.emitOpError("begins a second time before its wait");
      all.push_back(
          {start, bytesAt(start.getData()), bytesAt(start.getScratch())});
      if (all.back().data.overlaps(all.back().scratch))
        return start.emitOpError("receives where its own data is");
    }
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        if (failed(verify(inner)))
          return failure();
    return success();
  }

  LogicalResult verifyUse(Operation &op, const Bytes &used) {
    for (Exchange &each : all) {
      if (!used.overlaps(each.data) && !used.overlaps(each.scratch))
        continue;
      InFlightDiagnostic error = op.emitOpError()
                                 << "uses bytes that ranks exchange until wait "
                                 << each.start.getNumber();
      error.attachNote(each.start.getLoc()) << "the start";
      return error;
    }
    return success();
  }

  SmallVector<Exchange> all;
};

} // namespace

LogicalResult ProgramOp::verifySymbolUses(SymbolTableCollection &symbols) {
  SmallVector<BufferOp> buffers[2];
  walk([&](BufferOp buffer) { buffers[buffer.getHost()].push_back(buffer); });
  for (ArrayRef<BufferOp> each : buffers)
    if (failed(verifyBuffers(each)))
      return failure();
  if (failed(InAir().verify(getBody().front())))
    return failure();
  return verifyGroups(*this, symbols);
}

} // namespace weir::plan
