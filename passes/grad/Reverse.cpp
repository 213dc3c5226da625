// Walks a block backwards and lets each op build the gradients of its operands.

#include "passes/grad/Reverse.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Gradients.h"
#include "dialects/graph/gradients/Gradient.h"
#include "dialects/graph/state/State.h"

using namespace mlir;

namespace weir::grad {

bool hasGradient(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isa<FloatType>(tensor.getElementType());
}

llvm::SetVector<Value> captures(Operation *op) {
  llvm::SetVector<Value> found;
  op->walk([&](Operation *inner) {
    if (inner == op)
      return;
    for (Value operand : inner->getOperands())
      if (!op->isAncestor(operand.getParentBlock()->getParentOp()))
        found.insert(operand);
  });
  return found;
}

/// Whether gradients may reach the operands of the op. An unknown op counts as
/// one, so that it causes an error.
static bool passes(Operation *op) {
  auto kind = dyn_cast<graph::DifferentiableOpInterface>(op);
  if (auto stop = dyn_cast<graph::StopGradientOp>(op))
    return stop.getRefusal().has_value();
  return !kind || kind.derivative() != graph::Derivative::zero;
}

llvm::DenseSet<Value> dependents(Block::iterator first, Block::iterator last,
                                 ValueRange variables) {
  llvm::DenseSet<Value> found(variables.begin(), variables.end());
  auto depends = [&](Value value) {
    return hasGradient(value.getType()) && found.contains(value);
  };
  for (Operation &op : llvm::make_range(first, last)) {
    if (!passes(&op))
      continue;
    if (llvm::any_of(op.getOperands(), depends) ||
        (op.getNumRegions() && llvm::any_of(captures(&op), depends)))
      for (Value result : op.getResults())
        if (hasGradient(result.getType()))
          found.insert(result);
  }
  return found;
}

/// The node's name, if the location has one.
static StringRef nodeName(Location at) {
  while (true) {
    if (auto name = dyn_cast<NameLoc>(at))
      return name.getName();
    auto call = dyn_cast<CallSiteLoc>(at);
    if (!call)
      return {};
    at = call.getCallee();
  }
}

Location gradientLocation(Location of) {
  StringRef name = nodeName(of);
  if (name.empty() || name.starts_with("gradients/"))
    return of;
  return NameLoc::get(
      StringAttr::get(of.getContext(), "gradients/" + name.str()), of);
}

namespace {

/// One walk from results to variables.
class Walk {
public:
  Walk(Operation *at, ValueRange variables)
      : at(at), builder(at), variables(variables),
        active(dependents(at->getBlock()->begin(), at->getIterator(),
                          variables)) {}

  void add(Value value, Value gradient, Location loc) {
    if (!gradient || !active.contains(value))
      return;
    Value &sum = gradients[value];
    sum = sum ? builder.create<graph::AddOp>(loc, sum, gradient).getResult()
              : gradient;
  }

  LogicalResult run() {
    // The ops before gradients are built.
    SmallVector<Operation *> ops;
    for (auto op = at->getIterator(); op != at->getBlock()->begin();)
      ops.push_back(&*--op);
    for (Operation *op : ops)
      if (llvm::any_of(op->getResults(),
                       [&](Value result) { return gradients.count(result); }))
        if (failed(visit(op)))
          return failure();
    return success();
  }

  Values results() const {
    Values found;
    for (Value variable : variables)
      found.push_back(gradients.lookup(variable));
    return found;
  }

private:
  LogicalResult visit(Operation *op) {
    Location loc = gradientLocation(op->getLoc());
    Values seeds;
    for (Value result : op->getResults())
      seeds.push_back(gradients.lookup(result));
    auto kind = dyn_cast<graph::DifferentiableOpInterface>(op);
    auto derivative = kind ? kind.derivative() : graph::Derivative::none;
    if (auto stop = dyn_cast<graph::StopGradientOp>(op))
      return refuse(op, stop.getRefusal().value_or(""));
    // A variable's gradient is complete at its read.
    if (isa<graph::ReadVariableOp>(op))
      return success();
    switch (derivative) {
    case graph::Derivative::zero:
      return success();
    case graph::Derivative::none:
      return refuse(op, "has no derivative");
    case graph::Derivative::regions:
      return visitRegions(op, seeds, loc);
    case graph::Derivative::rule:
      break;
    }
    llvm::BitVector wanted(op->getNumOperands());
    for (auto [i, operand] : llvm::enumerate(op->getOperands()))
      if (hasGradient(operand.getType()) && active.contains(operand))
        wanted.set(i);
    ImplicitLocOpBuilder b(loc, builder);
    graph::Gradients rule(b, op, seeds, wanted);
    kind.buildGradients(rule);
    if (rule.refused)
      return refuse(op, "has no derivative by its operand " +
                            std::to_string(*rule.refused));
    for (auto [i, operand] : llvm::enumerate(op->getOperands()))
      add(operand, rule.given(i), loc);
    return success();
  }

