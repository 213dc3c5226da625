// Loops over 32-bit elements that lie side by side become loops over vectors,
// as do those that read or write floats of 16 bits.
//
// LLVM's vectorizer must prove from addresses that buffers do not overlap, and
// knows no maximum that keeps a NaN cheaply. Here the op says what it reads,
// writes and accumulates, so the sums of a row stay in registers. Their order
// is fixed when compiled: lanes and sets of sums that are added pairwise.

#include "passes/cpu/Passes.h"

#include "passes/cpu/Sharing.h"
#include "passes/cpu/kernels/Emitter.h"
#include "passes/cpu/loops/Accumulators.h"
#include "passes/cpu/loops/LoopNest.h"
#include "passes/cpu/loops/RowLoads.h"
#include "passes/cpu/loops/Streams.h"
#include "passes/cpu/loops/TransposeBlocks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace weir::cpu {
#define GEN_PASS_DEF_VECTORIZELOOPS
#include "passes/cpu/Passes.h.inc"

namespace {

/// Vectors that take turns, so that none waits for its own last result: what
/// bounds a loop then is how much the units do, not how long one result takes.
/// The longer the chain of functions that each vector goes through, the more.
int64_t vectorsAtOnce(Block &body) {
  int64_t functions = llvm::count_if(body, [](Operation &inner) {
    return isa<math::MathDialect>(inner.getDialect()) &&
           !isa<math::AbsFOp, math::FmaOp, math::CopySignOp, math::FloorOp>(
               inner);
  });
  return functions < 2 ? 4 : 6;
}

/// Sets of sums of a row, which also take turns; part of what a sum is.
constexpr int64_t sumSets = 4;

class Vectorizer {
public:
  Vectorizer(Emitter &e, LoopNest &nest, RowLoads &rows, int64_t lanes,
             Streams &streams)
      : e(e), nest(nest), rows(rows), lanes(lanes), streams(streams),
        at(nest.ranges.size()), most(vectorsAtOnce(*nest.body)) {}

  void run() { outer(0); }

private:
  int64_t range(unsigned d) const { return nest.ranges[d]; }

  void outer(unsigned d) {
    if (d < nest.dimension)
      return e.loop(range(d), [&](Value i) {
        at[d] = i;
        outer(d + 1);
      });
    if (nest.isReduction(d))
      reduceRow();
    else
      eachVector();
  }

  /// The place of an operand at the loops at hand.
  Emitter::Values position(OpOperand &operand) {
    return nest.position(e, operand, at);
  }

  Value read(OpOperand &operand, int64_t valid) {
    if (!isa<MemRefType>(operand.get().getType()))
      return e.splat(operand.get(), lanes);
    if (nest.isInvariant(operand))
      return e.splat(e.create<memref::LoadOp>(operand.get(), position(operand)),
                     lanes);
    return e.load(operand.get(), position(operand), lanes, valid);
  }

  /// Neighbouring lanes, of which the first `valid` count.
  struct Part {
    Value first;
    int64_t valid;
  };

  /// The body on the vectors of each part; `mappings` have what the block's
  /// arguments are.
  SmallVector<Emitter::Values> body(MutableArrayRef<IRMapping> mappings,
                                    ArrayRef<Part> parts) {
    return e.vectorize(
        *nest.body, lanes, mappings,
        [&](Operation *inner, IRMapping &mapping, Type type, size_t part) {
          if (auto load = dyn_cast<memref::LoadOp>(inner)) {
            at[nest.dimension] = parts[part].first;
            return rows.load(e, load, at, lanes, parts[part].valid);
          }
          return combined(inner, mapping, type, part);
        });
  }

  /// A copy of `inner`; extremes of accumulators in their cheap form.
  Value combined(Operation *inner, IRMapping &mapping, Type type, size_t part) {
    if (accumulating.contains(inner)) {
      Value sum = inner->getOperand(0), x = inner->getOperand(1);
      if (!llvm::is_contained(nest.op.getRegionOutputArgs(), sum))
        std::swap(sum, x);
      sum = mapping.lookup(sum), x = mapping.lookup(x);
      if (inner == apart) {
        marks[part] = marked(e, marks[part], x);
        return extreme(e, inner, sum, x);
      }
      return combine(e, inner, sum, x);
    }
    return e.cloneAs(type, inner, mapping);
  }

  /// The parts of `count` vectors of lanes from `first`, of which `valid`
  /// elements count.
  SmallVector<Part> partsOf(Value first, int64_t valid) {
    SmallVector<Part> parts;
    for (int64_t lane = 0; lane < valid; lane += lanes)
      parts.push_back({e.plus(first, lane), std::min(lanes, valid - lane)});
    return parts;
  }

