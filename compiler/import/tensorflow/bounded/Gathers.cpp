// Gathers from and by tensors of sizes known only at run time.

#include "compiler/import/rules/Gathers.h"
#include "compiler/import/tensorflow/bounded/Bounds.h"
#include "compiler/import/tensorflow/shape/Moves.h"

using namespace mlir;

namespace weir::tensorflow {
namespace {

LogicalResult importBoundedGather(Node &node) {
  if (failed(wantOperands(node, 2)) || failed(wantIndices(node, 1)))
    return failure();
  int64_t axis = 0;
  if (node.size() > 2) {
    auto given = node.axisAt(2, node.rank(0));
    if (failed(given))
      return failure();
    axis = *given;
  }
  int64_t batch = node.intAttr("batch_dims");
  if (batch < 0)
    batch += node.rank(1);
  return giveGathered(node, node.traced(1), axis, batch);
}

LogicalResult importBoundedGatherNd(Node &node) {
  if (failed(wantOperands(node, 2)) || failed(wantIndices(node, 1)))
    return failure();
  return giveGatheredNd(node, node.traced(1));
}

} // namespace

void addBoundedGatherHandlers(BoundedHandlers &handlers) {
  handlers["Gather"] = importBoundedGather;
  handlers["GatherV2"] = importBoundedGather;
  handlers["GatherNd"] = importBoundedGatherNd;
}

} // namespace weir::tensorflow
