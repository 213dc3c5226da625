// The tasks of a cluster, and the roles that they have.

#include "dialects/weir/Attributes.h"
#include "dialects/weir/Checks.h"
#include "dialects/weir/Records.h"

#include "mlir/IR/BuiltinOps.h"

#include <numeric>

using namespace mlir;
using namespace weir;

LogicalResult ClusterAttr::verify(Emit emitError, ArrayAttr jobs,
                                  DenseI64ArrayAttr sizes, StringRef, StringRef,
                                  int64_t) {
  constexpr int64_t mostRanks = 65536;
  if (jobs.empty() || !llvm::all_of(jobs, llvm::IsaPred<StringAttr>) ||
      jobs.size() != static_cast<size_t>(sizes.size()))
    return emitError() << "a cluster has jobs and a size for each, not "
                       << jobs.size() << " and " << sizes.size();
  for (int64_t size : sizes.asArrayRef())
    if (failed(verifyRanges(emitError, {{"size", size, 1, mostRanks}})))
      return failure();
  return success();
}

ClusterAttr ClusterAttr::of(Operation *op) {
  auto module = llvm::dyn_cast<ModuleOp>(op);
  if (!module)
    module = op->getParentOfType<ModuleOp>();
  for (; module; module = module->getParentOfType<ModuleOp>())
    if (ClusterAttr cluster = attrs::cluster.of(module))
      return cluster;
  return {};
}

SmallVector<ClusterRole> ClusterAttr::roles() const {
  SmallVector<ClusterRole> roles;
  int64_t rank = 0;
  for (auto [job, size] : llvm::zip_equal(getJobs().getAsRange<StringAttr>(),
                                          getSizes().asArrayRef())) {
    bool areReplicas = job.getValue() == getReplicas();
    for (int64_t task = 0; task < size; task += roles.back().count) {
      std::string name = job.str();
      if (!areReplicas)
        name += "-" + std::to_string(task);
      roles.push_back({name, rank, areReplicas ? size : 1,
                       static_cast<unsigned>(roles.size())});
      rank += roles.back().count;
    }
  }
  return roles;
}

std::optional<ClusterRole> ClusterAttr::roleOf(StringRef name) const {
  for (ClusterRole &role : roles())
    if (role.name == name)
      return role;
  return std::nullopt;
}

ClusterRole ClusterAttr::roleOf(StringRef job, uint64_t task) const {
  std::string name = job.str();
  if (job != getReplicas())
    name += "-" + std::to_string(task);
  return *roleOf(name);
}

int64_t ClusterAttr::sizeOf(StringRef job) const {
  for (auto [name, size] : llvm::zip_equal(getJobs().getAsRange<StringAttr>(),
                                           getSizes().asArrayRef()))
    if (name.getValue() == job)
      return size;
  return 0;
}

int64_t ClusterAttr::ranks() const {
  return std::accumulate(getSizes().asArrayRef().begin(),
                         getSizes().asArrayRef().end(), int64_t(0));
}

std::string ClusterAttr::text() const {
  std::string text;
  for (auto [name, size] : llvm::zip_equal(getJobs().getAsRange<StringAttr>(),
                                           getSizes().asArrayRef()))
    text += (text.empty() ? "" : ",") + name.str() + "=" + std::to_string(size);
  return text;
}
