// Builds the function of an entry: its arguments, what is traced, its results.

#include "compiler/import/bounded/entry/EntryFunction.h"

#include "compiler/import/Trained.h"
#include "compiler/import/bounded/Labels.h"
#include "compiler/import/bounded/PaddedBuffers.h"
#include "compiler/import/bounded/Sizes.h"
#include "dialects/weir/Attributes.h"

using namespace mlir;

namespace weir {

/// The function, without arguments' attributes and results yet.
static func::FuncOp declareFunction(ModuleOp module, OpBuilder &builder,
                                    const TracedEntry &entry,
                                    ArrayRef<Type> arguments) {
  builder.setInsertionPointToEnd(module.getBody());
  size_t number = llvm::range_size(module.getOps<func::FuncOp>());
  auto function = builder.create<func::FuncOp>(
      entry.report.file(), "weir_entry_" + std::to_string(number),
      builder.getFunctionType(arguments, {}));
  attrs::entry.set(function, builder.getStringAttr(entry.name));
  if (entry.isTraining)
    markTraining(function);
  return function;
}

FailureOr<func::FuncOp> buildFunction(ModuleOp module, OpBuilder &builder,
                                      const TracedEntry &entry) {
  Report &report = entry.report;
  Inputs inputs(report.context, entry.inputs);
  report.fixingSizes = inputs.fixing();
  func::FuncOp function =
      declareFunction(module, builder, entry, inputs.types());
  Block *block = function.addEntryBlock();
  builder.setInsertionPointToStart(block);
  SmallVector<Traced> fed;
  for (size_t i = 0; i < entry.inputs.size(); ++i) {
    BlockArgument argument = block->getArgument(i);
    argument.setLoc(entry.at(i));
    ImplicitLocOpBuilder b(argument.getLoc(), builder);
    FailureOr<Value> value = entry.declare(b, i, argument);
    if (failed(value))
      return failure();
    Traced input = inputs.traced(b, *block, i, *value);
    if (entry.derives)
      zeroBeyond(b, input);
    else if (input.isBounded())
      writeSizes(report, input.value, sizesOf(input));
    fed.push_back(entry.convert(b, i, std::move(input)));
  }
  // A loss adds its labels behind them.
  inputs.describe(function);
  // A debugging library has one version, whose nodes it observes.
  bool canBranch = entry.canBranch && !entry.options.instruments;
  FailureOr<EntryResults> results = traceVersions(
      {report, entry.options, entry.name, entry.inputs, canBranch, entry.trace},
      builder, fed);
  if (failed(results))
    return failure();
  builder.create<func::ReturnOp>(report.file(), results->values);
  function.setType(builder.getFunctionType(
      function.getArgumentTypes(), ValueRange(results->values).getTypes()));
  function.setAllResultAttrs(results->attributes);
  return function;
}

} // namespace weir
