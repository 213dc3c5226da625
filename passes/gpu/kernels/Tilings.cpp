// Chooses the tiles of a product, and how many blocks share its depth.

#include "dialects/weir/Attributes.h"
#include "passes/gpu/kernels/Products.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace weir::gpu {
namespace {

struct Shape {
  int64_t rows, columns, warpsDown, warpsAcross, stages = usualStages;
};

// With tensor cores a warp has at most 64 x 32 elements. Without, a thread has
// 8 x 8, and a warp 32 x 64.
constexpr Shape unitShapes[] = {
    {128, 128, 2, 4}, {128, 64, 2, 2}, {64, 128, 1, 4}, {64, 64, 2, 2},
    {32, 128, 1, 4},  {32, 64, 1, 2},  {16, 128, 1, 4}};
constexpr Shape threadShapes[] = {{128, 128, 4, 2}, {128, 64, 4, 1},
                                  {64, 128, 2, 2},  {64, 64, 2, 1},
                                  {32, 128, 1, 2},  {32, 64, 1, 1}};
// A group of four warps has 64 or 128 rows. The largest tiles occupy a whole
// processor, so more stages must hide their copies. Of the others, two or more
// fit.
constexpr Shape groupShapes[] = {{128, 256, 8, 1, 4}, {256, 128, 8, 1, 4},
                                 {128, 128, 8, 1, 3}, {128, 64, 8, 1, 4},
                                 {64, 128, 4, 1, 4},  {64, 64, 4, 1, 4}};

// A cost model in cycles of one processor (SM). The rates are those of an A100,
// and for wgmma those of an H100: multiplications and bytes of shared memory in
// a cycle, and bytes from L2 if all processors read.
constexpr double bytesOfShared = 128, bytesOfCache = 32;
// Each of the four schedulers of a processor has its own tensor core.
constexpr int64_t schedulers = 4;
// In cycles: the least time of a slice, whose successor is copied meanwhile; of
// a block before its first slice and after its last one; and of a launch.
constexpr double minOfSlice = 300, minOfBlock = 1500, minOfLaunch = 4000;
// Registers and shared memory of a processor, and registers of a thread by
// ptxas.
constexpr int64_t registers = 65536, registersOfUnits = 128,
                  registersOfThreads = 168, registersBesideSums = 64;
constexpr int64_t sharedBytes = 160 << 10, sharedBytesOfGroups = 227 << 10;
constexpr int64_t rowsOfGroup = 64, largeTile = 128 * 128;
constexpr int64_t maxSplits = 32, minSteps = 4, maxPartBytes = 64 << 20;

double multiplicationsOf(Multiplier multiplier) {
  switch (multiplier) {
  case Multiplier::Float16:
    return 1024;
  case Multiplier::GroupFloat16:
    return 2048;
  case Multiplier::Tf32:
    return 512;
  case Multiplier::Threads:
    return 64;
  }
  llvm_unreachable("a multiplier");
}

/// The bytes that the threads of a block read of a slice in shared memory.
double linesRead(const Tiling &tiling) {
  switch (tiling.multiplier) {
  case Multiplier::Threads:
    return 0;
  case Multiplier::GroupFloat16:
    return tiling.rows + double(tiling.rows) / rowsOfGroup * tiling.columns;
  default:
    return tiling.warpsDown * tiling.warpsAcross *
           (double(tiling.rows) / tiling.warpsDown +
            double(tiling.columns) / tiling.warpsAcross);
  }
}

int64_t registersOf(const Tiling &tiling) {
  switch (tiling.multiplier) {
  case Multiplier::Threads:
    return registersOfThreads;
  case Multiplier::GroupFloat16:
    return tiling.rows * tiling.columns / tiling.threads() +
           registersBesideSums;
  default:
    return registersOfUnits;
  }
}

double cyclesOf(const ProductSizes &sizes, int64_t processors,
                const Tiling &tiling, int64_t blocks) {
  Multiplier multiplier = tiling.multiplier;
  bool byGroups = multiplier == Multiplier::GroupFloat16;
  double lineBytes = byGroups ? 128 : 64;
  double depth = depthOfSlice(multiplier);
  double read = linesRead(tiling) * lineBytes / bytesOfShared;
  double copied = (tiling.rows + tiling.columns) * lineBytes / bytesOfCache;
  double multiplied =
      tiling.rows * tiling.columns * depth / multiplicationsOf(multiplier);
  int64_t shared =
      tiling.stages * (tiling.rows + tiling.columns) * int64_t(lineBytes);
  int64_t resident =
      std::min((byGroups ? sharedBytesOfGroups : sharedBytes) / shared,
               registers / (tiling.threads() * registersOf(tiling)));
  int64_t each = llvm::divideCeil(blocks, processors);
  int64_t rounds = llvm::divideCeil(each, resident);
  int64_t warps = std::min(each, resident) * tiling.threads() / warp;
  multiplied *= double(schedulers) / std::min(warps, schedulers);
  double slice = std::max({read, copied, multiplied});
  double cycles = std::max(each * tiling.steps * slice,
                           rounds * tiling.steps * minOfSlice) +
                  rounds * minOfBlock;
  if (tiling.splits > 1)
    cycles += minOfLaunch + 8.0 * (tiling.splits + 1) * sizes.batches *
                                sizes.rows * sizes.columns /
                                (bytesOfCache * processors);
  return cycles;
}

} // namespace

