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

std::vector<uint32_t> sizesOf(MeshAttr mesh) {
  ArrayRef<int64_t> sizes = mesh.getSizes().asArrayRef();
  return {sizes.begin(), sizes.end()};
}

weir_collective collectiveOf(CollectiveAttr each) {
  weir_collective c = {};
  c.kind = each.getKind() == "all_gather" ? WEIR_ALL_GATHER
           : each.getKind() == "own_part" ? WEIR_OWN_PART
           : each.getKind() == "reduce_scatter" ? WEIR_REDUCE_SCATTER
                                          : WEIR_ALL_REDUCE;
  c.axes = static_cast<uint32_t>(each.getAxes());
  c.elements = each.getType().getNumElements();
  c.element_bytes =
      llvm::divideCeil(each.getType().getElementTypeBitWidth(), 8);
  return c;
}

ExchangeRoom roomOf(CollectiveAttr each, const std::vector<uint32_t> &sizes) {
  weir_collective c = collectiveOf(each);
  uint32_t ranks = weir_group_of(static_cast<uint32_t>(sizes.size()),
                                 sizes.data(), c.axes, /*rank=*/0)
                       .size;
  ExchangeRoom room = {c.elements * c.element_bytes, 0, c.element_bytes};
  if (c.kind == WEIR_ALL_GATHER)
    room.data *= ranks;
  if (c.kind == WEIR_ALL_REDUCE || c.kind == WEIR_REDUCE_SCATTER)
    room.scratch = weir_scratch_bytes(&c, ranks);
  return room;
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

int64_t Exchanges::scratchBytes(int64_t number) const {
  return roomOf(list[number], sizesOf(mesh)).scratch;
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
