// Joins the programs of the micro-batches that one rank computes.

#include "passes/shard/Passes.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Shape.h"
#include "dialects/graph/collective/Collective.h"
#include "dialects/weir/Attributes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "passes/shard/Axes.h"
#include "llvm/Support/Debug.h"

#define DEBUG_TYPE "weir-join-micro-batches"

using namespace mlir;

namespace weir::shard {
#define GEN_PASS_DEF_JOINMICROBATCHES
#include "passes/shard/Passes.h.inc"

namespace {

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// The type with dimension `along` so many times as large.
RankedTensorType scaled(RankedTensorType type, unsigned along, int64_t count) {
  SmallVector<int64_t> shape(type.getShape());
  shape[along] *= count;
  return type.clone(shape);
}

/// Makes the program of a rank with `count` micro-batches from that of one.
class Joining {
public:
  Joining(func::FuncOp function, int64_t count)
      : function(function), count(count), b(function.getContext()) {}

  void run() {
    Block &body = function.getBody().front();
    SmallVector<Operation *> ops;
    for (Operation &op : body.without_terminator())
      ops.push_back(&op);
    joinArguments(body);
    for (Operation *op : ops)
      join(*op);
    joinResults(cast<func::ReturnOp>(body.getTerminator()));
    for (Operation *op : llvm::reverse(ops))
      op->erase();
    for (BlockArgument one : partArguments)
      body.eraseArgument(one.getArgNumber());
  }

private:
  /// The values of all micro-batches; one value if they have it in common.
  using Parts = SmallVector<Value, 4>;

  static std::optional<unsigned> dividedDim(DenseI64ArrayAttr shards) {
    if (!shards)
      return std::nullopt;
    for (auto [d, bits] : llvm::enumerate(shards.asArrayRef()))
      if (bits)
        return static_cast<unsigned>(d);
    return std::nullopt;
  }

  void joinArguments(Block &body) {
    SmallVector<BlockArgument> all(body.getArguments());
    SmallVector<Type> types;
    b.setInsertionPointToStart(&body);
    for (auto [i, argument] : llvm::enumerate(all)) {
      std::optional<unsigned> along =
          dividedDim(attrs::shards.ofArgument(function, i));
      types.push_back(along ? scaled(typeOf(argument), *along, count)
                            : typeOf(argument));
      if (!along) {
        partsOf[argument] = {argument};
        continue;
      }
      BlockArgument joined = body.insertArgument(
          argument.getArgNumber() + 1, types.back(), argument.getLoc());
      partsOf[argument] = slices(joined, *along);
      partArguments.push_back(argument);
    }
    function.setFunctionType(FunctionType::get(
        function.getContext(), types, function.getFunctionType().getResults()));
  }

  void joinResults(func::ReturnOp op) {
    b.setInsertionPoint(op);
    SmallVector<Type> types;
    for (auto [i, value] : llvm::enumerate(op.getOperands())) {
      Parts parts = partsOf[value];
      Value joined = parts.front();
      if (parts.size() > 1)
        joined = b.create<graph::ConcatOp>(
            op.getLoc(), parts,
            *dividedDim(attrs::shards.ofResult(function, i)));
      op.setOperand(i, joined);
      types.push_back(joined.getType());
    }
    function.setFunctionType(FunctionType::get(
        function.getContext(), function.getFunctionType().getInputs(), types));
  }

  void join(Operation &op) {
    b.setInsertionPoint(&op);
    if (auto reduce = dyn_cast<graph::AllReduceOp>(op))
      return define(reduce, {combined(reduce)});
    if (auto gather = dyn_cast<graph::AllGatherOp>(op))
      return define(gather, {gathered(gather)});
    if (auto part = dyn_cast<graph::OwnPartOp>(op))
      return define(part, ownParts(part));
    if (auto constant = dyn_cast<graph::ConstantOp>(op))
      if (auto parts = dyn_cast<PartsAttr>(constant.getValue()))
        return define(constant, constants(constant, parts));
    bool differs = llvm::any_of(op.getOperands(), [&](Value operand) {
      return partsOf[operand].size() > 1;
    });
    SmallVector<Parts> results(op.getNumResults());
    for (int64_t i = 0; i < (differs ? count : 1); ++i) {
      IRMapping mapping;
      op.walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          if (auto found = partsOf.find(operand); found != partsOf.end())
            mapping.map(operand, found->second.front());
      });
      for (Value operand : op.getOperands()) {
        const Parts &parts = partsOf[operand];
        mapping.map(operand, parts[parts.size() > 1 ? i : 0]);
      }
      Operation *clone = b.clone(op, mapping);
      for (auto [parts, result] : llvm::zip_equal(results, clone->getResults()))
        parts.push_back(result);
    }
    for (auto [result, parts] : llvm::zip_equal(op.getResults(), results))
      define(result, parts);
  }

