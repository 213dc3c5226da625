// The roles that the devices of nodes name.

#include "passes/shard/roles/ReadDevices.h"

#include "dialects/target/DeviceName.h"
#include "dialects/weir/Attributes.h"
#include "dialects/weir/DeviceNodes.h"
#include "passes/shard/Axes.h"

#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

namespace weir::shard {

namespace {

/// "ps (2 tasks), worker (3)", in the order of names.
std::string textOfJobs(ClusterAttr cluster) {
  SmallVector<std::pair<StringRef, int64_t>> jobs;
  for (auto job : cluster.getJobs().getAsRange<StringAttr>())
    jobs.push_back({job.getValue(), cluster.sizeOf(job)});
  llvm::sort(jobs);
  std::string text;
  for (auto [job, size] : jobs) {
    std::string unit = size == 1 ? " task" : " tasks";
    text += text.empty() ? "" : ", ";
    text += job.str() + " (" + std::to_string(size) +
            (job == jobs.front().first ? unit : "") + ")";
  }
  return text;
}

class Reading {
public:
  explicit Reading(ModuleOp module)
      : module(module), cluster(ClusterAttr::of(module)),
        devices(attrs::devices.of(module)) {}

  LogicalResult run() {
    WalkResult walked = module.walk([&](Operation *op) {
      for (StringAttr node : nodesOf(op->getLoc()))
        if (failed(read(op->getLoc(), node)))
          return WalkResult::interrupt();
      return WalkResult::advance();
    });
    if (walked.wasInterrupted())
      return failure();
    if (!hasJob)
      return emitError(module.getLoc(),
                       "no node has a device with a job, such as "
                       "/job:worker/task:0, and weir partition divides a model "
                       "by these");
    if (replicas.first)
      divide();
    return success();
  }

private:
  LogicalResult read(Location at, StringAttr node) {
    auto device = devices ? devices.getAs<StringAttr>(node) : StringAttr();
    if (!device || !seen.insert(node).second)
      return success();
    DeviceName name = DeviceName::parse(device);
    if (name.kind == DeviceKind::None)
      return namesNone(at, device);
    if (name.job.empty())
      return success();
    hasJob = true;
    auto size = static_cast<uint64_t>(cluster.sizeOf(name.job));
    if (!size)
      return emitError(at, "is on '")
             << device.getValue() << "', and the cluster has the jobs "
             << textOfJobs(cluster);
    if (name.task && *name.task >= size) {
      InFlightDiagnostic error = emitError(at, "is on '");
      error << device.getValue() << "', and " << name.job << " has ";
      if (size == 1)
        return error << "task 0 only";
      return error << "tasks 0 to " << size - 1;
    }
    if (size == 1)
      return success();
    auto job = StringAttr::get(module.getContext(), name.job);
    if (name.task)
      single.try_emplace(job, node);
    else if (!replicas.first)
      replicas = {job, node};
    else if (replicas.first != job)
      return emitError(at, "is on all tasks of '")
             << name.job << "', and node '" << replicas.second.getValue()
             << "' on all of '" << replicas.first.getValue()
             << "'; name a task of one of them, as in /job:" << name.job
             << "/task:0";
    if (!replicas.first || !single.contains(replicas.first))
      return success();
    StringAttr other = name.task ? replicas.second : single[replicas.first];
    return emitError(at, "is on '")
           << device.getValue() << "', and node '" << other.getValue()
           << "' is on " << (name.task ? "all tasks" : "one task")
           << " of the job; name a task at all of its nodes, or at none";
  }

  /// The tasks of the job run one program.
  void divide() {
    MLIRContext *context = module.getContext();
    attrs::cluster.set(
        module, ClusterAttr::get(context, cluster.getJobs(), cluster.getSizes(),
                                 replicas.first.getValue(), cluster.getRole(),
                                 cluster.getFingerprint()));
    attrs::mesh.set(
        module,
        MeshAttr::get(
            context,
            ArrayAttr::get(context, StringAttr::get(context, dataAxis)),
            DenseI64ArrayAttr::get(context, cluster.sizeOf(replicas.first))));
  }

  ModuleOp module;
  ClusterAttr cluster;
  DictionaryAttr devices;
  bool hasJob = false;
  std::pair<StringAttr, StringAttr> replicas;   // a job, and a node of it
  llvm::DenseMap<Attribute, StringAttr> single; // nodes with a task
  llvm::SmallPtrSet<Attribute, 16> seen;
};

} // namespace

LogicalResult readDevices(ModuleOp module) { return Reading(module).run(); }

NodeRoles::NodeRoles(ModuleOp module)
    : cluster(ClusterAttr::of(module)), devices(attrs::devices.of(module)),
      all(cluster.roles()) {}

std::optional<unsigned> NodeRoles::of(Location location) const {
  if (!devices)
    return std::nullopt;
  for (StringAttr node : nodesOf(location)) {
    auto device = devices.getAs<StringAttr>(node);
    DeviceName name = DeviceName::parse(device ? device.getValue() : "");
    if (!name.job.empty())
      return cluster.roleOf(name.job, name.task.value_or(0)).index;
  }
  return std::nullopt;
}

unsigned NodeRoles::master() const {
  StringRef worker = "worker";
  if (!cluster.sizeOf(worker))
    worker = cast<StringAttr>(cluster.getJobs()[0]).getValue();
  return cluster.roleOf(worker, 0).index;
}

std::optional<unsigned> NodeRoles::replicas() const {
  for (const ClusterRole &role : all)
    if (role.count > 1)
      return role.index;
  return std::nullopt;
}

} // namespace weir::shard
