// Propagates dynamic sizes from users to operands, if all users agree.

#include "passes/fuse/Passes.h"

#include "dialects/graph/Index.h"
#include "dialects/graph/Neural.h"
#include "dialects/graph/Shape.h"
#include "dialects/graph/Sizes.h"
#include "dialects/weir/Attributes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace weir::fuse {
#define GEN_PASS_DEF_SPREADSIZES
#include "passes/fuse/Passes.h.inc"

namespace {

struct SpreadSizes : impl::SpreadSizesBase<SpreadSizes> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (auto symbol = dyn_cast<graph::SymbolOp>(op))
        symbolOf[symbol.getSize()] = static_cast<int64_t>(symbol.getNumber());
      if (isa<graph::ScalarOpInterface, graph::BroadcastOp, graph::TransposeOp,
              graph::ConvolutionOp, graph::PoolMaxOp, graph::PoolAverageOp,
              graph::MatmulOp>(op) &&
          op->getNumResults() == 1 && !attrs::sizes.isOn(op))
        ops.push_back(op);
    });
    // Users come before their operands.
    for (Operation *op : llvm::reverse(ops))
      if (ArrayAttr sizes = sizesOfUsers(op))
        attrs::sizes.set(op, sizes);
  }

private:
  /// The sizes that all users read, or null.
  ArrayAttr sizesOfUsers(Operation *op) {
    ArrayAttr sizes;
    for (Operation *user : op->getUsers()) {
      ArrayAttr own = sizesOfOperand(user);
      if (!own || (sizes && sizes != own))
        return {};
      sizes = own;
    }
    return sizes;
  }

  /// The sizes that a user reads of an operand of rank above 0, or null.
  ArrayAttr sizesOfOperand(Operation *user) {
    if (auto compact = dyn_cast<graph::CompactOp>(user))
      return sizesOfCorner(compact);
    auto own = attrs::sizes.of(user);
    if (!own || isa<graph::ScalarOpInterface>(user))
      return own;
    auto transpose = dyn_cast<graph::TransposeOp>(user);
    graph::SizesOfDims dims =
        transpose ? graph::readSizes(own, transpose.getType().getShape())
                  : graph::SizesOfDims();
    if (dims.empty())
      return {};
    graph::SizesOfDims before(dims.size());
    for (auto [i, from] : llvm::enumerate(transpose.getPermutation()))
      before[from] = dims[i];
    return graph::sizesAttr(&getContext(), before);
  }

  ArrayAttr sizesOfCorner(graph::CompactOp compact) {
    graph::SizesOfDims dims;
    for (int64_t size : compact.getX().getType().getShape())
      dims.push_back({{size, -1}});
    ArrayRef<int64_t> permutation = compact.getPermutation();
    for (auto [dim, size] :
         llvm::zip_equal(compact.getDims(), compact.getSizes()))
      if (auto found = symbolOf.find(size); found != symbolOf.end())
        dims[permutation.empty() ? dim : permutation[dim]].front().symbol =
            found->second;
    return graph::sizesAttr(&getContext(), dims);
  }

  DenseMap<Value, int64_t> symbolOf;
};

} // namespace
} // namespace weir::fuse
