// Proves that the transfers of a collective operation end on all ranks.

#ifndef WEIR_PASSES_PLAN_TRANSFERS_H
#define WEIR_PASSES_PLAN_TRANSFERS_H

#include "runtime/comm/steps.h"

#include <optional>
#include <string>
#include <vector>

namespace weir::plan {

/// What a rank does in one collective operation.
struct RankSteps {
  std::vector<weir_step> steps;
  std::vector<weir_move> moves;
};

/// The bytes that a rank has for the operation.
struct ExchangeRoom {
  uint64_t data, scratch, elementBytes;
  std::optional<uint32_t> key = std::nullopt; // of its tags, if it is one
};

/// The steps of each rank of a mesh in collective operation `number`.
std::vector<RankSteps> stepsOf(const weir_collective &c, uint32_t number,
                               const std::vector<uint32_t> &sizes);

/// Executes the steps of all ranks. A transfer is done once both ranks are at
/// its step, so nothing depends on how much a transport buffers. Returns what
/// is wrong: steps that wait for ever, two sizes of one transfer, bytes outside
/// the room, bytes that two transfers of a step touch and one of them writes,
/// or a tag of another operation.
std::optional<std::string> findFault(const std::vector<RankSteps> &ranks,
                                     const ExchangeRoom &room);

} // namespace weir::plan

#endif // WEIR_PASSES_PLAN_TRANSFERS_H
