// A convolution by tile registers.

#ifndef WEIR_PASSES_CPU_WINDOWS_TILECONVOLUTION_H
#define WEIR_PASSES_CPU_WINDOWS_TILECONVOLUTION_H

#include "passes/cpu/kernels/TileLoops.h"

#include "dialects/kernel/TileWindows.h"

namespace weir::cpu {

struct TileConvolution : TileLoops {
  kernel::ConvolutionOp convolution;
  bool flat; // images without vertical dimension
  kernel::TileWindows windows;
  const kernel::TileAxis &y = windows.y, &x = windows.x;
  int64_t images, channels, channelSteps;
  mlir::Value image; // the present one

  /// Taps and blocks of channels are one dimension of `filter`.
  TileConvolution(Emitter &e, kernel::ConvolutionOp op, mlir::Value filter,
                  const kernel::Target &target);

  void run();

protected:
  void loadLeft(int tile, const Unit &unit, const Depth &depth,
                mlir::Value step, int part, int i) override;
  mlir::Value weightRow(mlir::Value step) override;
  bool hasWholeSteps() const override { return channels % stepDepth == 0; }
  mlir::Value fitOf(const Unit &) override { return e.index(0); }
  void byVectors(const Unit &unit, const Depth &depth) override;
  void byDots(const Unit &, const Depth &) override {}
  mlir::Value validRows(const Unit &unit) override;
  void
  atResult(const Unit &unit, mlir::Value i,
           llvm::function_ref<void(const Emitter::Values &)> body) override;

private:
  int64_t blocksAStrip() const { return slabs.most(); }
  int64_t linesAStrip() const;
  void begin();
  mlir::Value minus(mlir::Value a, mlir::Value b);
  mlir::Value firstTile(mlir::Value block) { return e.times(block, tall); }
  std::pair<mlir::Value, mlir::Value> startOf(mlir::Value tile);
  mlir::Value firstLine(mlir::Value block);
  Emitter::Values pixel(mlir::Value row, mlir::Value column);
  std::pair<mlir::Value, mlir::Value> tapOf(mlir::Value step);
  void stripsBetween(mlir::Value low, mlir::Value high, mlir::Value firstPanel,
                     mlir::Value endPanel);
  /// Splits all elements that `count` blocks from block `first` on read.
  void takeApart(mlir::Value first, mlir::Value count);
  Emitter::Values splitPixel(const Emitter::Values &from, mlir::Value phase,
                             mlir::Value to, mlir::ValueRange soFar);
  void clear(mlir::Value phase, mlir::Value first, mlir::Value end);
  Emitter::Values splitPhase(int64_t phaseY, int64_t phaseX, mlir::Value line,
                             mlir::Value lines, mlir::ValueRange soFar);
  std::pair<mlir::Value, mlir::Value>
  reads(const kernel::TileAxis &axis, mlir::Value result, mlir::Value tap);
  mlir::Value channelOrZero(Emitter::Values at, mlir::Value channel);
  Emitter::Values addStep(const Emitter::Values &from, mlir::Value panel,
                          mlir::Value step, mlir::ValueRange soFar);
};

} // namespace weir::cpu

#endif // WEIR_PASSES_CPU_WINDOWS_TILECONVOLUTION_H
