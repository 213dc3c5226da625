// Elementwise nodes on operands of sizes known only at run time: the node's own
// handler works on the whole places.

#include "compiler/import/tensorflow/bounded/Bounds.h"

#include "compiler/import/Names.h"
#include "dialects/graph/Elementwise.h"

using namespace mlir;

namespace weir::tensorflow {

FailureOr<Sizes> commonSizes(Node &node, ArrayRef<Sizes> all) {
  size_t rank = 0;
  for (const Sizes &sizes : all)
    rank = std::max(rank, sizes.size());
  Sizes common(rank, Size{1, {}});
  for (size_t i = 0; i < rank; ++i) {
    Size &result = common[rank - 1 - i];
    for (const Sizes &sizes : all) {
      if (i >= sizes.size())
        continue;
      const Size &size = sizes[sizes.size() - 1 - i];
      if (size == result || (size.isKnown() && size.bound == 1))
        continue;
      if (result.isKnown() && result.bound == 1) {
        result = size;
        continue;
      }
      if (result.isKnown() && size.isKnown())
        return node.error()
               << "has operands whose dimensions of size " << result.bound
               << " and " << size.bound << " do not broadcast";
      // A size of 1 that only the run knows is not repeated.
      if (result.exact != size.exact)
        require(node,
                apply<graph::EqualOp>(exactly(node.b, result),
                                      exactly(node.b, size)),
                "operands differ in size");
      const Size &known = result.isKnown() ? result : size;
      const Size &open = result.isKnown() ? size : result;
      if (known.isKnown() && known.bound > open.bound)
        return node.error() << "has operands of size " << known.bound
                            << " and of at most " << open.bound;
      if (known.isKnown() ? size.isKnown() : size.bound < result.bound)
        result = size;
    }
  }
  return common;
}

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
    SmallVector<int64_t> bounds(typeOf(place).getShape());
    for (size_t k = 0; k < bounds.size(); ++k) {
      const Size &to = common[common.size() - bounds.size() + k];
      if (!all[i][k].isKnown() || bounds[k] != 1)
        bounds[k] = to.bound;
    }
    Traced traced;
    traced.value = inPlaceOf(node.b, place, bounds);
    places.push_back(traced);
  }
  return places;
}

/// Every result of the shape that the operands broadcast to has their sizes.
static LogicalResult attach(Node &node, const Sizes &common) {
  SmallVector<int64_t> bounds = boundsOf(common);
  for (Traced &traced : node.given)
    if (traced.value && typeOf(traced.value).getShape() == ArrayRef(bounds))
      traced = withSizes(traced.value, common);
    else
      return node.unsupported("an operand has a size that is known only at run "
                              "time");
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

LogicalResult importBoundedByName(Node &node, StringRef target) {
  auto name = RegisteredOperationName::lookup(target, node.b.getContext());
  if (name && name->hasInterface<graph::ScalarOpInterface>())
    return importBoundedElementwise(node);
  return node.unsupported("an operand has a size that is known only at run "
                          "time");
}

/// The channels of a bias lie along the last dimension.
static LogicalResult importBoundedBias(Node &node) {
  if (node.stringAttr("data_format", "NHWC") == "NCHW" || node.size() != 2 ||
      node.traced(1).isBounded() || node.rank(0) < 1 ||
      !sizesOf(node.traced(0)).back().isKnown())
    return node.unsupported("channels whose number is known only at run time, "
                            "or that do not come last");
  Sizes sizes = sizesOf(node.traced(0));
  Traced place, bias = node.traced(1);
  place.value = node.operand(0);
  if (failed(node.runOn({place, bias})))
    return failure();
  return attach(node, sizes);
}

void addBoundedElementwiseHandlers(BoundedHandlers &handlers) {
  for (StringRef op : {"Cast", "Select", "SelectV2", "ClipByValue", "LeakyRelu",
                       "ApproximateEqual", "Equal", "NotEqual", "AddN",
                       "AccumulateNV2", "Bucketize", "ZerosLike", "OnesLike"})
    handlers[op] = importBoundedElementwise;
  for (StringRef op : {"Div", "RealDiv", "TruncateDiv", "FloorDiv", "Mod",
                       "TruncateMod", "FloorMod", "Pow", "CheckNumerics"})
    handlers[op] = importCheckedElementwise;
  for (StringRef op : {"BiasAdd", "BiasAddV1"})
    handlers[op] = importBoundedBias;
}

} // namespace weir::tensorflow
