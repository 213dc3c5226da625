// Models for the reference, and errors of a run.

#include "compiler/Module.h"
#include "compiler/reference/Interpreter.h"
#include "compiler/terminal/Colors.h"
#include "tools/reference/Files.h"

using namespace mlir;

namespace weir::reference {

OwningOpRef<ModuleOp> readModel(MLIRContext *context, const Options &options,
                                Status &status) {
  StringRef path = options.import.path;
  if (options.input == InputKind::Library) {
    status = Status::badInput;
    message("error", escaped(path))
        << "is an object or a library: the reference needs its model\n";
    return {};
  }
  if (options.input == InputKind::Module)
    return readModule(context, path, options.trustsBytecode, status);
  auto module = importModel(context, options.import, status);
  if (module)
    nameTensors(*module, options.inputNames, options.outputNames);
  else if (status == Status::ok)
    status = Status::badInput;
  return module;
}

static Status statusOf(ReferenceError::Kind kind) {
  switch (kind) {
  case ReferenceError::Kind::unsupported:
    return Status::unsupported;
  case ReferenceError::Kind::limit:
    return Status::limit;
  case ReferenceError::Kind::badInput:
  case ReferenceError::Kind::failedCheck:
    break;
  }
  return Status::badInput;
}

Status explain(llvm::Error error, StringRef path) {
  Status status = Status::internal;
  handleAllErrors(std::move(error), [&](const ReferenceError &error) {
    status = statusOf(error.kind());
    message("error", escaped(path)) << escaped(error.message(), 1000) << "\n";
  });
  return status;
}

Status readLimits(const Options &options, Limits &limits) {
  if (options.memoryLimit)
    limits.bytes = *options.memoryLimit;
  StringRef steps = options.reference.maxSteps;
  if (!steps.empty() && steps.getAsInteger(10, limits.steps))
    return fail(Status::badUsage,
                "--max-steps=" + escaped(steps) + " is no number");
  return Status::ok;
}

} // namespace weir::reference
