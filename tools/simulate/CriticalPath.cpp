// Follows the last rank's time backward: through its own kernels and additions,
// and through a transfer to the rank that began it last.

#include "tools/simulate/CriticalPath.h"

#include <algorithm>

namespace weir::simulate {
namespace {

/// A moment of a rank.
struct Moment {
  uint32_t rank;
  double time;
};

class Walk {
public:
  Walk(const Program &program, const Simulation &simulation)
      : program(program), simulation(simulation) {}

  std::vector<PathPart> run() {
    auto last = std::max_element(
        simulation.ranks.begin(), simulation.ranks.end(),
        [](const RankLog &a, const RankLog &b) { return a.end < b.end; });
    Moment at{static_cast<uint32_t>(last - simulation.ranks.begin()),
              last->end};
    while (at.time > 0)
      at = before(at);
    std::reverse(path.begin(), path.end());
    return std::move(path);
  }

private:
  /// Appends the part that ends at the moment. The moment where it begins.
  Moment before(Moment at) {
    const std::vector<Period> &periods = simulation.ranks[at.rank].periods;
    auto period = std::lower_bound(
        periods.begin(), periods.end(), at.time,
        [](const Period &each, double time) { return each.end < time; });
    if (period == periods.end())
      return {at.rank, 0};
    Moment begin{at.rank,
                 period == periods.begin() ? 0 : std::prev(period)->end};
    if (period->kind == Period::Kind::wait)
      begin = beginOf(*period, at, begin);
    append(*period, begin, at);
    return begin;
  }

  /// When the step's last transfer began, and the rank that began it.
  Moment beginOf(const Period &wait, Moment at, Moment begin) {
    uint32_t c = wait.collective;
    double own = simulation.ranks[at.rank].posts[c][wait.step];
    Moment latest{at.rank, own};
    std::vector<Step> steps = program.stepsOf(c, at.rank);
    for (const Move &move : steps[wait.step].moves) {
      double theirs = postOfPeer(c, wait.step, at.rank, move);
      if (theirs > latest.time && theirs < at.time)
        latest = {move.peer, theirs};
    }
    return latest.time < at.time ? latest : begin;
  }

  /// When the other rank of a transfer began it.
  double postOfPeer(uint32_t c, uint32_t step, uint32_t rank,
                    const Move &move) const {
    std::vector<Step> steps = program.stepsOf(c, move.peer);
    auto has = [&](const Step &each) {
      return std::any_of(each.moves.begin(), each.moves.end(),
                         [&](const Move &other) {
                           return other.peer == rank && other.tag == move.tag &&
                                  other.isSent != move.isSent;
                         });
    };
    const std::vector<double> &posts = simulation.ranks[move.peer].posts[c];
    // In a ring, all steps have such a transfer.
    if (step < steps.size() && has(steps[step]))
      return posts[step];
    auto found = std::find_if(steps.begin(), steps.end(), has);
    return found == steps.end() ? 0 : posts[found - steps.begin()];
  }

  /// Parts of one operation, or kernels of one rank, become one.
  void append(const Period &period, Moment begin, Moment end) {
    bool isExchange = period.kind != Period::Kind::compute;
    if (path.empty() || path.back().isExchange != isExchange ||
        (isExchange && path.back().collective != period.collective))
      path.push_back(
          {isExchange, period.collective, end.rank, 0, end.time, 0, 0});
    PathPart &part = path.back();
    part.begin = begin.time;
    if (period.kind == Period::Kind::add)
      part.additions += end.time - begin.time;
    else
      part.transfers += isExchange;
  }

  const Program &program;
  const Simulation &simulation;
  std::vector<PathPart> path;
};

} // namespace

std::vector<PathPart> criticalPath(const Program &program,
                                   const Simulation &simulation) {
  return Walk(program, simulation).run();
}

} // namespace weir::simulate
