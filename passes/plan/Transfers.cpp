// Executes the steps of all ranks in one thread.

#include "passes/plan/Transfers.h"

#include <algorithm>

namespace weir::plan {

static std::string text(uint64_t number) { return std::to_string(number); }

std::vector<RankSteps> stepsOf(const weir_collective &c, uint32_t number,
                               const std::vector<uint32_t> &sizes) {
  uint64_t ranks = 1;
  for (uint32_t size : sizes)
    ranks *= size;
  std::vector<RankSteps> all(ranks);
  for (uint64_t rank = 0; rank < ranks; ++rank) {
    weir_group group =
        weir_group_of(static_cast<uint32_t>(sizes.size()), sizes.data(), c.axes,
                      static_cast<int32_t>(rank));
    weir_steps list = {nullptr, nullptr, 0, 0};
    weir_add_steps(&c, &group, number, &list);
    all[rank].steps.resize(list.num_steps);
    all[rank].moves.resize(list.num_moves);
    list = {all[rank].steps.data(), all[rank].moves.data(), 0, 0};
    weir_add_steps(&c, &group, number, &list);
  }
  return all;
}

namespace {

class Execution {
public:
  Execution(const std::vector<RankSteps> &ranks, const ExchangeRoom &room)
      : ranks(ranks), room(room), at(ranks.size(), 0), done(ranks.size()) {
    for (size_t i = 0; i < ranks.size(); ++i)
      done[i].resize(ranks[i].moves.size());
  }

  std::optional<std::string> run() {
    for (size_t rank = 0; rank < ranks.size(); ++rank)
      for (const weir_step &step : ranks[rank].steps)
        if (!fits(rank, step))
          return fault;
    for (bool progress = true; progress;) {
      progress = false;
      for (size_t rank = 0; rank < ranks.size(); ++rank)
        if (!sendAll(rank, progress))
          return fault;
      for (size_t rank = 0; rank < ranks.size(); ++rank)
        while (const weir_step *step = stepOf(rank)) {
          if (firstOpen(rank, *step))
            break;
          ++at[rank];
          progress = true;
        }
    }
    for (size_t rank = 0; rank < ranks.size(); ++rank)
      if (stepOf(rank))
        return tellWaits(rank);
    return std::nullopt;
  }

private:
  const std::vector<RankSteps> &ranks;
  ExchangeRoom room;
  std::vector<size_t> at;              // the current step of each rank
  std::vector<std::vector<bool>> done; // of each move
  std::string fault;

  const weir_step *stepOf(size_t rank) const {
    const auto &steps = ranks[rank].steps;
    return at[rank] < steps.size() ? &steps[at[rank]] : nullptr;
  }

  const weir_move *firstOpen(size_t rank, const weir_step &step) const {
    for (uint32_t i = step.first; i < step.first + step.count; ++i)
      if (!done[rank][i])
        return &ranks[rank].moves[i];
    return nullptr;
  }

  /// The ranks that wait for each other, from `rank` on. The last one waits for
  /// one of them, or for a rank that has ended.
  std::string tellWaits(size_t rank) const {
    constexpr size_t mostTold = 8;
    std::string told = "rank " + text(rank) + " waits for ever";
    std::vector<size_t> seen;
    while (true) {
      const weir_move &move = *firstOpen(rank, *stepOf(rank));
      told += " in step " + text(at[rank]) +
              (move.send ? " to send " : " for ") + text(move.bytes) +
              " bytes " + (move.send ? "to" : "from") + " rank " +
              std::to_string(move.peer);
      seen.push_back(rank);
      rank = static_cast<size_t>(move.peer);
      if (!stepOf(rank))
        return told + ", which has ended";
      if (std::find(seen.begin(), seen.end(), rank) != seen.end())
        return told;
      if (seen.size() == mostTold)
        return told + ", which waits";
      told += ", which waits";
    }
  }

  bool fail(size_t rank, const std::string &what) {
    fault = "rank " + text(rank) + " " + what;
    return false;
  }

  bool fits(size_t rank, const weir_step &step) {
    const weir_move *moves = ranks[rank].moves.data() + step.first;
    for (uint32_t i = 0; i < step.count; ++i) {
      const weir_move &move = moves[i];
      uint64_t bytes = move.to_scratch ? room.scratch : room.data;
      if (move.peer < 0 || static_cast<size_t>(move.peer) >= ranks.size())
        return fail(rank, "exchanges with rank " + std::to_string(move.peer) +
                              ", which the mesh has not");
      if (room.key && move.tag / WEIR_TAGS != static_cast<int32_t>(*room.key))
        return fail(rank, "uses the tag " + std::to_string(move.tag) +
                              " of another operation");
      if (move.offset > bytes || move.bytes > bytes - move.offset)
        return fail(rank, "exchanges bytes " + text(move.offset) + " to " +
                              text(move.offset + move.bytes) + " of " +
                              text(bytes));
      for (uint32_t j = 0; j < i; ++j) {
        const weir_move &other = moves[j];
        if ((!move.send || !other.send) &&
            move.to_scratch == other.to_scratch &&
            move.offset < other.offset + other.bytes &&
            other.offset < move.offset + move.bytes)
          return fail(rank, "has two transfers of a step at byte " +
                                text(std::max(move.offset, other.offset)));
      }
    }
    if (step.elements * room.elementBytes > room.scratch ||
        (step.at + step.elements) * room.elementBytes > room.data)
      return fail(rank, "combines " + text(step.elements) + " elements from " +
                            text(step.at) + ", more than there are");
    return true;
  }

  /// The open receive of the peer's current step for this send.
  std::optional<size_t> receiveOf(size_t rank, const weir_move &send) const {
    auto peer = static_cast<size_t>(send.peer);
    const weir_step *step = stepOf(peer);
    if (!step)
      return std::nullopt;
    for (uint32_t i = step->first; i < step->first + step->count; ++i) {
      const weir_move &move = ranks[peer].moves[i];
      if (!move.send && !done[peer][i] && move.tag == send.tag &&
          static_cast<size_t>(move.peer) == rank)
        return i;
    }
    return std::nullopt;
  }

  bool sendAll(size_t rank, bool &progress) {
    const weir_step *step = stepOf(rank);
    if (!step)
      return true;
    for (uint32_t i = step->first; i < step->first + step->count; ++i) {
      const weir_move &send = ranks[rank].moves[i];
      if (!send.send || done[rank][i])
        continue;
      std::optional<size_t> receive = receiveOf(rank, send);
      if (!receive)
        continue;
      auto peer = static_cast<size_t>(send.peer);
      uint64_t bytes = ranks[peer].moves[*receive].bytes;
      if (bytes != send.bytes)
        return fail(rank, "sends " + text(send.bytes) + " bytes to rank " +
                              text(peer) + ", which expects " + text(bytes));
      done[rank][i] = done[peer][*receive] = progress = true;
    }
    return true;
  }
};

} // namespace

std::optional<std::string> findFault(const std::vector<RankSteps> &ranks,
                                     const ExchangeRoom &room) {
  return Execution(ranks, room).run();
}

} // namespace weir::plan
