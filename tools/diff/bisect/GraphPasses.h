// The passes on graphs, after each of which the reference evaluates the
// program.

#ifndef WEIR_TOOLS_DIFF_BISECT_GRAPHPASSES_H
#define WEIR_TOOLS_DIFF_BISECT_GRAPHPASSES_H

#include "tools/diff/bisect/Subject.h"

namespace weir::diff {

/// The stages of a subject whose programs are in the graph dialect.
class GraphPasses {
public:
  /// Imports the subject as the compiler does with these options, runs the
  /// stages, and keeps the program after each pass that changes it.
  Status run(mlir::MLIRContext *context, const Subject &subject,
             llvm::StringRef flags);

  /// A pass that changed the program.
  struct Step {
    std::string stage, pass, on;
    mlir::OwningOpRef<mlir::ModuleOp> program;
  };
  /// The first pass after which the program computes another tensor. Null if
  /// there is none. `isKnown` is false if the reference does not evaluate the
  /// program.
  const Step *findFirst(const Subject &subject, bool &isKnown) const;

  /// The kernels of the node, in the order of their tasks. It runs the stage
  /// `lower`.
  llvm::SmallVector<std::string> findKernels(const Subject &subject);

private:
  mlir::OwningOpRef<mlir::ModuleOp> program;
  std::vector<Step> steps;
  bool isForGpu = false;
};

} // namespace weir::diff

#endif // WEIR_TOOLS_DIFF_BISECT_GRAPHPASSES_H
