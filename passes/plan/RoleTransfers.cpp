// Proves that the messages of all roles of a cluster end.

#include "passes/plan/RoleTransfers.h"

#include "dialects/graph/collective/Collective.h"
#include "dialects/weir/Attributes.h"
#include "passes/plan/Exchanges.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace weir::plan {

namespace {

/// The two ends of a message in the modules of their roles.
struct Message {
  graph::SendOp send;
  graph::RecvOp receive;
};

LogicalResult again(Operation *op, int64_t key) {
  return op->emitError("is the second with the key ") << key;
}

/// The type of what one task sends.
RankedTensorType typeOf(graph::RecvOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  return op.getEach() ? type.clone(type.getShape().drop_front()) : type;
}

LogicalResult check(const Message &message) {
  graph::SendOp send = message.send;
  graph::RecvOp receive = message.receive;
  if (!receive)
    return send->emitError("has no graph.recv with its key");
  if (!send)
    return receive->emitError("has no graph.send with its key");
  if (send.getTo() != ClusterAttr::of(receive).getRole() ||
      receive.getFrom() != ClusterAttr::of(send).getRole())
    return send->emitError("goes to '")
           << send.getTo() << "', and its graph.recv is in '"
           << ClusterAttr::of(receive).getRole() << "'";
  if (send.getX().getType() != typeOf(receive) ||
      send.getEach() != receive.getEach())
    return receive->emitError("receives ")
           << typeOf(receive) << (receive.getEach() ? " of each task" : "")
           << ", and its graph.send sends " << send.getX().getType()
           << (send.getEach() ? " of each task" : "");
  return success();
}

LogicalResult checkKeys(ArrayRef<ModuleOp> roles) {
  llvm::MapVector<int64_t, Message> messages;
  for (ModuleOp role : roles) {
    WalkResult walked = role.walk([&](Operation *op) -> WalkResult {
      if (auto send = dyn_cast<graph::SendOp>(op)) {
        Message &message = messages[send.getKey()];
        if (message.send)
          return again(op, send.getKey());
        message.send = send;
      } else if (auto receive = dyn_cast<graph::RecvOp>(op)) {
        Message &message = messages[receive.getKey()];
        if (message.receive)
          return again(op, receive.getKey());
        message.receive = receive;
      }
      return WalkResult::advance();
    });
    if (walked.wasInterrupted())
      return failure();
  }
  for (const auto &[key, message] : messages)
    if (failed(check(message)))
      return failure();
  return success();
}

/// What each rank does in an entry, from its first message to its last.
class Course {
public:
  Course(ArrayRef<ModuleOp> roles, int64_t entry) : entry(entry) {
    for (ModuleOp role : roles)
      add(role);
  }

  std::optional<std::string> findFault() const {
    // Each role's own check has compared offsets with the arena.
    constexpr uint64_t most = uint64_t(1) << 62;
    return plan::findFault(ranks, {most, most, 1});
  }

private:
  void add(ModuleOp module) {
    ClusterAttr cluster = ClusterAttr::of(module);
    auto size = static_cast<uint32_t>(cluster.ranks());
    ranks.resize(size);
    ClusterRole role = *cluster.roleOf(cluster.getRole());
    ArrayAttr all = attrs::collectives.of(module);
    for (auto [i, each] : llvm::enumerate(all.getAsRange<CollectiveAttr>())) {
      if (each.getEntry() != entry)
        continue;
      weir_collective c = collectiveOf(each, static_cast<int64_t>(i));
      for (int64_t r = role.first; r < role.first + role.count; ++r)
        add(c, weir_group_of(1, &size, c.axes, static_cast<int32_t>(r)),
            ranks[r]);
    }
  }

  void add(const weir_collective &c, const weir_group &group, RankSteps &to) {
    weir_steps list = {nullptr, nullptr, 0, 0};
    weir_add_steps(&c, &group, c.key, &list);
    uint32_t steps = to.steps.size(), moves = to.moves.size();
    to.steps.resize(steps + list.num_steps);
    to.moves.resize(moves + list.num_moves);
    list = {to.steps.data(), to.moves.data(), steps, moves};
    weir_add_steps(&c, &group, c.key, &list);
  }

  int64_t entry;
  std::vector<RankSteps> ranks;
};

} // namespace

LogicalResult checkRoles(ArrayRef<ModuleOp> roles) {
  bool arePlanned = llvm::all_of(
      roles, [](ModuleOp role) { return attrs::collectives.isOn(role); });
  if (!arePlanned)
    return checkKeys(roles);
  int64_t entries = 0;
  for (ModuleOp role : roles)
    for (auto each : attrs::collectives.of(role).getAsRange<CollectiveAttr>())
      entries = std::max(entries, each.getEntry() + 1);
  for (int64_t entry = 0; entry < entries; ++entry) {
    ModuleOp first = roles.front();
    if (std::optional<std::string> fault = Course(roles, entry).findFault())
      return emitError(first.getLoc(), "the messages of function ")
             << entry << ": " << *fault;
  }
  return success();
}

} // namespace weir::plan
