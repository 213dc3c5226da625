// What compiled ops round.

#include "compiler/reference/Rounding.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Index.h"
#include "dialects/graph/MultiplyAdds.h"
#include "dialects/graph/Neural.h"
#include "dialects/graph/Reduce.h"
#include "dialects/graph/Shape.h"
#include "dialects/graph/gradients/Gradient.h"
#include <algorithm>

using namespace mlir;

namespace weir::reference {

bool isExactOp(Operation *op) {
  if (isa<graph::ReduceMaxOp, graph::ReduceMinOp, graph::PoolMaxOp,
          graph::MaximumOp, graph::MinimumOp, graph::SelectOp, graph::ClampOp,
          graph::ReluOp, graph::NegOp, graph::AbsOp, graph::ReshapeOp,
          graph::ConcatOp, graph::PadOp, graph::DynamicUpdateSliceOp,
          graph::CompactOp, graph::SpreadOp, graph::FillBeyondOp, graph::SortOp,
          graph::TopKOp, graph::BarrierOp, graph::StopGradientOp>(op) ||
      op->getNumOperands() == 0)
    return true;
  if (auto scatter = dyn_cast<graph::ScatterOp>(op))
    return scatter.getCombiner() == graph::Combiner::update ||
           scatter.getCombiner() == graph::Combiner::min ||
           scatter.getCombiner() == graph::Combiner::max;
  auto role = dyn_cast<graph::FusionOpInterface>(op);
  return role && role.fusionRole() == graph::FusionRole::injective;
}

bool isSpecialOp(Operation *op) {
  return isa<graph::LgammaOp, graph::DigammaOp, graph::IgammaOp,
             graph::IgammacOp, graph::ZetaOp, graph::PolygammaOp,
             graph::BetaincOp>(op);
}

static int64_t elementsOf(Type type) {
  return std::max<int64_t>(cast<ShapedType>(type).getNumElements(), 1);
}

double termsOf(Operation *op) {
  int64_t results = elementsOf(op->getResult(0).getType()), most = 1;
  most = std::max(most, graph::multiplyAdds(op) / results);
  for (Type type : op->getOperandTypes()) {
    most = std::max(most, elementsOf(type) / results);
    // Cumulative sums, softmax and decompositions sum along dimensions.
    for (int64_t size : cast<ShapedType>(type).getShape())
      most = std::max(most, size);
  }
  return static_cast<double>(most);
}

} // namespace weir::reference
