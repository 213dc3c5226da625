// Reads, runs the stages, writes.

#include "compiler/Compiler.h"

#include "compiler/Attributes.h"
#include "compiler/Limits.h"
#include "compiler/Module.h"
#include "compiler/Pipeline.h"
#include "compiler/Reproducer.h"
#include "compiler/Streams.h"
#include "compiler/SystemErrors.h"
#include "compiler/emit/Output.h"
#include "compiler/import/Dependencies.h"
#include "compiler/schedules/Schedules.h"
#include "compiler/terminal/Colors.h"
#include "compiler/terminal/KernelCounter.h"
#include "mlir/IR/AsmState.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"
#include "passes/place/Devices.h"
#include <chrono>
#include <limits>

using namespace mlir;

namespace weir {
namespace {

/// Textual IR is taken as it is: it is the compiler's own language.
OwningOpRef<ModuleOp> read(MLIRContext *context, const Options &options,
                           DictionaryAttr machine, Status &status) {
  if (options.input == InputKind::Library) {
    emitError(FileLineColLoc::get(context, options.import.path, 0, 0))
        << "is an object or a library, and no model; weir inspect says what is "
           "in one of weir's";
    status = Status::badInput;
    return {};
  }
  if (options.input != InputKind::Module) {
    ImportOptions import = options.import;
    import.attributes = machine;
    auto imported = importModel(context, import, status);
    if (imported)
      nameTensors(*imported, options.inputNames, options.outputNames);
    return imported;
  }
  OwningOpRef<ModuleOp> module =
      readModule(context, options.import.path, options.trustsBytecode, status);
  if (module)
    for (NamedAttribute attribute : machine)
      module.get()->setAttr(attribute.getName(), attribute.getValue());
  return module;
}

/// A call of the system that failed is no internal error.
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

/// What goes along with a compilation.
struct Course {
  Course(const Options &options, ModuleOp module, Progress &progress)
      : options(options), decisions(module, options.report),
        progress(progress) {
    timing.setEnabled(options.timing);
    all = timing.getRootScope();
  }