  /// One step of the body at the loops at hand, for each part. Takes and
  /// returns, part by part, the accumulators of the outputs in `carried`; the
  /// other outputs are written.
  Emitter::Values step(ArrayRef<OpOperand *> carried, ValueRange sums,
                       ArrayRef<Part> parts) {
    Value &lane = at[nest.dimension];
    SmallVector<IRMapping> mappings(parts.size());
    for (auto [p, part] : llvm::enumerate(parts)) {
      lane = part.first;
      for (OpOperand &operand : nest.op->getOpOperands()) {
        BlockArgument argument = nest.op.getMatchingBlockArgument(&operand);
        auto found = llvm::find(carried, &operand);
        if (found != carried.end())
          mappings[p].map(argument,
                          sums[p * carried.size() + (found - carried.begin())]);
        else if (nest.isRead(operand) && !RowLoads::isTable(argument))
          mappings[p].map(argument, read(operand, part.valid));
        if (auto found = fetched.find(&operand);
            found != fetched.end() && p * lanes * 4 % e.lineBytes == 0) {
          Emitter::Values ahead = position(operand);
          ahead.back() = e.plus(ahead.back(), found->second);
          e.prefetch(operand.get(), ahead, 1);
        }
      }
    }
    Emitter::Values marksBefore = marks;
    SmallVector<Emitter::Values> results = body(mappings, parts);
    Emitter::Values next;
    for (auto [p, part] : llvm::enumerate(parts)) {
      lane = part.first;
      Value mask;
      if (part.valid < lanes && nest.isReduction(nest.dimension))
        mask = e.create<vector::ConstantMaskOp>(
            VectorType::get(lanes, e.getI1Type()),
            e.getI64ArrayAttr(part.valid));
      // What the body makes of no element may be a NaN.
      if (mask && apart)
        marks[p] = e.create<arith::SelectOp>(mask, marks[p], marksBefore[p]);
      for (auto [init, result] :
           llvm::zip_equal(nest.op.getDpsInitsMutable(), results[p])) {
        auto found = llvm::find(carried, &init);
        if (found == carried.end()) {
          e.store(result, init.get(), position(init), part.valid);
        } else if (mask) {
          next.push_back(e.create<arith::SelectOp>(
              mask, result,
              sums[p * carried.size() + (found - carried.begin())]));
        } else {
          next.push_back(result);
        }
      }
    }
    return next;
  }

  void fetchStreams() {
    for (OpOperand *input : nest.op.getDpsInputOperands())
      if (nest.isRead(*input) && !nest.isInvariant(*input) &&
          is32Bit(getElementTypeOrSelf(input->get())))
        if (std::optional<int64_t> ahead = streams.begin(nest, *input))
          fetched.insert({input, *ahead});
  }

  /// The lanes are elements of rows that are summed.
  void reduceRow() {
    unsigned d = nest.dimension;
    SmallVector<OpOperand *> carried;
    for (OpOperand &init : nest.op.getDpsInitsMutable())
      if (nest.isInvariant(init)) {
        carried.push_back(&init);
        accumulating.insert(nest.combiner(init));
      }
    fetchStreams();
    // The number of sets that a longer row has up to this position. So a row
    // has the same sum as if it were padded with neutral elements, as for
    // dynamic sizes.
    int64_t sets =
        std::clamp<int64_t>(llvm::divideCeil(range(d), lanes), 1, sumSets);
    size_t count = carried.size();
    // The NaNs of one extreme are found apart from it, by what is no longer.
    if (count == 1 && keepsNan(nest.combiner(*carried[0])))
      apart = nest.combiner(*carried[0]);
    Emitter::Values sums;
    for (int64_t set = 0; set < sets; ++set)
      for (OpOperand *init : carried)
        sums.push_back(keepsNan(nest.combiner(*init))
                           // As an extreme of itself it is one more element.
                           ? e.splat(e.create<memref::LoadOp>(init->get(),
                                                              position(*init)),
                                     lanes)
                           : neutral(e, nest.combiner(*init), lanes));
    if (apart)
      sums.append(sets, noMark(e, lanes));
    auto some = [&](ValueRange before, ArrayRef<Part> parts) {
      marks.assign(before.begin() + sets * count, before.end());
      Emitter::Values after =
          step(carried, before.take_front(parts.size() * count), parts);
      llvm::append_range(
          after, before.slice(after.size(), sets * count - after.size()));
      after.append(marks);
      return after;
    };
    int64_t stride = sets * lanes, main = range(d) / stride * stride;
    sums = e.loop(e.index(0), e.index(main), stride, sums,
                  [&](Value first, ValueRange before) {
                    return some(before, partsOf(first, stride));
                  });
    if (main < range(d))
      sums = some(sums, partsOf(e.index(main), range(d) - main));
    for (auto [i, init] : llvm::enumerate(carried)) {
      Operation *inner = nest.combiner(*init);
      for (int64_t half = sets; half > 1; half = (half + 1) / 2)
        for (int64_t set = 0; set < half / 2; ++set) {
          Value &sum = sums[set * count + i];
          sum =
              combine(e, inner, sum, sums[(set + (half + 1) / 2) * count + i]);
        }
      if (inner == apart)
        sums[i] = withMarked(e, sums[i], ArrayRef(sums).take_back(sets));
      Value total = lanesOf(e, inner, sums[i]);
      Emitter::Values to = position(*init);
      if (!keepsNan(inner))
        total =
            combine(e, inner, e.create<memref::LoadOp>(init->get(), to), total);
      e.create<memref::StoreOp>(total, init->get(), to);
    }
  }

