// The tensors of a model that `weir diff` compares.

#include "tools/diff/Model.h"

#include "compiler/Place.h"
#include "compiler/import/debug/Instruments.h"
#include "compiler/reference/Reference.h"
#include "dialects/graph/Graph.h"
#include "dialects/weir/Attributes.h"
#include "dialects/weir/TensorName.h"
#include "mlir/Pass/PassManager.h"
#include "passes/graph/Passes.h"
#include "tools/reference/Files.h"
#include "tools/reference/Signature.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace weir::diff {
namespace {

/// The tensors of `graph.keep`. Of several values of one name the last counts,
/// as in `weir-return-kept`.
std::vector<Kept> keptIn(func::FuncOp function) {
  llvm::MapVector<StringAttr, graph::KeepOp> byTensor;
  function.walk<WalkOrder::PreOrder>([&](graph::KeepOp keep) {
    byTensor.erase(keep.getTensorAttr());
    byTensor[keep.getTensorAttr()] = keep;
  });
  std::vector<Kept> all;
  for (auto &[tensor, keep] : byTensor)
    all.push_back({tensor.str(), pathOf(keep.getLoc()), "", keep.getValue(),
                   keep.getShape()});
  return all;
}

/// Adds the outputs of the function that no `graph.keep` has.
void addOutputs(func::FuncOp function, std::vector<Kept> &all) {
  Operation *end = function.getBody().front().getTerminator();
  llvm::StringSet<> known;
  for (const Kept &kept : all)
    known.insert(withoutIndex(kept.tensor));
  for (auto [output, value] :
       llvm::zip_equal(reference::outputsOf(function), end->getOperands())) {
    if (output.isSizes || !known.insert(withoutIndex(output.tensor)).second)
      continue;
    Value sizes = output.sizes ? end->getOperand(*output.sizes) : Value();
    Operation *op = value.getDefiningOp();
    all.push_back({output.tensor, op ? pathOf(op->getLoc()) : "", output.name,
                   value, sizes});
  }
}

/// Finds the names of the outputs of a library: those that the pass of the
/// compiler gives them.
LogicalResult nameOutputs(Model &model) {
  OwningOpRef<ModuleOp> library = model.module->clone();
  MLIRContext *context = library->getContext();
  PassManager pm(context);
  pm.addPass(graph::createReturnKept());
  // The compiler prints the warnings of the pass.
  ScopedDiagnosticHandler quiet(context,
                                [](Diagnostic &) { return success(); });
  if (failed(pm.run(*library)))
    return failure();
  llvm::StringMap<std::string> names;
  auto function = library->lookupSymbol<func::FuncOp>(model.function.getName());
  for (const reference::SignatureTensor &output :
       reference::outputsOf(function))
    names.try_emplace(withoutIndex(output.tensor), output.name);
  for (Kept &kept : model.tensors)
    if (auto found = names.find(withoutIndex(kept.tensor));
        found != names.end())
      kept.output = found->second;
  llvm::erase_if(model.tensors,
                 [](const Kept &kept) { return kept.output.empty(); });
  return success();
}

} // namespace

Status readModel(MLIRContext *context, const Options &options, Model &model) {
  Options kept = options;
  if (!kept.import.instruments && options.input == InputKind::Model) {
    kept.import.instruments = std::make_shared<Instruments>();
    kept.import.instruments->setKeep(options.diff.keep);
  }
  Status status = Status::ok;
  model.module = reference::readModel(context, kept, status);
  if (!model.module)
    return status;
  StringRef name = options.reference.function;
  model.function = reference::findEntry(*model.module, name);
  if (!model.function)
    return reference::fail(Status::badInput,
                           "the model has no function '" + escaped(name) + "'");
  model.tensors = keptIn(model.function);
  addOutputs(model.function, model.tensors);
  return failed(nameOutputs(model)) ? Status::internal : Status::ok;
}

} // namespace weir::diff
