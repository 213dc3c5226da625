// The steps of a loop one after another, where no graph.while suits them.

#ifndef WEIR_COMPILER_IMPORT_LOOPS_UNROLLING_H
#define WEIR_COMPILER_IMPORT_LOOPS_UNROLLING_H

#include "compiler/import/TracedNode.h"
#include "compiler/import/Tracing.h"

namespace weir {

/// Steps that are traced one after another at most: each makes its own ops.
constexpr int64_t stepLimit = 1024;

/// Traces the steps of a node's loop after an attempt at a graph.while, which
/// knows less of its variables.
class Unrolling {
public:
  explicit Unrolling(TracedNode &node);

  /// Begins an attempt at a graph.while.
  void attempt();
  /// Whether the attempt found an error, which steps do not repair.
  bool isError() const;
  /// Keeps the refusals of the attempt for `refuse`. The steps may succeed,
  /// since they know more than the body of a graph.while.
  void setAside();

  /// How the steps ended: by their condition, or before it is known, or after
  /// more steps than the limit.
  enum class End { byCondition, unknown, overLimit };
  using Condition = llvm::function_ref<mlir::FailureOr<mlir::Value>(int64_t)>;
  using Step = llvm::function_ref<mlir::LogicalResult(int64_t)>;
  /// Traces steps while the condition of their number holds.
  static mlir::FailureOr<End> trace(Condition condition, Step step,
                                    int64_t limit = stepLimit);

  /// Refuses the node. The reasons that an attempt was refused for are better
  /// than this one.
  mlir::LogicalResult refuse(const llvm::Twine &reason);
  /// The same, for steps that ended so.
  mlir::LogicalResult refuse(End end);

  bool hasRefusals() const { return !refusals.empty(); }

  /// Why no graph.while suits.
  std::string why;

private:
  TracedNode &node;
  size_t before;
  Status status;
  std::vector<Tracing::Refusal> refusals;
};

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_LOOPS_UNROLLING_H
