// The collective operations of a module, for the runtime's table.

#include "passes/plan/Exchanges.h"

#include "dialects/weir/Attributes.h"

using namespace mlir;

namespace weir::plan {

static StringRef nodeOf(Location location) {
  if (auto name = location->findInstanceOf<NameLoc>())
    return name.getName();
  return "";
}

int64_t Exchanges::add(Operation *op) {
  auto typeOf = [](Value value) {
    return cast<RankedTensorType>(value.getType());
  };
  StringRef kind = "all_reduce", combine = "sum";
  RankedTensorType type = typeOf(op->getOperand(0));
  ArrayAttr axes;
  if (auto reduce = dyn_cast<graph::AllReduceOp>(op)) {
    combine = graph::stringifyCombine(reduce.getCombine());
    axes = reduce.getAxes();
  } else if (auto gather = dyn_cast<graph::AllGatherOp>(op)) {
    kind = "all_gather";
    axes = gather.getAxes();
  } else if (auto scatter = dyn_cast<graph::ReduceScatterOp>(op)) {
    kind = "reduce_scatter";
    axes = scatter.getAxes();
  } else {
    auto part = cast<graph::OwnPartOp>(op);
    kind = "own_part";
    type = part.getType();
    axes = part.getAxes();
  }
  return add(op->getLoc(), kind, combine, axes, type);
}

int64_t Exchanges::addOwnPart(graph::ReduceScatterOp op) {
  return add(op.getLoc(), "own_part", "sum", op.getAxes(), op.getType());
}

int64_t Exchanges::add(Location loc, StringRef kind, StringRef combine,
                       ArrayAttr axes, RankedTensorType type) {
  list.push_back(CollectiveAttr::get(loc.getContext(), kind, combine,
                                     mesh.bitsOf(axes), type, /*data=*/0,
                                     /*scratch=*/0, nodeOf(loc), entry));
  return static_cast<int64_t>(list.size()) - 1;
}

int64_t Exchanges::addAgreement() {
  MLIRContext *context = mesh.getContext();
  auto type = RankedTensorType::get({1}, IntegerType::get(context, 64));
  list.push_back(CollectiveAttr::get(
      context, "all_reduce", "max", mesh.bitsOf(mesh.getAxes()), type,
      /*data=*/0, /*scratch=*/0, "checks", entry));
  return static_cast<int64_t>(list.size()) - 1;
}

bool Exchanges::isReduction(int64_t number) const {
  StringRef kind = list[number].getKind();
  return kind == "all_reduce" || kind == "reduce_scatter";
}

void Exchanges::place(int64_t number, int64_t data, int64_t scratch) {
  CollectiveAttr &at = list[number];
  at = CollectiveAttr::get(at.getContext(), at.getKind(), at.getCombine(),
                           at.getAxes(), at.getType(), data, scratch,
                           at.getNode(), at.getEntry());
}

} // namespace weir::plan
