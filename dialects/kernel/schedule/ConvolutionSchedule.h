// The parameters of #kernel.convolution_schedule.

#ifndef WEIR_DIALECTS_KERNEL_SCHEDULE_CONVOLUTIONSCHEDULE_H
#define WEIR_DIALECTS_KERNEL_SCHEDULE_CONVOLUTIONSCHEDULE_H

#include "dialects/kernel/schedule/Parameters.h"

namespace weir::kernel {

/// The work items that threads share.
enum class ConvolutionShare { none, images, rows, columns, panels, groups };
/// Whether each image is copied, and whether a line of cache parts its pixels.
enum class ConvolutionCopy { none, image, padded };

llvm::ArrayRef<llvm::StringLiteral> namesOf(ConvolutionShare);
llvm::ArrayRef<llvm::StringLiteral> namesOf(ConvolutionCopy);

/// How vector code computes a convolution. The attribute's description explains
/// each parameter and its unit.
struct ConvolutionSchedule : Parameters<ConvolutionSchedule> {
  int64_t tileRows = 1, tileColumns = 1, tileChannels = 1;
  int64_t chain = 48, blockTiles = 1;
  bool skipRows = false, skipColumns = false;
  ConvolutionCopy copy = ConvolutionCopy::none;
  bool prefetch = false;
  ConvolutionShare share = ConvolutionShare::none;
  bool coarse = false;

  template <typename Visitor>
  static void eachParameter(Visitor visit) {
    visit("tile_rows", &ConvolutionSchedule::tileRows);
    visit("tile_columns", &ConvolutionSchedule::tileColumns);
    visit("tile_channels", &ConvolutionSchedule::tileChannels);
    visit("chain", &ConvolutionSchedule::chain);
    visit("block_tiles", &ConvolutionSchedule::blockTiles);
    visit("skip_rows", &ConvolutionSchedule::skipRows);
    visit("skip_columns", &ConvolutionSchedule::skipColumns);
    visit("copy", &ConvolutionSchedule::copy);
    visit("prefetch", &ConvolutionSchedule::prefetch);
    visit("share", &ConvolutionSchedule::share);
    visit("coarse", &ConvolutionSchedule::coarse);
  }
};

/// Emits an error if `kernel` is no convolution that this schedule fits.
mlir::LogicalResult verifyConvolution(mlir::Operation *kernel,
                                      const ConvolutionSchedule &schedule);

} // namespace weir::kernel

#endif // WEIR_DIALECTS_KERNEL_SCHEDULE_CONVOLUTIONSCHEDULE_H
