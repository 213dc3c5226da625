// Checks whether a line schedule fits windows.

#include "dialects/kernel/schedule/LineShape.h"

using namespace mlir;

namespace weir::kernel {

ArrayRef<llvm::StringLiteral> namesOf(LineShare) {
  static constexpr llvm::StringLiteral names[] = {"none", "rows", "columns"};
  return names;
}

// The vectors of sums of a tile. Dot products have a vector for each result.
static int64_t vectorsOf(const LineShape &shape, const LineSchedule &s) {
  int64_t ofResult = shape.kind == LineKind::dots
                         ? s.tileChannels
                         : s.tileChannels / shape.lanes;
  return s.tileColumns * ofResult;
}

LogicalResult verifyLine(Operation *kernel, const LineSchedule &s) {
  Target target = Target::of(kernel);
  auto shape = LineShape::of(kernel, target);
  constexpr int64_t interleavedChannels = 64;
  if (shape.kind == LineKind::interleaved) {
    if (s.tileChannels != interleavedChannels || s.share == LineShare::columns)
      return kernel->emitOpError("interleaves bytes: tile_channels is ")
             << interleavedChannels << ", and threads share rows";
  } else if (shape.kind == LineKind::channels && s.tileChannels % shape.lanes) {
    return kernel->emitOpError("tile_channels is ")
           << s.tileChannels << ", not a multiple of the " << shape.lanes
           << " lanes of a vector";
  }
  int64_t registers = target.registers;
  if (s.tileColumns > registers || s.tileChannels > registers * shape.lanes ||
      vectorsOf(shape, s) >= registers)
    return kernel->emitOpError("a tile of ")
           << s.tileColumns << " results by " << s.tileChannels
           << " channels needs more than " << registers << " registers";
  return success();
}

} // namespace weir::kernel
