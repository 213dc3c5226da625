// The parameters of #kernel.matmul_schedule.

#ifndef WEIR_DIALECTS_KERNEL_SCHEDULE_MATMULSCHEDULE_H
#define WEIR_DIALECTS_KERNEL_SCHEDULE_MATMULSCHEDULE_H

#include "dialects/kernel/schedule/Parameters.h"

namespace weir::kernel {

/// The work items that threads share.
enum class MatmulShare { none, batches, rowBlocks, rows, columns };
/// The part of the left side that is copied before it is read many times.
enum class MatmulCopy { none, block, slab };
/// The part of the right side that is fetched before it is used.
enum class MatmulPrefetch { none, panel, stream };

llvm::ArrayRef<llvm::StringLiteral> namesOf(MatmulShare);
llvm::ArrayRef<llvm::StringLiteral> namesOf(MatmulCopy);
llvm::ArrayRef<llvm::StringLiteral> namesOf(MatmulPrefetch);

/// How vector code computes a product. The attribute's description explains
/// each parameter and its unit.
struct MatmulSchedule : Parameters<MatmulSchedule> {
  int64_t tileRows = 1, tileColumns = 1;
  int64_t accumulatorSets = 1, unroll = 1, chain = 96;
  int64_t depthBlock = 1, depthSlab = 1, blockTiles = 1;
  MatmulShare share = MatmulShare::none;
  bool coarse = false;
  MatmulCopy copy = MatmulCopy::none;
  bool packInside = false;
  MatmulPrefetch prefetch = MatmulPrefetch::none;
  int64_t prefetchLevel = 2;
  bool prefetchResult = false;
  bool alternate = false;

  template <typename Visitor>
  static void eachParameter(Visitor visit) {
    visit("tile_rows", &MatmulSchedule::tileRows);
    visit("tile_columns", &MatmulSchedule::tileColumns);
    visit("accumulator_sets", &MatmulSchedule::accumulatorSets);
    visit("unroll", &MatmulSchedule::unroll);
    visit("chain", &MatmulSchedule::chain);
    visit("depth_block", &MatmulSchedule::depthBlock);
    visit("depth_slab", &MatmulSchedule::depthSlab);
    visit("block_tiles", &MatmulSchedule::blockTiles);
    visit("share", &MatmulSchedule::share);
    visit("coarse", &MatmulSchedule::coarse);
    visit("copy", &MatmulSchedule::copy);
    visit("pack_inside", &MatmulSchedule::packInside);
    visit("prefetch", &MatmulSchedule::prefetch);
    visit("prefetch_level", &MatmulSchedule::prefetchLevel);
    visit("prefetch_result", &MatmulSchedule::prefetchResult);
    visit("alternate", &MatmulSchedule::alternate);
  }
};

struct MatmulShape;

/// Emits an error at `kernel` if its product of this shape cannot be computed
/// by this schedule.
mlir::LogicalResult verifyProduct(mlir::Operation *kernel,
                                  const MatmulShape &shape,
                                  const MatmulSchedule &schedule);

/// Emits an error if `kernel` is no product that this schedule fits.
mlir::LogicalResult verifyMatmul(mlir::Operation *kernel,
                                 const MatmulSchedule &schedule);

} // namespace weir::kernel

#endif // WEIR_DIALECTS_KERNEL_SCHEDULE_MATMULSCHEDULE_H
