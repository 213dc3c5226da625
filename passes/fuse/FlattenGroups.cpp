// Merges dimensions of groups of elementwise ops, as far as their broadcasts
// allow.
//
// Adjacent dimensions d and d+1 merge if each broadcast maps both from adjacent
// dimensions of its operand, or neither. A dynamic dimension is never the inner
// one of a merged pair, because kernels stop at its run-time size.

#include "passes/fuse/Passes.h"

#include "dialects/graph/Graph.h"
#include "dialects/graph/Shape.h"
#include "dialects/graph/Sizes.h"
#include "dialects/weir/Attributes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace weir::fuse {
#define GEN_PASS_DEF_FLATTENGROUPS
#include "passes/fuse/Passes.h.inc"

namespace {

ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

Value reshaped(OpBuilder &b, Location loc, Value value,
               ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(value.getType()).clone(shape);
  if (type == value.getType())
    return value;
  return b.create<graph::ReshapeOp>(loc, type, value);
}

class Flattening {
public:
  explicit Flattening(graph::GroupOp group) : group(group) {}

  /// Whether the group is elementwise and has dimensions to merge.
  bool applies() {
    if (group.getNumResults() != 1)
      return false;
    shape = shapeOf(group.getResult(0));
    merges.assign(shape.size() < 2 ? 0 : shape.size() - 1, true);
    if (merges.empty() || llvm::is_contained(shape, 0))
      return false;
    for (Operation &op : group.getBody().front().without_terminator()) {
      if (shapeOf(op.getResult(0)) != shape)
        return false;
      if (auto broadcast = dyn_cast<graph::BroadcastOp>(op))
        keepApart(broadcast);
      else if (!isa<graph::ScalarOpInterface, graph::ConstantOp>(op))
        return false;
    }
    graph::SizesOfDims sizes = graph::DynamicSizes().of(group.getResult(0));
    for (size_t d = 1; d < sizes.size(); ++d)
      if (graph::isDynamic(sizes[d]))
        merges[d - 1] = false;
    return llvm::is_contained(merges, true);
  }

  void run() {
    OpBuilder b(group);
    Location loc = group.getLoc();
    SmallVector<Value> inputs;
    for (auto [input, argument] :
         llvm::zip_equal(group.getInputs(), group.getBody().getArguments()))
      inputs.push_back(reshaped(b, loc, input, flatShapeOf(argument)));
    auto flat = b.create<graph::GroupOp>(
        loc, flatType(group.getResult(0).getType()), inputs);
    flat->setDiscardableAttrs(group->getDiscardableAttrDictionary());
    Block &body = flat.getBody().emplaceBlock();
    IRMapping map;
    for (auto [input, argument] :
         llvm::zip_equal(inputs, group.getBody().getArguments()))
      map.map(argument, body.addArgument(input.getType(), loc));
    b.setInsertionPointToEnd(&body);
    for (Operation &op : group.getBody().front())
      cloneFlat(b, op, map);
    b.setInsertionPointAfter(flat);
    group.getResult(0).replaceAllUsesWith(
        reshaped(b, loc, flat.getResult(0), shape));
    group.erase();
  }

private:
  /// Which result dimensions a broadcast takes from its operand.
  static SmallVector<bool> mapped(graph::BroadcastOp op, size_t rank) {
    SmallVector<bool> mapped(rank, false);
    for (auto [i, dim] : llvm::enumerate(op.getDims()))
      mapped[dim] = shapeOf(op.getX())[i] == shapeOf(op.getResult())[dim];
    return mapped;
  }

  void keepApart(graph::BroadcastOp op) {
    SmallVector<bool> has = mapped(op, shape.size());
    for (size_t d = 0; d + 1 < shape.size(); ++d)
      if (has[d] != has[d + 1])
        merges[d] = false;
  }

  /// The group's shape with merged dimensions.
  SmallVector<int64_t> flatShape() const {
    SmallVector<int64_t> flat = {shape[0]};
    for (size_t d = 1; d < shape.size(); ++d)
      if (merges[d - 1])
        flat.back() *= shape[d];
      else
        flat.push_back(shape[d]);
    return flat;
  }

  /// The dimension of `flatShape` that contains dimension `d`.
  int64_t flatDim(int64_t d) const {
    return d - std::count(merges.begin(), merges.begin() + d, true);
  }

  /// The new shape of an argument: that of the group, or of a broadcast's
  /// operand without the broadcast dimensions.
  SmallVector<int64_t> flatShapeOf(BlockArgument argument) const {
    for (Operation *user : argument.getUsers())
      if (auto broadcast = dyn_cast<graph::BroadcastOp>(user)) {
        SmallVector<int64_t> flat;
        for (int64_t dim : flatDims(broadcast))
          flat.push_back(flatShape()[dim]);
        return flat;
      }
    return flatShape();
  }

  /// The dimensions of `flatShape` that a broadcast's operand has.
  SmallVector<int64_t> flatDims(graph::BroadcastOp op) const {
    SmallVector<int64_t> dims;
    SmallVector<bool> has = mapped(op, shape.size());
    for (size_t d = 0; d < shape.size(); ++d)
      if (has[d] && (dims.empty() || dims.back() != flatDim(d)))
        dims.push_back(flatDim(d));
    return dims;
  }

  Type flatType(Type type) const {
    return cast<RankedTensorType>(type).clone(flatShape());
  }

  void cloneFlat(OpBuilder &b, Operation &op, IRMapping &map) {
    Location loc = op.getLoc();
    if (auto broadcast = dyn_cast<graph::BroadcastOp>(op)) {
      map.map(broadcast.getResult(),
              b.create<graph::BroadcastOp>(loc, flatType(broadcast.getType()),
                                           map.lookup(broadcast.getX()),
                                           flatDims(broadcast)));
    } else if (auto constant = dyn_cast<graph::ConstantOp>(op)) {
      auto value = cast<DenseElementsAttr>(constant.getValue());
      map.map(
          constant.getResult(),
          b.create<graph::ConstantOp>(loc, value.reshape(cast<ShapedType>(
                                               flatType(constant.getType())))));
    } else {
      Operation *flat = b.clone(op, map);
      for (Value result : flat->getResults())
        result.setType(flatType(result.getType()));
      flattenSizes(flat);
    }
  }

  void flattenSizes(Operation *flat) const {
    ArrayAttr sizes = attrs::sizes.remove(flat);
    if (!sizes)
      return;
    graph::SizesOfDims dims = graph::reshapeSizes(
        graph::readSizes(sizes, shape), shapeOf(flat->getResult(0)));
    if (ArrayAttr attribute = graph::sizesAttr(flat->getContext(), dims))
      attrs::sizes.set(flat, attribute);
  }

  graph::GroupOp group;
  ArrayRef<int64_t> shape;
  SmallVector<bool> merges; // whether dimension d merges with d + 1
};

/// Whether each operand of a broadcast is an argument that only equal
/// broadcasts use. Its shape changes, so others could not read it.
bool argumentsAreSimple(graph::GroupOp group) {
  for (Operation &op : group.getBody().front())
    if (auto broadcast = dyn_cast<graph::BroadcastOp>(op)) {
      auto argument = dyn_cast<BlockArgument>(broadcast.getX());
      if (!argument || !argument.hasOneUse())
        return false;
    }
  return true;
}

struct FlattenGroups : impl::FlattenGroupsBase<FlattenGroups> {
  void runOnOperation() override {
    getOperation()->walk([](graph::GroupOp group) {
      Flattening flattening(group);
      if (argumentsAreSimple(group) && flattening.applies())
        flattening.run();
    });
  }
};

} // namespace
} // namespace weir::fuse
