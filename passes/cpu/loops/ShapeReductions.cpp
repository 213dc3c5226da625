// Loops that reduce become few and long, the reducing ones the innermost where
// that keeps sums in registers.
//
// Loops are joined here and not by linalg's own patterns, which take the
// numbers of loops for those of a buffer's dimensions (LLVM 19).

#include "passes/cpu/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace weir::cpu {
#define GEN_PASS_DEF_SHAPEREDUCTIONS
#include "passes/cpu/Passes.h.inc"

namespace {

/// A sum of more terms is a chain of additions too long to be exact: then each
/// row of it has a sum of its own.
constexpr int64_t maxTerms = 16384;

/// Nested loops, all parallel or all reductions, that each operand either has
/// as adjacent dimensions or not at all.
class Joined {
public:
  explicit Joined(linalg::GenericOp op) : op(op), group(op.getNumLoops()) {
    // From the innermost on, whose neighbours are lanes.
    SmallVector<bool> joins(group.size());
    unsigned last = group.size() - 1; // of the loops that are one with it
    for (unsigned d = last; d-- > 0;) {
      joins[d + 1] = areOne(d, last);
      if (!joins[d + 1])
        last = d;
    }
    for (unsigned d = 1; d < group.size(); ++d)
      group[d] = group[d - 1] + !joins[d];
  }

  unsigned count() const { return group.back() + 1; }

  linalg::GenericOp replace() {
    OpBuilder b(op);
    SmallVector<Value> operands;
    SmallVector<AffineMap> maps;
    SmallVector<AffineExpr> dims;
    for (unsigned of : group)
      dims.push_back(b.getAffineDimExpr(of));
    for (OpOperand &operand : op->getOpOperands()) {
      AffineMap map = op.getMatchingIndexingMap(&operand);
      SmallVector<ReassociationIndices> parts;
      SmallVector<AffineExpr> results;
      for (auto [i, result] : llvm::enumerate(map.getResults())) {
        AffineExpr in = result.replaceDims(dims);
        // Neighbours of one loop are one dimension.
        if (i > 0 && isa<AffineDimExpr>(in) && in == results.back() &&
            result != map.getResult(i - 1)) {
          parts.back().push_back(i);
          continue;
        }
        parts.push_back({int64_t(i)});
        results.push_back(in);
      }
      Value buffer = operand.get();
      if (results.size() < map.getNumResults())
        buffer = b.create<memref::CollapseShapeOp>(op.getLoc(), buffer, parts);
      operands.push_back(buffer);
      maps.push_back(AffineMap::get(count(), 0, results, b.getContext()));
    }
    SmallVector<utils::IteratorType> kinds(count());
    for (auto [of, kind] : llvm::zip_equal(group, op.getIteratorTypesArray()))
      kinds[of] = kind;
    size_t inputs = op.getNumDpsInputs();
    auto made = b.create<linalg::GenericOp>(
        op.getLoc(), ArrayRef(operands).take_front(inputs),
        ArrayRef(operands).drop_front(inputs), maps, kinds);
    made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    made.getRegion().takeBody(op.getRegion());
    op.erase();
    return made;
  }

private:
  /// Whether the loops from `first` to `last` are one.
  bool areOne(unsigned first, unsigned last) {
    auto kinds = op.getIteratorTypesArray();
    int64_t terms = 1;
    for (int64_t range : ArrayRef(ranges).slice(first, last - first + 1))
      if (llvm::MulOverflow(terms, range, terms))
        return false;
    bool adds = kinds[first] == utils::IteratorType::reduction &&
                llvm::any_of(op.getRegionOutputArgs(), [](Value sum) {
                  return llvm::any_of(sum.getUsers(), [](Operation *user) {
                    return isa<arith::AddFOp>(user);
                  });
                });
    return kinds[first] == kinds[last] && !(adds && terms > maxTerms) &&
           llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
             return areRun(operand, first, last);
           });
  }

  bool areRun(OpOperand &operand, unsigned first, unsigned last) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (llvm::none_of(llvm::seq(first, last + 1),
                      [&](unsigned d) { return map.isFunctionOfDim(d); }))
      return true;
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    if (!type || !map.isProjectedPermutation())
      return false;
    std::optional<unsigned> position =
        map.getResultPosition(getAffineDimExpr(first, op.getContext()));
    unsigned count = last - first + 1;
    if (!position || *position + count > map.getNumResults())
      return false;
    for (unsigned i = 0; i < count; ++i)
      if (map.getDimPosition(*position + i) != first + i)
        return false;
    SmallVector<ReassociationIndices> parts;
    for (unsigned i = 0; i < map.getNumResults(); ++i)
      if (i > *position && i < *position + count)
        parts.back().push_back(i);
      else
        parts.push_back({i});
    return memref::CollapseShapeOp::isGuaranteedCollapsible(type, parts);
  }

  linalg::GenericOp op;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<unsigned> group; // of each loop, the one that it becomes
};

/// Rows of so many bytes are read a few lines of each at a time: then the sums
/// of their columns stay in registers. Longer ones are read as they lie.
constexpr int64_t shortRow = 2048;

/// Moves what reduces into the loop over neighbours, where that is last and
/// short.
void reduceInside(linalg::GenericOp op) {
  auto kinds = op.getIteratorTypesArray();
  auto reduces = [&](unsigned d) {
    return kinds[d] == utils::IteratorType::reduction;
  };
  unsigned last = kinds.size() - 1;
  Type element = getElementTypeOrSelf(op.getDpsInits()[0]);
  // Of several loops the last alone can be one of lanes.
  if (reduces(last) || op.getNumReductionLoops() > 1 ||
      op.getStaticLoopRanges()[last] * element.getIntOrFloatBitWidth() >
          8 * shortRow)
    return;
  SmallVector<unsigned> order, inside;
  for (unsigned d = 0; d <= last; ++d)
    (reduces(d) ? inside : order).push_back(d);
  order.append(inside);
  IRRewriter b(op);
  (void)linalg::interchangeGenericOp(b, op, order);
}

struct ShapeReductions : impl::ShapeReductionsBase<ShapeReductions> {
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> ops;
    getOperation()->walk([&](linalg::GenericOp op) { ops.push_back(op); });
    for (linalg::GenericOp op : ops) {
      if (op.getNumReductionLoops() == 0 || !op.hasPureBufferSemantics() ||
          op.hasIndexSemantics() || op.hasDynamicShape())
        continue;
      if (Joined joined(op); joined.count() < op.getNumLoops())
        op = joined.replace();
      reduceInside(op);
    }
  }
};

} // namespace
} // namespace weir::cpu
