// Reads a model, runs the stages on it, and writes the products.

#include "compiler/Compiler.h"

#include "compiler/Attributes.h"
#include "compiler/Course.h"
#include "compiler/Limits.h"
#include "compiler/Module.h"
#include "compiler/Streams.h"
#include "compiler/emit/lines/KernelLines.h"
#include "compiler/import/Dependencies.h"
#include "compiler/partition/Partition.h"
#include "compiler/report/TimeTrace.h"
#include "compiler/terminal/Colors.h"
#include "dialects/graph/collective/Collective.h"
#include "dialects/weir/Attributes.h"
#include "passes/place/Devices.h"
#include "passes/shard/roles/ReadDevices.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/TimeProfiler.h"
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
    std::vector<ShardRule> divided;
    import.onDivided = [&](StringRef name, int64_t dim) {
      std::string text = name.str() + ":" + std::to_string(dim) + "@model";
      divided.push_back(
          {text, "^" + llvm::Regex::escape(name) + "$", {{dim, 1}}});
    };
    auto imported = importModel(context, import, status);
    if (imported && failed(applyShardRules(*imported, divided))) {
      status = Status::badInput;
      return {};
    }
    if (imported)
      nameTensors(*imported, options.inputNames, options.outputNames);
    return imported;
  }
  OwningOpRef<ModuleOp> module =
      readModule(context, options.import.path, options.trustsBytecode, status);
  if (!module)
    return module;
  bool hasEntry =
      llvm::any_of(module->getOps<func::FuncOp>(), [](func::FuncOp function) {
        return attrs::entry.of(function);
      });
  if (!hasEntry && options.stopAfter.empty() && !options.dump.isOn()) {
    emitError(FileLineColLoc::get(context, options.import.path, 0, 0))
        << "no function has the attribute " << attrs::entry.name()
        << ", which makes it a function of the library: "
           "func.func @f(...) attributes {"
        << attrs::entry.name() << " = \"f\"}";
    status = Status::badInput;
    return {};
  }
  for (NamedAttribute attribute : machine)
    module.get()->setAttr(attribute.getName(), attribute.getValue());
  return module;
}

Status badTarget(llvm::Error error) {
  message("error") << llvm::toString(std::move(error)) << "\n";
  return Status::badUsage;
}

/// Sets `weir.remat` to the bytes that the stage `fuse` may count for the
/// arena, so that the planned arena, which has more, is as small as `--remat`
/// requests.
Status fitArena(Course &course) {
  ModuleOp module = course.targets.front().module;
  attrs::keepsConstants.set(module);
  int64_t limit = *course.options.arenaLimit, counted = limit;
  int64_t least = std::numeric_limits<int64_t>::max();
  Status status = Status::limit;
  constexpr int maxTrials = 8;
  for (int i = 0; i < maxTrials; ++i) {
    OwningOpRef<ModuleOp> trial = module.clone();
    attrs::remat.set(*trial, counted);
    if (failed(runStages(stages(course.machine(), stage::fuse, stage::plan),
                         {*trial, "", /*isReported=*/false}, course)))
      return internalError(course);
    int64_t bytes = attrs::arenaBytes.of(*trial).getInt();
    if (bytes <= limit) {
      attrs::remat.set(module, counted);
      status = Status::ok;
      break;
    }
    least = std::min(least, bytes);
    if (counted == 0)
      break;
    // The last trial requests all recomputation that is possible.
    counted = i + 2 == maxTrials
                  ? 0
                  : std::max<int64_t>(counted - (bytes - limit), 0);
  }
  attrs::keepsConstants.remove(module);
  if (status != Status::ok)
    message("error") << "--remat=" << limit << ": the arena has at least "
                     << least << " bytes, however much is computed again\n";
  return status;
}

/// Clones the module for each instruction set of `--multiversion`, with its
/// target. Until here the target of the least one holds (`describeMachine`).
Status cloneForTargets(Course &course) {
  const Options &options = course.options;
  ModuleOp module = course.targets.front().module;
  attrs::keepsConstants.set(module);
  course.joined.emplace(module);
  course.targets.clear();
  TargetOptions target = options.target;
  for (const IsaVariant &isaVariant : options.isaVariants)
    target.panelBits = std::max(target.panelBits, isaVariant.vectorBits);
  for (const IsaVariant &isaVariant : options.isaVariants) {
    ModuleOp clone = *course.clones.emplace_back(module.clone());
    target.cpu = isaVariant.cpu, target.features = isaVariant.features;
    if (llvm::Error error = writeTarget(clone, target))
      return badTarget(std::move(error));
    course.targets.push_back({clone, isaVariant.name, course.targets.empty()});
  }
  return Status::ok;
}

