// Replays the schedule of a library by SimGrid: an actor for each rank, which
// sleeps while the rank computes, and exchanges messages without content.

#include "tools/simulate/Replay.h"

#include <simgrid/s4u.hpp>

#include <algorithm>
#include <cctype>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <set>

#include <unistd.h>

namespace s4u = simgrid::s4u;

namespace weir::simulate {
namespace {

/// SimGrid takes shorter times for nothing.
constexpr double precision = 1e-9;

/// A collective operation between its start and its end.
struct Flight {
  uint32_t collective = 0, slot = 0;
  std::vector<Step> steps;
  size_t at = 0;                       ///< The step whose transfers have begun.
  std::vector<s4u::CommPtr> transfers; ///< Of the step; not arrived yet.

  bool isDone() const { return at == steps.size(); }
};

/// The actor of a rank.
class Rank {
public:
  Rank(const Options &options, const Program &program,
       const std::vector<s4u::Host *> &hosts, uint32_t rank, Simulation &to)
      : options(options), program(program), hosts(hosts), rank(rank), to(to),
        log(to.ranks[rank]) {
    log.posts.resize(program.collectives.size());
  }

  void run() {
    for (const Item &item : program.items) {
      if (item.kind == Item::Kind::compute) {
        kernels.back() += item.seconds;
      } else if (item.kind == Item::Kind::progress) {
        kernels.push_back(0);
      } else if (item.kind == Item::Kind::start) {
        compute();
        start(item.collective);
      } else {
        compute();
        wait(item.collective);
      }
    }
    compute();
    log.end = now();
  }

private:
  static double now() { return s4u::Engine::get_clock(); }

  /// Ends a period. `flight` is that of a transfer or an addition.
  void record(Period::Kind kind, const Flight &flight = {}) {
    if (now() <= (log.periods.empty() ? 0 : log.periods.back().end))
      return;
    if (!log.periods.empty() && kind == Period::Kind::compute &&
        log.periods.back().kind == kind) {
      log.periods.back().end = now();
      return;
    }
    log.periods.push_back(
        {kind, flight.collective, static_cast<uint32_t>(flight.at), now()});
  }

  /// Simulates the kernels since the last exchange. Behind all but the last of
  /// them the schedule has progress.
  void compute() {
    for (size_t i = 0; i < kernels.size(); ++i) {
      double next = now();
      double end = std::accumulate(kernels.begin() + i, kernels.end(), next);
      auto hasArrived = [&] {
        return std::any_of(flights.begin(), flights.end(), [](auto &each) {
          return each.transfers.empty() && !each.isDone();
        });
      };
      while (end - now() > precision && !hasArrived())
        receive(end - now());
      for (next += kernels[i];
           now() - next > precision && i + 1 < kernels.size();)
        next += kernels[++i];
      while (next - now() > precision)
        receive(next - now());
      record(Period::Kind::compute);
      if (i + 1 < kernels.size())
        progress();
    }
    kernels.assign(1, 0);
  }

  /// Lets time pass until a transfer arrives, which is the result, or for so
  /// many seconds; below 0 is for ever. (SimGrid 3.32 keeps each activity that
  /// test() saw, so nothing is tested here.)
  Flight *receive(double seconds) {
    std::vector<s4u::CommPtr> transfers;
    for (const Flight &flight : flights)
      transfers.insert(transfers.end(), flight.transfers.begin(),
                       flight.transfers.end());
    if (transfers.empty()) {
      s4u::this_actor::sleep_for(seconds);
      return nullptr;
    }
    ssize_t arrived = s4u::Comm::wait_any_for(transfers, seconds);
    for (Flight &flight : flights) {
      auto size = static_cast<ssize_t>(flight.transfers.size());
      if (arrived >= 0 && arrived < size) {
        flight.transfers.erase(flight.transfers.begin() + arrived);
        return &flight;
      }
      arrived -= size;
    }
    return nullptr;
  }

