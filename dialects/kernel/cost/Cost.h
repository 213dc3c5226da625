// The cost model: how long kernels take on one core.

#ifndef WEIR_DIALECTS_KERNEL_COST_COST_H
#define WEIR_DIALECTS_KERNEL_COST_COST_H

#include "mlir/IR/Operation.h"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace weir::kernel {

#define WEIR_ALGORITHM(name, word) struct name##Shape;
#include "dialects/kernel/schedule/Schedules.def"

/// All costs are cycles of a core. Clocks differ between processors of one
/// target, and change with the load, so that nanoseconds are those of this one.
constexpr double clockInGigahertz = 4;
constexpr double toNanoseconds(double cycles) {
  return cycles / clockInGigahertz;
}

/// So many multiply-adds in vectors of `lanes`, at one vector a cycle. Some
/// cores do two.
inline double productCycles(double products, int64_t lanes) {
  return products / static_cast<double>(lanes);
}

/// Reading and writing so many bytes, which are in some cache as often as in
/// memory.
inline double movingCycles(double bytes) { return bytes / 5; }

/// The same products while so many bytes of operands are read.
inline double streamedProductCycles(double products, int64_t lanes,
                                    double bytes) {
  return std::max(productCycles(products, lanes), movingCycles(bytes));
}

/// The work of one core that is worth a parallel region, which costs one or two
/// microseconds while threads are awake, as in a run of small kernels.
constexpr double worthSharingCycles = 32000;

/// In nanoseconds: work of one thread that is worth running beside other tasks,
/// in a region that is balanced by times.
constexpr int64_t longSequentialTime = 10000;

/// The cycles of each algorithm.
#define WEIR_ALGORITHM(name, word) double cyclesOf(const name##Shape &shape);
#include "dialects/kernel/schedule/Schedules.def"

/// To pack a right side of so many elements for inner-product pairing in a run.
double pairingPackCycles(int64_t elements);

/// The cycles of a kernel, if the model knows its algorithm.
std::optional<double> cyclesOf(mlir::Operation *kernel);

} // namespace weir::kernel

#endif // WEIR_DIALECTS_KERNEL_COST_COST_H
