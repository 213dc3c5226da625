// Compares two sides tensor by tensor, and finds where differences begin.

#ifndef WEIR_TOOLS_DIFF_JUDGE_H
#define WEIR_TOOLS_DIFF_JUDGE_H

#include "tools/diff/Compare.h"
#include "tools/diff/Side.h"
#include "tools/diff/Subgraph.h"

namespace weir::diff {

/// Why a tensor differs: its own node is wrong on a side, or the sides disagree
/// on equal operands, or its operands differ.
enum class Verdict { wrongInA, wrongInB, wrongInBoth, disagrees, inherited };

/// A tensor that differs by more than its bound.
struct Finding {
  size_t tensor;
  Verdict verdict;
  Difference difference;
  /// The differences from the f64 value of the node on the operands of a side.
  std::optional<Difference> localA, localB;
  /// The tensors that the node reads.
  llvm::SmallVector<size_t> operands;
  Subgraph subgraph;
  /// The bounds of the node on its operands: one of them has to hold.
  llvm::SmallVector<Bound, 2> accepted;

  bool isOrigin() const { return verdict != Verdict::inherited; }
};

struct Result {
  std::vector<Finding> findings;
  /// By the number of the tensor; none for one that a side lacks.
  std::vector<std::optional<Difference>> differences;
  size_t compared = 0, skipped = 0, origins = 0;
  /// With `--first`, whether tensors behind the first one were not compared.
  bool isCut = false;

  const Finding *firstOrigin() const;
};

/// Compares all tensors in the order of the program.
Status judge(const Model &model, const DiffOptions &options,
             const reference::Limits &limits, const Side &a, const Side &b,
             const ReferenceRun &run, Result &result);

/// Reads the inputs of a subgraph on a side. One is null if the side lacks it.
Status readInputs(const Model &model, const Subgraph &subgraph,
                  const Side &side, const ReferenceRun &run,
                  llvm::SmallVectorImpl<reference::TensorRef> &inputs);

/// Whether the exit status tells of a difference: any difference beyond a
/// tolerance that the user has set, or else the origin of one.
bool differs(const Result &result, const DiffOptions &options);

} // namespace weir::diff

#endif // WEIR_TOOLS_DIFF_JUDGE_H
