// Proves that no rank waits for ever in a collective operation.

#include "passes/plan/Passes.h"

#include "dialects/weir/Attributes.h"
#include "passes/plan/RoleTransfers.h"

using namespace mlir;

namespace weir::plan {
#define GEN_PASS_DEF_CHECKTRANSFERS
#include "passes/plan/Passes.h.inc"

namespace {

struct CheckTransfers : impl::CheckTransfersBase<CheckTransfers> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<ModuleOp> roles(module.getOps<ModuleOp>());
    if (!roles.empty() && failed(checkRoles(roles)))
      return signalPassFailure();
    MeshAttr mesh = MeshAttr::of(module);
    ArrayAttr all = attrs::collectives.of(module);
    if (!mesh || !all)
      return;
    for (auto [i, each] : llvm::enumerate(all.getAsRange<CollectiveAttr>())) {
      std::optional<std::string> fault =
          check(mesh, each, static_cast<uint32_t>(i));
      if (!fault)
        continue;
      emitError(module.getLoc(), "node '")
          << each.getNode() << "': collective " << i << " (" << each.getKind()
          << "): " << *fault;
      return signalPassFailure();
    }
  }

  std::optional<std::string> check(MeshAttr mesh, CollectiveAttr each,
                                   uint32_t number) {
    std::vector<uint32_t> sizes(mesh.getSizes().asArrayRef().begin(),
                                mesh.getSizes().asArrayRef().end());
    weir_collective c = entryOf(each, number);
    uint64_t part = c.elements * c.element_bytes;
    ExchangeRoom room = {part, 0, c.element_bytes};
    if (c.kind == WEIR_ALL_GATHER)
      room.data *= weir_group_of(static_cast<uint32_t>(sizes.size()),
                                 sizes.data(), c.axes, 0)
                       .size;
    if (c.kind == WEIR_ALL_REDUCE)
      room.scratch = part;
    if (c.kind == WEIR_RECV)
      room.data *= c.peers;
    if (std::optional<std::string> fault = checkArena(each, room))
      return fault;
    // The other end of a message is in another module.
    if (c.kind == WEIR_SEND || c.kind == WEIR_RECV)
      return std::nullopt;
    return findFault(stepsOf(c, c.key, sizes), room);
  }

  /// Both blocks lie in the arena, apart from each other.
  std::optional<std::string> checkArena(CollectiveAttr each,
                                        const ExchangeRoom &room) {
    IntegerAttr arena = attrs::arenaBytes.of(getOperation());
    auto data = static_cast<uint64_t>(each.getData());
    auto scratch = static_cast<uint64_t>(each.getScratch());
    if (arena && std::max(data + room.data, scratch + room.scratch) >
                     static_cast<uint64_t>(arena.getInt()))
      return "its bytes end after the arena's " +
             std::to_string(arena.getInt());
    if (room.scratch && data < scratch + room.scratch &&
        scratch < data + room.data)
      return "its data and its scratch memory share byte " +
             std::to_string(std::max(data, scratch)) + " of the arena";
    return std::nullopt;
  }
};

} // namespace
} // namespace weir::plan
