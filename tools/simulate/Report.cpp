// Prints what a simulated run took. Each heading says that it is simulated.

#include "tools/simulate/Report.h"

#include "runtime/comm/info.h"
extern "C" {
#include "tools/run/report.h"
}

#include <algorithm>
#include <cinttypes>
#include <numeric>
#include <utility>

namespace weir::simulate {

static const char *kindOf(const Collective &collective) {
  return collective.kind == WEIR_ALL_GATHER       ? "all_gather"
         : collective.kind == WEIR_REDUCE_SCATTER ? "reduce_scatter"
                                                  : "all_reduce";
}

/// A duration with three digits after the unit's point.
static std::string duration(double seconds) {
  char text[32];
  const char *unit = seconds >= 1 ? "s" : seconds >= 1e-3 ? "ms" : "us";
  double scale = seconds >= 1 ? 1 : seconds >= 1e-3 ? 1e3 : 1e6;
  std::snprintf(text, sizeof text, "%.3f %s", seconds * scale, unit);
  return text;
}

static std::string size(double bytes) {
  char text[32];
  const char *units[] = {"B", "KB", "MB", "GB", "TB"};
  int unit = 0;
  for (; bytes >= 1000 && unit < 4; ++unit)
    bytes /= 1000;
  std::snprintf(text, sizeof text, unit ? "%.1f %s" : "%.0f %s", bytes,
                units[unit]);
  return text;
}

/// The name of a node on a line of a terminal.
static std::string plain(std::string name) {
  for (char &c : name)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      c = '?';
  return name;
}

static std::string meshOf(const Program &program) {
  std::string text;
  for (size_t i = 0; i < program.axes.size(); ++i)
    text += (i ? "," : "") + program.axes[i] + "=" +
            std::to_string(program.sizes[i]);
  return text;
}

/// The mean of the ranks' additions and waits, and the longest waits.
struct Times {
  double additions = 0, waits = 0, longest = 0;
  uint32_t waitingRank = 0;
};

static Times timesOf(const Simulation &simulation) {
  Times times;
  for (uint32_t r = 0; r < simulation.ranks.size(); ++r) {
    const RankLog &log = simulation.ranks[r];
    double begin = 0, waits = 0;
    for (const Period &period : log.periods) {
      if (period.kind == Period::Kind::wait)
        waits += period.end - begin;
      begin = period.end;
    }
    times.additions += log.additions;
    times.waits += waits;
    if (waits > times.longest) {
      times.longest = waits;
      times.waitingRank = r;
    }
  }
  times.additions /= static_cast<double>(simulation.ranks.size());
  times.waits /= static_cast<double>(simulation.ranks.size());
  return times;
}

static double efficiencyOf(const Program &program,
                           const Simulation &simulation) {
  return simulation.seconds > 0 ? program.compute / simulation.seconds : 1;
}

static void printTimes(std::FILE *to, const Options &options,
                       const Program &program, const Simulation &simulation) {
  Times times = timesOf(simulation);
  std::fprintf(to, "\nsimulated time\n  step        %s\n",
               duration(simulation.seconds).c_str());
  std::fprintf(to, "  compute     %s, %s\n", duration(program.compute).c_str(),
               options.compute > 0
                   ? "given by --compute"
                   : "estimated by the compiler for one thread");
  std::fprintf(to, "  additions   %s at %g GB/s, %s\n",
               duration(times.additions).c_str(), options.additions / 1e9,
               options.isRateGiven ? "given by --additions" : "assumed");
  std::fprintf(to, "  waits       %s, and at most %s (rank %u)\n",
               duration(times.waits).c_str(), duration(times.longest).c_str(),
               times.waitingRank);
  std::fprintf(to, "  efficiency  %.3f, compute / step\n",
               efficiencyOf(program, simulation));
}

/// Prints the operations with the longest waits and one line for all.
static void printTraffic(std::FILE *to, const Program &program,
                         const Simulation &simulation) {
  constexpr size_t most = 20;
  const auto &logs = simulation.collectives;
  auto ranks = static_cast<double>(program.ranks);
  std::vector<size_t> order(logs.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::make_pair(-logs[a].waits, a) <
           std::make_pair(-logs[b].waits, b);
  });
  std::fprintf(
      to, "\nsimulated traffic and waits\n%12s %12s %12s %12s  operation\n",
      "all ranks", "one rank", "mean wait", "longest");
  auto line = [&](const CollectiveLog &log, const std::string &name) {
    std::fprintf(to, "%12s %12s %12s %12s  %s\n",
                 size(static_cast<double>(log.bytes)).c_str(),
                 size(static_cast<double>(log.mostOfRank)).c_str(),
                 duration(log.waits / ranks).c_str(),
                 duration(log.longestWait).c_str(), name.c_str());
  };
  CollectiveLog rest, all;
  for (size_t k = 0; k < order.size(); ++k) {
    const CollectiveLog &log = logs[order[k]];
    const Collective &each = program.collectives[order[k]];
    for (CollectiveLog *sum : {&rest, &all}) {
      if (sum == &rest && k < most)
        continue;
      sum->bytes += log.bytes;
      sum->mostOfRank += log.mostOfRank;
      sum->waits += log.waits;
      sum->longestWait = std::max(sum->longestWait, log.longestWait);
    }
    if (k >= most)
      continue;
    uint64_t bytes = each.elements * each.elementBytes;
    std::string name = kindOf(each) + (" of " + size(double(bytes))) + " '" +
                       plain(each.node) + "'";
    if (log.longestWait > 0)
      name += ", longest in rank " + std::to_string(log.waitingRank);
    line(log, name);
  }
  if (order.size() > most)
    line(rest, std::to_string(order.size() - most) + " others");
  line(all, "all");
}

