// Scales losses and gradients, and updates the scale.

#include "passes/train/LossScale.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Reduce.h"
#include "dialects/graph/loss/FormLoss.h"
#include <limits>
#include <numeric>

using namespace mlir;
using namespace weir::graph::build;

namespace weir::train {

/// A larger scale saves no more gradients, and its inverse must not become
/// zero.
constexpr double largest = 0x1p24;

LossScale::LossScale(const Recipe &recipe, Variables &variables,
                     ImplicitLocOpBuilder &b)
    : recipe(recipe), b(b) {
  if (!recipe.has("loss_scale"))
    return;
  auto type = RankedTensorType::get({}, b.getF32Type());
  double first = recipe.number("loss_scale", 1);
  if (isDynamic()) {
    kept = variables.add("loss_scale", type, first, b.getLoc());
    good = variables.add(
        "good_steps", RankedTensorType::get({}, b.getI64Type()), 0, b.getLoc());
    scale = read(b, kept);
  } else {
    scale = Expr(b, splat(b, type, first));
  }
}

Expr LossScale::scaled(Expr loss) {
  return scale ? loss * cast(scale, loss.elementType()) : loss;
}

Expr LossScale::unscaled(Expr slope) {
  if (!scale)
    return slope;
  slope = inFull(slope);
  return slope / cast(scale, slope.elementType());
}

LossScale::Next LossScale::grown() {
  double most = recipe.number("loss_scale_growth", 1);
  Expr now = read(b, good) + 1;
  Expr isEnough = apply<graph::GreaterEqualOp>(now, now.like(most));
  Expr doubled = minimum(scale * 2, maximum(scale, scale.like(largest)));
  return {select(isEnough, doubled, scale), select(isEnough, now.like(0), now)};
}

LossScale::Next LossScale::shrunk() {
  return {maximum(scale * 0.5, scale.like(1)),
          Expr(b, splat(b, good.getTensorType(), 0))};
}

Expr areFinite(ArrayRef<Expr> all) {
  Expr are;
  for (Expr x : all) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    x = apply<graph::LessOp>(apply<graph::AbsOp>(x), x.like(infinity));
    if (x && x.rank() > 0) {
      SmallVector<int64_t> dims(x.rank());
      std::iota(dims.begin(), dims.end(), 0);
      x.value = make<graph::ReduceAndOp>(*x.b, x.value, dims);
    }
    are = are ? apply<graph::LogicalAndOp>(are, x) : x;
  }
  return are;
}

} // namespace weir::train
