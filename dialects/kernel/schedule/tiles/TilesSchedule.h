// The parameters of #kernel.tiles_schedule.

#ifndef WEIR_DIALECTS_KERNEL_SCHEDULE_TILES_TILESSCHEDULE_H
#define WEIR_DIALECTS_KERNEL_SCHEDULE_TILES_TILESSCHEDULE_H

#include "dialects/kernel/schedule/Parameters.h"

namespace weir::kernel {

/// The instructions that multiply: products of tile registers, or dot products
/// of vector registers.
enum class TilesInstructions { tiles, dots };
/// The work items that threads share.
enum class TilesShare { none, slabs, panels };

llvm::ArrayRef<llvm::StringLiteral> namesOf(TilesInstructions);
llvm::ArrayRef<llvm::StringLiteral> namesOf(TilesShare);

/// How weights in a layout for tile registers are multiplied. The attribute's
/// description explains each parameter and its unit.
struct TilesSchedule : Parameters<TilesSchedule> {
  TilesInstructions instructions = TilesInstructions::tiles;
  int64_t tileRows = 1, blockRows = 1;
  bool byLine = false;
  int64_t accumulatorSets = 1, unroll = 1;
  int64_t depthBlock = 1, slabs = 1;
  TilesShare share = TilesShare::none;
  bool coarse = false;
  bool prefetch = false, prefetchResult = false;

  template <typename Visitor>
  static void eachParameter(Visitor visit) {
    visit("instructions", &TilesSchedule::instructions);
    visit("tile_rows", &TilesSchedule::tileRows);
    visit("block_rows", &TilesSchedule::blockRows);
    visit("by_line", &TilesSchedule::byLine);
    visit("accumulator_sets", &TilesSchedule::accumulatorSets);
    visit("unroll", &TilesSchedule::unroll);
    visit("depth_block", &TilesSchedule::depthBlock);
    visit("slabs", &TilesSchedule::slabs);
    visit("share", &TilesSchedule::share);
    visit("coarse", &TilesSchedule::coarse);
    visit("prefetch", &TilesSchedule::prefetch);
    visit("prefetch_result", &TilesSchedule::prefetchResult);
  }
};

/// Emits an error if `kernel` has no weights for tile registers, or if this
/// schedule does not fit it.
mlir::LogicalResult verifyTiles(mlir::Operation *kernel,
                                const TilesSchedule &schedule);

} // namespace weir::kernel

#endif // WEIR_DIALECTS_KERNEL_SCHEDULE_TILES_TILESSCHEDULE_H
