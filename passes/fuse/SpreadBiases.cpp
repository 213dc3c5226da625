// Turns splat biases into vectors, since libraries add vectors only.

#include "passes/fuse/Passes.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Shape.h"
#include "dialects/weir/Attributes.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"

#include <cstring>

using namespace mlir;

namespace weir::fuse {
#define GEN_PASS_DEF_SPREADBIASES
#include "passes/fuse/Passes.h.inc"

namespace {

/// The contraction that computes the value, maybe before it is converted.
Operation *contractionOf(Value value) {
  if (auto widening = value.getDefiningOp<graph::CastOp>())
    value = widening.getX();
  auto fused =
      dyn_cast_if_present<graph::FusionOpInterface>(value.getDefiningOp());
  return fused && fused.fusionRole() == graph::FusionRole::contraction
             ? fused.getOperation()
             : nullptr;
}

/// A constant of `count` equal elements that is not a splat attribute.
ElementsAttr repeated(const APFloat &number, int64_t count, Type element) {
  APInt bits = number.bitcastToAPInt();
  size_t width = bits.getBitWidth() / 8;
  AsmResourceBlob blob =
      HeapAsmResourceBlob::allocate(count * width, /*align=*/64);
  char *to = blob.getMutableData().data();
  for (int64_t i = 0; i < count; ++i)
    std::memcpy(to + i * width, bits.getRawData(), width);
  return DenseResourceElementsAttr::get(RankedTensorType::get(count, element),
                                        "bias", std::move(blob));
}

struct SpreadBiases : impl::SpreadBiasesBase<SpreadBiases> {
  void runOnOperation() override {
    GpuAttr gpu = attrs::gpu.of(getOperation()->getParentOp());
    if (!gpu || gpu.getLibrary().empty())
      return;
    getOperation()->walk([](graph::AddOp add) {
      for (unsigned i : {0, 1})
        if (Operation *contraction = contractionOf(add->getOperand(i)))
          if (!attrs::host.isOn(contraction))
            return spread(add, 1 - i, contraction->getResult(0));
    });
  }

private:
  /// Replaces the splat operand `i` of an addition to `sums` by a vector.
  static void spread(graph::AddOp add, unsigned i, Value sums) {
    RankedTensorType type = add.getType();
    DenseElementsAttr elements;
    if (!isa<FloatType>(type.getElementType()) || type.getRank() < 2 ||
        !matchPattern(add->getOperand(i), m_Constant(&elements)) ||
        !elements.isSplat())
      return;
    Type element = cast<RankedTensorType>(sums.getType()).getElementType();
    auto number = elements.getSplatValue<APFloat>();
    bool loses = false;
    number.convert(cast<FloatType>(element).getFloatSemantics(),
                   APFloat::rmNearestTiesToEven, &loses);
    if (loses)
      return;
    OpBuilder b(add);
    Location loc = add.getLoc();
    Value value = b.create<graph::ConstantOp>(
        loc, repeated(number, type.getShape().back(), element));
    int64_t last = type.getRank() - 1;
    value = b.create<graph::BroadcastOp>(loc, type.clone(element), value,
                                         ArrayRef<int64_t>{last});
    if (element != type.getElementType())
      value = b.create<graph::CastOp>(loc, type, value);
    add->setOperand(i, value);
  }
};

} // namespace
} // namespace weir::fuse
