// The options --kernel and --print-ir-after.
#ifndef WEIR_COMPILER_DUMP_DUMPOPTIONS_H
#define WEIR_COMPILER_DUMP_DUMPOPTIONS_H

#include <string>
#include <vector>

namespace weir {

struct DumpOptions {
  /// The kernel or node to print, or a regular expression; empty: all IR.
  std::string kernel;
  /// The passes after which to print; empty: all stages.
  std::vector<std::string> passes;
  /// The only stage to print; empty: all of them, and the code.
  std::string stage;

  bool isOn() const { return !kernel.empty() || !passes.empty(); }
};

} // namespace weir

#endif // WEIR_COMPILER_DUMP_DUMPOPTIONS_H
