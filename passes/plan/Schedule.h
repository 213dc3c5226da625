// What a rank computes and exchanges in a run of each entry, in order.

#ifndef WEIR_PASSES_PLAN_SCHEDULE_H
#define WEIR_PASSES_PLAN_SCHEDULE_H

#include "dialects/plan/Plan.h"
#include "dialects/weir/Records.h"

namespace weir::plan {

/// Appends the items of a program, which is the entry of that number.
void addSchedule(plan::ProgramOp program, int64_t entry,
                 llvm::ArrayRef<CollectiveAttr> collectives,
                 llvm::SmallVectorImpl<ScheduleItemAttr> &items);

} // namespace weir::plan

#endif // WEIR_PASSES_PLAN_SCHEDULE_H
