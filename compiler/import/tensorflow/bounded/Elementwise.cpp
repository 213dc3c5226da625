// Elementwise nodes on operands of sizes known only at run time: the node's own
// handler works on the whole places.

#include "compiler/import/tensorflow/bounded/Bounds.h"

#include "compiler/import/Names.h"
#include "dialects/graph/Elementwise.h"

using namespace mlir;

namespace weir::tensorflow {

/// The places of the operands, cut to the bounds that they share.
static FailureOr<SmallVector<Traced>>
alignedPlaces(Node &node, Sizes &common, unsigned count,
              std::optional<double> fill) {
  SmallVector<Sizes> all;
  for (unsigned i = 0; i < count; ++i)
    all.push_back(sizesOf(node.traced(i)));
  auto sizes = commonSizes(node, all);
  if (failed(sizes))
    return failure();
  common = *sizes;
  SmallVector<Traced> places;
  for (unsigned i = 0; i < node.size(); ++i) {
    if (i >= count) {
      places.push_back(node.traced(i));
      continue;
    }
    Value place =
        fill ? masked(node.b, node.traced(i), *fill).value : node.operand(i);
    Traced traced;
    traced.value = inPlaceOf(node.b, place, commonBounds(all[i], common));
    places.push_back(traced);
  }
  return places;
}

/// Every result has the shape that the operands broadcast to.
static LogicalResult attach(Node &node, const Sizes &common) {
  for (unsigned i = 0; i < node.given.size(); ++i)
    if (failed(giveSizes(node, i, common)))
      return failure();
  return success();
}

static LogicalResult importAligned(Node &node, unsigned count,
                                   std::optional<double> fill) {
  Sizes common;
  auto places = alignedPlaces(node, common, count, fill);
  if (failed(places) || failed(node.runOn(*places)))
    return failure();
  return attach(node, common);
}

LogicalResult importBoundedElementwise(Node &node) {
  return importAligned(node, node.size(), std::nullopt);
}

/// What is checked of every element must hold of those that mean nothing.
static LogicalResult importCheckedElementwise(Node &node) {
  return importAligned(node, node.size(), 1.0);
}

/// Version 1 does not broadcast, but for a truth value for each row or for all.
static LogicalResult importBoundedSelect(Node &node) {
  if (node.size() != 3)
    return node.error() << "has " << node.size() << " operands instead of 3";
  int64_t rank = node.rank(1), leading = node.rank(0);
  if (node.rank(2) != rank || leading > rank ||
      (leading > 1 && leading != rank))
    return node.error() << "does not select of " << node.type(1) << " and "
                        << node.type(2) << " by " << node.type(0);
  Sizes sizes = sizesOf(node.traced(1));
  for (unsigned i : {0, 2})
    for (auto [dim, size] : llvm::enumerate(sizesOf(node.traced(i)))) {
      auto agreed = agreedSize(node, sizes[dim], size,
                               "operands along dimension " + Twine(dim));
      if (failed(agreed))
        return failure();
      sizes[dim] = *agreed;
    }
  SmallVector<Value> places;
  for (unsigned i = 0; i < 3; ++i)
    places.push_back(
        inPlaceOf(node.b, node.operand(i),
                  ArrayRef(boundsOf(sizes)).take_front(node.rank(i))));
  return failed(runOnPlaces(node, places)) ? failure()
                                           : giveSizes(node, 0, sizes);
}

/// The bias of each channel; channels may come before all but the batch.
static LogicalResult importBoundedBias(Node &node) {
  bool isFirst = node.stringAttr("data_format").starts_with("NC");
  int64_t channels = isFirst && node.rank(0) > 2 ? 1 : node.rank(0) - 1;
  if (node.size() != 2 || channels < 0 || node.traced(1).isBounded() ||
      !sizesOf(node.traced(0))[channels].isKnown())
    return node.unsupported("channels whose number is known only at run time");
  Sizes sizes = sizesOf(node.traced(0));
  Traced place, bias = node.traced(1);
  place.value = node.operand(0);
  if (failed(node.runOn({place, bias})))
    return failure();
  return attach(node, sizes);
}

void addBoundedElementwiseHandlers(BoundedHandlers &handlers) {
  for (StringRef op :
       {"Cast", "SelectV2", "ClipByValue", "LeakyRelu", "ApproximateEqual",
        "Equal", "NotEqual", "AddN", "AccumulateNV2", "Bucketize", "ZerosLike",
        "OnesLike", "FakeQuantWithMinMaxArgs", "FakeQuantWithMinMaxVars",
        "FakeQuantWithMinMaxVarsPerChannel"})
    handlers[op] = importBoundedElementwise;
  for (StringRef op : {"Div", "RealDiv", "TruncateDiv", "FloorDiv", "Mod",
                       "TruncateMod", "FloorMod", "Pow", "CheckNumerics"})
    handlers[op] = importCheckedElementwise;
  handlers["Select"] = importBoundedSelect;
  for (StringRef op : {"BiasAdd", "BiasAddV1"})
    handlers[op] = importBoundedBias;
}

} // namespace weir::tensorflow
