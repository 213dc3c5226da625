// Reads, runs the stages, writes.

#include "compiler/Compiler.h"

#include "compiler/Pipeline.h"
#include "mlir/IR/AsmState.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;

namespace weir {
namespace {

/// Textual IR is taken as it is: it is the compiler's own language.
OwningOpRef<ModuleOp> read(MLIRContext *context, const Options &options,
                           Status &status) {
  StringRef path = options.import.path;
  if (!path.ends_with(".mlir"))
    return importModel(context, options.import, status);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(path, context);
  if (!module)
    status = Status::badInput;
  return module;
}

/// Prints the module where the output goes, or to stdout.
Status print(ModuleOp module, StringRef path) {
  OpPrintingFlags flags;
  flags.elideLargeResourceString(64);
  flags.elideLargeElementsAttrs(4096);
  std::error_code error;
  llvm::ToolOutputFile file(path.empty() ? "-" : path, error,
                            llvm::sys::fs::OF_None);
  if (error) {
    llvm::errs() << "weir: error: cannot write '" << escaped(path)
                 << "': " << error.message() << "\n";
    return Status::io;
  }
  module.print(file.os(), flags);
  file.keep();
  return Status::ok;
}

Status writeProduct(ModuleOp module, const EmitOptions &options) {
  Status status = Status::ok;
  handleAllErrors(
      emit(module, options),
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

} // namespace

Status compile(MLIRContext *context, const Options &options) {
  Status status = Status::ok;
  OwningOpRef<ModuleOp> module = read(context, options, status);
  if (!module)
    return status == Status::ok ? Status::internal : status;
  if (llvm::Error error = writeTarget(*module, options.target)) {
    llvm::errs() << "weir: error: " << llvm::toString(std::move(error)) << "\n";
    return Status::badUsage;
  }
  Builder b(context);
  (*module)->setAttr("weir.threads",
                     b.getI64IntegerAttr(options.threads.count));
  (*module)->setAttr("weir.slots", b.getI64IntegerAttr(options.threads.slots));

  if (options.precision != "f32")
    (*module)->setAttr("weir.precision", b.getStringAttr(options.precision));

  PassManager pm(context);
  if (options.timing)
    pm.enableTiming();
  for (const Stage &stage : stages()) {
    if (stage.build)
      stage.build(pm);
    if (stage.name == options.stopAfter)
      break;
  }
  // The model has been accepted: a pass that fails now is a fault of ours.
  if (failed(pm.run(*module))) {
    llvm::errs() << "weir: internal error: the model above could not be "
                    "compiled; please report it\n";
    return Status::internal;
  }
  if (!options.stopAfter.empty())
    return print(*module, options.emit.output);
  return writeProduct(*module, options.emit);
}

} // namespace weir