  /// Messages between two ranks arrive in the order in which they were sent.
  /// Slots separate operations that are in progress at the same time.
  static s4u::Mailbox *mailbox(uint32_t from, uint32_t to, uint32_t slot) {
    return s4u::Mailbox::by_name(std::to_string(from) + '>' +
                                 std::to_string(to) + ':' +
                                 std::to_string(slot));
  }

  /// SimGrid crashes where there is no route.
  void checkRoute(uint32_t peer) {
    if (!peers.insert(peer).second)
      return;
    std::vector<s4u::Link *> links;
    double latency = 0;
    hosts[rank]->route_to(hosts[peer], links, &latency);
    if (links.empty() && latency <= 0)
      std::_Exit(fail(badInput, "'" + options.platform +
                                    "' has no route from host '" +
                                    hosts[rank]->get_name() + "' to host '" +
                                    hosts[peer]->get_name() + "'"));
  }

  void post(Flight &flight) {
    log.posts[flight.collective].push_back(now());
    CollectiveLog &traffic = to.collectives[flight.collective];
    for (const Move &move : flight.steps[flight.at].moves) {
      if (move.isSent) {
        checkRoute(move.peer);
        traffic.bytes += move.bytes;
        ++traffic.messages;
        flight.transfers.push_back(mailbox(rank, move.peer, flight.slot)
                                       ->put_async(&token, move.bytes));
      } else {
        flight.transfers.push_back(
            mailbox(move.peer, rank, flight.slot)->get_async<char>(&received));
      }
    }
  }

  /// Ends the steps whose transfers have arrived, and begins the next ones.
  void advance(Flight &flight) {
    while (!flight.isDone() && flight.transfers.empty()) {
      if (uint64_t bytes = flight.steps[flight.at].addedBytes) {
        double begin = now();
        s4u::this_actor::sleep_for(static_cast<double>(bytes) /
                                   options.additions);
        log.additions += now() - begin;
        record(Period::Kind::add, flight);
      }
      if (++flight.at < flight.steps.size())
        post(flight);
    }
  }

  /// As the runtime between two kernels.
  void progress() {
    for (Flight &flight : flights)
      advance(flight);
  }

  void start(uint32_t collective) {
    CollectiveLog &traffic = to.collectives[collective];
    traffic.begin = traffic.begin > 0 ? std::min(traffic.begin, now()) : now();
    std::vector<bool> isUsed(flights.size() + 1);
    for (const Flight &flight : flights)
      if (flight.slot < isUsed.size())
        isUsed[flight.slot] = true;
    auto slot = static_cast<uint32_t>(
        std::find(isUsed.begin(), isUsed.end(), false) - isUsed.begin());
    flights.push_back(
        {collective, slot, program.stepsOf(collective, rank), 0, {}});
    uint64_t sent = 0;
    for (const Step &step : flights.back().steps)
      for (const Move &move : step.moves)
        sent += move.isSent ? move.bytes : 0;
    traffic.mostOfRank = std::max(traffic.mostOfRank, sent);
    if (!flights.back().isDone())
      post(flights.back());
  }

  void wait(uint32_t collective) {
    auto flight =
        std::find_if(flights.begin(), flights.end(), [&](const Flight &each) {
          return each.collective == collective;
        });
    double begin = now(), added = log.additions;
    // The others continue meanwhile.
    while (!flight->isDone()) {
      progress();
      if (flight->isDone())
        break;
      if (Flight *arrived = receive(-1))
        record(Period::Kind::wait, *arrived);
    }
    flights.erase(flight);
    CollectiveLog &traffic = to.collectives[collective];
    double waited = now() - begin - (log.additions - added);
    traffic.waits += waited;
    traffic.end = std::max(traffic.end, now());
    if (waited > traffic.longestWait) {
      traffic.longestWait = waited;
      traffic.waitingRank = rank;
    }
  }

