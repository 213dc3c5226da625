// One compilation under way: its modules, its decisions and its products.

#ifndef WEIR_COMPILER_COURSE_H
#define WEIR_COMPILER_COURSE_H

#include "compiler/IsaVariants.h"
#include "compiler/Options.h"
#include "compiler/Pipeline.h"
#include "compiler/dump/Dump.h"
#include "compiler/emit/Output.h"
#include "compiler/optional/PassLimit.h"
#include "compiler/report/Decisions.h"
#include "compiler/terminal/Progress.h"

#include "mlir/Support/Timing.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include <chrono>
#include <optional>

namespace weir {

/// The module for one instruction set. With `--multiversion` there are several
/// from the stage `lower` on.
struct TargetModule {
  mlir::ModuleOp module;
  llvm::StringRef name;
  /// Whether the report describes this module; otherwise another one stands for
  /// it.
  bool isReported = true;
};

/// The state of one compilation: the modules, and what accompanies them.
struct Course {
  Course(const Options &options, mlir::ModuleOp module, Progress &progress)
      : options(options), decisions(module, options.report),
        progress(progress) {
    targets.push_back({module, ""});
    if (options.dump.isOn())
      dump.emplace(options.dump);
    if (options.passLimit)
      passLimit.emplace(module->getContext(), *options.passLimit);
    timing.setEnabled(options.timing);
    all = timing.getRootScope();
  }

  Machine machine() const {
    return options.gpu.isOn() ? Machine::Gpu : Machine::Cpu;
  }
  llvm::SmallVector<mlir::ModuleOp> modules() const {
    return llvm::map_to_vector(targets,
                               [](const TargetModule &v) { return v.module; });
  }

  const Options &options;
  llvm::SmallVector<TargetModule> targets;
  /// Owns the modules of several targets.
  llvm::SmallVector<mlir::OwningOpRef<mlir::ModuleOp>> clones;
  std::optional<JoinedIsaVariants> joined;
  Decisions decisions;
  /// The text of --kernel and --print-ir-after, which replaces the product.
  std::optional<Dump> dump;
  /// Skips passes, for --pass-limit.
  std::optional<PassLimit> passLimit;
  /// The products, which get their names when the compilation succeeds.
  std::vector<OutputFile> files;
  Progress &progress;
  /// The stage that runs, or that failed.
  llvm::StringRef stage;
  /// Whether a fixed parameter of `--schedule` was refused.
  bool refusedSchedule = false;
  mlir::DefaultTimingManager timing;
  mlir::TimingScope all;
};

class Stopwatch {
public:
  double seconds() const {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }

private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start = Clock::now();
};

/// Runs the passes of these stages. On success the report has their time and
/// their decisions.
llvm::LogicalResult runStages(llvm::ArrayRef<Stage> list,
                              const TargetModule &target, Course &course);

/// Writes the program as an ONNX model, or as the text of one if it goes to
/// standard output or to a file with the ending .txt.
Status writeOnnx(Course &course);

/// Writes the program as a graph for TensorBoard: an event file in the folder,
/// which is created if it is absent.
Status writeGraph(mlir::ModuleOp module, llvm::StringRef folder,
                  std::vector<OutputFile> &files);

/// Prints the modules. A file contains the weights, so that a compilation can
/// continue from it; a terminal does not show them.
Status print(Course &course);

/// Emits the products, as temporary files.
Status write(Course &course);

/// The status of a failed call of the system, or of a linker, which it reports.
Status statusOf(llvm::Error error);

/// The status after a stage that failed on what earlier stages accepted. It
/// reports that weir itself has failed, unless a fixed parameter of
/// `--schedule` was refused.
Status internalError(const Course &course);

} // namespace weir

#endif // WEIR_COMPILER_COURSE_H
