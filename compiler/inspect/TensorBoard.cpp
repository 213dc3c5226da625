// Writes graphs for TensorBoard.

#include "compiler/inspect/TensorBoard.h"

#include "compiler/Course.h"
#include "compiler/Module.h"
#include "compiler/Pipeline.h"
#include "compiler/emit/Output.h"
#include "dialects/weir/Attributes.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace weir {
namespace {

/// Writes the graph as a run of TensorBoard, which is a folder.
Status addRun(ModuleOp module, StringRef folder, StringRef run,
              std::vector<OutputFile> &files) {
  SmallString<256> path(folder);
  llvm::sys::path::append(path, run);
  return writeGraph(module, path, files);
}

/// Runs the stages up to `graph`.
LogicalResult runGraphStage(ModuleOp module, const Options &options) {
  if (options.training)
    attrs::training.set(module, options.training);
  if (llvm::Error error = writeTarget(module, options.target))
    return emitError(module.getLoc()) << llvm::toString(std::move(error));
  PassManager pm(module->getContext());
  for (const Stage &stage : stages(Machine::Cpu, stage::train, stage::graph))
    stage.build(pm);
  return pm.run(module);
}

} // namespace

Status writeTensorBoard(MLIRContext *context, const Options &options,
                        llvm::raw_ostream &os) {
  Status status = Status::ok;
  bool isModel = options.input == InputKind::Model;
  OwningOpRef<ModuleOp> module =
      isModel ? importModel(context, options.import, status)
              : parseModule(context, options.import.path,
                            options.trustsBytecode, status);
  if (!module)
    return status == Status::ok ? Status::badInput : status;
  if (isModel)
    nameTensors(*module, options.inputNames, options.outputNames);
  std::vector<OutputFile> files;
  status = addRun(*module, options.tensorboard, isModel ? "import" : "program",
                  files);
  if (status == Status::ok && isModel) {
    if (failed(runGraphStage(*module, options)))
      return options.training ? Status::badUsage : Status::internal;
    status = addRun(*module, options.tensorboard, stage::graph, files);
  }
  std::vector<std::string> paths;
  for (const OutputFile &file : files)
    paths.push_back(file.path());
  if (status == Status::ok)
    status = statusOf(keepAll(files));
  if (status == Status::ok)
    for (const std::string &path : paths)
      os << path << '\n';
  return status;
}

} // namespace weir
