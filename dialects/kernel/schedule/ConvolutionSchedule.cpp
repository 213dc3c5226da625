// Checks whether a schedule fits a convolution.

#include "dialects/kernel/schedule/ConvolutionShape.h"

using namespace mlir;

namespace weir::kernel {

ArrayRef<llvm::StringLiteral> namesOf(ConvolutionShare) {
  static constexpr llvm::StringLiteral names[] = {
      "none", "images", "rows", "columns", "panels", "groups"};
  return names;
}

ArrayRef<llvm::StringLiteral> namesOf(ConvolutionCopy) {
  static constexpr llvm::StringLiteral names[] = {"none", "image", "padded"};
  return names;
}

LogicalResult verifyConvolution(Operation *kernel,
                                const ConvolutionSchedule &s) {
  auto op = cast<ConvolutionOp>(kernel);
  Target target = Target::of(op);
  ConvolutionShape shape(op, target);
  if (s.tileChannels % shape.lanes)
    return op.emitOpError("tile_channels is ")
           << s.tileChannels << ", not a multiple of the " << shape.lanes
           << " lanes of a vector";
  if (shape.panel % s.tileChannels &&
      (s.tileChannels != 2 * shape.panel || shape.isVnni))
    return op.emitOpError("tile_channels is ")
           << s.tileChannels << ", and panels have " << shape.panel
           << " channels";
  int64_t vectors = s.tileChannels / shape.lanes;
  if (s.tileRows > target.registers || s.tileColumns > target.registers ||
      s.tileRows * s.tileColumns > (target.registers - 1) / vectors)
    return op.emitOpError("a tile of ")
           << s.tileRows << " x " << s.tileColumns << " results by " << vectors
           << " vectors needs more than " << target.registers << " registers";
  bool maySkip = !shape.hasShortRows();
  if ((s.skipRows || s.skipColumns) && !maySkip)
    return op.emitOpError("cannot skip taps: rows of its window are short");
  if (s.skipColumns && shape.groups == 1 && shape.dilationX == 1)
    return op.emitOpError("cannot skip columns of its window: its rows are one "
                          "run in memory");
  TileReach y = TileReach::of(shape.axisY(), s.tileRows, s.skipRows);
  TileReach x = TileReach::of(shape.axisX(), s.tileColumns, s.skipColumns);
  if (s.copy == ConvolutionCopy::none && shape.needsCopy(y, x))
    return op.emitOpError("copy is none, but its tiles read a border or "
                          "another type of element");
  return success();
}

} // namespace weir::kernel
