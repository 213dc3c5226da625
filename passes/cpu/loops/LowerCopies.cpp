// A copy between strided memory becomes loops; upstream would call a library.
// A copy of an input that may be where the output is asks whether it is.

#include "dialects/weir/Attributes.h"
#include "passes/cpu/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace weir::cpu {
#define GEN_PASS_DEF_LOWERCOPIES
#include "passes/cpu/Passes.h.inc"

namespace {

bool isContiguous(Value memory) {
  return cast<MemRefType>(memory.getType()).getLayout().isIdentity();
}

/// Copies between two arguments only where these are not one place.
void guard(Operation *copy, Value from, Value to) {
  if (!isa<BlockArgument>(from) || !isa<BlockArgument>(to))
    return;
  ImplicitLocOpBuilder b(copy->getLoc(), copy);
  Value differs = b.create<arith::CmpIOp>(
      arith::CmpIPredicate::ne,
      b.create<memref::ExtractAlignedPointerAsIndexOp>(from),
      b.create<memref::ExtractAlignedPointerAsIndexOp>(to));
  auto branch = b.create<scf::IfOp>(differs);
  copy->moveBefore(branch.thenBlock()->getTerminator());
}

struct LowerCopies : impl::LowerCopiesBase<LowerCopies> {
  void runOnOperation() override {
    getOperation()->walk([](func::FuncOp kernel) {
      if (!attrs::aliases.isOn(kernel) || kernel.isExternal())
        return;
      for (Operation &op :
           llvm::make_early_inc_range(kernel.getBody().front())) {
        if (auto copy = dyn_cast<linalg::CopyOp>(op))
          guard(copy, copy.getInputs()[0], copy.getOutputs()[0]);
        else if (auto copy = dyn_cast<memref::CopyOp>(op))
          guard(copy, copy.getSource(), copy.getTarget());
      }
    });
    getOperation()->walk([](memref::CopyOp copy) {
      // One run of bytes is a memcpy.
      if (isContiguous(copy.getSource()) && isContiguous(copy.getTarget()))
        return;
      OpBuilder b(copy);
      int64_t rank = cast<MemRefType>(copy.getTarget().getType()).getRank();
      SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(rank));
      SmallVector<utils::IteratorType> loops(rank,
                                             utils::IteratorType::parallel);
      b.create<linalg::GenericOp>(
          copy.getLoc(), copy.getSource(), copy.getTarget(), maps, loops,
          [](OpBuilder &b, Location loc, ValueRange args) {
            b.create<linalg::YieldOp>(loc, args[0]);
          });
      copy.erase();
    });
  }
};

} // namespace
} // namespace weir::cpu