/// Whether the path waits for the network in this part.
static bool isTransfer(const PathPart &part) { return part.transfers > 0; }

/// Prints the exchanges of the path that take the longest, and what is between
/// them.
static void printPath(std::FILE *to, const Program &program,
                      const std::vector<PathPart> &path) {
  constexpr size_t most = 10;
  double kernels = 0, additions = 0, all = 0, begin = 0;
  std::vector<double> lengths;
  for (const PathPart &part : path) {
    all += part.end - part.begin;
    additions += part.additions;
    kernels += part.isExchange ? 0 : part.end - part.begin;
    if (isTransfer(part))
      lengths.push_back(part.end - part.begin);
  }
  std::sort(lengths.rbegin(), lengths.rend());
  double least = lengths.size() > most ? lengths[most - 1] : 0;
  std::fprintf(
      to, "\nsimulated critical path: kernels %s, additions %s, transfers %s\n",
      duration(kernels).c_str(), duration(additions).c_str(),
      duration(all - kernels - additions).c_str());
  uint32_t shorter = 0, rank = 0;
  double end = 0;
  auto printGap = [&] {
    if (end > begin) {
      std::string text =
          shorter ? " and " + std::to_string(shorter) + " shorter exchanges"
                  : "";
      std::fprintf(to, "  from %s to %s: kernels and additions%s, rank %u\n",
                   duration(begin).c_str(), duration(end).c_str(), text.c_str(),
                   rank);
    }
    shorter = 0;
  };
  for (const PathPart &part : path) {
    end = part.begin;
    if (!isTransfer(part) || part.end - part.begin < least) {
      shorter += isTransfer(part);
      rank = part.rank;
      continue;
    }
    printGap();
    begin = part.end;
    const Collective &each = program.collectives[part.collective];
    std::fprintf(to, "  from %s to %s: %s '%s', %u transfers, until rank %u\n",
                 duration(part.begin).c_str(), duration(part.end).c_str(),
                 kindOf(each), plain(each.node).c_str(), part.transfers,
                 part.rank);
  }
  end = path.empty() ? 0 : path.back().end;
  printGap();
}

void printReport(std::FILE *to, const Options &options, const Program &program,
                 const Simulation &simulation) {
  std::fprintf(to, "%s of %s: %u ranks (%s) on the %" PRIu64 " hosts of %s\n",
               plain(program.function).c_str(), options.library.c_str(),
               program.ranks, meshOf(program).c_str(), simulation.hosts,
               options.platform.c_str());
  printTimes(to, options, program, simulation);
  printTraffic(to, program, simulation);
  printPath(to, program, criticalPath(program, simulation));
}

void printJson(std::FILE *to, const Options &options, const Program &program,
               const Simulation &simulation) {
  Times times = timesOf(simulation);
  auto ranks = static_cast<double>(program.ranks);
  auto text = [&](const char *key, const std::string &value) {
    std::fprintf(to, "\"%s\": ", key);
    json_text(to, value.c_str());
    std::fputs(", ", to);
  };
  std::fputs("{", to);
  text("library", options.library);
  text("function", program.function);
  text("platform", options.platform);
  text("mesh", meshOf(program));
  std::fprintf(to,
               "\"ranks\": %u, \"hosts\": %" PRIu64
               ", \"compute_seconds\": %.9g, \"compute_given\": %s, "
               "\"addition_bytes_per_second\": %.9g,\n \"simulated\": "
               "{\"step_seconds\": %.9g, \"efficiency\": %.6g, "
               "\"addition_seconds\": %.9g, \"wait_seconds\": %.9g, "
               "\"longest_wait_seconds\": %.9g, \"longest_wait_rank\": %u,\n",
               program.ranks, simulation.hosts, program.compute,
               options.compute > 0 ? "true" : "false", options.additions,
               simulation.seconds, efficiencyOf(program, simulation),
               times.additions, times.waits, times.longest, times.waitingRank);
  std::fputs("  \"collectives\": [", to);
  for (size_t i = 0; i < program.collectives.size(); ++i) {
    const Collective &each = program.collectives[i];
    const CollectiveLog &log = simulation.collectives[i];
    std::fputs(i ? ",\n   {" : "\n   {", to);
    text("kind", kindOf(each));
    text("node", each.node);
    std::fprintf(to,
                 "\"bytes\": %" PRIu64 ", \"messages\": %" PRIu64
                 ", \"sent_bytes\": %" PRIu64
                 ", \"sent_bytes_of_rank\": %" PRIu64
                 ", \"begin_seconds\": %.9g, \"end_seconds\": %.9g, "
                 "\"wait_seconds\": %.9g, \"longest_wait_seconds\": %.9g, "
                 "\"longest_wait_rank\": %u}",
                 each.elements * each.elementBytes, log.messages, log.bytes,
                 log.mostOfRank, log.begin, log.end, log.waits / ranks,
                 log.longestWait, log.waitingRank);
  }
  std::fputs("],\n  \"critical_path\": [", to);
  const char *separator = "\n   {";
  for (const PathPart &part : criticalPath(program, simulation)) {
    std::fputs(separator, to);
    separator = ",\n   {";
    if (part.isExchange) {
      text("kind", kindOf(program.collectives[part.collective]));
      text("node", program.collectives[part.collective].node);
      std::fprintf(to, "\"transfers\": %u, \"addition_seconds\": %.9g, ",
                   part.transfers, part.additions);
    } else {
      text("kind", "compute");
    }
    std::fprintf(
        to, "\"rank\": %u, \"begin_seconds\": %.9g, \"end_seconds\": %.9g}",
        part.rank, part.begin, part.end);
  }
  std::fputs("]}}\n", to);
}

} // namespace weir::simulate
