// What the steps of a loop give besides its variables: one tensor of all of it.

#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/bounded/ranges/Cases.h"
#include "compiler/import/onnx/control/Loops.h"
#include "compiler/import/onnx/control/StepsBuilder.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Index.h"

#include <cmath>

using namespace mlir;

namespace weir::onnx {

FailureOr<StepsBuilder::Collected>
StepsBuilder::roomFor(Loop &loop, unsigned i, const Traced &part,
                      std::optional<int64_t> all) {
  Collected collected;
  collected.part = sizesOf(part);
  for (Size size : collected.part)
    if (size.exact && loop.body.isAncestor(size.exact.getParentRegion())) {
      (void)node.unsupported("collects tensors whose size may differ from step "
                             "to step");
      return failure();
    }
  unsigned result = steps.firstCollected + i;
  if (all) {
    collected.room = *all;
    return collected;
  }
  if (auto promised = node.declaredShape(result) ? node.declaredShape(result)
                                                 : node.likelyShape(result)) {
    if (promised->empty())
      return node.error() << "collects a scalar";
    collected.room = promised->front();
    collected.isPromised = true;
    return collected;
  }
  int64_t elements = 1;
  for (const Size &size : collected.part)
    elements *= std::max<int64_t>(size.bound, 1);
  double most = std::max<double>(
      1, static_cast<double>(node.tracing.boundedElements / elements));
  double limit = steps.limit ? intervalOf(steps.limit.value).high : most;
  // A limit from the ranges of sizes is not cut.
  bool isPromised = limit < std::ldexp(1.0, 31) - 1;
  collected.room = static_cast<int64_t>(
      std::max(isPromised ? limit : std::min(limit, most), 0.0));
  return collected;
}

LogicalResult StepsBuilder::collect(Loop &loop, ArrayRef<Traced> parts,
                                    std::optional<int64_t> all,
                                    SmallVectorImpl<Collected> &collected) {
  Block *block = &loop.body.front();
  Location at = node.b.getLoc();
  ImplicitLocOpBuilder outside(at, node.b);
  ImplicitLocOpBuilder inner = atEnd(at, block);
  for (unsigned i = 0; i < steps.collected; ++i) {
    Value part = parts[i].value;
    if (!part)
      return node.unsupported("collects what is no tensor");
    auto room = roomFor(loop, i, parts[i], all);
    if (failed(room))
      return failure();
    collected.push_back(*room);
    RankedTensorType type = typeOf(part);
    SmallVector<int64_t> shape(type.getShape());
    // Room for a step that does not run keeps the body's op well formed.
    shape.insert(shape.begin(), std::max<int64_t>(room->room, 1));
    if (!byteSize(shape, elementBytes(type.getElementType())))
      return node.error() << "collects more than a tensor may hold";
    Value buffer = loop.carry(splat(outside, type.clone(shape), 0));
    shape[0] = 1;
    SmallVector<Value> starts(shape.size(), loop.init(0));
    starts[0] = block->getArgument(0);
    loop.yielded.push_back(make<graph::DynamicUpdateSliceOp>(
        inner, buffer, reshapeTo(inner, part, shape), starts));
  }
  loop.end(loop.body, loop.yielded);
  return success();
}

FailureOr<SmallVector<Traced>>
StepsBuilder::resultsOf(ArrayRef<Value> values, const Starts &starts,
                        bool isSteady, ArrayRef<Collected> collected) {
  SmallVector<Traced> results;
  ArrayRef<Value> rest = values.drop_front(2);
  for (const Traced &variable : starts.variables)
    results.push_back(starts.rebuilt(variable, rest));
  Expr count(node.b, values[0]);
  for (auto [value, each] : llvm::zip_equal(rest, collected)) {
    Expr all(node.b, value);
    if (each.isPromised &&
        failed(check(node, equal(count, number(node, each.room)),
                     "runs another number of times than the model says")))
      return failure();
    if (each.room == 0)
      all = slice(all, 0, 0, 0);
    Size size{each.room, {}};
    if (!isSteady && !each.isPromised) {
      Expr limit = number(node, each.room);
      require(node, apply<graph::LessEqualOp>(count, limit),
              "it runs more than " + Twine(each.room) +
                  " times, which the model was compiled for; --bound sets it");
      // Steps that none but the limit ends are as many as it says.
      size.exact = minimum(count, limit).value;
    }
    Sizes sizes{size};
    llvm::append_range(sizes, each.part);
    results.push_back(withSizes(all.value, sizes));
  }
  return results;
}

FailureOr<SmallVector<Traced>> StepsBuilder::collectedOfNone() {
  SmallVector<Traced> results = steps.variables;
  for (unsigned i = 0; i < steps.collected; ++i) {
    RankedTensorType type = node.declared(steps.firstCollected + i);
    if (!type)
      return node.unsupported("a loop that never runs, and the model does not "
                              "say what it gives");
    SmallVector<int64_t> shape(type.getShape());
    for (int64_t &size : shape)
      size = ShapedType::isDynamic(size) ? 0 : size;
    if (!shape.empty())
      shape[0] = 0;
    results.push_back({splat(node.b, type.clone(shape), 0), {}, nullptr});
  }
  return results;
}

} // namespace weir::onnx
