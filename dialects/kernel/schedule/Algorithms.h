// The algorithms whose kernels have schedules.

#ifndef WEIR_DIALECTS_KERNEL_SCHEDULE_ALGORITHMS_H
#define WEIR_DIALECTS_KERNEL_SCHEDULE_ALGORITHMS_H

#include "mlir/IR/Operation.h"

namespace weir::kernel {

enum class Algorithm {
#define WEIR_ALGORITHM(name, word) name,
#include "dialects/kernel/schedule/Schedules.def"
};

/// The names of all algorithms, and the parameters of all schedules.
llvm::ArrayRef<llvm::StringLiteral> scheduledAlgorithms();
llvm::SmallVector<llvm::StringRef> scheduleParameters();

llvm::StringRef nameOf(Algorithm algorithm);

/// The algorithm that computes `kernel`; none for an op without a schedule.
std::optional<Algorithm> algorithmOf(mlir::Operation *kernel);

/// Whether an algorithm computes `kernel`: hasMatmulSchedule and so on.
#define WEIR_ALGORITHM(name, word)                                             \
  bool has##name##Schedule(mlir::Operation *kernel);
#include "dialects/kernel/schedule/Schedules.def"

/// Checks that the schedule of `kernel`, if it has one, is of the kernel's
/// algorithm and fits its shapes and the registers of the target.
mlir::LogicalResult verifySchedule(mlir::Operation *kernel);

} // namespace weir::kernel

#endif // WEIR_DIALECTS_KERNEL_SCHEDULE_ALGORITHMS_H