  LogicalResult visitRegions(Operation *op, ArrayRef<Value> seeds,
                             Location loc) {
    llvm::SetVector<Value> used = captures(op);
    used.insert(op->operand_begin(), op->operand_end());
    Values wanted;
    for (Value value : used)
      if (hasGradient(value.getType()) && active.contains(value))
        wanted.push_back(value);
    FailureOr<Values> given;
    if (auto branch = dyn_cast<graph::IfOp>(op)) {
      given = reverseIf(builder, branch, seeds, wanted);
    } else {
      auto loop = cast<graph::WhileOp>(op);
      Values old(op->result_begin(), op->result_end());
      given = reverseWhile(builder, loop, seeds, wanted);
      // The results of the replaced loop may be variables of this walk.
      for (auto [from, to] : llvm::zip(old, loop.getResults())) {
        if (active.contains(from))
          active.insert(to);
        if (Value gradient = gradients.lookup(from))
          gradients[to] = gradient;
      }
    }
    if (failed(given))
      return failure();
    for (auto [value, gradient] : llvm::zip_equal(wanted, *given))
      add(value, gradient, loc);
    return success();
  }

  /// Reports an error that names the nodes from a variable to the op, and from
  /// there to the source of the gradient.
  LogicalResult refuse(Operation *op, const Twine &why) {
    SmallVector<StringRef> before, behind;
    constexpr size_t most = 8;
    auto note = [&](SmallVector<StringRef> &to, Location loc) {
      StringRef name = nodeName(loc);
      if (!name.empty() && (to.empty() || to.back() != name))
        to.push_back(name);
    };
    // Walks back to a variable by any operand that depends on one.
    for (Operation *from = op; from && before.size() < most;) {
      Value next;
      for (Value operand : from->getOperands())
        if (hasGradient(operand.getType()) && active.contains(operand) &&
            (!next || !next.getDefiningOp()))
          next = operand;
      if (next)
        note(before, next.getLoc());
      from = next ? next.getDefiningOp() : nullptr;
    }
    // Walks on to the results by any op that passed a gradient.
    for (Operation *to = op; to && behind.size() < most;) {
      note(behind, to->getLoc());
      Operation *next = nullptr;
      for (Value result : to->getResults())
        if (gradients.count(result))
          for (Operation *user : result.getUsers())
            if (user->getBlock() == to->getBlock() &&
                user->isBeforeInBlock(at) &&
                llvm::any_of(user->getResults(), [&](Value given) {
                  return gradients.count(given);
                }))
              next = user;
      to = next;
    }
    std::string path;
    for (StringRef name : llvm::reverse(before))
      path += name.str() + " -> ";
    for (StringRef name : behind)
      path += name.str() + " -> ";
    path += "the loss";
    return op->emitError() << "(" << op->getName() << ") " << why
                           << ", and lies between a variable and the loss: "
                           << path;
  }

  Operation *at;
  OpBuilder builder;
  ValueRange variables;
  llvm::DenseSet<Value> active;
  llvm::DenseMap<Value, Value> gradients;
};

} // namespace

FailureOr<Values> reverse(Operation *at, ValueRange results,
                          ArrayRef<Value> seeds, ValueRange variables) {
  Walk walk(at, variables);
  for (auto [result, seed] : llvm::zip_equal(results, seeds))
    walk.add(result, seed, gradientLocation(result.getLoc()));
  if (failed(walk.run()))
    return failure();
  return walk.results();
}

} // namespace weir::grad
