// The program that a bisection compiles again and again.

#ifndef WEIR_TOOLS_DIFF_BISECT_SUBJECT_H
#define WEIR_TOOLS_DIFF_BISECT_SUBJECT_H

#include "tools/diff/Judge.h"
#include "tools/reference/TemporaryFolder.h"

namespace weir::diff {

/// The model, or its wrong node as a program of its own.
struct Subject {
  const Model &model;
  const Options &options;
  const Finding &finding;
  const ReferenceRun &run;
  /// The side that has the right value. Null if the node is wrong by the
  /// reference on its own operands.
  const Side *other;

  const Kept &kept() const { return model.tensors[finding.tensor]; }
};

enum class Outcome { right, wrong, failed };

/// Compiles the subject with these options, runs it, and compares the tensor of
/// the finding. Messages of the compiler go to a file of the folder, `log`.
Outcome tryLibrary(const Subject &subject, llvm::StringRef flags,
                   reference::TemporaryFolder &folder);

/// The node of a finding as a program, which owns what its subject refers to.
class NodeProgram {
public:
  /// Writes the node to a folder and reads it again. `false` if the node is no
  /// program of its own.
  bool create(mlir::MLIRContext *context, const Subject &whole, const Side &a,
              const Side &b, const reference::TemporaryFolder &folder);

  Subject subject() const {
    return {model, options, finding, run, other ? &*other : nullptr};
  }

private:
  Model model;
  Options options;
  Finding finding = {};
  ReferenceRun run;
  std::optional<Side> other;
};

} // namespace weir::diff

#endif // WEIR_TOOLS_DIFF_BISECT_SUBJECT_H
