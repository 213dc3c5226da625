// The nodes of a model, to which it gives devices.

#include "dialects/weir/DeviceNodes.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;

namespace weir {

SmallVector<StringAttr> nodesOf(Location location) {
  SmallVector<StringAttr> nodes;
  SmallVector<LocationAttr> later{location};
  while (!later.empty()) {
    LocationAttr at = later.pop_back_val();
    if (auto name = dyn_cast<NameLoc>(at)) {
      nodes.push_back(name.getName());
      later.push_back(name.getChildLoc());
    } else if (auto call = dyn_cast<CallSiteLoc>(at)) {
      later.append({call.getCaller(), call.getCallee()});
    } else if (auto fused = dyn_cast<FusedLoc>(at)) {
      for (Location part : llvm::reverse(fused.getLocations()))
        later.push_back(part);
    }
  }
  return nodes;
}

LogicalResult namesNone(Location at, StringAttr device) {
  return emitError(at, "is constrained to '")
         << device.getValue() << "', which is the name of no device";
}

} // namespace weir
