// Which weir this is.

#include "compiler/Options.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace weir {

void printVersion(raw_ostream &os) {
  os << "weir " WEIR_VERSION " (LLVM " LLVM_VERSION_STRING ")\n";
}

void printBuild(raw_ostream &os) {
  printVersion(os);
  StringRef commit = WEIR_COMMIT, build = WEIR_BUILD;
  if (!commit.empty())
    os << "commit: " << commit << "\n";
  os << "build: " << (build.empty() ? "no type" : build)
#ifndef NDEBUG
     << ", with assertions"
#endif
     << "\ntargets: x86-64, aarch64, nvptx\n";
}

} // namespace weir
