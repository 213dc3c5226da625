// Nodes that join tensors, cut them, widen them, or take elements at places,
// where sizes are known only at run time.

#include "compiler/import/bounded/Lists.h"
#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/onnx/Handlers.h"
#include "compiler/import/onnx/bounded/Bounded.h"
#include "compiler/import/onnx/shape/Pads.h"
#include "compiler/import/onnx/shape/Slices.h"
#include "compiler/import/rules/Slices.h"

#include "dialects/graph/Elementwise.h"

#include <limits>

using namespace mlir;

namespace weir::onnx {
namespace {

/// Axes of operand 0, all from the first on where none are given.
FailureOr<Integers> axesAt(Node &node, unsigned i, size_t count) {
  auto given = integersAt(node, "axes", i);
  if (failed(given))
    return failure();
  Integers axes = *given ? **given : Integers();
  if (!*given)
    for (size_t d = 0; d < count; ++d)
      axes.push_back(static_cast<int64_t>(d));
  if (axes.size() != count)
    return node.error() << "has " << count << " ranges along " << axes.size()
                        << " axes";
  return node.axes(axes, node.rank(0));
}

LogicalResult importSlice(Node &node) {
  if (failed(wantOperands(node, 1, 5)))
    return failure();
  // Then the result's size is known.
  if (!node.tracer.hasDynamicInputs && !node.traced(0).isBounded() &&
      isCutByDistance(node))
    return handlers().find("Slice")->second.run(node);
  auto starts = scalarsAt(node, "starts", 1), ends = scalarsAt(node, "ends", 2);
  auto steps = integersAt(node, "steps", 4);
  if (failed(starts) || failed(ends) || failed(steps))
    return failure();
  if (!*starts || !*ends || (*starts)->size() != (*ends)->size() ||
      (*steps && (*steps)->size() != (*starts)->size()))
    return node.error() << "has other numbers of starts, ends and steps";
  auto axes = axesAt(node, 3, (*starts)->size());
  if (failed(axes))
    return failure();
  Sizes from = sizesOf(node.traced(0));
  Ranges ranges(node);
  for (int64_t d = 0; d < node.rank(0); ++d) {
    auto at = llvm::find(*axes, d) - axes->begin();
    if (at == static_cast<int64_t>(axes->size())) {
      ranges.whole(1);
      continue;
    }
    int64_t step = *steps ? (**steps)[at] : 1;
    if (step == 0 || step == std::numeric_limits<int64_t>::min())
      return node.error() << "takes every " << step << "th element";
    // What is as far as can be is the end, whatever the size is.
    auto bounded = [&](Value position, bool isEnd) {
      auto known = knownNumber(position);
      bool isLast = known && (isEnd == (step > 0) ? *known >= from[d].bound
                                                  : *known < -from[d].bound);
      // A start below the first element is the first one, also going down.
      if (isLast && !isEnd && step < 0)
        isLast = *known >= from[d].bound;
      if (!isEnd && step < 0 && !isLast)
        return maximum(Expr(node.b, position), -exactly(node.b, from[d]));
      return isLast ? Expr() : Expr(node.b, position);
    };
    if (failed(ranges.range(bounded((**starts)[at], false),
                            bounded((**ends)[at], true), step)))
      return failure();
  }
  return ranges.give();
}

/// Margins before and after each dimension: an attribute before opset 11.
LogicalResult importPad(Node &node) {
  if (failed(wantOperands(node, 1, 4)))
    return failure();
  ImplicitLocOpBuilder &b = node.b;
  auto pads =
      scalarsAt(node, node.hasAttr("paddings") ? "paddings" : "pads", 1);
  if (failed(pads))
    return failure();
  if (!*pads)
    return node.missing("pads");
  auto axes = axesAt(node, 3, (*pads)->size() / 2);
  if (failed(axes))
    return failure();
  auto rank = static_cast<size_t>(node.rank(0));
  Margins margins;
  margins.mayCut = true;
  margins.low.assign(rank, number(b, 0));
  margins.high = margins.low;
  size_t count = axes->size();
  for (auto [i, axis] : llvm::enumerate(*axes)) {
    margins.low[axis] = Expr(b, (**pads)[i]);
    margins.high[axis] = Expr(b, (**pads)[count + i]);
  }
  FailureOr<Edges> edges = edgesOf(node);
  if (failed(edges))
    return failure();
  margins.edges = *edges;
  FailureOr<Expr> value = padding(node);
  return failed(value) ? failure() : givePadded(node, margins, *value);
}

} // namespace

void addBoundedPositionHandlers(BoundedHandlers &handlers) {
  handlers["Pad"] = {importPad, {1}};
  handlers["Slice"] = {importSlice, {1, 2}, true};
}

} // namespace weir::onnx
