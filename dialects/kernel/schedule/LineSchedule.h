// The parameters of #kernel.line_schedule.

#ifndef WEIR_DIALECTS_KERNEL_SCHEDULE_LINESCHEDULE_H
#define WEIR_DIALECTS_KERNEL_SCHEDULE_LINESCHEDULE_H

#include "dialects/kernel/schedule/Parameters.h"

namespace weir::kernel {

/// The work items that threads share.
enum class LineShare { none, rows, columns };

llvm::ArrayRef<llvm::StringLiteral> namesOf(LineShare);

/// How windows are computed whose tiles are neighbouring results of a line. The
/// attribute's description explains each parameter and its unit.
struct LineSchedule : Parameters<LineSchedule> {
  int64_t tileColumns = 1, tileChannels = 1;
  LineShare share = LineShare::none;

  template <typename Visitor>
  static void eachParameter(Visitor visit) {
    visit("tile_columns", &LineSchedule::tileColumns);
    visit("tile_channels", &LineSchedule::tileChannels);
    visit("share", &LineSchedule::share);
  }
};

/// Emits an error if `kernel` has no windows that this schedule fits.
mlir::LogicalResult verifyLine(mlir::Operation *kernel,
                               const LineSchedule &schedule);

} // namespace weir::kernel

#endif // WEIR_DIALECTS_KERNEL_SCHEDULE_LINESCHEDULE_H
