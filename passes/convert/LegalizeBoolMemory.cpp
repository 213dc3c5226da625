// Stores Booleans as bytes, and loads any nonzero byte as true. LLVM assumes
// that the upper bits of an i1's byte are zero, which the caller's bytes need
// not satisfy.

#include "passes/convert/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace weir::convert {
#define GEN_PASS_DEF_LEGALIZEBOOLMEMORY
#include "passes/convert/Passes.h.inc"

namespace {

bool isBoolean(Type type) { return type.isInteger(1); }

struct LegalizeBoolMemory : impl::LegalizeBoolMemoryBase<LegalizeBoolMemory> {
  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      if (auto load = dyn_cast<LLVM::LoadOp>(op))
        widen(load);
      else if (auto store = dyn_cast<LLVM::StoreOp>(op))
        widen(store);
    });
  }

private:
  static void widen(LLVM::LoadOp load) {
    Value byte = load.getResult();
    if (!isBoolean(byte.getType()))
      return;
    OpBuilder b(load.getContext());
    b.setInsertionPointAfter(load);
    byte.setType(b.getI8Type());
    Value zero = b.create<LLVM::ConstantOp>(load.getLoc(), b.getI8Type(), 0);
    auto boolean = b.create<LLVM::ICmpOp>(load.getLoc(),
                                          LLVM::ICmpPredicate::ne, byte, zero);
    byte.replaceAllUsesExcept(boolean, boolean);
  }

  static void widen(LLVM::StoreOp store) {
    if (!isBoolean(store.getValue().getType()))
      return;
    OpBuilder b(store);
    store.getValueMutable().assign(b.create<LLVM::ZExtOp>(
        store.getLoc(), b.getI8Type(), store.getValue()));
  }
};

} // namespace
} // namespace weir::convert
