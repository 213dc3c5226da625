// Elementwise nodes on operands of sizes known only at run time: the node's own
// handler works on the whole places.

#include "compiler/import/tensorflow/bounded/Bounds.h"

#include "compiler/import/Names.h"
#include "compiler/import/bounded/Agreement.h"
#include "compiler/import/bounded/PaddedBuffers.h"
#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/rules/Elementwise.h"
#include "dialects/graph/Elementwise.h"

using namespace mlir;

namespace weir::tensorflow {

static LogicalResult importElementwise(Node &node) {
  return giveElementwise(node);
}

/// What is checked of every element must hold of those that mean nothing.
static LogicalResult importCheckedElementwise(Node &node) {
  return giveElementwise(node, 1.0);
}

/// Version 1 does not broadcast, except one Boolean for each row or for all.
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
  SmallVector<Value> positions;
  for (unsigned i = 0; i < 3; ++i)
    positions.push_back(
        paddedTo(node.b, node.operand(i),
                 ArrayRef(boundsOf(sizes)).take_front(node.rank(i))));
  return failed(runOnPaddedBuffers(node, positions))
             ? failure()
             : giveSizes(node, 0, sizes);
}

/// The bias of each channel; channels may come before all but the batch.
static LogicalResult importBoundedBias(Node &node) {
  bool isFirst = node.stringAttr("data_format").starts_with("NC");
  int64_t channels = isFirst && node.rank(0) > 2 ? 1 : node.rank(0) - 1;
  if (node.size() != 2 || channels < 0 || node.traced(1).isBounded() ||
      !sizesOf(node.traced(0))[channels].isKnown())
    return node.unsupported("channels whose number is known only at run time");
  return failed(runOnPaddedBuffers(node, {}))
             ? failure()
             : giveSizes(node, 0, sizesOf(node.traced(0)));
}

void addBoundedElementwiseHandlers(BoundedHandlers &handlers) {
  for (StringRef op :
       {"Cast", "SelectV2", "ClipByValue", "LeakyRelu", "ApproximateEqual",
        "Equal", "NotEqual", "AddN", "AccumulateNV2", "Bucketize", "ZerosLike",
        "OnesLike", "FakeQuantWithMinMaxArgs", "FakeQuantWithMinMaxVars",
        "FakeQuantWithMinMaxVarsPerChannel"})
    handlers[op] = importElementwise;
  for (StringRef op : {"Div", "RealDiv", "TruncateDiv", "FloorDiv", "Mod",
                       "TruncateMod", "FloorMod", "Pow", "CheckNumerics"})
    handlers[op] = importCheckedElementwise;
  handlers["Select"] = importBoundedSelect;
  for (StringRef op : {"BiasAdd", "BiasAddV1"})
    handlers[op] = importBoundedBias;
}

} // namespace weir::tensorflow