/// Gives the weights of a planned module offsets among those of the modules
/// before, so that equal weights are in memory once.
Status joinWeights(Course &course, const TargetModule &target) {
  course.joined->add(target.module);
  return Status::ok;
}

/// Writes the graph as users know it, before derivatives replace symbolic
/// gradients.
Status showGraph(Course &course, const TargetModule &target) {
  return writeGraph(target.module, course.options.tensorboard, course.files);
}

Status finishWeights(Course &course) {
  return course.joined->finish(course.options.isaVariants)
             ? Status::ok
             : internalError(course);
}

/// Writes the text that the lines of -g refer to.
Status writeKernelText(Course &course, const TargetModule &target) {
  size_t number = &target - course.targets.data();
  StringRef path = course.options.emit.kernelTexts[number];
  return statusOf(writeText(path, course.files, [&](raw_ostream &os) {
    locateInText(target.module, llvm::sys::path::filename(path), os);
  }));
}

/// A mesh without the axis that divides the batch needs collective operations
/// of the model itself.
Status checkMesh(Course &course) {
  ModuleOp module = course.targets.front().module;
  MeshAttr mesh = MeshAttr::of(module);
  const Options &options = course.options;
  // A mesh that is not an option is that of a device configuration.
  if (options.mesh.empty() || mesh.sizeOf(graph::dataAxis) ||
      !options.shardRules.empty() || !options.parallel.empty())
    return Status::ok;
  auto found = module.walk([](Operation *op) {
    return isa<graph::AllReduceOp, graph::AllGatherOp>(op)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  if (found.wasInterrupted())
    return Status::ok;
  llvm::raw_ostream &os = message("error") << "--mesh=";
  llvm::interleave(
      llvm::zip_equal(mesh.getAxes().getAsRange<StringAttr>(),
                      mesh.getSizes().asArrayRef()),
      os,
      [&](auto axis) {
        os << std::get<0>(axis).getValue() << "=" << std::get<1>(axis);
      },
      ",");
  os << " divides nothing: the axis '" << graph::dataAxis
     << "' divides the batch, as in data=4, and --shard divides weights\n";
  return Status::badUsage;
}

/// Consecutive stages. A module runs through all of them before the next
/// begins.
struct StageRun {
  StringRef first, last;
  /// The status of the compilation if one of them fails.
  Status blame = Status::internal;
  /// Runs before the first stage, unless null.
  Status (*before)(Course &) = nullptr;
  /// Runs after the last stage, on each module, unless null.
  Status (*after)(Course &, const TargetModule &) = nullptr;
};

/// The stages from the imported module to the one that is written. Mistakes of
/// the user remain only in losses, gradients and places; all other failures are
/// internal errors.
std::vector<StageRun> planRuns(const Options &options) {
  bool derives = !options.import.gradients.empty() || options.training;
  bool hasTargets = !options.isaVariants.empty();
  Status training = options.training ? Status::badUsage : Status::internal;
  Status gradients = derives ? Status::unsupported : Status::internal;
  // With --reshard=error the model needs a collective that the user excludes.
  Status shard = !options.cluster.empty()  ? Status::unsupported
                 : options.reshard.empty() ? Status::badUsage
                                           : Status::badInput;
  std::vector<StageRun> runs = {
      {stage::train, stage::train, training},
      {stage::graph, stage::graph, gradients, nullptr,
       options.tensorboard.empty() ? nullptr : showGraph},
      {stage::grad, stage::grad, gradients},
      {stage::shard, stage::shard, shard, checkMesh},
      {stage::place, stage::place, Status::badUsage},
      {stage::fuse, stage::fuse, Status::internal,
       options.arenaLimit ? fitArena : nullptr},
      {stage::lower, stage::plan, Status::internal,
       hasTargets ? cloneForTargets : nullptr,
       hasTargets ? joinWeights : nullptr},
      {stage::loops, stage::entry, Status::internal,
       hasTargets ? finishWeights : nullptr},
  };
  if (!options.emit.kernelTexts.empty()) {
    runs.back().last = stage::loops;
    runs.back().after = writeKernelText;
    runs.push_back({stage::convert, stage::entry});
  }
  return runs;
}

/// Writes the program after the stage that is the last.
Status finishEarly(Course &course) {
  return course.options.toOnnx ? writeOnnx(course) : print(course);
}

Status compileModule(Course &course) {
  const Options &options = course.options;
  ModuleOp module = course.targets.front().module;
  // Without a GPU the devices that a model names have no effect.
  if (!options.gpu.isOn()) {
    if (failed(place::explainDevices(module)))
      return Status::badInput;
    if (options.cluster.empty())
      attrs::devices.remove(module);
    else if (failed(shard::readDevices(module)))
      return Status::badInput;
    attrs::colocated.remove(module);
  }
  if (failed(applyShardRules(module, options.shardRules)))
    return Status::badInput;
  if (options.training)
    attrs::training.set(module, options.training);
  if (options.stopAfter == stage::import)
    return finishEarly(course);
  for (const StageRun &run : planRuns(options)) {
    // A program of one rank is divided among no others.
    if (run.first == stage::shard && !attrs::mesh.isOn(module) &&
        options.cluster.empty() && options.stopAfter != stage::shard)
      continue;
    ArrayRef<Stage> list = stages(course.machine(), run.first, run.last);
    if (list.empty())
      continue;
    const Stage *last = llvm::find_if(list, [&](const Stage &stage) {
      return stage.name == options.stopAfter;
    });
    bool stops = last != list.end();
    if (stops)
      list = {list.begin(), last + 1};
    if (run.before)
      if (Status status = run.before(course); status != Status::ok)
        return status;
    for (const TargetModule &target : course.targets) {
      if (failed(runStages(list, target, course)))
        return run.blame == Status::internal ? internalError(course)
                                             : run.blame;
      if (run.after && !stops)
        if (Status status = run.after(course, target); status != Status::ok)
          return status;
    }
    if (stops)
      return finishEarly(course);
    if (run.last == stage::shard && !options.cluster.empty())
      return compileRoles(course);
  }
  return write(course);
}

/// Adds the times of --report-profile to the report.
Status addProfile(Course &course) {
  llvm::Error error = course.decisions.addProfile();
  if (!error)
    return Status::ok;
  message("error") << "--report-profile="
                   << escaped(course.options.report.profilePath) << ": "
                   << llvm::toString(std::move(error)) << "\n";
  return Status::badUsage;
}

} // namespace

OwningOpRef<ModuleOp> importProgram(MLIRContext *context,
                                    const Options &options, Status &status) {
  DictionaryAttr machine;
  if (llvm::Error error = describeMachine(context, options, machine)) {
    status = badTarget(std::move(error));
    return {};
  }
  llvm::TimeTraceScope scope(stage::import);
  OwningOpRef<ModuleOp> module = read(context, options, machine, status);
  if (module)
    writeOptions(*module, options);
  else if (status == Status::ok)
    status = Status::internal;
  return module;
}

Status compile(MLIRContext *context, const Options &options,
               Progress *progress) {
  Progress quiet;
  Progress &current = progress ? *progress : quiet;
  if (progress)
    progress->start(options.progress);
  current.enter(stage::import);
  Stopwatch watch;
  TimeTrace trace(!options.timeTrace.empty());
  // The dump of a pass has functions in their order, and so has the count of
  // runs.
  if (!options.dump.passes.empty() || options.passLimit)
    context->disableMultithreading();
  Status status = Status::ok;
  OwningOpRef<ModuleOp> module = importProgram(context, options, status);
  if (!module)
    return status;
  Course course(options, *module, current);
  course.decisions.addStage(stage::import, watch.seconds(), *module);
  status = compileModule(course);
  if (status == Status::ok)
    status = addProfile(course);
  // The report, which names the products, takes its place before them.
  std::vector<OutputFile> files;
  if (status == Status::ok)
    status = statusOf(course.decisions.write(files));
  if (status == Status::ok && !options.depfile.empty())
    status = statusOf(writeText(options.depfile, files, [&](raw_ostream &os) {
      os << dependencyRule(options.depTargets);
    }));
  if (status == Status::ok && !options.timeTrace.empty())
    status = statusOf(writeText(options.timeTrace, files,
                                [&](raw_ostream &os) { os << trace.text(); }));
  for (OutputFile &file : course.files)
    files.push_back(std::move(file));
  status = flushed("weir", status);
  if (status == Status::ok)
    status = statusOf(keepAll(files));
  if (status == Status::ok && !options.cluster.empty() &&
      options.stopAfter.empty())
    status = linkReplicas(options, *module);
  if (status == Status::ok && options.reproducer.empty())
    endWithSuccess();
  current.stop(status == Status::ok);
  return status;
}

} // namespace weir