  void define(Value value, Parts parts) { partsOf[value] = parts; }

  /// Adds pairs of neighbours, as the ranks do. So the bits do not depend on
  /// how many micro-batches a rank has. A barrier keeps each sum an addition of
  /// its own.
  Value combined(graph::AllReduceOp op) {
    Parts values = partsOf[op.getX()];
    for (; values.size() > 1; values.truncate(values.size() / 2))
      for (size_t i = 0; i + 1 < values.size(); i += 2)
        values[i / 2] = pair(op, values[i], values[i + 1]);
    Operation *reduce = b.clone(*op);
    reduce->setOperand(0, values.front());
    return reduce->getResult(0);
  }

  Value pair(graph::AllReduceOp op, Value a, Value c) {
    Location loc = op.getLoc();
    switch (op.getCombine()) {
    case graph::Combine::sum:
      return b.create<graph::AddOp>(loc, a, c);
    case graph::Combine::max:
      return b.create<graph::MaximumOp>(loc, a, c);
    case graph::Combine::min:
      return b.create<graph::MinimumOp>(loc, a, c);
    }
    llvm_unreachable("a way to combine");
  }

  Value gathered(graph::AllGatherOp op) {
    Value x = b.create<graph::ConcatOp>(op.getLoc(), partsOf[op.getX()],
                                        op.getAlong());
    return b.create<graph::AllGatherOp>(op.getLoc(), op.getType(), x,
                                        op.getAlong(), op.getAxes());
  }

  Parts ownParts(graph::OwnPartOp op) {
    auto along = static_cast<unsigned>(op.getAlong());
    Value part = b.create<graph::OwnPartOp>(
        op.getLoc(), scaled(op.getType(), along, count),
        partsOf[op.getX()].front(), along, op.getAxes());
    return slices(part, along);
  }

  Parts constants(graph::ConstantOp op, PartsAttr value) {
    Parts parts;
    ArrayRef<Attribute> all = value.getElements().getValue();
    for (int64_t i = 0; i < count; ++i) {
      SmallVector<Attribute> own;
      for (size_t at = i; at < all.size(); at += count)
        own.push_back(all[at]);
      ElementsAttr elements =
          own.size() == 1
              ? cast<ElementsAttr>(own.front())
              : PartsAttr::get(op.getContext(), value.getAxes(),
                               ArrayAttr::get(op.getContext(), own));
      parts.push_back(b.create<graph::ConstantOp>(op.getLoc(), elements));
    }
    return parts;
  }

  Parts slices(Value value, unsigned along) {
    RankedTensorType type = typeOf(value);
    SmallVector<int64_t> starts(type.getRank()), limits(type.getShape()),
        strides(type.getRank(), 1);
    int64_t size = type.getDimSize(along) / count;
    Parts parts;
    for (int64_t i = 0; i < count; ++i) {
      starts[along] = i * size;
      limits[along] = starts[along] + size;
      parts.push_back(b.create<graph::SliceOp>(value.getLoc(), value, starts,
                                               limits, strides));
    }
    return parts;
  }

  func::FuncOp function;
  int64_t count;
  OpBuilder b;
  DenseMap<Value, Parts> partsOf;
  SmallVector<BlockArgument> partArguments;
};

struct JoinMicroBatches : impl::JoinMicroBatchesBase<JoinMicroBatches> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    IntegerAttr perRank = attrs::microBatches.of(module);
    MeshAttr mesh = MeshAttr::of(module);
    if (!perRank || !mesh)
      return;
    int64_t count = perRank.getInt();
    SmallVector<int64_t> sizes(mesh.getSizes().asArrayRef());
    if (mesh.getAxes().size() != 1 || sizes.front() % count) {
      emitError(module.getLoc(), "micro-batches need a mesh of the axis '")
          << dataAxis << "', whose ranks have equal numbers of them";
      return signalPassFailure();
    }
    LLVM_DEBUG(llvm::dbgs() << "each rank has " << count << " micro-batches\n");
    sizes.front() /= count;
    attrs::mesh.set(module, MeshAttr::get(module.getContext(), mesh.getAxes(),
                                          DenseI64ArrayAttr::get(
                                              module.getContext(), sizes)));
    for (auto entry : module.getOps<func::FuncOp>())
      if (attrs::entry.isOn(entry) && count > 1)
        Joining(entry, count).run();
  }
};

} // namespace
} // namespace weir::shard
