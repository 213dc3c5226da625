// Parses the machines of a cluster.

#include "compiler/partition/Cluster.h"

#include "compiler/Diagnostics.h"
#include "compiler/options/JsonText.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace weir {

/// As a library of several ranks has.
static constexpr size_t mostTasks = 65536;

static Error bad(const Twine &text) {
  return createStringError(inconvertibleErrorCode(), text);
}

static bool isJobName(StringRef name) {
  return !name.empty() && isAlpha(name.front()) &&
         all_of(name, [](char c) { return isAlnum(c) || c == '_'; });
}

/// A name of a machine, or its address: IPv6 in brackets.
static bool isHost(StringRef host) {
  if (host.consume_front("["))
    return host.consume_back("]") && !host.empty() && all_of(host, [](char c) {
             return isHexDigit(c) || c == ':' || c == '.';
           });
  return !host.empty() && isAlnum(host.front()) && all_of(host, [](char c) {
    return isAlnum(c) || c == '-' || c == '.' || c == '_';
  });
}

static Expected<ClusterTask> parseTask(StringRef job, size_t task,
                                       const json::Value &value) {
  std::string where =
      "task " + std::to_string(task) + " of '" + job.str() + "' ";
  std::optional<StringRef> text = value.getAsString();
  if (!text)
    return bad(where + "is no text; expected \"host:port\"");
  auto [host, port] = text->rsplit(':');
  uint16_t number;
  if (port.empty() || port.getAsInteger(10, number) || !isHost(host))
    return bad(where + "is '" + escaped(*text) +
               "', which is not host:port, as in \"node1:2222\"");
  return ClusterTask{host.str(), port.str()};
}

Expected<Cluster> parseCluster(StringRef text) {
  Expected<json::Value> value = parseJson(text);
  if (!value)
    return value.takeError();
  const json::Object *jobs = value->getAsObject();
  if (jobs && jobs->getObject("cluster"))
    jobs = jobs->getObject("cluster");
  if (!jobs)
    return bad("is no object of jobs, as in {\"worker\": [\"node1:2222\"]}");
  if (jobs->empty())
    return bad("has no job");
  Cluster cluster;
  StringMap<std::string> places; // of addresses
  for (const auto &[key, list] : *jobs) {
    StringRef name = key;
    if (!isJobName(name))
      return bad("'" + escaped(name) +
                 "' is no name of a job, which has letters, digits and '_'");
    const json::Array *hosts = list.getAsArray();
    if (!hosts)
      return bad("job '" + name + "' is no list of \"host:port\"");
    if (hosts->empty())
      return bad("job '" + name + "' has no task");
    cluster.push_back({name.str(), {}});
    for (const auto &[i, host] : enumerate(*hosts)) {
      Expected<ClusterTask> task = parseTask(name, i, host);
      if (!task)
        return task.takeError();
      std::string place =
          "task " + std::to_string(i) + " of '" + name.str() + "'";
      auto [other, isNew] =
          places.try_emplace(task->host + ":" + task->port, place);
      if (!isNew)
        return bad(other->second + " and " + place + " have one address, " +
                   other->first());
      cluster.back().tasks.push_back(std::move(*task));
    }
  }
  if (places.size() > mostTasks)
    return bad("has more than " + Twine(mostTasks) + " tasks");
  llvm::sort(cluster, [](const ClusterJob &a, const ClusterJob &b) {
    return a.name < b.name;
  });
  return cluster;
}

} // namespace weir
