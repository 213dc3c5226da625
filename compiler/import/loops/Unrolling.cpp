// The steps of a loop one after another, where no graph.while suits them.

#include "compiler/import/loops/Unrolling.h"

#include "compiler/import/Elements.h"

using namespace mlir;

namespace weir {

FailureOr<StepsEnd>
traceSteps(llvm::function_ref<FailureOr<Value>(int64_t)> condition,
           llvm::function_ref<LogicalResult(int64_t)> step) {
  for (int64_t i = 0;; ++i) {
    FailureOr<Value> goesOn = condition(i);
    if (failed(goesOn))
      return failure();
    std::optional<bool> known = knownBoolean(*goesOn);
    if (!known)
      return StepsEnd::unknown;
    if (!*known)
      return StepsEnd::byCondition;
    if (i >= stepLimit)
      return StepsEnd::overLimit;
    if (failed(step(i)))
      return failure();
  }
}

Unrolling::Unrolling(TracedNode &node) : node(node) { attempt(); }

void Unrolling::attempt() {
  before = node.tracing.refusals();
  status = node.tracing.report.status;
}

bool Unrolling::isError() const { return node.tracing.report.status != status; }

void Unrolling::setAside() { refusals = node.tracing.forget(before); }

LogicalResult Unrolling::refuse(const Twine &why, const Twine &reason) {
  if (refusals.empty())
    return node.unsupported(why + reason);
  node.tracing.remember(refusals);
  return failure();
}

LogicalResult Unrolling::refuse(const Twine &why, StepsEnd end) {
  if (end == StepsEnd::unknown)
    return refuse(why, ", and how often it runs is not known at compile time");
  return refuse(why, ", and it runs more than " + Twine(stepLimit) + " times");
}

} // namespace weir
