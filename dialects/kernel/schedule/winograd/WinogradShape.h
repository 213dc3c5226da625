// The sizes of a Winograd convolution that its schedule and its cost depend on.

#ifndef WEIR_DIALECTS_KERNEL_SCHEDULE_WINOGRAD_WINOGRADSHAPE_H
#define WEIR_DIALECTS_KERNEL_SCHEDULE_WINOGRAD_WINOGRADSHAPE_H

#include "dialects/kernel/schedule/EvenSplit.h"
#include "dialects/kernel/schedule/MatmulShape.h"

namespace weir::kernel {

/// The output tiles along one axis. Their results are `dilation` apart, so
/// tiles have phases, with equally many tiles each.
struct OutputAxis {
  int64_t results, tile, dilation;
  int64_t phases, tiles; // of a phase

  OutputAxis(int64_t results, int64_t tile, int64_t dilation);
  /// The different numbers of results that tiles have inside of the result, the
  /// largest first.
  llvm::SmallVector<int64_t> counts() const;
};

/// A Winograd convolution as batches of matrix products, one for each group of
/// its transform. The rows of a product are input tiles of a block, and its
/// columns those of a panel of the filter.
struct WinogradShape {
  WinogradShape(WinogradOp op, const Target &target);
  static WinogradShape of(mlir::Operation *kernel, const Target &target) {
    return WinogradShape(mlir::cast<WinogradOp>(kernel), target);
  }

  WinogradTransform window;
  int64_t images, channels, outChannels;
  /// Channels of a panel of the filter, and elements of a vector. Panels are
  /// whole vectors.
  int64_t panel, lanes;
  OutputAxis down, across;
  int64_t tilesOfImage, inputTiles;
  mlir::Type element;

  int64_t panels() const { return llvm::divideCeil(outChannels, panel); }
  /// Bytes of the transformed filter.
  int64_t filterBytes() const {
    return 4 * panels() * panel * window.products() * channels;
  }
  /// Elements from a transformed input tile of a group to the next.
  int64_t rowOf(const WinogradTransform::Group &group) const;
  /// Bytes of the rows of an input tile in all groups.
  int64_t bytesOfTile() const;
  /// Input tiles of a block; there are at least as many.
  int64_t blockOf(const WinogradSchedule &schedule) const {
    return EvenSplit(inputTiles, schedule.inputTiles).most();
  }
  /// Whether there is one block of input tiles and one panel, so that no loop
  /// is around the products.
  bool isOneStep(const WinogradSchedule &schedule) const {
    return blockOf(schedule) == inputTiles && panels() == 1;
  }
  /// The products of a group for a block of so many input tiles and a panel.
  MatmulShape productOf(size_t group, int64_t block) const;
};

} // namespace weir::kernel

#endif // WEIR_DIALECTS_KERNEL_SCHEDULE_WINOGRAD_WINOGRADSHAPE_H
