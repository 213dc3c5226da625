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
  } else {
    auto part = cast<graph::OwnPartOp>(op);
    kind = "own_part";
    type = part.getType();
    axes = part.getAxes();
  }
  list.push_back(CollectiveAttr::get(
      op->getContext(), kind, combine, mesh.bitsOf(axes), type, /*data=*/0,
      /*scratch=*/0, nodeOf(op->getLoc()), entry, /*key=*/-1, /*peer=*/0,
      /*peers=*/0, /*only=*/-1));
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

bool Exchanges::isReduction(int64_t number) const {
  return list[number].getKind() == "all_reduce";
}

void Exchanges::place(int64_t number, int64_t data, int64_t scratch) {
  CollectiveAttr &at = list[number];
  at = CollectiveAttr::get(at.getContext(), at.getKind(), at.getCombine(),
                           at.getAxes(), at.getType(), data, scratch,
                           at.getNode(), at.getEntry(), at.getKey(),
                           at.getPeer(), at.getPeers(), at.getOnly());
}

} // namespace weir::plan
