// `weir reference`: evaluates a model in f64.

#include "tools/reference/Command.h"

#include "compiler/reference/Reference.h"
#include "tools/reference/Files.h"
#include "tools/reference/Nodes.h"

using namespace mlir;

namespace weir {

using namespace reference;

static Status listOps(MLIRContext *context, raw_ostream &os) {
  size_t evaluated = 0, all = 0;
  std::vector<OpCoverage> ops = coverage(context);
  for (const OpCoverage &op : ops) {
    evaluated += op.isEvaluated;
    all += !op.isOfRanks;
    os << op.op << (op.isEvaluated ? ": evaluated" : ": not evaluated");
    if (!op.reason.empty())
      os << ": " << op.reason;
    os << "\n";
  }
  os << evaluated << " of " << all << " ops are evaluated\n";
  return Status::ok;
}

Status runReference(MLIRContext *context, const Options &options,
                    raw_ostream &os) {
  const ReferenceOptions &own = options.reference;
  if (own.listsOps)
    return listOps(context, os);
  Limits limits;
  if (Status status = readLimits(options, limits); status != Status::ok)
    return status;
  Status status = Status::ok;
  OwningOpRef<ModuleOp> module = readModel(context, options, status);
  if (!module)
    return status;
  func::FuncOp function = findEntry(*module, own.function);
  if (!function)
    return fail(Status::badInput,
                "the model has no function '" + escaped(own.function) + "'");
  SmallVector<TensorRef> inputs;
  status = readInputs(function, own, limits, inputs);
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
  SmallVector<TensorRef> errors;
  if (own.errorRuns) {
    auto estimated = estimateErrors(*module, own.function, inputs, *results,
                                    own.errorRuns, limits);
    if (!estimated)
      return explain(estimated.takeError(), options.import.path);
    errors = std::move(*estimated);
  }
  return writeOutputs(function, *results, errors, own, options.json, os);
}

} // namespace weir
