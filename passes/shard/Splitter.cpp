// Makes the program of one rank of a function, op by op.

#include "passes/shard/Splitter.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Index.h"
#include "dialects/graph/Reduce.h"
#include "dialects/graph/Shape.h"
#include "dialects/weir/Attributes.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"
#include "passes/shard/ConstantParts.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace weir::shard {

/// Whether only checks read the value, perhaps by way of logical ops.
static bool isOnlyChecked(Value value) {
  return !value.use_empty() &&
         llvm::all_of(value.getUsers(), [](Operation *user) {
           if (isa<graph::CheckOp>(user))
             return true;
           return isa<graph::LogicalAndOp>(user) &&
                  isOnlyChecked(user->getResult(0));
         });
}

/// Lets each rank reduce its own part: its result is not that of all ranks.
static void reduceOwn(graph::ReduceAndOp op, graph::ShardingRule &rule) {
  for (auto [d, letter] : llvm::enumerate(rule.operands[0]))
    letter = static_cast<int>(d);
}

/// The variable that the op reads or assigns; null for other ops.
static FlatSymbolRefAttr symbolOf(Operation *op) {
  if (auto read = dyn_cast<graph::ReadVariableOp>(op))
    return read.getVariableAttr();
  if (auto write = dyn_cast<graph::WriteVariableOp>(op))
    return write.getVariableAttr();
  return {};
}

static Sharding shardingOfVariable(func::FuncOp function,
                                   FlatSymbolRefAttr symbol) {
  auto variable =
      SymbolTable::lookupNearestSymbolFrom<graph::VariableOp>(function, symbol);
  DenseI64ArrayAttr shards = attrs::shards.of(variable);
  return shards ? Sharding(shards.asArrayRef())
                : Sharding(variable.getTensorType().getRank());
}

/// How the user divides the result; empty if no rule is about it, or if a pass
/// has changed the shape since.
static Sharding givenOn(MeshAttr mesh, Operation *op) {
  DenseI64ArrayAttr shards = attrs::shards.of(op);
  if (!shards || op->getNumResults() != 1 ||
      !canDivide(mesh, op->getResult(0).getType(), shards.asArrayRef()))
    return {};
  return Sharding(shards.asArrayRef());
}

LogicalResult Splitter::run() {
  Block &body = function.getBody().front();
  SmallVector<Operation *> ops;
  for (Operation &op : body.without_terminator())
    ops.push_back(&op);
  llvm::append_range(originals, body.getArguments());
  splitArguments();
  for (Operation *op : ops)
    if (failed(split(*op)))
      return failure();
  splitReturn(cast<func::ReturnOp>(body.getTerminator()));
  for (Operation *op : llvm::reverse(ops))
    op->erase();
  for (BlockArgument whole : originals)
    body.eraseArgument(whole.getArgNumber());
  return success();
}

void Splitter::splitArguments() {
  Block &body = function.getBody().front();
  SmallVector<Type> types;
  for (auto [i, whole] : llvm::enumerate(originals)) {
    Sharding sharding = wholeOf(whole);
    if (auto shards = attrs::shards.ofArgument(function, i))
      sharding.assign(shards.asArrayRef().begin(), shards.asArrayRef().end());
    types.push_back(partOf(mesh, whole.getType(), sharding));
    // Rules need the original types until the end.
    Value part = body.insertArgument(whole.getArgNumber() + 1, types.back(),
                                     whole.getLoc());
    define(whole, sharding, part);
  }
  function.setFunctionType(FunctionType::get(
      function.getContext(), types, function.getFunctionType().getResults()));
}

