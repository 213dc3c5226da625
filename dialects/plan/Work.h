// Counts what tasks of a plan compute, read and write.

#ifndef WEIR_DIALECTS_PLAN_WORK_H
#define WEIR_DIALECTS_PLAN_WORK_H

#include "dialects/plan/Plan.h"

namespace weir::plan {

/// What tasks add up to. A sum that overflows is the largest number.
struct Work {
  int64_t read = 0, written = 0; ///< bytes of operands
  int64_t multiplyAdds = 0;      ///< of kernels with `weir.work`

  void add(const Work &other);
  int64_t bytes() const;
};

Work workOf(RunOp run);
Work workOf(CopyOp copy);

/// The estimated nanoseconds of the task's kernel on one thread, if the kernel
/// has an estimate.
std::optional<int64_t> nanosecondsOf(mlir::Operation *task,
                                     mlir::FlatSymbolRefAttr kernel);
/// The nanoseconds that so much work takes at least on one thread: a guess for
/// kernels without an estimate.
int64_t nanosecondsOf(const Work &work);

} // namespace weir::plan

#endif // WEIR_DIALECTS_PLAN_WORK_H
