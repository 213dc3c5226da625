// Runs handlers on places, and gives what they make with its sizes.

#include "compiler/import/bounded/Inference.h"

#include "compiler/import/Tracing.h"
#include "compiler/import/bounded/Dims.h"
#include "compiler/import/bounded/PaddedBuffers.h"
#include "compiler/import/bounded/Reshape.h"
#include "compiler/import/bounded/Sizes.h"
#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Index.h"
#include "dialects/graph/Shape.h"
#include "dialects/graph/Sizes.h"
#include "dialects/graph/gradients/Gradient.h"
#include "dialects/weir/Attributes.h"

using namespace mlir;

namespace weir {

static bool areSame(ArrayRef<Dim> x, ArrayRef<Dim> y) {
  return llvm::equal(x, y, [](const Dim &a, const Dim &b) {
    return llvm::equal(a, b, [](const Factor &p, const Factor &q) {
      return p.bound == q.bound && p.exact == q.exact && p.isFree == q.isFree;
    });
  });
}

Dims Inference::of(Value value) const {
  if (auto found = known.find(value); found != known.end())
    return found->second;
  Dims dims;
  for (int64_t size : typeOf(value).getShape())
    dims.push_back(freeDim(size));
  return dims;
}

LogicalResult Inference::refuse(Operation *op) {
  return node.unsupported("an operand has a size that is known only at run "
                          "time, along which it works with " +
                          op->getName().getStringRef());
}

/// Along `dim` the size and so many elements behind it.
static Dim widened(ImplicitLocOpBuilder &b, const Dim &dim, int64_t reach) {
  Factor factor = dim.front();
  Expr size = exactly(b, factor) + number(b, reach);
  factor.exact = minimum(size, number(b, factor.bound)).value;
  return {factor};
}

void Inference::build(const Mask &mask) {
  Operation *op = mask.use->getOwner();
  ImplicitLocOpBuilder b(op->getLoc(), op);
  Value value = mask.use->get();
  Expr fill = identityOf(b, mask.kind, typeOf(value).getElementType());
  // Along the other dimensions what lies beyond the sizes may be anything.
  Dims dims = mask.sizes;
  bool areSingle = llvm::all_of(
      mask.dims, [&](int64_t dim) { return mask.sizes[dim].size() == 1; });
  if (!mask.reach.empty() && areSingle) {
    for (auto [dim, reach] : llvm::zip_equal(mask.dims, mask.reach)) {
      const Dim &size = mask.sizes[dim];
      bool isAll = reach >= size.front().bound;
      dims[dim] =
          isAll ? knownDim(size.front().bound) : widened(early, size, reach);
      value = make<graph::FillBeyondOp>(
          b, value, exactly(b, size.front()).value, fill.value,
          static_cast<uint64_t>(dim), static_cast<uint64_t>(reach));
      if (value)
        write(value.getDefiningOp(), dims);
    }
    mask.use->set(value);
    return;
  }
  // Dimensions that became one are masked each by itself.
  SmallVector<int64_t> along, whole(typeOf(value).getShape());
  Sizes factors;
  Dims apart;
  for (auto [i, bound, dim] : llvm::enumerate(whole, mask.sizes)) {
    if (!llvm::is_contained(mask.dims, static_cast<int64_t>(i))) {
      factors.push_back({bound, {}});
      apart.push_back(dim);
      continue;
    }
    for (const Factor &factor : dim) {
      along.push_back(static_cast<int64_t>(factors.size()));
      factors.push_back(
          {factor.bound, factor.isDynamic() ? factor.exact : Value()});
      apart.push_back(knownDim(factor.bound));
    }
  }
  value = reshapeTo(b, value, boundsOf(factors));
  Value result = masked(b, withSizes(value, factors), fill, along).value;
  if (auto select = result.getDefiningOp<graph::SelectOp>())
    write(select, apart);
  mask.use->set(reshapeTo(b, result, whole));
}

LogicalResult Inference::finish() {
  for (auto [x, y] : equals)
    require(node, apply<graph::EqualOp>(exactly(early, x), exactly(early, y)),
            "operands differ in size");
  for (auto &[value, sizes] : cleared) {
    Operation *op = value.getDefiningOp();
    ImplicitLocOpBuilder b(op->getLoc(), op->getBlock(),
                           std::next(op->getIterator()));
    Traced traced = withSizes(value, sizes);
    zeroBeyond(b, traced);
    if (traced.value != value)
      value.replaceAllUsesExcept(traced.value, traced.value.getDefiningOp());
  }
  for (const Mask &mask : masks)
    build(mask);
  return success();
}

void Inference::write(Operation *op) const {
  if (op->getNumResults() == 0 || isa<graph::ConstantOp>(op))
    return;
  auto found = known.find(op->getResult(0));
  if (found == known.end() || !isDynamic(found->second))
    return;
  for (Value result : op->getResults()) {
    auto other = known.find(result);
    if (other == known.end() || !areSame(other->second, found->second))
      return;
  }
  write(op, found->second);
}

void Inference::write(Operation *op, ArrayRef<Dim> sizes) const {
  // Gradients are of whole buffers, with zeros beyond the sizes.
  if (node.tracing.derives)
    return;
  graph::SizesOfDims dims;
  for (const Dim &dim : sizes) {
    graph::SizeOfDim factors;
    for (const Factor &factor : dim)
      factors.push_back(
          {factor.bound, factor.isDynamic()
                             ? symbolOf(node.tracing.report, factor.exact)
                             : -1});
    dims.push_back(factors);
  }
  if (ArrayAttr attribute = graph::sizesAttr(op->getContext(), dims))
    attrs::sizes.set(op, attribute);
}

/// A value of a handler, as edges carry it. Dimensions that became one are
/// without gaps then.
static Traced outside(ImplicitLocOpBuilder &b, Value value,
                      ArrayRef<Dim> dims) {
  Sizes sizes, factors;
  bool hasGaps = false;
  for (auto [bound, dim] : llvm::zip_equal(typeOf(value).getShape(), dims)) {
    Size size{bound, {}};
    Sizes own;
    for (const Factor &factor : dim) {
      hasGaps |= factor.isDynamic() && !own.empty();
      own.push_back(
          {factor.bound, factor.isDynamic() ? factor.exact : Value()});
    }
    if (isDynamic(dim))
      size.exact = own.size() == 1 ? own.front().exact
                                   : product(b, own, 0, own.size()).value;
    llvm::append_range(factors, own);
    sizes.push_back(size);
  }
  if (!hasGaps)
    return withSizes(value, sizes);
  Value apart = reshapeTo(b, value, boundsOf(factors));
  return reshapeBounded(b, withSizes(apart, factors), sizes);
}

/// Results with a size that the handler has made up are of that size, unless it
/// may have meant one that is open.
static LogicalResult checkFree(TracedNode &node,
                               ArrayRef<std::pair<Value, Sizes>> operands,
                               const Inference &inference) {
  auto isMeant = [&](const Factor &made) {
    return llvm::any_of(operands, [&](const auto &operand) {
      return llvm::any_of(operand.second, [&](const Size &size) {
        return !size.isKnown() && size.bound == made.bound;
      });
    });
  };
  for (const Traced &result : node.given) {
    if (!result.value)
      continue;
    for (const Dim &dim : inference.of(result.value))
      for (const Factor &factor : dim)
        if (factor.isFree && factor.bound > 1 && isMeant(factor))
          return node.unsupported("makes a result of the size of an operand "
                                  "that is known only at run time");
  }
  return success();
}

LogicalResult giveInferred(TracedNode &node, ArrayRef<Traced> operands,
                           Mixing mixing) {
  ImplicitLocOpBuilder &b = node.b;
  Block *block = b.getInsertionBlock();
  SmallVector<graph::BarrierOp> barriers;
  SmallVector<Traced> buffers(operands);
  SmallVector<std::pair<Value, Sizes>> sizes;
  for (Traced &buffer : buffers) {
    if (!buffer.value)
      continue;
    Sizes own = sizesOf(buffer);
    bool isDynamic = buffer.isBounded();
    buffer.extents.clear();
    // No op is to fold with what made the operand, of which nothing is known
    // here; nor with weights, whose sizes would be lost.
    if (isDynamic || !knownElements(buffer.value) || own.size() > 1) {
      barriers.push_back(
          b.create<graph::BarrierOp>(buffer.value.getType(), buffer.value));
      buffer.value = barriers.back();
    }
    sizes.push_back({buffer.value, own});
  }
  if (barriers.empty())
    return node.runOn(buffers);
  Operation *first = barriers.front();
  ImplicitLocOpBuilder early(b.getLoc(), first);
  Inference inference(node, mixing, early);
  for (auto &[value, own] : sizes)
    inference.set(value, dimsOf(own));
  LogicalResult outcome = node.runOn(buffers);
  for (auto op = first->getIterator(); succeeded(outcome) && op != block->end();
       ++op)
    if (!isa<graph::BarrierOp>(&*op))
      outcome = inference.visit(&*op);
  if (succeeded(outcome))
    outcome = inference.finish();
  if (succeeded(outcome))
    outcome = checkFree(node, sizes, inference);
  if (succeeded(outcome))
    for (Operation &op : llvm::make_range(first->getIterator(), block->end()))
      op.walk([&](Operation *inner) {
        if (!isa<graph::BarrierOp>(inner))
          inference.write(inner);
      });
  if (succeeded(outcome))
    for (Traced &result : node.given) {
      if (result.value && !result.imaginary)
        result = outside(b, result.value, inference.of(result.value));
      else if (result.object || result.imaginary)
        outcome = node.unsupported("gives what is no tensor of numbers, with a "
                                   "size that is known only at run time");
    }
  for (graph::BarrierOp barrier : barriers) {
    for (Traced &result : node.given)
      if (result.value == barrier.getResult())
        result.value = barrier.getX();
    barrier.getResult().replaceAllUsesWith(barrier.getX());
    barrier.erase();
  }
  return outcome;
}

LogicalResult giveInferred(TracedNode &node, Mixing mixing) {
  SmallVector<Traced> operands;
  for (unsigned i = 0; i < node.size(); ++i)
    operands.push_back(node.traced(i));
  return giveInferred(node, operands, mixing);
}

} // namespace weir
