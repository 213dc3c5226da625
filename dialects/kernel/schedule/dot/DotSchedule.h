// The parameters of #kernel.dot_schedule.

#ifndef WEIR_DIALECTS_KERNEL_SCHEDULE_DOT_DOTSCHEDULE_H
#define WEIR_DIALECTS_KERNEL_SCHEDULE_DOT_DOTSCHEDULE_H

#include "dialects/kernel/schedule/Parameters.h"

namespace weir::kernel {

/// The work items that threads share.
enum class DotShare { none, tiles };

llvm::ArrayRef<llvm::StringLiteral> namesOf(DotShare);

/// How a product is computed whose right side has the K-major layout. The
/// attribute's description explains each parameter and its unit.
struct DotSchedule : Parameters<DotSchedule> {
  int64_t tileRows = 1, tileColumns = 1;
  int64_t accumulatorSets = 1, chain = 96;
  DotShare share = DotShare::none;

  template <typename Visitor>
  static void eachParameter(Visitor visit) {
    visit("tile_rows", &DotSchedule::tileRows);
    visit("tile_columns", &DotSchedule::tileColumns);
    visit("accumulator_sets", &DotSchedule::accumulatorSets);
    visit("chain", &DotSchedule::chain);
    visit("share", &DotSchedule::share);
  }
};

/// Emits an error if `kernel` is no product that this schedule fits.
mlir::LogicalResult verifyDot(mlir::Operation *kernel,
                              const DotSchedule &schedule);

} // namespace weir::kernel

#endif // WEIR_DIALECTS_KERNEL_SCHEDULE_DOT_DOTSCHEDULE_H