int64_t depthOfSlice(Multiplier multiplier) {
  switch (multiplier) {
  case Multiplier::Float16:
    return 32;
  case Multiplier::GroupFloat16:
    return 64;
  default:
    return 16;
  }
}

Gpu gpuOf(Operation *inside) {
  auto module = inside->getParentOfType<ModuleOp>();
  GpuAttr gpu = module ? attrs::gpu.of(module) : nullptr;
  StringRef name = gpu ? gpu.firstArch() : "";
  int64_t processors = llvm::StringSwitch<int64_t>(name)
                           .Case("sm_86", 84)             // GA102
                           .Case("sm_87", 16)             // Orin
                           .Case("sm_89", 128)            // AD102
                           .Cases("sm_90", "sm_90a", 132) // H100
                           .Default(108);                 // an A100
  return {processors, name == "sm_90a"};
}

Tiling chooseTiling(const ProductSizes &sizes, Multiplier multiplier,
                    const Gpu &gpu, bool byChunks) {
  Tiling best = {};
  double least = 0;
  auto tryShapes = [&](Multiplier multiplier, ArrayRef<Shape> shapes) {
    int64_t slices = llvm::divideCeil(sizes.depth, depthOfSlice(multiplier));
    for (const Shape &shape : shapes) {
      // The addresses of small pieces need registers, which large tiles use for
      // sums.
      bool isLarge = shape.rows * shape.columns > largeTile;
      if (isLarge && !byChunks)
        continue;
      for (int64_t splits = 1; splits <= maxSplits; splits *= 2) {
        int64_t steps = llvm::divideCeil(slices, splits);
        // If slices are divided evenly, fewer blocks may suffice.
        int64_t needed = llvm::divideCeil(slices, steps);
        int64_t blocks = sizes.batches * needed *
                         llvm::divideCeil(sizes.rows, shape.rows) *
                         llvm::divideCeil(sizes.columns, shape.columns);
        if (blocks > INT32_MAX)
          continue;
        if (needed > 1 && (steps < minSteps ||
                           needed * sizes.batches * sizes.rows * sizes.columns >
                               maxPartBytes / 4))
          break;
        Tiling tiling = {shape.rows,        shape.columns, shape.warpsDown,
                         shape.warpsAcross, needed,        steps,
                         multiplier,        shape.stages};
        double cycles = cyclesOf(sizes, gpu.processors, tiling, blocks);
        // Without tensor cores all shapes take equally long; smaller tiles
        // occupy more processors.
        if (!best.rows || cycles < least ||
            (cycles == least && multiplier == Multiplier::Threads)) {
          best = tiling;
          least = cycles;
        }
      }
    }
  };
  // With fewer rows most of a tile would be padding.
  if (multiplier == Multiplier::Float16 && gpu.hasGroups &&
      std::min(sizes.rows, sizes.columns) >= rowsOfGroup)
    tryShapes(Multiplier::GroupFloat16, groupShapes);
  if (multiplier == Multiplier::Threads)
    tryShapes(multiplier, threadShapes);
  else
    tryShapes(multiplier, unitShapes);
  return best;
}

} // namespace weir::gpu
