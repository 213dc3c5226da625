// The attributes of the dialect: what the generated code of schedules calls,
// and the registration.

#include "dialects/kernel/Kernel.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "dialects/kernel/ScheduleInterfaces.cpp.inc"

namespace weir::kernel {

// Parameters that the text does not have keep their defaults, so that a test
// spells only those that it is about.
template <typename Attr, typename Schedule>
static Attribute parseSchedule(AsmParser &parser) {
  Schedule schedule;
  SMLoc position = parser.getCurrentLocation();
  auto emitError = [&] { return parser.emitError(position); };
  if (parseParameters(parser, [&](StringRef name, Attribute value) {
        return setParameter(schedule, name, value, emitError);
      }))
    return {};
  return Attr::getChecked(emitError, parser.getContext(), schedule);
}

template <typename Schedule>
static LogicalResult verifyNumbers(function_ref<InFlightDiagnostic()> emitError,
                                   const Schedule &schedule) {
  LogicalResult result = success();
  Schedule::eachParameter([&](StringRef name, auto member) {
    auto check = [&](int64_t value) {
      if (value < 1 && succeeded(result))
        result = emitError()
                 << name << " is " << value << ", not a positive number";
    };
    if constexpr (std::is_same_v<decltype(member), int64_t Schedule::*>)
      check(schedule.*member);
    else if constexpr (std::is_same_v<decltype(member),
                                      PerProduct<int64_t> Schedule::*>)
      llvm::for_each(schedule.*member, check);
  });
  return result;
}

} // namespace weir::kernel

#define GET_ATTRDEF_CLASSES
#include "dialects/kernel/KernelAttrs.cpp.inc"

namespace weir::kernel {

void KernelDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/kernel/KernelAttrs.cpp.inc"
      >();
}

} // namespace weir::kernel
