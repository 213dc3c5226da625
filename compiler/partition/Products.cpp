// The files beside the libraries of a cluster.

#include "compiler/partition/Products.h"

#include "compiler/Course.h"
#include "compiler/SystemErrors.h"
#include "dialects/graph/state/State.h"
#include "dialects/weir/Attributes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

using namespace mlir;
namespace json = llvm::json;

namespace weir {

std::string taskOf(ClusterAttr cluster, int64_t rank) {
  for (auto [job, size] :
       llvm::zip_equal(cluster.getJobs().getAsRange<StringAttr>(),
                       cluster.getSizes().asArrayRef())) {
    if (rank < size)
      return job.str() + "-" + std::to_string(rank);
    rank -= size;
  }
  llvm_unreachable("a rank that the cluster lacks");
}

static std::string pathOf(StringRef folder, const Twine &name) {
  SmallString<256> path(folder);
  llvm::sys::path::append(path, name);
  return path.str().str();
}

std::string libraryOf(StringRef folder, ClusterAttr cluster, int64_t rank) {
  return pathOf(folder, taskOf(cluster, rank) + ".so");
}

namespace {
/// The tasks of all jobs, which have the order of ranks, and the number of
/// tasks on each machine.
struct Places {
  explicit Places(const Cluster &cluster) {
    for (const ClusterJob &job : cluster)
      for (const ClusterTask &task : job.tasks) {
        hosts.push_back(task.host);
        ++slots[task.host];
      }
  }

  std::vector<std::string> hosts; // of ranks
  llvm::MapVector<StringRef, unsigned> slots;
};
} // namespace

static json::Array namesOf(func::FuncOp entry, bool areInputs) {
  json::Array names;
  unsigned count = areInputs ? entry.getNumArguments() : entry.getNumResults();
  for (unsigned i = 0; i < count; ++i) {
    StringAttr name = areInputs ? attrs::name.ofArgument(entry, i)
                                : attrs::name.ofResult(entry, i);
    names.push_back(json::fixUTF8(name ? name.getValue() : ""));
  }
  return names;
}

/// What the library of a role has.
static json::Object describe(ModuleOp role) {
  json::Array variables;
  for (auto variable : role.getOps<graph::VariableOp>())
    variables.push_back(json::fixUTF8(variable.nameInModel()));
  json::Array functions;
  for (auto entry : role.getOps<func::FuncOp>())
    functions.push_back(
        json::Object{{"name", json::fixUTF8(attrs::entry.of(entry).getValue())},
                     {"inputs", namesOf(entry, /*areInputs=*/true)},
                     {"outputs", namesOf(entry, /*areInputs=*/false)}});
  return json::Object{{"variables", std::move(variables)},
                      {"functions", std::move(functions)}};
}

std::string manifestOf(const Options &options, ArrayRef<ModuleOp> roles) {
  json::Array tasks;
  for (ModuleOp module : roles) {
    ClusterAttr cluster = attrs::cluster.of(module);
    ClusterRole role = *cluster.roleOf(cluster.getRole());
    for (int64_t rank = role.first; rank < role.first + role.count; ++rank)
      tasks.push_back(json::Object{{"rank", rank},
                                   {"task", taskOf(cluster, rank)},
                                   {"library", taskOf(cluster, rank) + ".so"},
                                   {"role", role.name}});
  }
  for (auto [rank, host] : llvm::enumerate(Places(options.cluster).hosts))
    (*tasks[rank].getAsObject())["host"] = host;
  json::Object all;
  for (ModuleOp module : roles)
    all[ClusterAttr::of(module).getRole()] = describe(module);
  int64_t fingerprint = ClusterAttr::of(roles.front()).getFingerprint();
  json::Object manifest{
      {"model", json::fixUTF8(options.import.path)},
      {"fingerprint", llvm::formatv("{0:x-16}", fingerprint).str()},
      {"tasks", std::move(tasks)},
      {"roles", std::move(all)}};
  return llvm::formatv("{0:2}\n", json::Value(std::move(manifest))).str();
}

static void printHosts(const Places &places, raw_ostream &os) {
  for (const auto &[host, slots] : places.slots)
    os << host << " slots=" << slots << '\n';
}

static void printScript(ClusterAttr cluster, const Places &places,
                        raw_ostream &os) {
  os << R"SH(#!/bin/sh
# Starts the tasks of the cluster, each with its own library and on its machine.
# Arguments are those of weir run. MPIRUN replaces mpirun and the machines, and
# WEIR_RUN replaces weir-run.
folder=$(cd "$(dirname "$0")" && pwd) || exit 74
run=${WEIR_RUN:-weir-run}
on() { [ -n "$MPIRUN" ] || echo "-host $1"; }
exec ${MPIRUN:-mpirun --hostfile "$folder/hostfile"} \
)SH";
  for (auto [rank, host] : llvm::enumerate(places.hosts))
    os << "  -n 1 $(on " << host << ":" << places.slots.lookup(host)
       << ") \"$run\" \"$folder/" << taskOf(cluster, rank)
       << ".so\" --comm=mpi \"$@\""
       << (rank + 1 < places.hosts.size() ? " : \\\n" : "\n");
}

Status writeLaunch(const Options &options, ClusterAttr cluster,
                   const std::string &manifest,
                   std::vector<OutputFile> &files) {
  StringRef folder = options.emit.output;
  Places places(options.cluster);
  auto write = [&](StringRef name,
                   llvm::function_ref<void(raw_ostream &)> contents) {
    return writeText(pathOf(folder, name), files, contents);
  };
  if (llvm::Error error =
          write("manifest.json", [&](raw_ostream &os) { os << manifest; }))
    return statusOf(std::move(error));
  if (llvm::Error error =
          write("hostfile", [&](raw_ostream &os) { printHosts(places, os); }))
    return statusOf(std::move(error));
  if (llvm::Error error = write(
          "run.sh", [&](raw_ostream &os) { printScript(cluster, places, os); }))
    return statusOf(std::move(error));
  const std::string &script = files.back().temporary();
  auto permissions = llvm::sys::fs::getPermissions(script);
  if (!permissions)
    return statusOf(llvm::make_error<IoError>(script, permissions.getError()));
  // Who may read it may run it.
  int mode = *permissions;
  mode |= (mode & 0444) >> 2;
  if (std::error_code code = llvm::sys::fs::setPermissions(
          script, static_cast<llvm::sys::fs::perms>(mode)))
    return statusOf(llvm::make_error<IoError>(script, code));
  return Status::ok;
}

} // namespace weir
