// Reads the devices to which the nodes of a model are constrained.

#include "passes/place/Devices.h"

#include "dialects/target/DeviceName.h"
#include "dialects/weir/Attributes.h"
#include "dialects/weir/DeviceNodes.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

namespace weir::place {

LogicalResult explainDevices(ModuleOp module) {
  auto devices = attrs::devices.of(module);
  if (!devices)
    return success();
  // For each device the first op, and the number of further ones.
  llvm::MapVector<StringAttr, std::pair<Operation *, int64_t>> absent;
  llvm::SmallPtrSet<Attribute, 16> seen;
  WalkResult walked = module.walk([&](Operation *op) {
    for (StringAttr node : nodesOf(op->getLoc())) {
      auto device = devices.getAs<StringAttr>(node);
      if (!device || !seen.insert(node).second)
        continue;
      DeviceKind kind = kindOfDevice(device);
      if (kind == DeviceKind::None)
        return failed(namesNone(op->getLoc(), device)) ? WalkResult::interrupt()
                                                       : WalkResult::advance();
      if (kind != DeviceKind::Gpu && kind != DeviceKind::Other)
        continue;
      auto [at, isNew] = absent.insert({device, {op, 0}});
      at->second.second += !isNew;
    }
    return WalkResult::advance();
  });
  if (walked.wasInterrupted())
    return failure();
  for (auto &[device, nodes] : absent) {
    InFlightDiagnostic remark = emitRemark(nodes.first->getLoc());
    remark << "is constrained to the device '" << device.getValue() << "'";
    if (nodes.second)
      remark << ", as " << nodes.second
             << (nodes.second == 1 ? " node more is" : " nodes more are");
    remark << "; without --gpu the processor computes all";
  }
  return success();
}

} // namespace weir::place
