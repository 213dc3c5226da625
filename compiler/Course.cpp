// One compilation under way: its modules, its decisions and its products.

#include "compiler/Course.h"

#include "compiler/Module.h"
#include "compiler/Reproducer.h"
#include "compiler/Streams.h"
#include "compiler/SystemErrors.h"
#include "compiler/export/onnx/Export.h"
#include "compiler/export/tensorboard/EventFile.h"
#include "compiler/export/tensorboard/GraphDef.h"
#include "compiler/report/TimeTrace.h"
#include "compiler/schedules/Schedules.h"
#include "compiler/terminal/Colors.h"
#include "compiler/terminal/KernelCounter.h"
#include "dialects/kernel/Kernel.h"
#include "mlir/IR/AsmState.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/TimeProfiler.h"

using namespace mlir;

namespace weir {

namespace {

/// Records where errors are reported, and leaves them to the other handlers.
class ErrorLocations : public ScopedDiagnosticHandler {
public:
  explicit ErrorLocations(MLIRContext *context)
      : ScopedDiagnosticHandler(context) {
    setHandler([this](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == DiagnosticSeverity::Error) {
        locations.insert(diagnostic.getLocation());
        namesOption |= StringRef(diagnostic.str()).starts_with("--schedule");
      }
      return failure();
    });
  }

  /// Whether an error is about the parameters that the user has fixed: it names
  /// the option, or is at a kernel whose schedule has such parameters.
  bool refusesSchedule(ModuleOp module) const {
    std::vector<kernel::Override> overrides = kernel::overridesOf(module);
    WalkResult walk = module.walk([&](Operation *op) {
      auto schedule =
          op->getAttrOfType<kernel::ScheduleAttrInterface>("schedule");
      bool refused =
          schedule && locations.contains(op->getLoc()) &&
          kernel::fixedParameters(overrides, op, schedule.getAlgorithm());
      return refused ? WalkResult::interrupt() : WalkResult::advance();
    });
    return namesOption || walk.wasInterrupted();
  }

private:
  llvm::DenseSet<Location> locations;
  bool namesOption = false;
};

LogicalResult runStage(PassManager &pm, const TargetModule &target,
                       Course &course) {
  if (course.stage != stage::schedule || !course.options.schedules)
    return pm.run(target.module);
  ErrorLocations errors(target.module->getContext());
  LogicalResult result = pm.run(target.module);
  course.refusedSchedule |=
      failed(result) && errors.refusesSchedule(target.module);
  return result;
}

/// The copies of the module that look for the smallest arena have no name and
/// no report.
bool isTrial(const TargetModule &target) {
  return !target.isReported && target.name.empty();
}

Dump *dumpOf(Course &course) { return course.dump ? &*course.dump : nullptr; }

/// Prints the selected kernels, which have been through the stages.
Status printDump(Course &course) {
  Dump &dump = *course.dump;
  if (dump.wantsCode()) {
    course.progress.enter(stage::emit);
    llvm::TimeTraceScope trace(stage::emit);
    auto variants = llvm::map_to_vector(
        course.targets, [](const TargetModule &target) { return target.name; });
    if (Status status = statusOf(
            dump.addCode(course.modules(), variants, course.options.emit));
        status != Status::ok)
      return status;
  }
  if (std::string fault = dump.fault(); !fault.empty()) {
    message("error") << fault << "\n";
    return Status::badUsage;
  }
  StringRef path = course.options.emit.output;
  return statusOf(writeText(path.empty() ? "-" : path, course.files,
                            [&](raw_ostream &os) { dump.print(os); }));
}

} // namespace

