// How large the tiles of a product are, and how many blocks share its depth.

#include "passes/gpu/kernels/Products.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace weir::gpu {
namespace {

struct Shape {
  int64_t rows, columns, warpsDown, warpsAcross;
};

// Of units a warp has at most 64 x 32 elements, of threads each has 8 x 8: a
// warp has 32 x 64.
constexpr Shape unitShapes[] = {
    {128, 128, 2, 4}, {128, 64, 2, 2}, {64, 128, 1, 4}, {64, 64, 2, 2},
    {32, 128, 1, 4},  {32, 64, 1, 2},  {16, 128, 1, 4}};
constexpr Shape threadShapes[] = {{128, 128, 4, 2}, {128, 64, 4, 1},
                                  {64, 128, 2, 2},  {64, 64, 2, 1},
                                  {32, 128, 1, 2},  {32, 64, 1, 1}};

// An estimate in cycles of one processor (SM). Rates are those of an A100: a
// cycle's multiplications, bytes of shared memory, and bytes from the second
// cache if all processors read.
constexpr double bytesOfShared = 128, bytesOfCache = 32;
// What a slice takes at least, while its successor is on its way; what a block
// takes before its first slice is there and after its last; and a launch.
constexpr double leastOfSlice = 300, leastOfBlock = 1500, leastOfLaunch = 4000;
// Registers and shared memory of a processor; what ptxas gives a thread.
constexpr int64_t registers = 65536, registersOfUnits = 128,
                  registersOfThreads = 168, sharedBytes = 160 << 10;
constexpr int64_t mostSplits = 32, leastSteps = 4, mostPartBytes = 64 << 20;

double multiplicationsOf(Multiplier multiplier) {
  switch (multiplier) {
  case Multiplier::Halves:
    return 1024;
  case Multiplier::Tf32:
    return 512;
  case Multiplier::Threads:
    return 64;
  }
  llvm_unreachable("a multiplier");
}

double cyclesOf(const ProductSizes &sizes, Multiplier multiplier,
                int64_t processors, const Tiling &tiling, int64_t blocks) {
  constexpr double lineBytes = 64;
  double depth = depthOfSlice(multiplier);
  // What the warps read of both sides from shared memory, and what is copied.
  double warps = tiling.warpsDown * tiling.warpsAcross;
  double read = multiplier == Multiplier::Threads
                    ? 0
                    : warps *
                          (double(tiling.rows) / tiling.warpsDown +
                           double(tiling.columns) / tiling.warpsAcross) *
                          lineBytes / bytesOfShared;
  double copied = (tiling.rows + tiling.columns) * lineBytes / bytesOfCache;
  double multiplied =
      tiling.rows * tiling.columns * depth / multiplicationsOf(multiplier);
  double slice = std::max({read, copied, multiplied});
  int64_t shared = stages * (tiling.rows + tiling.columns) * int64_t(lineBytes);
  int64_t ofThread =
      multiplier == Multiplier::Threads ? registersOfThreads : registersOfUnits;
  int64_t resident =
      std::min(sharedBytes / shared, registers / (tiling.threads() * ofThread));
  int64_t each = llvm::divideCeil(blocks, processors);
  int64_t rounds = llvm::divideCeil(each, resident);
  double cycles = std::max(each * tiling.steps * slice,
                           rounds * tiling.steps * leastOfSlice) +
                  rounds * leastOfBlock;
  if (tiling.splits > 1)
    cycles += leastOfLaunch + 8.0 * (tiling.splits + 1) * sizes.batches *
                                  sizes.rows * sizes.columns /
                                  (bytesOfCache * processors);
  return cycles;
}

} // namespace

int64_t depthOfSlice(Multiplier multiplier) {
  return multiplier == Multiplier::Halves ? 32 : 16;
}

int64_t processorsOf(Operation *inside) {
  auto module = inside->getParentOfType<ModuleOp>();
  auto gpu =
      module ? module->getAttrOfType<DictionaryAttr>("weir.gpu") : nullptr;
  auto archs = gpu ? gpu.getAs<ArrayAttr>("archs") : nullptr;
  auto arch =
      archs && !archs.empty() ? dyn_cast<StringAttr>(archs[0]) : nullptr;
  return llvm::StringSwitch<int64_t>(arch ? arch.getValue() : "")
      .Case("sm_86", 84)  // GA102
      .Case("sm_87", 16)  // Orin
      .Case("sm_89", 128) // AD102
      .Case("sm_90", 132) // H100
      .Default(108);      // A100
}

Tiling chooseTiling(const ProductSizes &sizes, Multiplier multiplier,
                    int64_t processors) {
  int64_t slices = llvm::divideCeil(sizes.depth, depthOfSlice(multiplier));
  Tiling best = {};
  double least = 0;
  ArrayRef<Shape> shapes = multiplier == Multiplier::Threads
                               ? ArrayRef<Shape>(threadShapes)
                               : ArrayRef<Shape>(unitShapes);
  for (const Shape &shape : shapes)
    for (int64_t splits = 1; splits <= mostSplits; splits *= 2) {
      int64_t steps = llvm::divideCeil(slices, splits);
      // Shared evenly, fewer may do.
      int64_t needed = llvm::divideCeil(slices, steps);
      int64_t blocks = sizes.batches * needed *
                       llvm::divideCeil(sizes.rows, shape.rows) *
                       llvm::divideCeil(sizes.columns, shape.columns);
      if (blocks > INT32_MAX)
        continue;
      if (needed > 1 && (steps < leastSteps ||
                         needed * sizes.batches * sizes.rows * sizes.columns >
                             mostPartBytes / 4))
        break;
      Tiling tiling = {shape.rows,        shape.columns, shape.warpsDown,
                       shape.warpsAcross, needed,        steps};
      double cycles = cyclesOf(sizes, multiplier, processors, tiling, blocks);
      if (!best.rows || cycles < least) {
        best = tiling;
        least = cycles;
      }
    }
  return best;
}

} // namespace weir::gpu
