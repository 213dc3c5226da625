// The steps of a loop one after another, where no graph.while suits them.

#ifndef WEIR_COMPILER_IMPORT_LOOPS_UNROLLING_H
#define WEIR_COMPILER_IMPORT_LOOPS_UNROLLING_H

#include "compiler/import/TracedNode.h"
#include "compiler/import/Tracing.h"

namespace weir {

/// Steps that are traced one after another at most: each makes its own ops.
constexpr int64_t stepLimit = 1024;

/// How steps ended: by their condition, before it is known, or by the limit.
enum class StepsEnd { byCondition, unknown, overLimit };
/// Traces steps while the condition of their number holds.
mlir::FailureOr<StepsEnd>
traceSteps(llvm::function_ref<mlir::FailureOr<mlir::Value>(int64_t)> condition,
           llvm::function_ref<mlir::LogicalResult(int64_t)> step);

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

  /// Refuses the node. `why` says why no graph.while suits, and `reason` why no
  /// steps do. The refusals of an attempt replace both.
  mlir::LogicalResult refuse(const llvm::Twine &why,
                             const llvm::Twine &reason = "");
  mlir::LogicalResult refuse(const llvm::Twine &why, StepsEnd end);

  bool hasRefusals() const { return !refusals.empty(); }

private:
  TracedNode &node;
  size_t before = 0;
  Status status = Status::ok;
  std::vector<Tracing::Refusal> refusals;
};

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_LOOPS_UNROLLING_H
