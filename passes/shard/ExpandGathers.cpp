// Makes the parts that ranks exchange contiguous.

#include "passes/shard/Passes.h"

#include "dialects/graph/Shape.h"
#include "dialects/graph/collective/Collective.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace weir::shard {
#define GEN_PASS_DEF_EXPANDGATHERS
#include "passes/shard/Passes.h.inc"

namespace {

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Whether a part along the dimension is one range of the elements.
bool isContiguous(RankedTensorType type, uint64_t along) {
  return llvm::all_of(type.getShape().take_front(along),
                      [](int64_t size) { return size == 1; });
}

/// 0, 1 ... rank - 1 with `from` moved to `to`.
SmallVector<int64_t> moved(unsigned rank, uint64_t from, uint64_t to) {
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  order.erase(order.begin() + from);
  order.insert(order.begin() + to, from);
  return order;
}

/// The shape with dimension `along` as parts of a dimension of its own before
/// it.
SmallVector<int64_t> divided(ArrayRef<int64_t> shape, uint64_t along,
                             int64_t parts) {
  SmallVector<int64_t> result(shape);
  result[along] /= parts;
  result.insert(result.begin() + along, parts);
  return result;
}

void expand(graph::AllGatherOp op) {
  RankedTensorType part = typeOf(op.getX()), whole = op.getType();
  uint64_t along = op.getAlong();
  if (isContiguous(part, along))
    return;
  ImplicitLocOpBuilder b(op.getLoc(), op);
  SmallVector<int64_t> one(part.getShape());
  one.insert(one.begin(), 1);
  SmallVector<int64_t> all = one;
  all[0] = whole.getDimSize(along) / part.getDimSize(along);
  Value x = b.create<graph::ReshapeOp>(part.clone(one), op.getX());
  x = b.create<graph::AllGatherOp>(part.clone(all), x, 0, op.getAxes());
  x = b.create<graph::TransposeOp>(x, moved(all.size(), 0, along));
  op.replaceAllUsesWith(b.create<graph::ReshapeOp>(whole, x).getResult());
  op.erase();
}

/// An own_part or a reduce_scatter.
template <typename Op>
void expandParts(Op op) {
  RankedTensorType whole = typeOf(op.getX()), part = op.getType();
  uint64_t along = op.getAlong();
  if (isContiguous(whole, along))
    return;
  ImplicitLocOpBuilder b(op.getLoc(), op);
  int64_t parts = whole.getDimSize(along) / part.getDimSize(along);
  SmallVector<int64_t> shape = divided(whole.getShape(), along, parts);
  Value x = b.create<graph::ReshapeOp>(whole.clone(shape), op.getX());
  x = b.create<graph::TransposeOp>(x, moved(shape.size(), along, 0));
  SmallVector<int64_t> own(part.getShape());
  own.insert(own.begin(), 1);
  x = b.create<Op>(part.clone(own), x, 0, op.getAxes());
  op.replaceAllUsesWith(b.create<graph::ReshapeOp>(part, x).getResult());
  op.erase();
}

struct ExpandGathers : impl::ExpandGathersBase<ExpandGathers> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops)
      llvm::TypeSwitch<Operation *>(op)
          .Case([](graph::AllGatherOp gather) { expand(gather); })
          .Case<graph::OwnPartOp, graph::ReduceScatterOp>(
              [](auto parts) { expandParts(parts); });
  }
};

} // namespace
} // namespace weir::shard
