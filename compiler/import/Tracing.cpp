// Runs handlers; refusals, and checks of the ops that a handler builds.

#include "compiler/import/Tracing.h"

#include "compiler/import/Build.h"
#include "compiler/import/Elements.h"
#include "compiler/import/TracedNode.h"
#include "compiler/import/bounded/Lists.h"
#include "compiler/import/bounded/PaddedBuffers.h"
#include "compiler/import/bounded/Sizes.h"

#include "dialects/graph/Graph.h"

#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace weir {

void Tracing::unsupported(Location at, StringRef op, const Twine &why,
                          bool hasDynamicSizes) {
  refused.push_back({at, escaped(op), why.str(), hasDynamicSizes});
}

std::vector<Tracing::Refusal> Tracing::forget(size_t count) {
  std::vector<Refusal> taken(refused.begin() + count, refused.end());
  refused.erase(refused.begin() + count, refused.end());
  return taken;
}

void Tracing::remember(std::vector<Refusal> refusals) {
  refused.insert(refused.end(), refusals.begin(), refusals.end());
}

LogicalResult Tracing::reportUnsupported() {
  // An inlined function's node is one node of the model, however often called.
  llvm::StringSet<> told;
  bool hasToldSizes = report.fixingSizes.empty();
  for (auto &[at, op, why, hasDynamicSizes] : refused) {
    bool isFirst = told.empty();
    std::string key = op + why;
    if (auto call = dyn_cast<CallSiteLoc>(at))
      at = call.getCallee();
    if (auto name = dyn_cast<NameLoc>(at))
      key += name.getName().str();
    if (!told.insert(key).second)
      continue;
    InFlightDiagnostic error = report.error(at, Status::unsupported);
    error << "(" << op << "): not supported: " << why;
    if (isFirst)
      error.attachNote(report.file())
          << "--feed=TENSOR:DIMSxTYPE makes a result of such a node an input, "
             "and --fetch=TENSOR selects outputs that do not need it";
    if (hasDynamicSizes && !hasToldSizes) {
      error.attachNote(report.file()) << report.fixingSizes;
      hasToldSizes = true;
    }
  }
  return failure(!refused.empty());
}

/// The check's message names the node, as the diagnostic does.
static LogicalResult failsAlways(Report &report, graph::CheckOp check,
                                 StringRef name) {
  StringRef message = check.getMessage();
  if (message.consume_front("node '" + escaped(name) + "'"))
    message = message.ltrim(": ");
  return report.error(check.getLoc()) << message << ", in every run";
}

/// Verifies an op and those in its regions, each by itself. `mlir::verify`
/// would also ask whether what they use dominates them, which has no answer
/// where a branch that is being traced is no op's region yet.
static LogicalResult verifyWithin(Operation *op) {
  auto outcome = op->walk([](Operation *inner) {
    OperationName name = inner->getName();
    bool isValid = inner->getNumRegions() == 0
                       ? succeeded(mlir::verify(inner))
                       : succeeded(name.verifyInvariants(inner)) &&
                             succeeded(name.verifyRegionInvariants(inner));
    return isValid ? WalkResult::advance() : WalkResult::interrupt();
  });
  return failure(outcome.wasInterrupted());
}

void Tracing::refine(ImplicitLocOpBuilder &b, Traced &result) {
  result.value = withoutKernel(b, result.value);
  result.imaginary = withoutKernel(b, result.imaginary);
  hasDynamicSizes |= result.isBounded();
  if (derives && result.value &&
      isa<FloatType>(typeOf(result.value).getElementType()))
    zeroBeyond(b, result);
  if (hasDynamicSizes && !result.isBounded() && result.value &&
      isa<IntegerType>(typeOf(result.value).getElementType()))
    result.value = asListOfScalars(b, result.value);
}

LogicalResult Tracing::countNode(Location at) {
  if (++tracedNodes <= nodeBudget)
    return success();
  return report.error(at, Status::limit)
         << "is one of more than " << nodeBudget
         << " nodes, with all calls and the steps of loops";
}

Block::iterator Tracing::Mark::next() const {
  return last ? std::next(last->getIterator()) : block->begin();
}

LogicalResult
Tracing::runHandler(TracedNode &node, bool isConditional,
                    llvm::function_ref<void()> giveUp,
                    llvm::function_ref<LogicalResult(Mark)> keep) {
  size_t refusedBefore = refusals();
  uint64_t unfinishedBefore = unfinished;
  Block *block = builder.getInsertionBlock();
  Mark mark{block, block && !block->empty() ? &block->back() : nullptr};
  Status statusBefore = report.status;
  LogicalResult outcome = node.run();
  if (!node.fault.empty()) {
    if (report.status == statusBefore)
      node.error() << node.fault;
    return failure();
  }
  bool lacks = refusals() != refusedBefore ||
               (failed(outcome) && unfinished != unfinishedBefore);
  if (lacks && report.status == statusBefore) {
    giveUp();
    return success();
  }
  if (failed(outcome)) {
    // A handler that fails has reported the reason. One that has not is an
    // internal error, and the user still learns which node it was.
    if (report.status == Status::ok)
      node.error() << "cannot be imported";
    return failure();
  }
  return failed(keep(mark)) ? failure() : verifyNew(mark, node, isConditional);
}

LogicalResult Tracing::verifyNew(Mark mark, TracedNode &node,
                                 bool isConditional) {
  if (!mark.block)
    return success();
  for (auto op = mark.next(); op != mark.block->end(); ++op) {
    for (Value result : op->getResults())
      if (!byteSize(typeOf(result).getShape(), 1))
        return report.error(node.b.getLoc(), Status::limit)
               << "makes a " << result.getType()
               << ", which is larger than a tensor may be"
               << (hasDynamicSizes
                       ? ": it has room for the largest sizes in the "
                         "ranges that --dim sets"
                       : "");
    if (auto check = dyn_cast<graph::CheckOp>(&*op);
        check && !isConditional && knownBoolean(check.getCondition()) == false)
      return failsAlways(report, check, node.name());
    if (failed(verifyWithin(&*op)))
      return failure();
  }
  return success();
}

Value withoutKernel(ImplicitLocOpBuilder &b, Value value) {
  auto type =
      dyn_cast_or_null<RankedTensorType>(value ? value.getType() : Type());
  if (!type || type.getNumElements() != 0 || !value.getDefiningOp() ||
      value.getDefiningOp<graph::ConstantOp>())
    return value;
  return splat(b, type, 0);
}

} // namespace weir
