// A copy between strided memory becomes loops; upstream would call a library.

#include "passes/cpu/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace weir {
#define GEN_PASS_DEF_LOWERCOPIES
#include "passes/cpu/Passes.h.inc"

namespace {

bool isContiguous(Value memory) {
  return cast<MemRefType>(memory.getType()).getLayout().isIdentity();
}

struct LowerCopies : impl::LowerCopiesBase<LowerCopies> {
  void runOnOperation() override {
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
} // namespace weir