LogicalResult runStages(ArrayRef<Stage> list, const TargetModule &target,
                        Course &course) {
  for (const Stage &stage : list) {
    course.progress.enter(stage.name, target.name);
    llvm::TimeTraceScope trace(stage.name, target.name);
    PassManager pm(target.module->getContext());
    TimingScope scope = course.all.nest(stage.name);
    pm.enableTiming(scope);
    if (course.progress.showsKernels())
      pm.addInstrumentation(std::make_unique<KernelCounter>(course.progress));
    if (llvm::timeTraceProfilerEnabled())
      pm.addInstrumentation(tracePasses());
    Dump *dump = isTrial(target) ? nullptr : dumpOf(course);
    if (dump)
      dump->watchPasses(pm);
    stage.build(pm);
    Stopwatch watch;
    course.stage = stage.name;
    if (course.passLimit)
      course.passLimit->enter(stage.name);
    if (failed(runStage(pm, target, course)))
      return failure();
    if (dump)
      dump->addStage(stage.name, target.name, target.module);
    if (target.isReported)
      course.decisions.addStage(stage.name, watch.seconds(), target.module);
    if (stage.name == stage::schedule &&
        failed(finishOverrides(target.module))) {
      course.refusedSchedule = true;
      return failure();
    }
  }
  return success();
}

Status print(Course &course) {
  if (course.dump)
    return printDump(course);
  const Options &options = course.options;
  SmallVector<ModuleOp> modules = course.modules();
  OpPrintingFlags flags;
  StringRef path = options.emit.output;
  if (path.empty() || path == "-") {
    path = "-";
    flags.elideLargeResourceString(64);
    flags.elideLargeElementsAttrs(4096);
  } else {
    flags.enableDebugInfo();
  }
  if (!options.reproducer.empty())
    for (ModuleOp module : modules)
      dropWeights(module);
  return statusOf(writeText(path, course.files, [&](raw_ostream &os) {
    if (!options.reproducer.empty())
      os << "// " << options.reproducer << "\n";
    for (ModuleOp module : modules) {
      if (module != modules.front())
        os << "\n// -----\n\n";
      module.print(os, flags);
    }
  }));
}

Status writeOnnx(Course &course) {
  StringRef path = course.options.emit.output;
  if (path.empty())
    path = "-";
  Status status = Status::ok;
  std::string model =
      exportOnnx(course.targets.front().module,
                 /*asText=*/path == "-" || path.ends_with(".txt"), status);
  if (status != Status::ok)
    return status;
  return statusOf(
      writeText(path, course.files, [&](raw_ostream &os) { os << model; }));
}

Status writeGraph(ModuleOp module, StringRef folder,
                  std::vector<OutputFile> &files) {
  if (std::error_code code = llvm::sys::fs::create_directories(folder))
    return statusOf(llvm::make_error<IoError>(folder, code));
  SmallString<256> path(folder);
  llvm::sys::path::append(path, eventFileName);
  std::string bytes = eventFileOf(graphDefOf(module));
  return statusOf(
      writeText(path, files, [&](raw_ostream &os) { os << bytes; }));
}

Status write(Course &course) {
  if (course.dump)
    return printDump(course);
  EmitOptions options = course.options.emit;
  options.progress = &course.progress;
  Stopwatch watch;
  course.progress.enter(stage::emit);
  llvm::TimeTraceScope trace(stage::emit);
  TimingScope scope = course.all.nest(stage::emit);
  Status status = statusOf(emit(course.modules(), options, course.files));
  if (status != Status::ok)
    return status;
  course.decisions.addStage(stage::emit, watch.seconds(),
                            course.targets.front().module);
  for (const OutputFile &file : llvm::reverse(course.files))
    course.decisions.addProduct(file.path(), file.temporary());
  return status;
}

Status statusOf(llvm::Error error) {
  Status status = Status::ok;
  auto blame = [&](const llvm::ErrorInfoBase &error) {
    message("error") << error.message() << "\n";
    status = systemStatus(error.convertToErrorCode());
  };
  handleAllErrors(
      std::move(error), [&](const IoError &error) { blame(error); },
      [&](const llvm::ECError &error) { blame(error); },
      [&](const llvm::FileError &error) { blame(error); },
      [&](const llvm::ErrorInfoBase &error) {
        // The user's own objects are at fault.
        if (error.convertToErrorCode() == std::errc::invalid_argument) {
          blame(error);
          status = Status::badInput;
          return;
        }
        message("internal error") << error.message() << "\n";
        status = Status::internal;
      });
  return status;
}

Status internalError(const Course &course) {
  if (course.refusedSchedule)
    return Status::badUsage;
  message("internal error")
      << "the model above could not be compiled; please report it\n";
  return Status::internal;
}

} // namespace weir
