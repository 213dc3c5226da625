// Counts the multiply-adds of a graph.

#include "dialects/graph/MultiplyAdds.h"

#include "dialects/graph/Elements.h"
#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Neural.h"
#include "dialects/graph/packed/Packed.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace weir::graph {

static int64_t times(int64_t a, int64_t b) {
  int64_t product;
  return llvm::MulOverflow(a, b, product) ? INT64_MAX : product;
}

static int64_t product(ArrayRef<int64_t> sizes) {
  int64_t all = 1;
  // If a size is zero, the product is zero even if others overflow.
  if (llvm::is_contained(sizes, 0))
    return 0;
  for (int64_t size : sizes)
    all = times(all, size);
  return all;
}

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

int64_t multiplyAdds(Operation *op) {
  return llvm::TypeSwitch<Operation *, int64_t>(op)
      .Case([](MatmulOp matmul) {
        ArrayRef<int64_t> a = shapeOf(matmul.getA());
        int64_t depth = a[a.size() - (matmul.getTransposeA() ? 2 : 1)];
        return times(product(shapeOf(matmul.getResult())), depth);
      })
      .Case([](ConvolutionOp convolution) {
        // All but the last dimension, which is the one of the results.
        ArrayRef<int64_t> filter = shapeOf(convolution.getFilter());
        return times(product(shapeOf(convolution.getResult())),
                     product(filter.drop_back()));
      })
      .Case([](FilterGradientOp gradient) {
        // Each element of the results uses each tap of its group's channels.
        ArrayRef<int64_t> result = shapeOf(gradient.getResult());
        return times(product(shapeOf(gradient.getResults())),
                     product(result.drop_front()));
      })
      .Case([](PackedMatmulOp matmul) {
        return times(product(shapeOf(matmul.getX())),
                     static_cast<int64_t>(matmul.getColumns()));
      })
      .Default([](Operation *) { return int64_t(0); });
}

static std::optional<int64_t> numberOf(Value value) {
  Attribute attribute;
  if (!matchPattern(value, m_Constant(&attribute)))
    return std::nullopt;
  auto numbers = integersOf(attribute);
  if (!numbers || numbers->size() != 1)
    return std::nullopt;
  return numbers->front();
}

std::optional<int64_t> countSteps(Operation *op) {
  auto loop = dyn_cast<WhileOp>(op);
  if (!loop)
    return std::nullopt;
  Operation *goesOn = loop.getCondition().front().getTerminator();
  Operation *next = loop.getBody().front().getTerminator();
  auto less = goesOn->getOperand(0).getDefiningOp<LessOp>();
  auto counter = less ? dyn_cast<BlockArgument>(less.getX()) : BlockArgument();
  if (!counter || counter.getOwner() != &loop.getCondition().front())
    return std::nullopt;
  unsigned at = counter.getArgNumber();
  std::optional<int64_t> first = numberOf(loop.getInits()[at]);
  std::optional<int64_t> end = numberOf(less.getY());
  auto sum = next->getOperand(at).getDefiningOp<AddOp>();
  Value old = loop.getBody().front().getArgument(at);
  if (!first || !end || !sum)
    return std::nullopt;
  std::optional<int64_t> step;
  if (sum.getX() == old)
    step = numberOf(sum.getY());
  else if (sum.getY() == old)
    step = numberOf(sum.getX());
  int64_t distance;
  if (!step || *step <= 0 || llvm::SubOverflow(*end, *first, distance))
    return std::nullopt;
  return distance <= 0 ? 0 : (distance - 1) / *step + 1;
}

namespace {

/// The counts of one region.
struct Part {
  int64_t total = 0;
  std::map<std::string, int64_t> byName;

  void add(const Part &other, int64_t count) {
    total = saturatingAdd(total, times(other.total, count));
    for (const auto &[name, own] : other.byName)
      byName[name] = saturatingAdd(byName[name], times(own, count));
  }
  void most(const Part &other) {
    total = std::max(total, other.total);
    for (const auto &[name, own] : other.byName)
      byName[name] = std::max(byName[name], own);
  }
};

} // namespace

MultiplyAdds countMultiplyAdds(Operation *function,
                               function_ref<std::string(Operation *)> nameOf) {
  MultiplyAdds result;
  llvm::DenseMap<Region *, Part> parts;
  auto take = [&](Region &region) {
    auto found = parts.find(&region);
    Part part = found == parts.end() ? Part() : std::move(found->second);
    if (found != parts.end())
      parts.erase(found);
    return part;
  };
  // Regions are counted before their op.
  function->walk<WalkOrder::PostOrder>([&](Operation *op) {
    Part all;
    if (int64_t own = multiplyAdds(op)) {
      all.total = own;
      all.byName[nameOf(op)] = own;
    }
    std::optional<int64_t> steps = countSteps(op);
    for (Region &region : op->getRegions()) {
      Part part = take(region);
      if (isa<IfOp>(op))
        all.most(part);
      else
        all.add(part, steps.value_or(1));
      result.hasUnknownLoops |= isa<WhileOp>(op) && !steps && part.total;
    }
    if (op == function) {
      result.total = all.total;
      result.byName = std::move(all.byName);
    } else if (all.total) {
      parts[op->getParentRegion()].add(all, 1);
    }
  });
  return result;
}

} // namespace weir::graph
