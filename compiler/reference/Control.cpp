// Control flow, constants, variables and checks of the reference interpreter.

#include "compiler/reference/Scope.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/state/State.h"

using namespace mlir;

namespace weir::reference {

using Kind = ReferenceError::Kind;

const llvm::StringMap<Interpreter::Handler> &Interpreter::handlers() {
  static const llvm::StringMap<Handler> all = {
      {graph::ConstantOp::getOperationName(), &Interpreter::constant},
      {graph::GroupOp::getOperationName(), &Interpreter::group},
      {graph::IfOp::getOperationName(), &Interpreter::branch},
      {graph::WhileOp::getOperationName(), &Interpreter::loop},
      {graph::CheckOp::getOperationName(), &Interpreter::test},
      {graph::SymbolOp::getOperationName(), &Interpreter::symbol},
      {graph::ReadVariableOp::getOperationName(), &Interpreter::readVariable},
      {graph::WriteVariableOp::getOperationName(), &Interpreter::writeVariable},
      {func::CallOp::getOperationName(), &Interpreter::call},
  };
  return all;
}

bool Interpreter::handles(StringRef op) {
  // A yield ends the blocks that run, and variables are read before a run.
  return handlers().contains(op) || op == graph::YieldOp::getOperationName() ||
         op == graph::VariableOp::getOperationName();
}

static bool isTrue(const TensorRef &tensor) { return (*tensor)[0].bits != 0; }

llvm::Error Interpreter::constant(Operation &op, Scope &, Values &results) {
  auto known = cast<graph::ConstantOp>(op);
  TensorRef &tensor = constants[known.getValueAttr()];
  if (!tensor) {
    if (llvm::Error error = reserve(op))
      return error;
    auto value = Tensor::fromAttribute(known.getValue());
    if (failed(value))
      return errorAt(op, Kind::badInput,
                     "the values of the constant are not in the file");
    tensor = keep(std::move(*value));
  }
  results.push_back(tensor);
  return llvm::Error::success();
}

llvm::Error Interpreter::group(Operation &op, Scope &scope, Values &results) {
  return runRegion(cast<graph::GroupOp>(op).getBody(), nullptr,
                   scope.operandsOf(op), results);
}

llvm::Error Interpreter::branch(Operation &op, Scope &scope, Values &results) {
  auto choice = cast<graph::IfOp>(op);
  Region &region = isTrue(scope.lookup(choice.getCondition()))
                       ? choice.getThenRegion()
                       : choice.getElseRegion();
  return runRegion(region, &scope, {}, results);
}

llvm::Error Interpreter::loop(Operation &op, Scope &scope, Values &results) {
  auto loop = cast<graph::WhileOp>(op);
  results = scope.operandsOf(op);
  while (true) {
    Values condition, next;
    if (llvm::Error error = step(op))
      return error;
    if (llvm::Error error =
            runRegion(loop.getCondition(), &scope, results, condition))
      return error;
    if (!isTrue(condition[0]))
      return llvm::Error::success();
    if (llvm::Error error = runRegion(loop.getBody(), &scope, results, next))
      return error;
    results = std::move(next);
  }
}

llvm::Error Interpreter::call(Operation &op, Scope &scope, Values &results) {
  constexpr unsigned mostCalls = 256;
  auto call = cast<func::CallOp>(op);
  auto callee = module.lookupSymbol<func::FuncOp>(call.getCallee());
  if (!callee || callee.isExternal())
    return errorAt(op, Kind::badInput,
                   "the module has no function '" + call.getCallee() + "'");
  if (depth == mostCalls)
    return errorAt(op, Kind::limit,
                   "more than " + Twine(mostCalls) + " nested calls");
  ++depth;
  llvm::Error error =
      runRegion(callee.getBody(), nullptr, scope.operandsOf(op), results);
  --depth;
  return error;
}

llvm::Error Interpreter::test(Operation &op, Scope &scope, Values &) {
  auto check = cast<graph::CheckOp>(op);
  if (failedCheck.empty() && !isTrue(scope.lookup(check.getCondition())))
    failedCheck = check.getMessage().empty() ? "a check failed"
                                             : check.getMessage().str();
  return llvm::Error::success();
}

llvm::Error Interpreter::symbol(Operation &, Scope &, Values &) {
  return llvm::Error::success();
}

llvm::Error Interpreter::readVariable(Operation &op, Scope &, Values &results) {
  auto read = cast<graph::ReadVariableOp>(op);
  results.push_back(variables.lookup(read.getVariable()));
  return llvm::Error::success();
}

llvm::Error Interpreter::writeVariable(Operation &op, Scope &scope, Values &) {
  auto write = cast<graph::WriteVariableOp>(op);
  variables[write.getVariable()] = scope.lookup(write.getValue());
  return llvm::Error::success();
}

} // namespace weir::reference
