// Checks whether a schedule of inner-product pairing fits a kernel.

#include "dialects/kernel/PairingScheme.h"
#include "dialects/kernel/schedule/pairing/PairingShape.h"

using namespace mlir;

namespace weir::kernel {

ArrayRef<llvm::StringLiteral> namesOf(PairingShare) {
  static constexpr llvm::StringLiteral names[] = {"none", "slabs", "tiles",
                                                  "panels"};
  return names;
}

ArrayRef<llvm::StringLiteral> namesOf(PairingPrefetch) {
  static constexpr llvm::StringLiteral names[] = {"none", "tile", "group"};
  return names;
}

// The sums of a tile and one operand are in registers. One vector holds a
// number of each row.
static LogicalResult verifyTile(Operation *op, const PairingShape &shape,
                                const PairingSchedule &s) {
  int64_t vectors = llvm::divideCeil(PairingScheme::panelWidth, shape.lanes);
  int64_t registers = Target::of(op).registers;
  if (s.tileRows > (registers - 1) / vectors)
    return op->emitOpError("a tile of ")
           << s.tileRows << " rows by " << vectors
           << " vectors needs more than " << registers << " registers";
  if (s.tileRows > shape.lanes)
    return op->emitOpError("tile_rows is ")
           << s.tileRows << ", more than the " << shape.lanes
           << " lanes of a vector";
  return success();
}

static LogicalResult verifyBlocks(Operation *op, const PairingSplits &splits,
                                  const PairingSchedule &s) {
  if (s.chain < PairingScheme::group)
    return op->emitOpError("chain is ")
           << s.chain << ", less than the " << PairingScheme::group
           << " terms of a group";
  if (s.rowSlabs > splits.tiles.count)
    return op->emitOpError("row_slabs is ")
           << s.rowSlabs << ", more than the " << splits.tiles.count
           << " tiles of all rows";
  if (int64_t rounds = splits.chains.rounds.count; s.depthParts > rounds)
    return op->emitOpError("depth_parts is ")
           << s.depthParts << ", more than the " << rounds
           << " rounds of chains of the depth";
  return success();
}

// A panel that is packed inside is one buffer: all rows use it before the next
// one, and nothing of it exists earlier.
static LogicalResult verifyPacking(Operation *op, const PairingSchedule &s) {
  if (!s.packInside) {
    if (s.share == PairingShare::panels)
      return op->emitOpError("share is panels, but pack_inside is false");
    return success();
  }
  if (!isa<MatmulOp>(op))
    return op->emitOpError(
        "pack_inside is true, but only a kernel.matmul packs "
        "panels");
  if (s.rowSlabs != 1 || s.depthParts != 1)
    return op->emitOpError("pack_inside is true, so row_slabs and depth_parts "
                           "are 1, not ")
           << s.rowSlabs << " and " << s.depthParts;
  if (s.share != PairingShare::none && s.share != PairingShare::panels)
    return op->emitOpError("pack_inside is true, so share is none or panels, "
                           "not ")
           << namesOf(s.share)[static_cast<size_t>(s.share)];
  if (s.prefetch != PairingPrefetch::none)
    return op->emitOpError("pack_inside is true, so prefetch is none, not ")
           << namesOf(s.prefetch)[static_cast<size_t>(s.prefetch)];
  return success();
}

static LogicalResult verifyPrefetch(Operation *op, const PairingSplits &splits,
                                    const PairingSchedule &s) {
  if (s.prefetchLevel > 2)
    return op->emitOpError("prefetch_level is ")
           << s.prefetchLevel << ", not 1 or 2";
  // The code of a tile has an instruction for each line.
  constexpr int64_t most = 64;
  if (s.prefetch == PairingPrefetch::tile && splits.linesOfTile() > most)
    return op->emitOpError("prefetch is tile, but a tile would fetch ")
           << splits.linesOfTile() << " lines at once, more than " << most;
  return success();
}

LogicalResult verifyPairing(Operation *kernel, const PairingSchedule &s) {
  auto shape = PairingShape::of(kernel, Target::of(kernel));
  PairingSplits splits(shape, s);
  if (s.share == PairingShare::tiles && s.rowSlabs != 1)
    return kernel->emitOpError("share is tiles, so row_slabs is 1, not ")
           << s.rowSlabs;
  if (failed(verifyTile(kernel, shape, s)) ||
      failed(verifyBlocks(kernel, splits, s)) ||
      failed(verifyPacking(kernel, s)))
    return failure();
  return verifyPrefetch(kernel, splits, s);
}

} // namespace weir::kernel
