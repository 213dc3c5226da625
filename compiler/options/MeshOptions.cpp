// Parses the ranks of a library.

#include "compiler/OptionTable.h"
#include "dialects/weir/NamePattern.h"
#include "passes/shard/Axes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;
using namespace llvm::opt;

namespace weir {

/// Of all axes together. A rank is a process.
constexpr int64_t mostRanks = 65536;

static bool isAxisName(StringRef name) {
  return !name.empty() && isAlpha(name.front()) &&
         all_of(name, [](char c) { return isAlnum(c) || c == '_'; });
}

/// A rule REGEX:DIM@AXIS,... or REGEX:@.
static bool parseRule(StringRef text, const Options &options, ShardRule &rule,
                      std::string &why) {
  auto [names, list] = text.rsplit(':');
  rule.text = text.str();
  rule.names = names.str();
  if (names.size() == text.size() || list.empty()) {
    why = "is not REGEX:DIM@AXIS,... or REGEX:@";
    return false;
  }
  if (std::string fault = NamePattern::fault(names); !fault.empty()) {
    why = "has no regular expression: " + fault;
    return false;
  }
  if (list == "@")
    return true;
  SmallVector<StringRef> parts;
  list.split(parts, ',');
  int64_t used = 0;
  for (StringRef part : parts) {
    auto [number, axis] = part.split('@');
    int64_t dim;
    if (number.getAsInteger(10, dim) || dim < 0 || axis.empty()) {
      why = "is not REGEX:DIM@AXIS,... or REGEX:@";
      return false;
    }
    auto found = find_if(options.mesh, [name = axis](const auto &each) {
      return each.first == name;
    });
    if (found == options.mesh.end()) {
      why = "has the axis '" + escaped(axis) + "', which --mesh lacks";
      return false;
    }
    int64_t bit = int64_t(1) << (found - options.mesh.begin());
    if (used & bit) {
      why = "has the axis '" + axis.str() + "' twice";
      return false;
    }
    used |= bit;
    rule.dims.push_back({dim, bit});
  }
  return true;
}

static void readRules(const InputArgList &args, Options &options,
                      Usage &usage) {
  for (const std::string &text : args.getAllArgValues(OPT_shard_EQ)) {
    ShardRule rule;
    std::string why;
    if (parseRule(text, options, rule, why))
      options.shardRules.push_back(std::move(rule));
    else
      usage.say() << "--shard=" << escaped(text) << " " << why << "\n";
  }
  options.shardState = args.getLastArgValue(OPT_shard_state_EQ);
  if (args.hasArg(OPT_shard_state_EQ) &&
      none_of(options.mesh, [&](const auto &axis) {
        return axis.first == options.shardState;
      }))
    usage.say() << "--shard-state=" << escaped(options.shardState)
                << " is no axis of --mesh\n";
  options.reshard = args.getLastArgValue(OPT_reshard_EQ);
  StringRef values[] = {"remark", shard::reshard::error,
                        shard::reshard::silent};
  if (args.hasArg(OPT_reshard_EQ) && !is_contained(values, options.reshard))
    usage.say() << "--reshard: " << unknownValue(options.reshard, values)
                << "\n";
  if (options.reshard == "remark")
    options.reshard.clear();
}

/// Weights are divided along the first axis that does not divide the batch.
static void readParallel(const InputArgList &args, Options &options,
                         Usage &usage) {
  const Arg *given = args.getLastArg(OPT_parallel_EQ);
  if (!given)
    return;
  StringRef values[] = {"attention"};
  if (StringRef value = given->getValue(); !is_contained(values, value))
    usage.say() << "--parallel: " << unknownValue(value, values) << "\n";
  for (const auto &[name, size] : options.mesh)
    if (options.parallel.empty() && name != shard::dataAxis)
      options.parallel = name;
  if (options.parallel.empty())
    usage.say() << "--parallel needs an axis of --mesh for weights, as in "
                << "model=2\n";
}

static void readMicroBatches(const InputArgList &args, Options &options,
                             Usage &usage) {
  const Arg *given = args.getLastArg(OPT_grains_EQ);
  if (!given)
    return;
  StringRef text = given->getValue();
  if (text.getAsInteger(10, options.microBatches) || options.microBatches < 1 ||
      options.microBatches > mostRanks || !isPowerOf2_64(options.microBatches))
    usage.say() << "--grains=" << escaped(text)
                << " is no power of two up to 65536\n";
  else if (options.mesh.size() != 1 ||
           options.mesh.front().first != shard::dataAxis)
    usage.say() << "--grains needs a mesh of the axis '" << shard::dataAxis
                << "' alone\n";
  else if (options.microBatches % options.mesh.front().second)
    usage.say() << "--grains=" << escaped(text) << " is no multiple of the "
                << options.mesh.front().second << " ranks\n";
  else if (args.hasArg(OPT_shard_EQ) || args.hasArg(OPT_shard_state_EQ))
    usage.say() << "--grains does not go with --shard and --shard-state\n";
  else
    return;
  options.microBatches = 0;
}

static void readBucket(const InputArgList &args, Options &options,
                       Usage &usage) {
  const Arg *given = args.getLastArg(OPT_bucket_EQ);
  if (!given)
    return;
  StringRef text = given->getValue();
  options.bucketBytes = text == "0" ? 0 : parseBytes(text);
  if (!options.bucketBytes)
    usage.say() << "--bucket=" << escaped(text)
                << " is no number of bytes, as in 4M\n";
  if (!args.hasArg(OPT_mesh_EQ))
    usage.say() << "--bucket needs --mesh\n";
}

/// The option that does not go with several ranks, or nothing.
static StringRef whatRefusesRanks(const InputArgList &args,
                                  const Options &options) {
  if (options.gpu.isOn())
    return "--gpu";
  if (options.profile)
    return "--profile";
  if (!options.isaVariants.empty())
    return "--multiversion";
  for (auto [id, name] :
       {std::pair(OPT_check_EQ, "--check"), std::pair(OPT_state_EQ, "--state"),
        std::pair(OPT_specialize_EQ, "--specialize")})
    if (args.hasArg(id))
      return name;
  return "";
}

static void readConfiguration(const InputArgList &args, Options &options,
                              Usage &usage) {
  if (!args.hasArg(OPT_configuration_EQ))
    return;
  options.import.configuration =
      args.getLastArgValue(OPT_configuration_EQ).str();
  if (args.hasArg(OPT_mesh_EQ) && !options.import.configuration->empty())
    usage.say() << "--configuration does not go with --mesh: a configuration "
                   "has its own ranks\n";
}

void readMesh(const InputArgList &args, Options &options, Usage &usage) {
  options.import.refusesRanks = whatRefusesRanks(args, options).str();
  options.import.readsConfigurations = !args.hasArg(OPT_mesh_EQ);
  readConfiguration(args, options, usage);
  readBucket(args, options, usage);
  StringRef text = args.getLastArgValue(OPT_mesh_EQ);
  if (!args.hasArg(OPT_mesh_EQ)) {
    for (auto [id, name] : {std::pair(OPT_shard_EQ, "--shard"),
                            std::pair(OPT_reshard_EQ, "--reshard"),
                            std::pair(OPT_grains_EQ, "--grains"),
                            std::pair(OPT_parallel_EQ, "--parallel"),
                            std::pair(OPT_shard_state_EQ, "--shard-state")})
      if (args.hasArg(id))
        usage.say() << name << " needs --mesh\n";
    return;
  }
  SmallVector<StringRef> parts;
  text.split(parts, ',');
  StringSet<> names;
  int64_t ranks = 1;
  for (StringRef part : parts) {
    auto [name, number] = part.split('=');
    int64_t size;
    if (!isAxisName(name) || number.getAsInteger(10, size) || size < 1) {
      usage.say() << "--mesh=" << escaped(text)
                  << " is not AXIS=N,..., as in data=4\n";
      return;
    }
    if (!names.insert(name).second)
      usage.say() << "--mesh has the axis '" << name << "' twice\n";
    if (size > mostRanks / ranks) {
      usage.say() << "--mesh has more than " << mostRanks << " ranks\n";
      return;
    }
    ranks *= size;
    options.mesh.push_back({name.str(), size});
  }
  readRules(args, options, usage);
  readParallel(args, options, usage);
  readMicroBatches(args, options, usage);
  if (!options.import.refusesRanks.empty())
    usage.say() << "--mesh does not go with " << options.import.refusesRanks
                << "\n";
}

Status readCluster(const InputArgList &args, StringRef command,
                   Options &options, Usage &usage) {
  if (command != "partition")
    return Status::ok;
  StringRef path = args.getLastArgValue(OPT_cluster_EQ);
  if (path.empty()) {
    usage.say() << "no cluster given: --cluster=FILE\n";
    return Status::ok;
  }
  Status status = Status::ok;
  std::unique_ptr<MemoryBuffer> text = readOptionFile(path, status);
  if (!text)
    return status;
  if (Expected<Cluster> cluster = parseCluster(text->getBuffer()))
    options.cluster = std::move(*cluster);
  else
    usage.say() << "--cluster=" << escaped(path) << ": "
                << toString(cluster.takeError()) << "\n";
  return Status::ok;
}

} // namespace weir
