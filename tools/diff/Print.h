// What `weir diff` prints.

#ifndef WEIR_TOOLS_DIFF_PRINT_H
#define WEIR_TOOLS_DIFF_PRINT_H

#include "tools/diff/bisect/Bisect.h"

namespace weir::diff {

/// A comparison that has ended.
struct Comparison {
  const Model &model;
  const DiffOptions &options;
  const Side &a, &b;
  const Result &result;
};

/// Prints the findings as a table, the first origin with its operands, and a
/// summary.
void printText(const Comparison &comparison, llvm::raw_ostream &os);
/// Prints the kernel and the pass of the first origin.
void printText(const Bisection &bisection, llvm::raw_ostream &os);
void printJson(const Comparison &comparison,
               const std::optional<Bisection> &bisection,
               llvm::raw_ostream &os);

} // namespace weir::diff

#endif // WEIR_TOOLS_DIFF_PRINT_H
