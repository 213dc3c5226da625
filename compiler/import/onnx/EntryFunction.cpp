// Traces what lies between inputs and outputs into a function.

#include "compiler/import/Build.h"
#include "compiler/import/Trained.h"
#include "compiler/import/onnx/Entry.h"
#include "compiler/import/onnx/Tracer.h"
#include "compiler/import/onnx/narrow/Narrow.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace weir::onnx {

static DictionaryAttr portAttrs(Builder &b, const Port &port) {
  StringAttr name = b.getStringAttr(port.name);
  return b.getDictionaryAttr(
      {b.getNamedAttr("weir.name", name), b.getNamedAttr("weir.tensor", name)});
}

LogicalResult buildEntry(Report &report, ModuleOp module, const Entry &entry,
                         const Trained &trained, Tracer &tracer) {
  OpBuilder &builder = tracer.builder;
  builder.setInsertionPointToEnd(module.getBody());
  SmallVector<Type> types;
  for (const Port &port : entry.inputs)
    types.push_back(port.type);
  auto function = builder.create<func::FuncOp>(
      report.file(),
      "weir_entry_" +
          std::to_string(llvm::range_size(module.getOps<func::FuncOp>())),
      builder.getFunctionType(types, {}));
  function->setAttr("weir.entry", builder.getStringAttr(entry.name));
  if (entry.isTraining)
    markTraining(function);
  Block *block = function.addEntryBlock();
  builder.setInsertionPointToStart(block);
  SmallVector<std::pair<StringRef, Traced>> fed;
  SmallVector<DictionaryAttr> argumentAttrs, resultAttrs;
  for (auto [port, argument] : llvm::zip(entry.inputs, block->getArguments())) {
    argument.setLoc(report.node(port.name));
    Traced traced{argument, {}, nullptr};
    if (port.format) {
      ImplicitLocOpBuilder b(argument.getLoc(), builder);
      traced = narrow(*port.format,
                      unpacked({b, argument}, *port.format, port.shape));
    }
    fed.push_back({port.name, traced});
    argumentAttrs.push_back(portAttrs(builder, port));
  }
  SmallVector<StringRef> wanted;
  for (const Port &port : entry.outputs)
    wanted.push_back(port.name);
  for (const auto &variable : trained) {
    graph::VariableOp op = variable.second;
    Value value = builder.create<graph::ReadVariableOp>(
        op.getLoc(), op.getTensorType(), op.getSymName());
    fed.push_back({variable.getKey(), {value, {}, nullptr}});
  }
  FailureOr<SmallVector<Traced>> traced = tracer.trace(wanted, fed);
  if (failed(traced))
    return failure();
  SmallVector<Value> values;
  for (auto [port, result] : llvm::zip(entry.outputs, *traced)) {
    if (auto *x = dynamic_cast<Narrow *>(result.object.get())) {
      ImplicitLocOpBuilder b(report.node(port.name), builder);
      result.value = packed({b, x->codes}, x->format).value;
    }
    if (!result.value) {
      StringRef what = dynamic_cast<Strings *>(result.object.get())
                           ? "of strings"
                           : "no tensor";
      return report.error(report.node(port.name), Status::unsupported)
             << "output '" << escaped(port.name) << "' is " << what
             << ", which weir cannot give";
    }
    values.push_back(result.value);
    resultAttrs.push_back(portAttrs(builder, port));
  }
  builder.create<func::ReturnOp>(report.file(), values);
  function.setType(
      builder.getFunctionType(types, ValueRange(values).getTypes()));
  // All at once: one by one, each would make a list of all anew.
  function.setAllArgAttrs(argumentAttrs);
  function.setAllResultAttrs(resultAttrs);
  for (unsigned i = function.getNumArguments(); entry.takesUsedOnly && i-- > 0;)
    if (function.getArgument(i).use_empty())
      function.eraseArgument(i);
  return success();
}

} // namespace weir::onnx