LogicalResult Splitter::split(Operation &op) {
  b.setInsertionPoint(&op);
  if (isa<graph::SymbolOp>(op) || attrs::sizes.isOn(&op))
    return op.emitError("has dynamic dimensions, which --mesh does not divide; "
                        "--dim sets a size");
  // A check is of the rank's own values; a failure on one is one of all.
  if (auto check = dyn_cast<graph::CheckOp>(op)) {
    IRMapping mapping;
    for (Value operand : op.getOperands())
      mapping.map(operand, forms[operand].front().value);
    b.clone(op, mapping);
    return success();
  }
  if (auto symbol = symbolOf(&op))
    if (Sharding sharding = shardingOfVariable(function, symbol);
        !isWhole(sharding)) {
      if (auto reading = dyn_cast<graph::ReadVariableOp>(op))
        read(reading, sharding);
      else
        write(cast<graph::WriteVariableOp>(op), sharding);
      return success();
    }
  std::optional<graph::ShardingRule> rule = graph::shardingRuleOf(&op);
  Sharding wanted = givenOn(mesh, &op);
  if (!rule || !op.getNumOperands()) {
    computeWhole(op);
    // A rule of the user divides a constant, or the result of such an op.
    if (!wanted.empty() && !isWhole(wanted)) {
      Value value = op.getResult(0);
      formOf(value, wanted);
      std::swap(forms[value].front(), forms[value].back());
    }
    return success();
  }
  if (isa<graph::ReduceAndOp>(op) && isOnlyChecked(op.getResult(0)))
    reduceOwn(cast<graph::ReduceAndOp>(op), *rule);
  Division division(mesh, &op, std::move(*rule));
  if (!wanted.empty())
    (void)division.produce(0, wanted);
  SmallVector<Sharding> operands;
  for (Value operand : op.getOperands())
    operands.emplace_back(shardingOf(operand));
  division.follow(operands);
  computeParts(op, division);
  return success();
}

void Splitter::computeWhole(Operation &op) {
  IRMapping mapping;
  bool gathers = false;
  auto need = [&](Value value) {
    if (mapping.contains(value))
      return;
    gathers |= !isWhole(shardingOf(value));
    mapping.map(value, formOf(value, wholeOf(value)));
  };
  for (Value operand : op.getOperands())
    need(operand);
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op.getRegions(), captured);
  for (Value value : captured)
    need(value);
  Operation *clone = b.clone(op, mapping);
  attrs::shards.remove(clone);
  if (gathers)
    attrs::whole.set(clone);
  for (auto [result, form] :
       llvm::zip_equal(op.getResults(), clone->getResults()))
    define(result, wholeOf(result), form);
}

void Splitter::read(graph::ReadVariableOp op, ArrayRef<int64_t> sharding) {
  Operation *part = b.clone(*op);
  part->getResult(0).setType(partOf(mesh, op.getType(), sharding));
  define(op, sharding, part->getResult(0));
}

void Splitter::write(graph::WriteVariableOp op, ArrayRef<int64_t> sharding) {
  IRMapping mapping;
  mapping.map(op.getValue(), formOf(op.getValue(), sharding));
  b.clone(*op, mapping);
}

void Splitter::computeParts(Operation &op, Division &division) {
  SmallVector<Value> operands;
  for (auto [i, operand] : llvm::enumerate(op.getOperands()))
    operands.push_back(formOf(operand, division.ofOperand(i)));
  Operation *part = copy(&op, operands, division);
  if (!division.dividesAny() &&
      llvm::any_of(op.getOperands(),
                   [&](Value value) { return !isWhole(shardingOf(value)); }))
    attrs::whole.set(part);
  auto [axes, combine] = division.partialAxes();
  for (auto [i, result] : llvm::enumerate(op.getResults())) {
    Value value = part->getResult(i);
    if (axes)
      value = b.create<graph::AllReduceOp>(op.getLoc(), combine, value,
                                           axesOf(mesh, axes));
    define(result, division.ofResult(i), value);
  }
}

/// Attributes that contain sizes of a result become those of the part.
static void fitSizes(Operation *copy, ArrayRef<int64_t> sharding) {
  if (isWhole(sharding))
    return;
  auto part = cast<RankedTensorType>(copy->getResult(0).getType());
  auto fit = [&](ArrayRef<int64_t> sizes) {
    SmallVector<int64_t> fitted(sizes);
    for (auto [d, bits] : llvm::enumerate(sharding))
      if (bits)
        fitted[d] = part.getDimSize(d);
    return fitted;
  };
  if (auto slice = dyn_cast<graph::SliceOp>(copy))
    slice.setLimits(fit(slice.getLimits()));
  else if (auto slice = dyn_cast<graph::DynamicSliceOp>(copy))
    slice.setSizes(fit(slice.getSizes()));
}

