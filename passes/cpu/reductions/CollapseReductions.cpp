// Reductions over several dimensions that lie one in the other become
// reductions over one.
//
// Not by linalg's own patterns, which take the numbers of loops for those of a
// buffer's dimensions (LLVM 19).

#include "passes/cpu/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace weir {
#define GEN_PASS_DEF_COLLAPSEREDUCTIONS
#include "passes/cpu/Passes.h.inc"

namespace {

/// The innermost loops that reduce, from `first` on, as one.
class Collapsed {
public:
  explicit Collapsed(linalg::GenericOp op)
      : op(op), loops(op.getNumLoops()), first(loops) {
    auto iterators = op.getIteratorTypesArray();
    while (first > 0 && iterators[first - 1] == utils::IteratorType::reduction)
      --first;
  }

  /// Whether there are several, which each operand has one in the other or not
  /// at all.
  bool applies() {
    if (loops - first < 2 || !op.hasPureBufferSemantics() ||
        op.hasIndexSemantics())
      return false;
    return llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
      AffineMap map = op.getMatchingIndexingMap(&operand);
      std::optional<unsigned> place = placeOf(map);
      auto type = dyn_cast<MemRefType>(operand.get().getType());
      return place &&
             (!has(map) ||
              (type && memref::CollapseShapeOp::isGuaranteedCollapsible(
                           type, groups(map, *place))));
    });
  }

  void replace() {
    OpBuilder b(op);
    SmallVector<Value> operands;
    SmallVector<AffineMap> maps;
    for (OpOperand &operand : op->getOpOperands()) {
      AffineMap map = op.getMatchingIndexingMap(&operand);
      unsigned place = *placeOf(map);
      Value buffer = operand.get();
      SmallVector<AffineExpr> results(map.getResults());
      if (has(map)) {
        buffer = b.create<memref::CollapseShapeOp>(op.getLoc(), buffer,
                                                   groups(map, place));
        results.erase(results.begin() + place + 1,
                      results.begin() + place + (loops - first));
      }
      operands.push_back(buffer);
      maps.push_back(AffineMap::get(first + 1, 0, results, b.getContext()));
    }
    auto iterators = op.getIteratorTypesArray();
    iterators.truncate(first + 1);
    size_t inputs = op.getNumDpsInputs();
    auto made = b.create<linalg::GenericOp>(
        op.getLoc(), ArrayRef(operands).take_front(inputs),
        ArrayRef(operands).drop_front(inputs), maps, iterators);
    made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    made.getRegion().takeBody(op.getRegion());
    op.erase();
  }

private:
  bool has(AffineMap map) const {
    return llvm::any_of(llvm::seq(first, loops),
                        [&](unsigned d) { return map.isFunctionOfDim(d); });
  }

  /// Which of the map's results the first of the loops is, if the others
  /// follow; any, where it is a function of none of them.
  std::optional<unsigned> placeOf(AffineMap map) const {
    if (!has(map))
      return 0;
    if (!map.isProjectedPermutation())
      return std::nullopt;
    auto found =
        llvm::find(map.getResults(), getAffineDimExpr(first, map.getContext()));
    unsigned place = found - map.getResults().begin();
    if (place + (loops - first) > map.getNumResults())
      return std::nullopt;
    for (unsigned i = 0; i < loops - first; ++i)
      if (map.getDimPosition(place + i) != first + i)
        return std::nullopt;
    return place;
  }

  /// The dimensions of an operand's buffer, those of the loops in one group.
  SmallVector<ReassociationIndices> groups(AffineMap map,
                                           unsigned place) const {
    SmallVector<ReassociationIndices> result;
    for (unsigned d = 0; d < map.getNumResults(); ++d)
      if (d > place && d < place + (loops - first))
        result.back().push_back(d);
      else
        result.push_back({d});
    return result;
  }

  linalg::GenericOp op;
  unsigned loops, first;
};

struct CollapseReductions : impl::CollapseReductionsBase<CollapseReductions> {
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> ops;
    getOperation()->walk([&](linalg::GenericOp op) { ops.push_back(op); });
    for (linalg::GenericOp op : ops)
      if (Collapsed collapsed(op); collapsed.applies())
        collapsed.replace();
  }
};

} // namespace
} // namespace weir