  /// The lanes are elements of the result; what reduces is inside.
  void eachVector() {
    unsigned d = nest.dimension;
    if (d + 1 == nest.ranges.size() && nest.op.getNumReductionLoops() > 0)
      fetchStreams();
    auto some = [&](Value first, int64_t valid) {
      SmallVector<Part> parts = partsOf(first, valid);
      if (d + 1 == nest.ranges.size()) {
        for (OpOperand &init : nest.op.getDpsInitsMutable())
          if (Operation *inner = nest.combiner(init);
              inner && nest.op.getNumReductionLoops() > 0)
            accumulating.insert(inner);
        step({}, {}, parts);
        return;
      }
      SmallVector<OpOperand *> carried;
      Emitter::Values sums;
      for (OpOperand &init : nest.op.getDpsInitsMutable()) {
        carried.push_back(&init);
        accumulating.insert(nest.combiner(init));
      }
      for (const Part &part : parts)
        for (OpOperand *init : carried) {
          at[d] = part.first;
          sums.push_back(
              e.load(init->get(), position(*init), lanes, part.valid));
        }
      sums = inside(d + 1, carried, sums, parts);
      auto sum = sums.begin();
      for (const Part &part : parts)
        for (OpOperand *init : carried) {
          at[d] = part.first;
          e.store(*sum++, init->get(), position(*init), part.valid);
        }
    };
    int64_t stride = most * lanes, main = range(d) / stride * stride;
    e.loop(e.index(0), e.index(main), stride,
           [&](Value first) { some(first, stride); });
    if (main < range(d))
      some(e.index(main), range(d) - main);
  }

  Emitter::Values inside(unsigned d, ArrayRef<OpOperand *> carried,
                         ValueRange sums, ArrayRef<Part> parts) {
    if (d == nest.ranges.size())
      return step(carried, sums, parts);
    return e.loop(e.index(0), e.index(range(d)), 1, sums,
                  [&](Value i, ValueRange before) {
                    at[d] = i;
                    return inside(d + 1, carried, before, parts);
                  });
  }

  Emitter &e;
  LoopNest &nest;
  RowLoads &rows;
  int64_t lanes;
  Streams &streams;
  Emitter::Values at; // the index of each loop
  int64_t most;       // vectors at once
  llvm::SmallDenseSet<Operation *> accumulating;
  // Before they are read, at how many elements after those at hand.
  llvm::SmallDenseMap<OpOperand *, int64_t> fetched;
  Operation *apart = nullptr; // an extreme whose NaNs are found apart
  Emitter::Values marks;      // the greatest magnitude of each part
};

struct VectorizeLoops : impl::VectorizeLoopsBase<VectorizeLoops> {
  void runOnOperation() override {
    auto target = kernel::Target::of(getOperation());
    int64_t lanes = target.lanes(Float32Type::get(&getContext()));
    Streams streams(target, slotsOf(getOperation()));
    SmallVector<linalg::LinalgOp> ops;
    getOperation()->walk([&](linalg::LinalgOp op) { ops.push_back(op); });
    for (linalg::LinalgOp op : ops) {
      std::optional<TransposeBlocks> transpose = TransposeBlocks::of(op);
      if (transpose && lanes > 1 && llvm::isPowerOf2_64(lanes)) {
        Emitter e(op.getLoc(), op);
        transpose->emit(e, op, lanes);
        op->erase();
        continue;
      }
      LoopNest nest(op);
      if (!nest.applies())
        continue;
      int64_t most = lanes;
      while (most / 2 >= nest.ranges[nest.dimension])
        most /= 2;
      RowLoads rows(nest);
      if (!rows.apply(most, target))
        continue;
      Emitter e(op.getLoc(), op);
      auto vectorize = [&] { Vectorizer(e, nest, rows, most, streams).run(); };
      if (Value near = rows.areNear(e, most))
        e.ifElse(near, vectorize, [&] { e.clone(*op); });
      else
        vectorize();
      op->erase();
    }
  }
};

} // namespace
} // namespace weir::cpu
