// Windows as the attributes of convolutions and pools describe them.

#include "compiler/import/onnx/neural/Windows.h"

using namespace mlir;

namespace weir::onnx {

FailureOr<Integers> spatialAttr(Node &node, StringRef name, int64_t spatial,
                                int64_t otherwise) {
  Integers values = node.intsAttr(name);
  if (values.empty())
    return Integers(spatial, otherwise);
  if (static_cast<int64_t>(values.size()) != spatial)
    return node.error() << "attribute '" << name << "' has " << values.size()
                        << " values for " << spatial << " dimensions";
  return values;
}

LogicalResult readPads(Node &node, int64_t spatial, Integers &low,
                       Integers &high) {
  Integers pads = node.intsAttr("pads");
  if (pads.empty())
    pads.assign(2 * spatial, 0);
  if (static_cast<int64_t>(pads.size()) != 2 * spatial)
    return node.error() << "attribute 'pads' has " << pads.size()
                        << " values for " << spatial << " dimensions";
  for (int64_t pad : pads)
    if (pad < 0 || pad > (1 << 30))
      return node.error() << "has margins of " << pad;
  low.assign(pads.begin(), pads.begin() + spatial);
  high.assign(pads.begin() + spatial, pads.end());
  return success();
}

FailureOr<Windows> windowsOf(Node &node, ArrayRef<int64_t> extents,
                             ArrayRef<int64_t> size, Integers *beyond) {
  auto spatial = static_cast<int64_t>(extents.size());
  auto strides = spatialAttr(node, "strides", spatial, 1);
  auto dilations = spatialAttr(node, "dilations", spatial, 1);
  if (failed(strides) || failed(dilations))
    return failure();
  Windows windows{Integers(size), *strides, *dilations, {}, {}, {}};
  auto error = [&] { return node.error(); };
  if (failed(checkWindows(error, windows)))
    return failure();
  StringRef mode = node.stringAttr("auto_pad", "NOTSET");
  if (mode == "SAME_UPPER" || mode == "SAME_LOWER") {
    if (failed(padToStrides(error, windows, extents, mode == "SAME_LOWER")))
      return failure();
  } else if (mode == "VALID") {
    windows.low.assign(spatial, 0);
    windows.high.assign(spatial, 0);
  } else if (mode != "NOTSET" && !mode.empty()) {
    return node.error() << "auto_pad '" << mode << "' is unknown";
  } else if (failed(readPads(node, spatial, windows.low, windows.high))) {
    return failure();
  }
  if (beyond) {
    beyond->assign(spatial, 0);
    for (int64_t i = 0; node.intAttr("ceil_mode") && i < spatial; ++i) {
      int64_t reach = (windows.size[i] - 1) * windows.dilations[i] + 1;
      int64_t stride = windows.strides[i];
      int64_t positions = extents[i] + windows.low[i] + windows.high[i] - reach;
      int64_t rest = positions >= 0 ? positions % stride : 0;
      // No window begins behind the images and what lies before them.
      int64_t next = positions - rest + stride;
      if (rest && next < extents[i] + windows.low[i])
        (*beyond)[i] = stride - rest;
      windows.high[i] += (*beyond)[i];
    }
  }
  if (failed(countWindows(error, windows, extents)))
    return failure();
  return windows;
}

} // namespace weir::onnx
