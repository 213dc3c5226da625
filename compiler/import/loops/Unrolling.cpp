// The steps of a loop one after another, where no graph.while suits them.

#include "compiler/import/loops/Unrolling.h"

#include "compiler/import/Elements.h"

using namespace mlir;

namespace weir {

Unrolling::Unrolling(TracedNode &node) : node(node) { attempt(); }

void Unrolling::attempt() {
  before = node.tracing.refusals();
  status = node.tracing.report.status;
}

bool Unrolling::isError() const { return node.tracing.report.status != status; }

void Unrolling::setAside() { refusals = node.tracing.forget(before); }

FailureOr<Unrolling::End> Unrolling::trace(Condition condition, Step step,
                                           int64_t limit) {
  for (int64_t i = 0;; ++i) {
    FailureOr<Value> goesOn = condition(i);
    if (failed(goesOn))
      return failure();
    std::optional<bool> known = knownBoolean(*goesOn);
    if (!known)
      return End::unknown;
    if (!*known)
      return End::byCondition;
    if (i >= limit)
      return End::overLimit;
    if (failed(step(i)))
      return failure();
  }
}

LogicalResult Unrolling::refuse(const Twine &reason) {
  if (refusals.empty())
    return node.unsupported(why + reason);
  node.tracing.remember(refusals);
  return failure();
}

LogicalResult Unrolling::refuse(End end) {
  if (end == End::unknown)
    return refuse(", and how often it runs is not known at compile time");
  return refuse(", and it runs more than " + Twine(stepLimit) + " times");
}

} // namespace weir
