// `weir reference`: evaluates a model in f64.

#include "tools/reference/Command.h"

#include "compiler/Module.h"
#include "compiler/reference/Reference.h"
#include "compiler/terminal/Colors.h"
#include "tools/reference/Files.h"
#include "tools/reference/Nodes.h"

using namespace mlir;

namespace weir {

using namespace reference;

/// The model after the stage `import`, or IR as it is.
static OwningOpRef<ModuleOp> readModel(MLIRContext *context,
                                       const Options &options, Status &status) {
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

/// Reports why the model has no value.
static Status explain(llvm::Error error, StringRef path) {
  Status status = Status::internal;
  handleAllErrors(std::move(error), [&](const ReferenceError &error) {
    status = statusOf(error.kind());
    message("error", escaped(path)) << escaped(error.message(), 1000) << "\n";
  });
  return status;
}

static Status listOps(MLIRContext *context, raw_ostream &os) {
  size_t evaluated = 0;
  std::vector<OpCoverage> ops = coverage(context);
  for (const OpCoverage &op : ops) {
    evaluated += op.isEvaluated;
    os << op.op << (op.isEvaluated ? ": evaluated" : ": not evaluated");
    if (!op.reason.empty())
      os << ": " << op.reason;
    os << "\n";
  }
  os << evaluated << " of " << ops.size() << " ops are evaluated\n";
  return Status::ok;
}

Status runReference(MLIRContext *context, const Options &options,
                    raw_ostream &os) {
  const ReferenceOptions &own = options.reference;
  if (own.listsOps)
    return listOps(context, os);
  Limits limits;
  if (options.memoryLimit)
    limits.bytes = *options.memoryLimit;
  if (!own.maxSteps.empty() &&
      StringRef(own.maxSteps).getAsInteger(10, limits.steps))
    return fail(Status::badUsage,
                "--max-steps=" + escaped(own.maxSteps) + " is no number");
  Status status = Status::ok;
  OwningOpRef<ModuleOp> module = readModel(context, options, status);
  if (!module)
    return status;
  func::FuncOp function = findEntry(*module, own.function);
  if (!function)
    return fail(Status::badInput,
                "the model has no function '" + escaped(own.function) + "'");
  SmallVector<TensorRef> inputs;
  status = readInputs(function, own, inputs);
  if (status != Status::ok)
    return status;
  NodeValues nodes;
  auto results = evaluate(*module, own.function, inputs, limits,
                          own.nodeDir.empty() ? Observer() : nodes.observer());
  if (!results)
    return explain(results.takeError(), options.import.path);
  if (!own.nodeDir.empty())
    if (status = nodes.write(own.nodeDir, own.writesF64); status != Status::ok)
      return status;
  return writeOutputs(function, *results, own, options.json, os);
}

} // namespace weir
