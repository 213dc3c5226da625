// How a loop becomes a graph.while, or is unrolled.

#ifndef WEIR_COMPILER_IMPORT_ONNX_CONTROL_STEPSBUILDER_H
#define WEIR_COMPILER_IMPORT_ONNX_CONTROL_STEPSBUILDER_H

#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/loops/Unrolling.h"
#include "compiler/import/loops/WhileParts.h"
#include "compiler/import/onnx/control/Loops.h"

namespace weir::onnx {

/// Builds the ops of a loop, and what it gives.
class StepsBuilder {
public:
  StepsBuilder(Node &node, const Steps &steps)
      : node(node), steps(steps), unrolling(node) {}

  mlir::FailureOr<llvm::SmallVector<Traced>> build();

private:
  using Results = mlir::FailureOr<llvm::SmallVector<Traced>>;

  /// The number of steps where it is known and nothing ends them sooner.
  std::optional<int64_t> knownLimit() const;
  /// The loop carries the number of the step, whether to go on, the variables,
  /// and room for the tensors that steps collect.
  struct Loop : WhileParts {
    using WhileParts::WhileParts;
    /// The next values of these.
    llvm::SmallVector<mlir::Value> yielded;
  };
  /// The variables that a loop begins with. Those with sizes that are known
  /// only at run time keep them, or else the loop carries these too.
  struct Starts {
    llvm::SmallVector<Traced> variables;
    bool keepSizes = true;

    /// A variable made of what the loop carries.
    Traced rebuilt(const Traced &variable,
                   llvm::ArrayRef<mlir::Value> &values) const;
  };
  /// A collected tensor: how many steps it has room for, the sizes of a part,
  /// and whether the model says how many steps run.
  struct Collected {
    int64_t room = 0;
    Sizes part;
    bool isPromised = false;
  };
  /// Nothing where the steps must be unrolled, with the reason set; or where
  /// `starts` are to be tried next.
  mlir::FailureOr<std::optional<llvm::SmallVector<Traced>>>
  tryWhile(Starts &starts, bool &again);
  /// Yields the variables' next values. False where they do not fit what the
  /// loop begins with: `again` then tells that it may begin with other starts.
  bool yieldVariables(Loop &loop, llvm::ArrayRef<Traced> next, Starts &starts,
                      bool &again);
  /// Adds room for `parts`, which a step gives, to what the loop carries.
  mlir::LogicalResult collect(Loop &loop, llvm::ArrayRef<Traced> parts,
                              std::optional<int64_t> all,
                              llvm::SmallVectorImpl<Collected> &collected);
  /// How many steps a part like this is collected of.
  mlir::FailureOr<Collected> roomFor(Loop &loop, unsigned i, const Traced &part,
                                     std::optional<int64_t> all);
  void buildCondition(Loop &loop);
  /// What a loop with these results gives; it checks what was promised.
  Results resultsOf(llvm::ArrayRef<mlir::Value> values, const Starts &starts,
                    bool isSteady, llvm::ArrayRef<Collected> collected);
  Results unroll();
  /// The results where all that steps begin with is known, and so is all that
  /// they give: how often they run is then known too, whatever the model says.
  /// Nothing, and no op, where some of it is not.
  mlir::FailureOr<std::optional<llvm::SmallVector<Traced>>> tryNow();
  /// What no step has given.
  Results collectedOfNone();
  Expr runs(Expr step, Expr goesOn) const {
    return steps.limit ? both(less(step, steps.limit), goesOn) : goesOn;
  }

  Node &node;
  const Steps &steps;
  Unrolling unrolling;
  /// Why no graph.while suits.
  std::string why;
};

} // namespace weir::onnx

#endif // WEIR_COMPILER_IMPORT_ONNX_CONTROL_STEPSBUILDER_H
