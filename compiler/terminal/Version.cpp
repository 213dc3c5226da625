// Which weir this is.

#include "compiler/terminal/Version.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Config/llvm-config.h"

using namespace llvm;

namespace weir {

void printVersion(raw_ostream &os, StringRef tool) {
  os << tool << " " WEIR_VERSION " (LLVM " LLVM_VERSION_STRING ")\n";
}

void printBuild(raw_ostream &os, StringRef tool) {
  printVersion(os, tool);
  StringRef commit = WEIR_COMMIT, build = WEIR_BUILD;
  if (!commit.empty())
    os << "commit: " << commit << "\n";
  os << "build: " << (build.empty() ? "no type" : build)
#ifndef NDEBUG
     << ", with assertions"
#endif
     << "\ntargets: x86-64, aarch64, nvptx\n";
}

void settleOptions(StringRef tool, cl::OptionCategory *category) {
  cl::SetVersionPrinter(
      [tool = tool.str()](raw_ostream &os) { printBuild(os, tool); });
  for (auto &entry : cl::getRegisteredOptions())
    // --help and --version are generic.
    if (none_of(entry.second->Categories, [&](cl::OptionCategory *each) {
          return each == category || each->getName() == "Generic Options";
        }))
      entry.second->setHiddenFlag(cl::Hidden);
}

} // namespace weir
