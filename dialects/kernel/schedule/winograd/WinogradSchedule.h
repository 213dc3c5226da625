// The parameters of #kernel.winograd_schedule.

#ifndef WEIR_DIALECTS_KERNEL_SCHEDULE_WINOGRAD_WINOGRADSCHEDULE_H
#define WEIR_DIALECTS_KERNEL_SCHEDULE_WINOGRAD_WINOGRADSCHEDULE_H

#include "dialects/kernel/schedule/MatmulSchedule.h"

namespace weir::kernel {

/// The work items that threads share.
enum class WinogradShare { none, blocks, panels };

llvm::ArrayRef<llvm::StringLiteral> namesOf(WinogradShare);

/// How a Winograd convolution is computed. The attribute's description explains
/// each parameter and its unit.
struct WinogradSchedule : Parameters<WinogradSchedule> {
  int64_t inputTiles = 1;
  WinogradShare share = WinogradShare::none;
  int64_t chain = 16;
  PerProduct<int64_t> tileRows = 1, tileColumns = 1, accumulatorSets = 1,
                      unroll = 1, depthBlock = 1, depthSlab = 1, blockTiles = 1;
  PerProduct<MatmulCopy> copy = MatmulCopy::none;
  PerProduct<MatmulPrefetch> prefetch = MatmulPrefetch::none;
  PerProduct<int64_t> prefetchLevel = 2;
  PerProduct<bool> prefetchResult = false;
  PerProduct<MatmulShare> productShare = MatmulShare::none;
  PerProduct<bool> coarse = false;

  /// Calls the visitor with the name of each parameter of the matrix products,
  /// the member here, and that of MatmulSchedule. The name there is without
  /// "product_".
  template <typename Visitor>
  static void eachProductParameter(Visitor visit) {
    using Winograd = WinogradSchedule;
    using Matmul = MatmulSchedule;
    visit("tile_rows", &Winograd::tileRows, &Matmul::tileRows);
    visit("tile_columns", &Winograd::tileColumns, &Matmul::tileColumns);
    visit("accumulator_sets", &Winograd::accumulatorSets,
          &Matmul::accumulatorSets);
    visit("unroll", &Winograd::unroll, &Matmul::unroll);
    visit("depth_block", &Winograd::depthBlock, &Matmul::depthBlock);
    visit("depth_slab", &Winograd::depthSlab, &Matmul::depthSlab);
    visit("block_tiles", &Winograd::blockTiles, &Matmul::blockTiles);
    visit("copy", &Winograd::copy, &Matmul::copy);
    visit("prefetch", &Winograd::prefetch, &Matmul::prefetch);
    visit("prefetch_level", &Winograd::prefetchLevel, &Matmul::prefetchLevel);
    visit("prefetch_result", &Winograd::prefetchResult,
          &Matmul::prefetchResult);
    visit("product_share", &Winograd::productShare, &Matmul::share);
    visit("coarse", &Winograd::coarse, &Matmul::coarse);
  }

  template <typename Visitor>
  static void eachParameter(Visitor visit) {
    visit("input_tiles", &WinogradSchedule::inputTiles);
    visit("share", &WinogradSchedule::share);
    visit("chain", &WinogradSchedule::chain);
    eachProductParameter(
        [&](llvm::StringRef name, auto member, auto) { visit(name, member); });
  }

  /// The schedule of the products of group `group` of the transform.
  MatmulSchedule productOf(size_t group) const;
};

/// Emits an error if `kernel` is no Winograd convolution that this schedule
/// fits.
mlir::LogicalResult verifyWinograd(mlir::Operation *kernel,
                                   const WinogradSchedule &schedule);

} // namespace weir::kernel

#endif // WEIR_DIALECTS_KERNEL_SCHEDULE_WINOGRAD_WINOGRADSCHEDULE_H
