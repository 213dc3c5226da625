// Reads, runs the stages, writes.

#include "compiler/Compiler.h"

#include "compiler/Module.h"
#include "compiler/Pipeline.h"
#include "compiler/emit/Output.h"
#include "mlir/IR/AsmState.h"
#include "mlir/Pass/PassManager.h"
#include <limits>

using namespace mlir;

namespace weir {
namespace {

/// Textual IR is taken as it is: it is the compiler's own language.
OwningOpRef<ModuleOp> read(MLIRContext *context, const Options &options,
                           Status &status) {
  if (options.input != InputKind::Module)
    return importModel(context, options.import, status);
  OwningOpRef<ModuleOp> module = readModule(context, options.import.path);
  if (!module)
    status = Status::badInput;
  return module;
}

Status statusOf(llvm::Error error) {
  Status status = Status::ok;
  handleAllErrors(
      std::move(error),
      [&](const IoError &error) {
        llvm::errs() << "weir: error: " << error.message() << "\n";
        status = Status::io;
      },
      [&](const llvm::ErrorInfoBase &error) {
        llvm::errs() << "weir: internal error: " << error.message() << "\n";
        status = Status::internal;
      });
  return status;
}

/// A file holds all there is, so that compilation may go on from it; a person
/// at a terminal wants no weights.
Status print(ArrayRef<ModuleOp> modules, StringRef path) {
  OpPrintingFlags flags;
  if (path.empty() || path == "-") {
    path = "-";
    flags.elideLargeResourceString(64);
    flags.elideLargeElementsAttrs(4096);
  } else {
    flags.enableDebugInfo();
  }
  return statusOf(writeText(path, [&](raw_ostream &os) {
    for (ModuleOp module : modules)
      module.print(os, flags);
  }));
}

Status internalError() {
  llvm::errs() << "weir: internal error: the model above could not be "
                  "compiled; please report it\n";
  return Status::internal;
}

Status badTarget(llvm::Error error) {
  llvm::errs() << "weir: error: " << llvm::toString(std::move(error)) << "\n";
  return Status::badUsage;
}

/// Runs the stages from `first` to `last`, or to the one that is asked for;
/// `stopped` says whether that is the last one run.
LogicalResult runStages(ModuleOp module, const Options &options,
                        StringRef first, StringRef last, bool &stopped) {
  PassManager pm(module.getContext());
  if (options.timing)
    pm.enableTiming();
  bool begun = false;
  for (const Stage &stage :
       stages(options.gpu.isOn() ? Machine::Gpu : Machine::Cpu)) {
    begun |= stage.name == first;
    if (begun && stage.build)
      stage.build(pm);
    stopped = stage.name == options.stopAfter;
    if (stopped || stage.name == last)
      break;
  }
  return pm.run(module);
}

/// The same model for each of several kinds of processors, from the stage that
/// first knows of them.
Status compileLevels(ModuleOp module, const Options &options, StringRef first) {
  bool stopped = false;
  if (failed(runStages(module, options, first, "fuse", stopped)))
    return internalError();
  if (stopped)
    return print(module, options.emit.output);
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
    if (failed(runStages(levels.back(), options, "lower", "plan", stopped)))
      return internalError();
    if (!stopped)
      joined.add(levels.back());
  }
  if (stopped)
    return print(levels, options.emit.output);
  if (!joined.finish(options.levels))
    return internalError();
  for (ModuleOp level : levels)
    if (failed(runStages(level, options, "cpu", "cpu", stopped)))
      return internalError();
  if (!options.stopAfter.empty())
    return print(levels, options.emit.output);
  return statusOf(emit(levels, options.emit));
}

/// Finds how many bytes the stage fuse may count for the arena, which has more
/// than it counts, to have as many as are asked for; `weir.remat` says it then.
Status fitArena(ModuleOp module, const Options &options) {
  Options whole = options;
  whole.stopAfter.clear();
  Builder b(module.getContext());
  module->setAttr("weir.keeps_constants", b.getUnitAttr());
  int64_t limit = *options.arenaLimit, counted = limit;
  int64_t least = std::numeric_limits<int64_t>::max();
  Status status = Status::limit;
  constexpr int mostTrials = 8;
  for (int i = 0; i < mostTrials; ++i) {
    OwningOpRef<ModuleOp> trial = module.clone();
    (*trial)->setAttr("weir.remat", b.getI64IntegerAttr(counted));
    bool stopped = false;
    if (failed(runStages(*trial, whole, "fuse", "plan", stopped)))
      return internalError();
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
    llvm::errs() << "weir: error: --remat=" << limit
                 << ": the arena has at least " << least
                 << " bytes, however much is computed again\n";
  return status;
}

} // namespace

Status compile(MLIRContext *context, const Options &options) {
  Status status = Status::ok;
  OwningOpRef<ModuleOp> module = read(context, options, status);
  if (!module)
    return status == Status::ok ? Status::internal : status;
  Builder b(context);
  (*module)->setAttr("weir.threads",
                     b.getI64IntegerAttr(options.threads.count));
  (*module)->setAttr("weir.slots", b.getI64IntegerAttr(options.threads.slots));

  // Which device computes a node is of no matter where there is one.
  if (!options.gpu.isOn())
    (*module)->removeAttr("weir.devices");
  if (options.precision != "f32")
    (*module)->setAttr("weir.precision", b.getStringAttr(options.precision));
  else
    (*module)->removeAttr("weir.precision");

  // What has no derivative is found after import; all else has been accepted
  // by then, and a pass that fails is a fault of ours.
  bool stopped = false;
  StringRef first = "import";
  if (options.training) {
    (*module)->setAttr("weir.training", options.training);
    if (failed(runStages(*module, options, first, "train", stopped)))
      return Status::badUsage;
    if (stopped)
      return print(*module, options.emit.output);
    first = "graph";
  }
  if (!options.import.gradients.empty() || options.training) {
    if (failed(runStages(*module, options, first, "grad", stopped)))
      return Status::unsupported;
    if (stopped)
      return print(*module, options.emit.output);
    first = "fuse";
  }
  if (!options.levels.empty())
    return compileLevels(*module, options, first);
  if (llvm::Error error = writeTarget(*module, options.target))
    return badTarget(std::move(error));
  if (options.gpu.isOn()) {
    if (llvm::Error error = writeGpu(*module, options.gpu))
      return badTarget(std::move(error));
    if (first != "fuse") {
      if (failed(runStages(*module, options, first, "grad", stopped)))
        return internalError();
      if (stopped)
        return print(*module, options.emit.output);
    }
    // What a place is asked for is known by now.
    if (failed(runStages(*module, options, "place", "place", stopped)))
      return Status::badUsage;
    if (stopped)
      return print(*module, options.emit.output);
    first = "fuse";
  }
  if (options.arenaLimit) {
    if (first != "fuse") {
      if (failed(runStages(*module, options, first, "grad", stopped)))
        return internalError();
      if (stopped)
        return print(*module, options.emit.output);
      first = "fuse";
    }
    status = fitArena(*module, options);
    if (status != Status::ok)
      return status;
  }
  if (failed(runStages(*module, options, first, "", stopped)))
    return internalError();
  if (stopped)
    return print(*module, options.emit.output);
  return statusOf(emit(*module, options.emit));
}

} // namespace weir