  const Options &options;
  const Program &program;
  const std::vector<s4u::Host *> &hosts;
  uint32_t rank;
  Simulation &to;
  RankLog &log;
  /// Seconds of kernels that are not simulated yet. Between two of them is
  /// progress.
  std::vector<double> kernels = {0};
  std::vector<Flight> flights;
  std::set<uint32_t> peers; ///< To which there is a route.
  char token = 0, *received = nullptr;
};

/// Whether `a` is before `b`, where runs of digits are numbers: node-2 is
/// before node-10.
bool isBefore(const std::string &a, const std::string &b) {
  auto isDigit = [](char c) { return std::isdigit((unsigned char)c) != 0; };
  size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (!isDigit(a[i]) || !isDigit(b[j])) {
      if (a[i] != b[j])
        return a[i] < b[j];
      ++i, ++j;
      continue;
    }
    size_t m = i, n = j;
    while (m < a.size() && isDigit(a[m]))
      ++m;
    while (n < b.size() && isDigit(b[n]))
      ++n;
    if (m - i != n - j)
      return m - i < n - j;
    if (int order = a.compare(i, m - i, b, j, n - j))
      return order < 0;
    i = m, j = n;
  }
  return a.size() - i < b.size() - j;
}

/// The arguments of SimGrid. Its factors for TCP are off: a link has the
/// bandwidth and the latency of the platform. The user's settings come last.
std::vector<std::string> settings(const Options &options) {
  std::vector<std::string> all = {"weir-simulate",
                                  "--cfg=network/model:CM02",
                                  "--cfg=network/crosstraffic:0",
                                  "--cfg=network/TCP-gamma:0",
                                  "--cfg=contexts/stack-size:128",
                                  "--log=root.thres:error"};
  all.insert(all.end(), options.settings.begin(), options.settings.end());
  return all;
}

/// SimGrid prints a message and aborts where a setting or a platform is wrong
/// that it does not throw an exception for.
void endAfterAbort(int) {
  const char text[] =
      "\nweir-simulate: error: SimGrid has ended; its message is above\n";
  ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
  _exit(written < 0 ? failedIo : badInput);
}

int simulate(const Options &options, const Program &program, Simulation &to) {
  std::vector<std::string> arguments = settings(options);
  std::vector<char *> argv;
  for (std::string &argument : arguments)
    argv.push_back(argument.data());
  int argc = static_cast<int>(argv.size());
  argv.push_back(nullptr);
  s4u::Engine engine(&argc, argv.data());
  engine.load_platform(options.platform);
  std::vector<s4u::Host *> hosts = engine.get_all_hosts();
  std::sort(hosts.begin(), hosts.end(), [](s4u::Host *a, s4u::Host *b) {
    return isBefore(a->get_name(), b->get_name());
  });
  to.hosts = hosts.size();
  if (hosts.size() < program.ranks)
    return fail(badInput, "'" + options.platform + "' has " +
                              std::to_string(hosts.size()) + " hosts, and " +
                              std::to_string(program.ranks) +
                              " ranks need one each");
  to.ranks.resize(program.ranks);
  to.collectives.resize(program.collectives.size());
  s4u::Engine::on_deadlock_cb(
      [] { std::exit(fail(internal, "no rank can continue the schedule")); });
  for (uint32_t rank = 0; rank < program.ranks; ++rank)
    s4u::Actor::create("rank-" + std::to_string(rank), hosts[rank], [&, rank] {
      Rank(options, program, hosts, rank, to).run();
    });
  engine.run();
  for (const RankLog &log : to.ranks)
    to.seconds = std::max(to.seconds, log.end);
  return success;
}

} // namespace

int replay(const Options &options, const Program &program, Simulation &to) {
  if (std::FILE *file = std::fopen(options.platform.c_str(), "r"))
    std::fclose(file);
  else
    return fail(failedIo, "cannot read '" + options.platform + "'");
  std::signal(SIGABRT, endAfterAbort);
  try {
    return simulate(options, program, to);
  } catch (const std::exception &error) {
    std::string text = error.what();
    return fail(badInput, "SimGrid: " + text.substr(0, text.find('\n')));
  }
}

} // namespace weir::simulate
