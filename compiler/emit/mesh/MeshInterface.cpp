// Reads the mesh and the collective operations that the plan left on the
// module.

#include "compiler/emit/Interface.h"

#include "dialects/weir/Attributes.h"
#include "passes/plan/Exchanges.h"
#include "runtime/comm/steps.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace weir {

uint64_t MeshInterface::ranks() const {
  uint64_t all = 1;
  for (uint32_t size : sizes)
    all *= size;
  return all;
}

int64_t MeshInterface::ownBytes(int64_t weightsBytes) const {
  if (regions.empty())
    return weightsBytes;
  int64_t own = regions.front().offset; // those that all ranks read are before
  for (const RegionInterface &region : regions)
    own += region.stride;
  return own;
}

std::string MeshInterface::text() const {
  if (!cluster.empty())
    return cluster;
  std::string text;
  for (auto [axis, size] : llvm::zip_equal(axes, sizes))
    text += (text.empty() ? "" : ",") + axis + "=" + std::to_string(size);
  return text;
}

llvm::Error readMesh(ModuleOp module, ModelInterface &model) {
  MeshAttr mesh = attrs::mesh.of(module);
  if (!mesh)
    return llvm::Error::success();
  MeshInterface out;
  for (auto axis : mesh.getAxes().getAsRange<StringAttr>())
    out.axes.push_back(axis.str());
  for (int64_t size : mesh.getSizes().asArrayRef())
    out.sizes.push_back(static_cast<uint32_t>(size));
  if (ArrayAttr regions = attrs::weightRegions.of(module)) {
    for (auto each : regions.getAsRange<WeightRegionAttr>())
      out.regions.push_back(
          {each.getAxes(), each.getOffset(), each.getStride()});
    out.table = attrs::weightTable.of(module).getInt();
  }
  out.numRanks = static_cast<uint32_t>(out.ranks());
  if (ClusterAttr cluster = attrs::cluster.of(module)) {
    ClusterRole role = *cluster.roleOf(cluster.getRole());
    out.cluster = cluster.text();
    out.role = role.name;
    out.firstRank = static_cast<uint32_t>(role.first);
    out.numRanks = static_cast<uint32_t>(role.count);
    out.fingerprint = static_cast<uint64_t>(cluster.getFingerprint());
  }
  ArrayAttr all = attrs::collectives.of(module);
  for (auto each : all ? all.getAsRange<CollectiveAttr>()
                       : ArrayAttr::get(module.getContext(), {})
                             .getAsRange<CollectiveAttr>()) {
    RankedTensorType type = each.getType();
    std::optional<weir_dtype> dtype = dtypeOf(type.getElementType());
    if (!dtype)
      return llvm::createStringError(
          "a collective operation has an element type that C has not");
    CollectiveInterface one;
    weir_collective c =
        plan::collectiveOf(each, static_cast<int64_t>(out.collectives.size()));
    one.kind = c.kind;
    one.combine = llvm::StringSwitch<uint32_t>(each.getCombine())
                      .Case("max", WEIR_COMBINE_MAX)
                      .Case("min", WEIR_COMBINE_MIN)
                      .Default(WEIR_COMBINE_SUM);
    one.axes = c.axes;
    one.dtype = *dtype;
    one.elements = c.elements;
    one.elementBytes = c.element_bytes;
    one.data = each.getData();
    one.scratch = each.getScratch();
    one.node = each.getNode().str();
    one.function = static_cast<uint32_t>(each.getEntry());
    one.key = c.key;
    one.peer = c.peer;
    one.peers = c.peers;
    one.only = c.only;
    out.collectives.push_back(std::move(one));
  }
  if (ArrayAttr items = attrs::schedule.of(module))
    for (auto item : items.getAsRange<ScheduleItemAttr>())
      out.schedule.push_back({static_cast<uint32_t>(item.getEntry()),
                              llvm::StringSwitch<uint32_t>(item.getKind())
                                  .Case("start", WEIR_START)
                                  .Case("progress", WEIR_PROGRESS)
                                  .Case("wait", WEIR_WAIT)
                                  .Default(WEIR_COMPUTE),
                              static_cast<uint32_t>(item.getCollective()),
                              static_cast<uint32_t>(item.getTasks()),
                              static_cast<uint64_t>(item.getNanoseconds()),
                              static_cast<uint64_t>(item.getMultiplyAdds()),
                              static_cast<uint64_t>(item.getBytes())});
  model.mesh = std::move(out);
  return llvm::Error::success();
}

MeshRoom roomOf(const MeshInterface &mesh) {
  MeshRoom most;
  auto numAxes = static_cast<uint32_t>(mesh.sizes.size());
  for (uint64_t rank = 0; rank < mesh.ranks(); ++rank) {
    weir_steps list = {nullptr, nullptr, 0, 0};
    for (const CollectiveInterface &each : mesh.collectives) {
      weir_collective c = {each.kind,  each.combine,  each.axes,
                           each.dtype, each.elements, each.elementBytes,
                           each.data,  each.scratch,  nullptr,
                           each.key,   each.peer,     each.peers,
                           each.only};
      weir_group group = weir_group_of(numAxes, mesh.sizes.data(), each.axes,
                                       static_cast<int32_t>(rank));
      weir_add_steps(&c, &group, each.key, &list);
    }
    most.steps = std::max<uint64_t>(most.steps, list.num_steps);
    most.transfers = std::max<uint64_t>(most.transfers, list.num_moves);
  }
  return most;
}

} // namespace weir