  const Options &options;
  Decisions decisions;
  /// What takes its place when all has gone well.
  std::vector<OutputFile> files;
  Progress &progress;
  /// The stage that runs, or that failed.
  StringRef stage;
  DefaultTimingManager timing;
  TimingScope all;
};

/// A file holds all there is, so that compilation may go on from it; a person
/// at a terminal wants no weights.
Status print(ArrayRef<ModuleOp> modules, Course &course) {
  const Options &options = course.options;
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

/// After a stage that failed on what earlier stages accepted: the fault is the
/// compiler's, unless the user has fixed parameters of schedules.
Status internalError(const Course &course) {
  if (course.stage == scheduleStage && course.options.schedules)
    return Status::badUsage;
  message("internal error")
      << "the model above could not be compiled; please report it\n";
  return Status::internal;
}

Status badTarget(llvm::Error error) {
  message("error") << llvm::toString(std::move(error)) << "\n";
  return Status::badUsage;
}

class Stopwatch {
public:
  double seconds() const {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }

private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start = Clock::now();
};

/// Runs the stages from `first` to `last`, or to the one that is asked for;
/// `stopped` says whether that is the last one run. What is only tried is not
/// reported. `variant` is the instruction set, where there are several.
LogicalResult runStages(ModuleOp module, Course &course, StringRef first,
                        StringRef last, bool &stopped, bool reported = true,
                        StringRef variant = "") {
  const Options &options = course.options;
  bool begun = false;
  for (const Stage &stage :
       stages(options.gpu.isOn() ? Machine::Gpu : Machine::Cpu)) {
    begun |= stage.name == first;
    if (!begun)
      continue;
    if (stage.build) {
      course.progress.enter(stage.name, variant);
      PassManager pm(module.getContext());
      TimingScope scope = course.all.nest(stage.name);
      pm.enableTiming(scope);
      if (course.progress.showsKernels())
        pm.addInstrumentation(std::make_unique<KernelCounter>(course.progress));
      stage.build(pm);
      Stopwatch watch;
      course.stage = stage.name;
      if (failed(pm.run(module)))
        return failure();
      if (reported)
        course.decisions.addStage(stage.name, watch.seconds(), module);
      if (stage.name == scheduleStage && failed(finishOverrides(module)))
        return failure();
    }
    stopped = stage.name == options.stopAfter;
    if (stopped || stage.name == last)
      break;
  }
  return success();
}

Status write(ArrayRef<ModuleOp> modules, Course &course) {
  EmitOptions options = course.options.emit;
  options.progress = &course.progress;
  Stopwatch watch;
  course.progress.enter("emit");
  TimingScope scope = course.all.nest("emit");
  Status status = statusOf(emit(modules, options, course.files));
  if (status != Status::ok)
    return status;
  course.decisions.addStage("emit", watch.seconds(), modules.front());
  for (const OutputFile &file : llvm::reverse(course.files))
    course.decisions.addProduct(file.path(), file.temporary());
  return status;
}

/// The same model for each of several kinds of processors, from the stage that
/// first knows of them.
Status compileLevels(ModuleOp module, Course &course, StringRef first) {
  const Options &options = course.options;
  bool stopped = false;
  if (failed(runStages(module, course, first, "fuse", stopped)))
    return internalError(course);
  if (stopped)
    return print(module, course);
  module->setAttr("weir.keeps_constants", UnitAttr::get(module.getContext()));
  TargetOptions target = options.target;
  for (const Level &level : options.levels)
    target.panelBits = std::max(target.panelBits, level.vectorBits);
  JoinedLevels joined(module);
  SmallVector<OwningOpRef<ModuleOp>> owned;
  SmallVector<ModuleOp> levels;
  for (const Level &level : options.levels) {
    owned.push_back(module.clone());
    levels.push_back(*owned.back());
    target.cpu = level.cpu, target.features = level.features;
    if (llvm::Error error = writeTarget(levels.back(), target))
      return badTarget(std::move(error));
    if (failed(runStages(levels.back(), course, "lower", "plan", stopped,
                         levels.size() == 1, level.name)))
      return internalError(course);
    if (!stopped)
      joined.add(levels.back());
  }
  if (stopped)
    return print(levels, course);
  if (!joined.finish(options.levels))
    return internalError(course);
  for (auto [level, module] : llvm::zip(options.levels, levels))
    if (failed(runStages(module, course, "cpu", "cpu", stopped,
                         module == levels.front(), level.name)))
      return internalError(course);
  if (!options.stopAfter.empty())
    return print(levels, course);
  return write(levels, course);
}

/// Finds how many bytes the stage fuse may count for the arena, which has more
/// than it counts, to have as many as are asked for; `weir.remat` says it then.
Status fitArena(ModuleOp module, Course &course) {
  Builder b(module.getContext());
  module->setAttr("weir.keeps_constants", b.getUnitAttr());
  int64_t limit = *course.options.arenaLimit, counted = limit;
  int64_t least = std::numeric_limits<int64_t>::max();
  Status status = Status::limit;
  constexpr int mostTrials = 8;
  for (int i = 0; i < mostTrials; ++i) {
    OwningOpRef<ModuleOp> trial = module.clone();
    (*trial)->setAttr("weir.remat", b.getI64IntegerAttr(counted));
    bool stopped = false;
    for (StringRef stage : {"fuse", "lower", "schedule", "plan"})
      if (failed(runStages(*trial, course, stage, stage, stopped,
                           /*reported=*/false)))
        return internalError(course);
    int64_t bytes =
        (*trial)->getAttrOfType<IntegerAttr>("weir.arena_bytes").getInt();
    if (bytes <= limit) {
      module->setAttr("weir.remat", b.getI64IntegerAttr(counted));
      status = Status::ok;
      break;
    }
    least = std::min(least, bytes);
    if (counted == 0)
      break;
    // The last one asks for all that can be done.
    counted = i + 2 == mostTrials
                  ? 0
                  : std::max<int64_t>(counted - (bytes - limit), 0);
  }
  module->removeAttr("weir.keeps_constants");
  if (status != Status::ok)
    message("error") << "--remat=" << limit << ": the arena has at least "
                     << least << " bytes, however much is computed again\n";
  return status;
}

Status compileModule(ModuleOp module, Course &course) {
  const Options &options = course.options;
  // Which device computes a node is of no matter where there is one.
  if (!options.gpu.isOn()) {
    if (failed(explainDevices(module)))
      return Status::badInput;
    module->removeAttr("weir.devices");
    module->removeAttr("weir.colocated");
  }
  // What has no derivative is found after import; all else has been accepted
  // by then, and a pass that fails is a fault of ours.
  bool stopped = false;
  StringRef first = "import";
  if (options.training) {
    module->setAttr("weir.training", options.training);
    if (failed(runStages(module, course, first, "train", stopped)))
      return Status::badUsage;
    if (stopped)
      return print(module, course);
    first = "graph";
  }
  if (!options.import.gradients.empty() || options.training) {
    if (failed(runStages(module, course, first, "grad", stopped)))
      return Status::unsupported;
    if (stopped)
      return print(module, course);
    first = "fuse";
  }
  if (!options.levels.empty())
    return compileLevels(module, course, first);
  if (first != "fuse" && (options.gpu.isOn() || options.arenaLimit)) {
    if (failed(runStages(module, course, first, "grad", stopped)))
      return internalError(course);
    if (stopped)
      return print(module, course);
    first = "fuse";
  }
  // What a place is asked for is known by now.
  if (options.gpu.isOn()) {
    if (failed(runStages(module, course, "place", "place", stopped)))
      return Status::badUsage;
    if (stopped)
      return print(module, course);
  }
  if (options.arenaLimit) {
    Status status = fitArena(module, course);
    if (status != Status::ok)
      return status;
  }
  if (failed(runStages(module, course, first, "", stopped)))
    return internalError(course);
  if (stopped)
    return print(module, course);
  return write(module, course);
}

} // namespace

Status compile(MLIRContext *context, const Options &options,
               Progress *progress) {
  Progress quiet;
  Progress &current = progress ? *progress : quiet;
  if (progress)
    progress->start(options.progress);
  current.enter("import");
  Stopwatch watch;
  Status status = Status::ok;
  DictionaryAttr machine;
  if (llvm::Error error = describeMachine(context, options, machine))
    return badTarget(std::move(error));
  OwningOpRef<ModuleOp> module = read(context, options, machine, status);
  if (!module)
    return status == Status::ok ? Status::internal : status;
  writeOptions(*module, options);
  Course course(options, *module, current);
  course.decisions.addStage("import", watch.seconds(), *module);
  status = compileModule(*module, course);
  // The report, which names the products, takes its place before them.
  std::vector<OutputFile> files;
  if (status == Status::ok)
    status = statusOf(course.decisions.write(files));
  if (status == Status::ok && !options.depfile.empty())
    status = statusOf(writeText(options.depfile, files, [&](raw_ostream &os) {
      os << dependencyRule(options.depTargets);
    }));
  for (OutputFile &file : course.files)
    files.push_back(std::move(file));
  status = flushed("weir", status);
  if (status == Status::ok)
    status = statusOf(keepAll(files));
  if (status == Status::ok && options.reproducer.empty())
    endWithSuccess();
  current.stop(status == Status::ok);
  return status;
}

} // namespace weir
