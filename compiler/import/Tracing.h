// What the walks of all frontends through their graphs have in common: running
// a node's handler, the refusals, and the checks of the ops that it builds.

#ifndef WEIR_COMPILER_IMPORT_TRACING_H
#define WEIR_COMPILER_IMPORT_TRACING_H

#include "compiler/import/Report.h"
#include "compiler/import/Traced.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <vector>

namespace weir {

/// The most nodes that all calls and the steps of loops together may make: a
/// file of a kilobyte can describe 2^60.
constexpr uint64_t nodeBudget = 10'000'000;

class Instruments;
class TracedNode;

class Tracing {
public:
  Tracing(Report &report, mlir::OpBuilder &builder)
      : report(report), builder(builder) {}

  /// Remembers a node that is not supported, and whether an operand has a size
  /// that only the run knows.
  void unsupported(mlir::Location at, llvm::StringRef op,
                   const llvm::Twine &why, bool hasDynamicSizes = false);
  struct Refusal {
    mlir::Location at;
    std::string op, why;
    bool hasDynamicSizes;
  };
  /// How many there are; takes those after the first `count` back, so that
  /// something else can be tried, or remembers them after all.
  size_t refusals() const { return refused.size(); }
  std::vector<Refusal> forget(size_t count);
  void remember(std::vector<Refusal> refusals);
  /// Reports all of them; failure where there are any.
  mlir::LogicalResult reportUnsupported();

  Report &report;
  mlir::OpBuilder &builder;
  /// How many elements a tensor whose sizes nothing bounds may have.
  int64_t boundedElements = int64_t(1) << 20;
  /// Whether any value so far has a size that only the run knows.
  bool hasDynamicSizes = false;
  /// Whether derivatives are taken: then zeros lie beyond the sizes of each
  /// node's results, and so do zeros in their gradients.
  bool derives = false;
  /// What a debugging library has besides the model, or null.
  Instruments *instruments = nullptr;

protected:
  ~Tracing() = default;

  /// Counts a node of the walk; an error over the budget.
  mlir::LogicalResult countNode(mlir::Location at);

  /// The end of a block before a node's handler builds ops there.
  struct Mark {
    mlir::Block *block;
    mlir::Operation *last;

    /// The first op behind it.
    mlir::Block::iterator next() const;
  };

  /// Runs the handler of a node. Calls `giveUp` where the node, or one in a
  /// graph of its own, is not supported, which is no failure of the walk.
  /// Calls `keep` to store its results, and then checks the ops that were built
  /// behind the mark. A check that fails in every run is an error now, unless
  /// the node `isConditional`, one that need not run.
  mlir::LogicalResult
  runHandler(TracedNode &node, bool isConditional,
             llvm::function_ref<void()> giveUp,
             llvm::function_ref<mlir::LogicalResult(Mark)> keep);

  /// A result of a node as later nodes get it: lists of sizes are scalars, in
  /// graphs where such lists matter.
  void refine(mlir::ImplicitLocOpBuilder &b, Traced &result);

  /// How often an inner graph could not be finished for nodes that are not
  /// supported.
  uint64_t unfinished = 0;

private:
  mlir::LogicalResult verifyNew(Mark mark, TracedNode &node,
                                bool isConditional);

  std::vector<Refusal> refused;
  uint64_t tracedNodes = 0;
};

/// A tensor without elements is a constant, however it came about.
mlir::Value withoutKernel(mlir::ImplicitLocOpBuilder &b, mlir::Value value);

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_TRACING_H
