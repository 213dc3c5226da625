// Checks whether a tiles schedule fits a product or a convolution.

#include "dialects/kernel/schedule/tiles/TilesShape.h"

using namespace mlir;

namespace weir::kernel {

ArrayRef<llvm::StringLiteral> namesOf(TilesInstructions) {
  static constexpr llvm::StringLiteral names[] = {"tiles", "dots"};
  return names;
}

ArrayRef<llvm::StringLiteral> namesOf(TilesShare) {
  static constexpr llvm::StringLiteral names[] = {"none", "slabs", "panels"};
  return names;
}

// A block has one or two tiles of rows, each a tile register. Tile registers
// hold one set of sums.
static LogicalResult verifyRegisters(Operation *kernel,
                                     const TilesSchedule &s) {
  if (s.tileRows > TilesShape::half)
    return kernel->emitOpError("tile_rows is ")
           << s.tileRows << ", more than the " << TilesShape::half
           << " rows of a tile register";
  if (s.blockRows != s.tileRows && s.blockRows != 2 * s.tileRows)
    return kernel->emitOpError("block_rows is ")
           << s.blockRows << ", not one or two tiles of " << s.tileRows
           << " rows";
  if (s.accumulatorSets > 1 || s.unroll > 1)
    return kernel->emitOpError("accumulator_sets is ")
           << s.accumulatorSets << " and unroll is " << s.unroll
           << ", but both are 1 for tile registers";
  return success();
}

// A block has 32 rows, as its copy has, and the loop over the lines of a tile
// of weights has whole iterations.
static LogicalResult verifyDots(Operation *kernel, const TilesShape &shape,
                                const TilesSchedule &s) {
  if (s.blockRows != TilesShape::side)
    return kernel->emitOpError("block_rows is ")
           << s.blockRows << ", but blocks for dot products have "
           << TilesShape::side;
  if (TilesShape::half % s.unroll)
    return kernel->emitOpError("unroll is ")
           << s.unroll << ", not a divisor of the " << TilesShape::half
           << " lines of a tile";
  if (!llvm::isPowerOf2_64(s.accumulatorSets))
    return kernel->emitOpError("accumulator_sets is ")
           << s.accumulatorSets << ", not a power of two";
  // An element of the left side and the weights of a line are beside the sums.
  int64_t registers = Target::of(kernel).registers;
  int64_t tile = shape.dotTiles(s).most(), vectors = shape.columnTiles();
  if (s.accumulatorSets > registers ||
      tile * vectors * s.accumulatorSets + vectors + 1 > registers)
    return kernel->emitOpError("a tile of ")
           << tile << " rows by " << vectors << " vectors in "
           << s.accumulatorSets << " sets needs more than " << registers
           << " registers";
  return success();
}

LogicalResult verifyTiles(Operation *kernel, const TilesSchedule &s) {
  auto shape = TilesShape::of(kernel, Target::of(kernel));
  bool dots = s.instructions == TilesInstructions::dots;
  if (dots ? !shape.hasDots : !shape.hasTiles)
    return kernel->emitOpError("instructions is ")
           << namesOf(s.instructions)[dots] << ", but "
           << (dots ? "the target has no dot products for its layout"
                    : "the target has no tile registers for its layout");
  if (s.byLine && !shape.isConvolution)
    return kernel->emitOpError("by_line is true, but only the results of a "
                               "convolution have lines");
  if (shape.steps == 0)
    return kernel->emitOpError("has sums without terms");
  if (failed(dots ? verifyDots(kernel, shape, s) : verifyRegisters(kernel, s)))
    return failure();
  if (int64_t blocks = shape.blocks(s); s.slabs > blocks)
    return kernel->emitOpError("slabs is ")
           << s.slabs << ", more than the " << blocks << " blocks of "
           << s.blockRows << " rows";
  return success();
}

} // namespace weir::kernel
