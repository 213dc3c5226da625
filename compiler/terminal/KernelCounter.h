// Counts the kernels that passes work on, for the progress.

#ifndef WEIR_COMPILER_TERMINAL_KERNELCOUNTER_H
#define WEIR_COMPILER_TERMINAL_KERNELCOUNTER_H

#include "compiler/terminal/Progress.h"

#include "mlir/Pass/PassInstrumentation.h"

namespace weir {

/// Passes run over the functions of a module one by one, or on several threads.
/// A kernel counts when a thread begins with it.
class KernelCounter : public mlir::PassInstrumentation {
public:
  explicit KernelCounter(Progress &progress) : progress(progress) {}

  void runBeforePass(mlir::Pass *pass, mlir::Operation *op) override;

private:
  Progress &progress;
  /// The number of the pipeline over functions: a thread that goes from the
  /// last function of one to the same function of the next counts it again.
  std::atomic<unsigned> pipeline = 0;
};

} // namespace weir

#endif // WEIR_COMPILER_TERMINAL_KERNELCOUNTER_H
