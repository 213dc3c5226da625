// Which weir this is.

#ifndef WEIR_COMPILER_TERMINAL_VERSION_H
#define WEIR_COMPILER_TERMINAL_VERSION_H

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

namespace weir {

/// One line: the version of weir, and of the LLVM in it.
void printVersion(llvm::raw_ostream &os, llvm::StringRef tool = "weir");

/// The same with the commit, the build type and the targets, a line each.
void printBuild(llvm::raw_ostream &os, llvm::StringRef tool = "weir");

/// Gives a tool that parses its options with llvm::cl weir's --version, and
/// moves all options that are registered so far to --help-hidden, except those
/// of the tool itself, which are in `category`.
void settleOptions(llvm::StringRef tool,
                   llvm::cl::OptionCategory *category = nullptr);

} // namespace weir

#endif // WEIR_COMPILER_TERMINAL_VERSION_H
