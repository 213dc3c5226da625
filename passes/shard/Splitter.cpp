// Makes the program of one rank of a function, op by op.

#include "passes/shard/Splitter.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Index.h"
#include "dialects/graph/Reduce.h"
#include "dialects/graph/Shape.h"
#include "dialects/graph/state/State.h"
#include "dialects/weir/Attributes.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

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
  std::optional<graph::ShardingRule> rule = graph::shardingRuleOf(&op);
  if (!rule || !op.getNumOperands()) {
    computeWhole(op);
    return success();
  }
  if (isa<graph::ReduceAndOp>(op) && isOnlyChecked(op.getResult(0)))
    reduceOwn(cast<graph::ReduceAndOp>(op), *rule);
  Division division(mesh, &op, std::move(*rule));
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
  if (gathers)
    attrs::whole.set(clone);
  for (auto [result, form] :
       llvm::zip_equal(op.getResults(), clone->getResults()))
    define(result, wholeOf(result), form);
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
  for (auto [i, result] : llvm::enumerate(copy->getResults()))
    result.setType(partOf(mesh, result.getType(), division.ofResult(i)));
  fitSizes(copy, division.ofResult(0));
  return copy;
}

Value Splitter::formOf(Value value, ArrayRef<int64_t> sharding) {
  auto &all = forms[value];
  for (const Form &form : all)
    if (ArrayRef(form.sharding) == sharding)
      return form.value;
  Form first = all.front();
  Value made;
  if (isWhole(first.sharding))
    made = recompute(value, sharding, /*depth=*/0);
  if (!made)
    made = convert(first, sharding);
  define(value, sharding, made);
  return made;
}

Value Splitter::recompute(Value value, ArrayRef<int64_t> sharding,
                          unsigned depth) {
  constexpr unsigned deepest = 16;
  Operation *op = value.getDefiningOp();
  if (!op || depth == deepest || op->getNumResults() != 1)
    return {};
  if (isWhole(sharding))
    return formOf(value, sharding);
  if (auto constant = dyn_cast<graph::ConstantOp>(op)) {
    auto elements = dyn_cast<SplatElementsAttr>(constant.getValue());
    if (!elements)
      return {};
    return b.create<graph::ConstantOp>(
        op->getLoc(),
        elements.resizeSplat(partOf(mesh, elements.getType(), sharding)));
  }
  if (!isa<graph::BroadcastOp, graph::TransposeOp, graph::ReshapeOp,
           graph::IotaOp, graph::ScalarOpInterface>(op))
    return {};
  Division division(mesh, op, *graph::shardingRuleOf(op));
  if (!division.produce(0, sharding))
    return {};
  SmallVector<Value> operands;
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    Sharding wanted = division.ofOperand(i);
    Value form = isWhole(wanted) ? formOf(operand, wanted)
                                 : recompute(operand, wanted, depth + 1);
    if (!form)
      return {};
    operands.push_back(form);
  }
  return copy(op, operands, division)->getResult(0);
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
