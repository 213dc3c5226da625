// Finds the buffers that loops read as streams from beyond L2.

#include "passes/cpu/loops/Streams.h"

#include "passes/cpu/kernels/Emitter.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace weir::cpu {

/// Of loops that read elements side by side, from row to row, the distance of
/// streams; where short rows do not touch, in whole ones.
static std::optional<int64_t> distance(AffineMap map, Value value) {
  auto type = dyn_cast<MemRefType>(value.getType());
  int64_t offset, size = 1, loop = map.getNumDims();
  int64_t ahead = Emitter::streamDistance / 4;
  SmallVector<int64_t> strides;
  if (!type || !type.hasStaticShape() ||
      failed(getStridesAndOffset(type, strides, offset)))
    return std::nullopt;
  bool touch = true;
  for (int64_t i = type.getRank(); i-- > 0; size *= type.getDimSize(i)) {
    auto dim = dyn_cast<AffineDimExpr>(map.getResult(i));
    if (!dim || dim.getPosition() >= loop || strides[i] < 1 ||
        (size == 1 && strides[i] != 1))
      return std::nullopt;
    if (touch && strides[i] != size && size < ahead)
      ahead = strides[i] * llvm::divideCeil(ahead, size);
    touch &= strides[i] == size;
    loop = dim.getPosition();
  }
  return ahead;
}

std::optional<int64_t> Streams::begin(const LoopNest &nest,
                                      OpOperand &operand) {
  if (!fetches)
    return std::nullopt;
  std::optional<int64_t> ahead = distance(nest.mapOf(operand), operand.get());
  Value buffer = operand.get();
  while (auto view = buffer.getDefiningOp<memref::SubViewOp>())
    buffer = view.getSource();
  auto type = dyn_cast<MemRefType>(buffer.getType());
  bool begins = ahead && type.hasStaticShape() &&
                type.getLayout().isIdentity() &&
                type.getNumElements() * 4 > bytesOfThreads &&
                begun.insert({operand.getOwner()->getBlock(), buffer}).second;
  return begins ? ahead : std::nullopt;
}

} // namespace weir::cpu
