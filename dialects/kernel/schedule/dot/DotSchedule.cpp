// Checks whether a schedule of dot products fits a product.

#include "dialects/kernel/schedule/dot/DotShape.h"

using namespace mlir;

namespace weir::kernel {

ArrayRef<llvm::StringLiteral> namesOf(DotShare) {
  static constexpr llvm::StringLiteral names[] = {"none", "tiles"};
  return names;
}

LogicalResult verifyDot(Operation *kernel, const DotSchedule &s) {
  auto op = cast<MatmulOp>(kernel);
  Target target = Target::of(op);
  DotShape shape(op, target);
  // One vector holds the sums of a row after their lanes are added.
  if (s.tileColumns > shape.lanes)
    return op.emitOpError("tile_columns is ")
           << s.tileColumns << ", more than the " << shape.lanes
           << " lanes of a vector";
  if (!llvm::isPowerOf2_64(s.accumulatorSets))
    return op.emitOpError("accumulator_sets is ")
           << s.accumulatorSets << ", not a power of two";
  if (s.accumulatorSets > target.registers)
    return op.emitOpError("accumulator_sets is ")
           << s.accumulatorSets << ", more than " << target.registers
           << " registers";
  // The sums of a tile and one operand are in registers.
  int64_t rows = EvenSplit(shape.rows, s.tileRows).most();
  int64_t columns = std::min(shape.columns, s.tileColumns);
  if (rows >= target.registers ||
      rows * columns * s.accumulatorSets >= target.registers)
    return op.emitOpError("a tile of ")
           << rows << " rows by " << columns << " columns by "
           << s.accumulatorSets << " sets of sums needs more than "
           << target.registers << " registers";
  return success();
}

} // namespace weir::kernel
