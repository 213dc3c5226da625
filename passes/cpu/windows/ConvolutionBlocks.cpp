// The loops of a convolution: sizes that follow from its shape and its
// schedule.

#include "passes/cpu/windows/ConvolutionBlocks.h"

using namespace mlir;

namespace weir::cpu {

ConvolutionBlocks::ConvolutionBlocks(kernel::ConvolutionOp op,
                                     const kernel::Target &target)
    : ConvolutionShape(op, target),
      ConvolutionSchedule(
          cast<kernel::ConvolutionScheduleAttr>(op.getScheduleAttr())
              .getValue()),
      reachY(TileReach::of(axisY(), tileRows, skipRows)),
      reachX(TileReach::of(axisX(), tileColumns, skipColumns)),
      copyChannels(channels) {
  constexpr int64_t lineBytes = 64;
  if (copy == kernel::ConvolutionCopy::padded)
    copyChannels += std::max<int64_t>(1, lineBytes / copyBytes);
  if (copy != kernel::ConvolutionCopy::none)
    copyType = MemRefType::get({reachY.extent, reachX.extent, copyChannels},
                               copyElement);
}

} // namespace weir::cpu
