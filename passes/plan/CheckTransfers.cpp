// Proves that no rank waits for ever in a collective operation.

#include "passes/plan/Passes.h"

#include "dialects/weir/Attributes.h"
#include "passes/plan/Exchanges.h"
#include "passes/plan/RoleTransfers.h"

using namespace mlir;

namespace weir::plan {
#define GEN_PASS_DEF_CHECKTRANSFERS
#include "passes/plan/Passes.h.inc"

namespace {

using Fault = std::optional<std::string>;

/// A range of the arena.
struct Block {
  uint64_t begin, end;
  bool overlaps(const Block &other) const {
    return begin < other.end && other.begin < end;
  }
};

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
    collectives.assign(all.getAsRange<CollectiveAttr>().begin(),
                       all.getAsRange<CollectiveAttr>().end());
    sizes = sizesOf(mesh);
    for (uint32_t i = 0; i < collectives.size(); ++i)
      if (Fault fault = check(i))
        return fail(i, *fault);
    if (ArrayAttr items = attrs::schedule.of(getOperation()))
      checkSchedule(items);
  }

private:
  void fail(uint32_t number, const std::string &fault) {
    CollectiveAttr each = collectives[number];
    emitError(getOperation().getLoc(), "node '")
        << each.getNode() << "': collective " << number << " ("
        << each.getKind() << "): " << fault;
    signalPassFailure();
  }

  Fault check(uint32_t number) {
    CollectiveAttr each = collectives[number];
    ExchangeRoom room = roomOf(each, sizes);
    if (Fault fault = checkArena(each, room))
      return fault;
    weir_collective c = collectiveOf(each, number);
    room.key = c.key;
    // The other end of a message is in another module.
    if (c.kind == WEIR_SEND || c.kind == WEIR_RECV)
      return std::nullopt;
    return findFault(stepsOf(c, c.key, sizes), room);
  }

  /// Its data and its scratch memory.
  std::pair<Block, Block> blocksOf(CollectiveAttr each) const {
    ExchangeRoom room = roomOf(each, sizes);
    auto data = static_cast<uint64_t>(each.getData());
    auto scratch = static_cast<uint64_t>(each.getScratch());
    return {{data, data + room.data}, {scratch, scratch + room.scratch}};
  }

  /// Both blocks lie in the arena, apart from each other.
  Fault checkArena(CollectiveAttr each, const ExchangeRoom &room) {
    IntegerAttr arena = attrs::arenaBytes.of(getOperation());
    auto [data, scratch] = blocksOf(each);
    if (arena &&
        std::max(data.end, scratch.end) > static_cast<uint64_t>(arena.getInt()))
      return "its bytes end after the arena's " +
             std::to_string(arena.getInt());
    if (room.scratch && data.overlaps(scratch))
      return "its data and its scratch memory share byte " +
             std::to_string(std::max(data.begin, scratch.begin)) +
             " of the arena";
    return std::nullopt;
  }

  /// All ranks execute one schedule. A wait whose operation has begun on this
  /// rank has begun on all, once they are there: each operation ends, if its
  /// own steps do. Those in the air together have memory of their own.
  void checkSchedule(ArrayAttr items) {
    SmallVector<uint32_t> inAir;
    int64_t entry = 0;
    for (auto item : items.getAsRange<ScheduleItemAttr>()) {
      if (item.getEntry() != entry && !inAir.empty())
        break;
      entry = item.getEntry();
      bool starts = item.getKind() == "start", ends = item.getKind() == "wait";
      if (!starts && !ends)
        continue;
      auto number = static_cast<uint32_t>(item.getCollective());
      if (number >= collectives.size()) {
        emitError(getOperation().getLoc(), "the schedule has collective ")
            << number << " of " << collectives.size();
        return signalPassFailure();
      }
      if (collectives[number].getEntry() != entry)
        return fail(number, "it is of another function than its schedule");
      auto *found = llvm::find(inAir, number);
      if (starts) {
        if (found != inAir.end())
          return fail(number, "it begins a second time before it ends");
        if (Fault fault = checkApart(number, inAir))
          return fail(number, *fault);
        inAir.push_back(number);
      } else {
        if (found == inAir.end())
          return fail(number, "ranks wait for it before it begins");
        inAir.erase(found);
      }
    }
    if (!inAir.empty())
      fail(inAir.front(), "no rank waits for it");
  }

  Fault checkApart(uint32_t number, ArrayRef<uint32_t> inAir) const {
    auto [data, scratch] = blocksOf(collectives[number]);
    for (uint32_t other : inAir) {
      auto [itsData, itsScratch] = blocksOf(collectives[other]);
      for (const Block &own : {data, scratch})
        for (const Block &its : {itsData, itsScratch})
          if (own.overlaps(its))
            return "it begins before collective " + std::to_string(other) +
                   " ends, and both use byte " +
                   std::to_string(std::max(own.begin, its.begin)) +
                   " of the arena";
    }
    return std::nullopt;
  }

  SmallVector<CollectiveAttr> collectives;
  std::vector<uint32_t> sizes;
};

} // namespace
} // namespace weir::plan
