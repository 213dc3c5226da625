// The collective operations of a module, for the runtime's table.

#include "passes/plan/Exchanges.h"

#include "dialects/weir/Attributes.h"
#include "llvm/ADT/StringSwitch.h"

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

weir_collective collectiveOf(CollectiveAttr each, int64_t number) {
  weir_collective c = {};
  c.kind = llvm::StringSwitch<uint32_t>(each.getKind())
               .Case("all_gather", WEIR_ALL_GATHER)
               .Case("own_part", WEIR_OWN_PART)
               .Case("reduce_scatter", WEIR_REDUCE_SCATTER)
               .Case("send", WEIR_SEND)
               .Case("recv", WEIR_RECV)
               .Default(WEIR_ALL_REDUCE);
  c.axes = static_cast<uint32_t>(each.getAxes());
  c.elements = each.getType().getNumElements();
  c.element_bytes =
      llvm::divideCeil(each.getType().getElementTypeBitWidth(), 8);
  int64_t key = each.getKey();
  c.key = static_cast<uint32_t>(key < 0 ? number : key);
  c.peer = static_cast<int32_t>(each.getPeer());
  c.peers = static_cast<uint32_t>(each.getPeers());
  c.only = static_cast<int32_t>(each.getOnly());
  return c;
}

ExchangeRoom roomOf(CollectiveAttr each, const std::vector<uint32_t> &sizes) {
  weir_collective c = collectiveOf(each, /*number=*/0);
  uint32_t ranks = weir_group_of(static_cast<uint32_t>(sizes.size()),
                                 sizes.data(), c.axes, /*rank=*/0)
                       .size;
  ExchangeRoom room = {c.elements * c.element_bytes, 0, c.element_bytes};
  if (c.kind == WEIR_ALL_GATHER)
    room.data *= ranks;
  if (c.kind == WEIR_RECV)
    room.data *= c.peers;
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
                                     /*scratch=*/0, nodeOf(loc), entry,
                                     /*key=*/-1, /*peer=*/0, /*peers=*/0,
                                     /*only=*/-1));
  return static_cast<int64_t>(list.size()) - 1;
}

int64_t Exchanges::addMessage(Operation *op, StringRef kind,
                              RankedTensorType type, const ClusterRole &peer,
                              int64_t peers, int64_t key, int64_t only) {
  list.push_back(CollectiveAttr::get(op->getContext(), kind, "sum", /*axes=*/0,
                                     type, /*data=*/0,
                                     /*scratch=*/0, nodeOf(op->getLoc()), entry,
                                     key, peer.first, peers, only));
  return static_cast<int64_t>(list.size()) - 1;
}

int64_t Exchanges::add(graph::SendOp op) {
  ClusterRole own = *cluster.roleOf(cluster.getRole());
  ClusterRole to = *cluster.roleOf(op.getTo());
  bool isOne = own.count > 1 && !op.getEach();
  return addMessage(op, "send", op.getX().getType(), to, to.count, op.getKey(),
                    isOne ? own.first : -1);
}

int64_t Exchanges::add(graph::RecvOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  ClusterRole from = *cluster.roleOf(op.getFrom());
  if (op.getEach())
    type = type.clone(type.getShape().drop_front());
  return addMessage(op, "recv", type, from, op.getEach() ? from.count : 1,
                    op.getKey(), /*only=*/-1);
}

int64_t Exchanges::addAgreement(int64_t key) {
  MLIRContext *context = mesh.getContext();
  auto type = RankedTensorType::get({1}, IntegerType::get(context, 64));
  list.push_back(CollectiveAttr::get(
      context, "all_reduce", "max", mesh.bitsOf(mesh.getAxes()), type,
      /*data=*/0, /*scratch=*/0, "checks", entry, key, /*peer=*/0, /*peers=*/0,
      /*only=*/-1));
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
                           at.getNode(), at.getEntry(), at.getKey(),
                           at.getPeer(), at.getPeers(), at.getOnly());
}

} // namespace weir::plan
