// The base of the choosers of schedules.

#ifndef WEIR_PASSES_CPU_SCHEDULE_CHOOSER_H
#define WEIR_PASSES_CPU_SCHEDULE_CHOOSER_H

#include "dialects/kernel/schedule/Parameters.h"

namespace weir::cpu {

/// Chooses the parameters of a schedule one after the other. Later choices
/// depend on earlier ones. A parameter that the user has fixed keeps its value,
/// so that the others fit it.
template <typename Schedule>
class Chooser {
protected:
  /// `fixed` holds values of parameters, checked; null for none.
  Chooser(const Schedule &given, mlir::DictionaryAttr fixed)
      : s(given), fixed(fixed) {}

  template <typename T>
  void set(T Schedule::*parameter, T value) {
    if (!isFixed(parameter))
      s.*parameter = value;
  }

  template <typename T>
  bool isFixed(T Schedule::*parameter) const {
    bool found = false;
    if (fixed)
      Schedule::eachParameter([&](llvm::StringRef name, auto member) {
        if constexpr (std::is_same_v<decltype(member), T Schedule::*>)
          found |= member == parameter && fixed.contains(name);
      });
    return found;
  }

  Schedule s;
  mlir::DictionaryAttr fixed;
};

} // namespace weir::cpu

#endif // WEIR_PASSES_CPU_SCHEDULE_CHOOSER_H
