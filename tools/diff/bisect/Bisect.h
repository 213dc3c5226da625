// Finds the kernel of a wrong node, and the pass that introduces the
// difference.

#ifndef WEIR_TOOLS_DIFF_BISECT_BISECT_H
#define WEIR_TOOLS_DIFF_BISECT_BISECT_H

#include "tools/diff/Judge.h"

namespace weir::diff {

/// What is known of the origin of a difference.
struct Bisection {
  /// The side that was compiled again: A or B.
  std::string side;
  /// The kernels of the library that compute the node. Some may only change the
  /// layout of a tensor.
  llvm::SmallVector<std::string> kernels;
  /// Whether the node shows the difference in a program of its own.
  bool isAlone = false;
  /// The pass, its stage, and the function or module that it ran on. Empty if
  /// there is none.
  std::string stage, pass, on;
  /// For a pass that was skipped: its number among the runs of such passes.
  uint64_t run = 0, runs = 0;
  /// What is known without a pass, as a sentence.
  std::string reason;
};

/// Compiles the wrong side of the first origin again: first with the reference
/// after each pass on graphs, then with fewer and fewer optional passes.
Status bisect(mlir::MLIRContext *context, const Model &model,
              const Options &options, const Finding &finding, const Side &a,
              const Side &b, const ReferenceRun &run, Bisection &result);

} // namespace weir::diff

#endif // WEIR_TOOLS_DIFF_BISECT_BISECT_H
