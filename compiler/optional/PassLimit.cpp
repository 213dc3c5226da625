// Skips optional passes, to find the one that introduces a fault.

#include "compiler/optional/PassLimit.h"

#include "compiler/Diagnostics.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/Pass.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace weir {
namespace {

struct OptionalPass {
  const char *argument;
};
#define GET_OptionalPasses_IMPL
#include "compiler/OptionalPasses.inc"

bool isOptional(const Pass &pass) {
  return llvm::any_of(OptionalPasses, [&](const OptionalPass &each) {
    return pass.getArgument() == each.argument;
  });
}

StringRef nameOf(Operation *op) {
  auto name = op->getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName());
  return name ? name.getValue() : "the module";
}

} // namespace

PassLimit::PassLimit(MLIRContext *context, uint64_t limit)
    : context(context), limit(limit) {
  context->registerActionHandler(
      [this](llvm::function_ref<void()> run, const tracing::Action &action) {
        handle(run, action);
      });
}

PassLimit::~PassLimit() { context->registerActionHandler(nullptr); }

void PassLimit::handle(llvm::function_ref<void()> run,
                       const tracing::Action &action) {
  auto *execution = dyn_cast<PassExecutionAction>(&action);
  if (!execution || !isOptional(execution->getPass()))
    return run();
  bool isSkipped = ++runs > limit;
  llvm::errs() << "pass " << runs << " (" << stage
               << "): " << execution->getPass().getArgument() << " on "
               << escaped(nameOf(execution->getOp()))
               << (isSkipped ? ", skipped\n" : "\n");
  if (!isSkipped)
    run();
}

} // namespace weir
