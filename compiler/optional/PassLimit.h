// Skips optional passes, to find the one that introduces a fault.

#ifndef WEIR_COMPILER_OPTIONAL_PASSLIMIT_H
#define WEIR_COMPILER_OPTIONAL_PASSLIMIT_H

#include "mlir/IR/Action.h"
#include "mlir/IR/MLIRContext.h"

namespace weir {

/// Counts the runs of optional passes on functions and modules, in the order of
/// one thread. Runs beyond the limit are skipped. So a search for the smallest
/// limit that shows a fault finds the run that introduces it, as
/// `-opt-bisect-limit` of LLVM does.
class PassLimit {
public:
  /// Handles the passes of the context from now on, until its end.
  PassLimit(mlir::MLIRContext *context, uint64_t limit);
  PassLimit(const PassLimit &) = delete;
  PassLimit &operator=(const PassLimit &) = delete;
  ~PassLimit();

  /// The stage whose passes run next, for the lines that are printed.
  void enter(llvm::StringRef name) { stage = name; }

private:
  void handle(llvm::function_ref<void()> run,
              const mlir::tracing::Action &action);

  mlir::MLIRContext *context;
  uint64_t limit, runs = 0;
  llvm::StringRef stage;
};

} // namespace weir

#endif // WEIR_COMPILER_OPTIONAL_PASSLIMIT_H
