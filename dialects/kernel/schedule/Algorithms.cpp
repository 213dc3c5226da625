// What all algorithms with schedules have in common.

#include "dialects/kernel/schedule/Algorithms.h"

#include "dialects/kernel/Attributes.h"

#include "llvm/ADT/SetVector.h"

#include <string_view>

using namespace mlir;

namespace weir::kernel {

// Schedules.td has the names, too.
#define WEIR_ALGORITHM(name, word)                                             \
  static_assert(std::string_view(name##ScheduleAttr::getMnemonic().data()) ==  \
                #word "_schedule");
#include "dialects/kernel/schedule/Schedules.def"

ArrayRef<llvm::StringLiteral> scheduledAlgorithms() {
  static constexpr llvm::StringLiteral names[] = {
#define WEIR_ALGORITHM(name, word) #word,
#include "dialects/kernel/schedule/Schedules.def"
  };
  return names;
}

SmallVector<StringRef> scheduleParameters() {
  llvm::SetVector<StringRef> names;
#define WEIR_ALGORITHM(name, word)                                             \
  for (StringRef parameter : parameterNames<name##Schedule>())                 \
    names.insert(parameter);
#include "dialects/kernel/schedule/Schedules.def"
  return names.takeVector();
}

StringRef nameOf(Algorithm algorithm) {
  return scheduledAlgorithms()[static_cast<size_t>(algorithm)];
}

std::optional<Algorithm> algorithmOf(Operation *kernel) {
#define WEIR_ALGORITHM(name, word)                                             \
  if (has##name##Schedule(kernel))                                             \
    return Algorithm::name;
#include "dialects/kernel/schedule/Schedules.def"
  return std::nullopt;
}

LogicalResult verifySchedule(Operation *kernel) {
  // A kernel without results runs no loop. Sizes of zero would fail the checks
  // for reasons that are not about the schedule.
  auto out = cast<ShapedType>(kernel->getOperands().back().getType());
  if (out.hasStaticShape() && out.getNumElements() == 0)
    return success();
  auto schedule = kernel->getAttrOfType<ScheduleAttrInterface>("schedule");
  if (!schedule)
    return success();
  if (algorithmOf(kernel) != schedule.getAlgorithm())
    return kernel->emitOpError("is computed by another algorithm than #kernel.")
           << nameOf(schedule.getAlgorithm()) << "_schedule is for";
  return schedule.verifyFor(kernel);
}

} // namespace weir::kernel
