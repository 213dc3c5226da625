// The reference as one function, and which ops it evaluates.

#include "compiler/reference/Reference.h"

#include "compiler/reference/Families.h"
#include "compiler/reference/RandomErrors.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/collective/Collective.h"
#include "dialects/weir/Attributes.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace mlir;

namespace weir::reference {

func::FuncOp findEntry(ModuleOp module, StringRef name) {
  func::FuncOp first;
  for (auto function : module.getOps<func::FuncOp>()) {
    StringAttr entry = attrs::entry.of(function);
    if (function.isExternal() || attrs::init.isOn(function))
      continue;
    if (entry && entry == (name.empty() ? "serving_default" : name))
      return function;
    if (!first)
      first = function;
  }
  return name.empty() ? first : module.lookupSymbol<func::FuncOp>(name);
}

static llvm::Error badInput(const Twine &text) {
  return llvm::make_error<ReferenceError>(ReferenceError::Kind::badInput, "",
                                          text.str());
}

/// Fails unless there is a tensor of its type for each argument.
static llvm::Error checkInputs(func::FuncOp function,
                               ArrayRef<TensorRef> inputs) {
  if (function.getNumArguments() != inputs.size())
    return badInput("the function has " + Twine(function.getNumArguments()) +
                    " inputs, and " + Twine(inputs.size()) + " are given");
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    if (inputs[i] && inputs[i]->type() == type)
      continue;
    std::string text;
    llvm::raw_string_ostream os(text);
    os << "input " << i << ": expected " << type;
    if (inputs[i])
      os << ", got " << inputs[i]->type();
    return badInput(os.str());
  }
  return llvm::Error::success();
}

llvm::Expected<SmallVector<TensorRef>>
evaluate(ModuleOp module, StringRef entry, ArrayRef<TensorRef> inputs,
         Limits limits, Observer observe, RandomErrors *errors) {
  func::FuncOp function = findEntry(module, entry);
  if (!function)
    return badInput("the model has no function '" + entry + "'");
  if (llvm::Error error = checkInputs(function, inputs))
    return error;
  Interpreter interpreter(module, limits, std::move(observe), errors);
  for (auto init : module.getOps<func::FuncOp>())
    if (attrs::init.isOn(init) && init != function)
      if (auto results = interpreter.run(init, {}); !results)
        return results.takeError();
  return interpreter.run(function, inputs);
}

/// The square of the distance of two numbers. NaN equals NaN.
static double squaredDistance(double x, double y) {
  if (x == y || (std::isnan(x) && std::isnan(y)))
    return 0;
  double distance = x - y;
  return std::isfinite(distance) ? distance * distance : INFINITY;
}

llvm::Expected<SmallVector<TensorRef>>
estimateErrors(ModuleOp module, StringRef entry, ArrayRef<TensorRef> inputs,
               ArrayRef<TensorRef> results, uint64_t runs, Limits limits) {
  SmallVector<Tensor> squares;
  for (const TensorRef &result : results)
    squares.push_back(Tensor(RankedTensorType::get(
        result->shape(), Float64Type::get(module.getContext()))));
  for (uint64_t run = 0; run < runs; ++run) {
    RandomErrors errors(run);
    auto changed = evaluate(module, entry, inputs, limits, {}, &errors);
    if (!changed)
      return changed.takeError();
    for (auto [square, exact, other] :
         llvm::zip_equal(squares, results, *changed))
      for (int64_t i = 0; i < square.size(); ++i)
        square[i].number += squaredDistance(exact->number(i), other->number(i));
  }
  SmallVector<TensorRef> deviations;
  for (Tensor &square : squares) {
    for (int64_t i = 0; i < square.size(); ++i)
      square[i].number = std::sqrt(square[i].number / double(runs));
    deviations.push_back(std::make_shared<Tensor>(std::move(square)));
  }
  return deviations;
}

static bool isOfRanks(StringRef op) {
  return llvm::is_contained({graph::AllReduceOp::getOperationName(),
                             graph::AllGatherOp::getOperationName(),
                             graph::OwnPartOp::getOperationName(),
                             graph::ReduceScatterOp::getOperationName(),
                             graph::SendOp::getOperationName(),
                             graph::RecvOp::getOperationName(),
                             graph::AgreeOp::getOperationName()},
                            op);
}

/// The reason why an op is not evaluated; empty if there is none.
static StringRef reasonAgainst(StringRef op) {
  if (isOfRanks(op))
    return "several ranks compute it together";
  return llvm::StringSwitch<StringRef>(op)
      .Case("graph.gradient", "the stage grad replaces it by other ops")
      .Case("graph.custom", "a function outside of the model computes it")
      .Default("");
}

std::vector<OpCoverage> coverage(MLIRContext *context) {
  std::vector<OpCoverage> all;
  for (RegisteredOperationName name : context->getRegisteredOperations()) {
    if (name.getDialectNamespace() !=
        graph::GraphDialect::getDialectNamespace())
      continue;
    StringRef op = name.getStringRef();
    bool isEvaluated = evaluators().find(op) || Interpreter::handles(op) ||
                       name.hasInterface<graph::ScalarOpInterface>();
    all.push_back(
        {op, isEvaluated, isEvaluated ? "" : reasonAgainst(op), isOfRanks(op)});
  }
  llvm::sort(all, [](const OpCoverage &a, const OpCoverage &b) {
    return a.op < b.op;
  });
  return all;
}

} // namespace weir::reference