Operation *Splitter::copy(Operation *op, ValueRange operands,
                          const Division &division) {
  Operation *copy = b.clone(*op);
  copy->setOperands(operands);
  attrs::shards.remove(copy);
  for (auto [i, result] : llvm::enumerate(copy->getResults()))
    result.setType(partOf(mesh, result.getType(), division.ofResult(i)));
  fitSizes(copy, division.ofResult(0));
  return copy;
}

/// Whether each dimension is whole in the larger form, or divided alike.
static bool isPartOf(ArrayRef<int64_t> part, ArrayRef<int64_t> larger) {
  return llvm::all_of(llvm::zip_equal(part, larger), [](auto bits) {
    auto [own, before] = bits;
    return !before || before == own;
  });
}

Value Splitter::formOf(Value value, ArrayRef<int64_t> sharding) {
  for (const Form &form : forms[value])
    if (ArrayRef(form.sharding) == sharding)
      return form.value;
  Form first = forms[value].front();
  Value made = cut(value, sharding);
  if (!made && isPartOf(sharding, first.sharding))
    made = recompute(value, sharding);
  if (!made)
    made = convert(first, sharding);
  define(value, sharding, made);
  return made;
}

Value Splitter::recompute(Value value, ArrayRef<int64_t> sharding) {
  // Later operands would need as many calls on the stack.
  constexpr unsigned deepest = 64;
  Operation *op = value.getDefiningOp();
  if (!op || depth == deepest || op->getNumResults() != 1 ||
      !isa<graph::BroadcastOp, graph::TransposeOp, graph::ReshapeOp,
           graph::IotaOp, graph::ScalarOpInterface>(op))
    return {};
  Division division(mesh, op, *graph::shardingRuleOf(op));
  if (!division.produce(0, sharding))
    return {};
  llvm::SaveAndRestore<unsigned> deeper(depth, depth + 1);
  SmallVector<Value> operands;
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    operands.push_back(formOf(operand, division.ofOperand(i)));
  return copy(op, operands, division)->getResult(0);
}

Value Splitter::cut(Value value, ArrayRef<int64_t> sharding) {
  auto constant = value.getDefiningOp<graph::ConstantOp>();
  if (!constant || isWhole(sharding))
    return {};
  ElementsAttr parts = divide(mesh, constant, sharding);
  if (!parts)
    return {};
  return b.create<graph::ConstantOp>(constant.getLoc(), parts);
}

Value Splitter::convert(const Form &from, ArrayRef<int64_t> sharding) {
  Value value = from.value;
  Location loc = value.getLoc();
  auto typeOf = [&] { return cast<RankedTensorType>(value.getType()); };
  auto resized = [&](size_t d, int64_t size) {
    SmallVector<int64_t> shape(typeOf().getShape());
    shape[d] = size;
    return typeOf().clone(shape);
  };
  for (auto [d, bits] : llvm::enumerate(from.sharding))
    if (bits && bits != sharding[d])
      value = b.create<graph::AllGatherOp>(
          loc, resized(d, typeOf().getDimSize(d) * ranksOf(mesh, bits)), value,
          d, axesOf(mesh, bits));
  for (auto [d, bits] : llvm::enumerate(sharding))
    if (bits && bits != from.sharding[d])
      value = b.create<graph::OwnPartOp>(
          loc, resized(d, typeOf().getDimSize(d) / ranksOf(mesh, bits)), value,
          d, axesOf(mesh, bits));
  return value;
}

void Splitter::splitReturn(func::ReturnOp op) {
  b.setInsertionPoint(op);
  SmallVector<Type> types;
  for (auto [i, value] : llvm::enumerate(op.getOperands())) {
    const Form &form = forms[value].front();
    types.push_back(form.value.getType());
    if (!isWhole(form.sharding))
      attrs::shards.setOnResult(function, i, ArrayRef(form.sharding));
    op.setOperand(i, form.value);
  }
  function.setFunctionType(FunctionType::get(
      function.getContext(), function.getFunctionType().getInputs(), types));
}

} // namespace weir::shard
