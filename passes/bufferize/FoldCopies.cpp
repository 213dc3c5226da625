// Products read and write transposed memory where it is, instead of a copy.
//
// A transpose that leaves the last dimension in place only moves rows, and a
// product takes rows at any distance.

#include "passes/bufferize/Passes.h"

#include "dialects/kernel/Nests.h"
#include "dialects/kernel/attention/Attention.h"
#include "dialects/weir/Attributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;

namespace weir::bufferize {
#define GEN_PASS_DEF_FOLDCOPIES
#include "passes/bufferize/Passes.h.inc"

namespace {

/// A loop nest that copies `from` to `to`, whose index i is that of dimension
/// `places[i]` of `from`.
struct Move {
  linalg::GenericOp op;
  Value from, to;
  SmallVector<int64_t> permutation;
};

std::optional<Move> asMove(linalg::GenericOp op) {
  std::optional<AffineMap> from = kernel::permutationOf(op);
  if (!from || !op.hasPureBufferSemantics() || from->getNumDims() < 2 ||
      from->getDimPosition(from->getNumResults() - 1) + 1 != from->getNumDims())
    return std::nullopt;
  Move move = {op, op.getDpsInputs()[0], op.getDpsInits()[0], {}};
  move.permutation.resize(from->getNumResults());
  for (unsigned i = 0; i < from->getNumResults(); ++i)
    move.permutation[from->getDimPosition(i)] = i;
  return move;
}

/// `buffer`, whose elements lie one after the other, with its dimensions in the
/// order of `places`.
Value viewed(OpBuilder &b, Value buffer, ArrayRef<int64_t> permutation) {
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<int64_t> all = computeSuffixProduct(type.getShape()), shape,
                       strides;
  for (int64_t dim : permutation) {
    shape.push_back(type.getDimSize(dim));
    strides.push_back(all[dim]);
  }
  auto layout = StridedLayoutAttr::get(b.getContext(), 0, strides);
  return b.create<memref::ReinterpretCastOp>(
      buffer.getLoc(), MemRefType::get(shape, type.getElementType(), layout),
      buffer, 0, shape, strides);
}

/// Whether `buffer` is a kernel's argument, nowhere changed in it.
bool isOnlyRead(Value buffer) {
  return isa<BlockArgument>(buffer) &&
         llvm::all_of(buffer.getUses(), [](OpOperand &use) {
           auto op = dyn_cast<DestinationStyleOpInterface>(use.getOwner());
           return op && !op.isDpsInit(&use);
         });
}

/// Whether products are all that uses `buffer` but `move`.
bool onlyProductsRead(Value buffer, const Move &move) {
  return llvm::all_of(buffer.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (user == move.op || isa<memref::DeallocOp>(user))
      return true;
    if (auto pack = dyn_cast<kernel::PackOp>(user))
      return use.get() == pack.getB() && use.get() != pack.getOut();
    if (isa<kernel::AttentionOp>(user))
      return use.getOperandNumber() < 3;
    return isa<kernel::MatmulOp>(user) && use.getOperandNumber() < 2;
  });
}

/// The product, or the attention, that makes all of `buffer`, which only `move`
/// reads.
Operation *productOf(Value buffer, const Move &move) {
  Operation *maker = nullptr;
  for (OpOperand &use : buffer.getUses()) {
    Operation *user = use.getOwner();
    if (user == move.op || isa<memref::DeallocOp>(user))
      continue;
    if (!isa<kernel::MatmulOp, kernel::AttentionOp>(user) || maker ||
        use.getOperandNumber() + 1 != user->getNumOperands())
      return nullptr;
    maker = user;
  }
  return maker;
}

struct FoldCopies : impl::FoldCopiesBase<FoldCopies> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!attrs::kernel.isOn(kernel))
      return;
    for (auto op : llvm::make_early_inc_range(
             kernel.getBody().front().getOps<linalg::GenericOp>()))
      if (std::optional<Move> move = asMove(op))
        fold(kernel, *move);
  }

private:
  static void fold(func::FuncOp kernel, const Move &move) {
    OpBuilder b = OpBuilder::atBlockBegin(&kernel.getBody().front());
    if (isOnlyRead(move.from) && move.to.getDefiningOp<memref::AllocOp>() &&
        onlyProductsRead(move.to, move)) {
      Value view = viewed(b, move.from, move.permutation);
      move.op->erase();
      for (OpOperand &use : llvm::make_early_inc_range(move.to.getUses()))
        if (!isa<memref::DeallocOp>(use.getOwner()))
          use.set(view);
      kernel::eraseBuffer(move.to);
    } else if (isa<BlockArgument>(move.to) && move.to.hasOneUse() &&
               move.from.getDefiningOp<memref::AllocOp>()) {
      Operation *product = productOf(move.from, move);
      if (!product)
        return;
      SmallVector<int64_t> back(move.permutation.size());
      for (auto [i, dim] : llvm::enumerate(move.permutation))
        back[dim] = i;
      product->setOperand(product->getNumOperands() - 1,
                          viewed(b, move.to, back));
      kernel::eraseBuffer(move.from);
    }
  }
};

} // namespace
} // namespace weir::bufferize
