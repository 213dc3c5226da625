// The reference interpreter: blocks and pure ops. Control.cpp has the ops with
// regions, variables and checks.

#include "compiler/reference/Interpreter.h"

#include "compiler/Place.h"
#include "compiler/reference/Families.h"
#include "compiler/reference/RandomErrors.h"
#include "compiler/reference/Scope.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/state/State.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace weir::reference {

char ReferenceError::ID;

void ReferenceError::log(raw_ostream &os) const {
  if (!nodeName.empty())
    os << "node '" << nodeName << "': ";
  os << text;
}

std::error_code ReferenceError::convertToErrorCode() const {
  return std::make_error_code(why == Kind::limit ? std::errc::not_enough_memory
                                                 : std::errc::invalid_argument);
}

llvm::Error errorAt(Operation &op, ReferenceError::Kind kind,
                    const Twine &text) {
  return llvm::make_error<ReferenceError>(kind, nodeOf(op.getLoc()),
                                          text.str());
}

Interpreter::Interpreter(ModuleOp module, Limits limits, Observer observe,
                         RandomErrors *errors)
    : module(module), limits(limits), observe(std::move(observe)),
      errors(errors) {}

llvm::Error Interpreter::readVariables() {
  for (auto variable : module.getOps<graph::VariableOp>()) {
    Tensor value(variable.getTensorType());
    if (auto initial = variable.getInitialAttr()) {
      auto known = Tensor::fromAttribute(initial);
      if (failed(known))
        return errorAt(*variable, ReferenceError::Kind::badInput,
                       "the values of variable '" + variable.getSymName() +
                           "' are not in the file");
      value = std::move(*known);
    }
    variables[variable.getSymName()] = keep(std::move(value));
  }
  hasVariables = true;
  return llvm::Error::success();
}

llvm::Expected<SmallVector<TensorRef>>
Interpreter::run(func::FuncOp function, ArrayRef<TensorRef> arguments) {
  failedCheck.clear();
  steps = 0;
  if (!hasVariables)
    if (llvm::Error error = readVariables())
      return error;
  Values results;
  if (llvm::Error error =
          runRegion(function.getBody(), nullptr, arguments, results))
    return error;
  if (!failedCheck.empty())
    return llvm::make_error<ReferenceError>(ReferenceError::Kind::failedCheck,
                                            "", failedCheck);
  return results;
}

llvm::Error Interpreter::runRegion(Region &region, Scope *outer,
                                   ArrayRef<TensorRef> arguments,
                                   Values &results) {
  Scope inner(outer);
  Block &block = region.front();
  for (auto [argument, tensor] :
       llvm::zip_equal(block.getArguments(), arguments))
    inner.set(argument, tensor);
  return runBlock(block, inner, results);
}

llvm::Error Interpreter::runBlock(Block &block, Scope &scope, Values &results) {
  const LastUses &ends = lastUsesOf(block);
  for (Operation &op : block.without_terminator()) {
    if (llvm::Error error = runOp(op, scope))
      return error;
    if (auto found = ends.find(&op); found != ends.end())
      for (Value value : found->second)
        scope.erase(value);
  }
  results = scope.operandsOf(*block.getTerminator());
  return llvm::Error::success();
}

const Interpreter::LastUses &Interpreter::lastUsesOf(Block &block) {
  auto [found, isNew] = lastUses.try_emplace(&block);
  LastUses &ends = found->second;
  if (!isNew)
    return ends;
  auto add = [&](Value value, Operation *end) {
    for (Operation *user : value.getUsers()) {
      Operation *here = block.findAncestorOpInBlock(*user);
      if (here && (!end || end->isBeforeInBlock(here)))
        end = here;
    }
    if (end)
      ends[end].push_back(value);
  };
  for (Value argument : block.getArguments())
    add(argument, nullptr);
  for (Operation &op : block)
    for (Value result : op.getResults())
      add(result, &op);
  return ends;
}

llvm::Error Interpreter::step(Operation &op) {
  if (++steps <= limits.steps)
    return llvm::Error::success();
  return errorAt(op, ReferenceError::Kind::limit,
                 "the run has more than " + Twine(limits.steps) + " steps");
}

llvm::Error Interpreter::reserve(Operation &op) {
  uint64_t wanted = *live;
  for (Type type : op.getResultTypes()) {
    uint64_t elements = cast<RankedTensorType>(type).getNumElements();
    wanted =
        llvm::SaturatingMultiplyAdd<uint64_t>(elements, sizeof(Lane), wanted);
  }
  if (wanted <= limits.bytes)
    return llvm::Error::success();
  return errorAt(op, ReferenceError::Kind::limit,
                 "the tensors have more than " + Twine(limits.bytes) +
                     " bytes, 8 for each element");
}

TensorRef Interpreter::keep(Tensor tensor) {
  uint64_t bytes = uint64_t(tensor.size()) * sizeof(Lane);
  *live += bytes;
  return TensorRef(new Tensor(std::move(tensor)),
                   [counter = live, bytes](const Tensor *tensor) {
                     *counter -= bytes;
                     delete tensor;
                   });
}

llvm::Error Interpreter::runPure(Operation &op, Scope &scope, Values &results) {
  const Evaluators::Function *evaluate =
      evaluators().find(op.getName().getStringRef());
  if (!evaluate && !isa<graph::ScalarOpInterface>(op))
    return errorAt(op, ReferenceError::Kind::unsupported,
                   "the reference does not evaluate '" +
                       op.getName().getStringRef() + "'");
  if (llvm::Error error = reserve(op))
    return error;
  Values operands = scope.operandsOf(op);
  auto compute = [&](Operation *op, Operands operands) {
    return evaluate ? (*evaluate)(op, operands)
                    : evaluateElementwise(op, operands);
  };
  Results computed = errors ? errors->evaluate(&op, operands, compute)
                            : compute(&op, operands);
  if (!computed)
    return errorAt(op, ReferenceError::Kind::unsupported,
                   "'" + op.getName().getStringRef() +
                       "' is undefined for these values");
  for (Tensor &tensor : *computed)
    results.push_back(keep(std::move(tensor)));
  return llvm::Error::success();
}

llvm::Error Interpreter::runOp(Operation &op, Scope &scope) {
  if (llvm::Error error = step(op))
    return error;
  Values results;
  auto handler = handlers().find(op.getName().getStringRef());
  if (llvm::Error error = handler != handlers().end()
                              ? (this->*handler->second)(op, scope, results)
                              : runPure(op, scope, results))
    return error;
  bool isObserved = observe && !op.getParentOfType<graph::GroupOp>();
  for (auto [result, tensor] : llvm::zip_equal(op.getResults(), results)) {
    scope.set(result, tensor);
    if (isObserved)
      observe(nodeOf(op.getLoc()), result, tensor);
  }
  return llvm::Error::success();
}

} // namespace weir::reference
