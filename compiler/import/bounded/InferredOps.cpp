// How sizes go through each kind of op.

#include "compiler/import/Tracing.h"
#include "compiler/import/bounded/Dims.h"
#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/bounded/Windows.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Index.h"
#include "dialects/graph/Neural.h"
#include "dialects/graph/Reduce.h"
#include "dialects/graph/Shape.h"
#include "dialects/graph/gradients/Gradient.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace weir {

using graph::Reduction;

LogicalResult Inference::join(Operation *op, Dim &x, const Dim &y) {
  auto isFree = [](const Dim &dim) {
    return llvm::all_of(dim, [](const Factor &f) { return f.isFree; });
  };
  if (isFree(y))
    return success();
  if (isFree(x)) {
    x = y;
    return success();
  }
  if (!isDynamic(x) && !isDynamic(y))
    return success();
  if (x.size() != y.size())
    return refuse(op);
  for (auto [a, b] : llvm::zip_equal(x, y)) {
    if (b.isFree || a == b)
      continue;
    if (a.bound != b.bound)
      return refuse(op);
    if (!a.isFree)
      equals.push_back({a, b});
    if (a.isFree || b.isKnown())
      a = b;
  }
  return success();
}

LogicalResult Inference::join(Operation *op, Dims &x, ArrayRef<Dim> y) {
  for (auto [a, b] : llvm::zip_equal(x, y))
    if (failed(join(op, a, b)))
      return failure();
  return success();
}

LogicalResult Inference::mask(Operation *op, unsigned operand,
                              ArrayRef<int64_t> dims, Reduction kind,
                              ArrayRef<int64_t> reach) {
  Dims sizes = of(op->getOperand(operand));
  SmallVector<int64_t> open;
  for (int64_t dim : dims)
    if (isDynamic(sizes[dim])) {
      // That a check fails where nothing counts is never meant.
      bool isCheck = kind == Reduction::and_ || kind == Reduction::or_;
      if (mixing == Mixing::never && !isCheck)
        return refuse(op);
      open.push_back(dim);
    }
  if (!open.empty())
    masks.push_back({&op->getOpOperand(operand), open, kind, sizes,
                     SmallVector<int64_t>(reach)});
  return success();
}

void Inference::maskRepeated(Operation *op, ArrayRef<Dim> result) {
  if (!node.tracing.derives || !isDynamic(result))
    return;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<FloatType>(typeOf(operand.get()).getElementType()) ||
        knownElements(operand.get()))
      continue;
    SmallVector<int64_t> dims;
    for (auto [i, own, of] : llvm::enumerate(of(operand.get()), result))
      if (isDynamic(of) && !isDynamic(own) && of.size() == 1)
        dims.push_back(static_cast<int64_t>(i));
    if (!dims.empty())
      masks.push_back({&operand, dims, Reduction::sum, Dims(result), {}});
  }
}

void Inference::maskResult(Operation *op) {
  Value result = op->getResult(0);
  if (!node.tracing.derives || !isa<FloatType>(typeOf(result).getElementType()))
    return;
  Sizes sizes;
  for (auto [bound, dim] :
       llvm::zip_equal(typeOf(result).getShape(), of(result)))
    sizes.push_back({bound, dim.size() == 1 && isDynamic(dim)
                                ? dim.front().exact
                                : Value()});
  cleared.push_back({result, sizes});
}

LogicalResult Inference::visitElementwise(Operation *op) {
  countMean(op);
  Dims dims;
  for (int64_t size : typeOf(op->getResult(0)).getShape())
    dims.push_back(freeDim(size));
  for (Value operand : op->getOperands())
    if (failed(join(op, dims, of(operand))))
      return failure();
  maskRepeated(op, dims);
  for (Value result : op->getResults())
    set(result, dims);
  return success();
}

LogicalResult Inference::visitReduction(Operation *op) {
  Dims dims = of(op->getOperand(0));
  auto drop = [&](ArrayRef<int64_t> along) {
    Dims left;
    for (auto [i, dim] : llvm::enumerate(dims))
      if (!llvm::is_contained(along, static_cast<int64_t>(i)))
        left.push_back(dim);
    set(op->getResult(0), left);
  };
  auto reduce = [&](auto each) {
    if (failed(mask(op, 0, each.getDimensions(), each.kind)))
      return failure();
    drop(each.getDimensions());
    Dims along;
    for (int64_t dim : each.getDimensions())
      along.push_back(dims[dim]);
    if (mixing == Mixing::byMeans && isDynamic(along)) {
      if (each.kind != Reduction::sum)
        return refuse(op);
      totals[op->getResult(0)] = along;
    }
    return success();
  };
  auto find = [&](auto each, Reduction kind) {
    auto axis = static_cast<int64_t>(each.getAxis());
    if (failed(mask(op, 0, axis, kind)))
      return failure();
    drop(axis);
    return success();
  };
  auto cumulate = [&](auto each) {
    auto axis = static_cast<int64_t>(each.getAxis());
    if (failed(mask(op, 0, axis, each.kind)))
      return failure();
    set(op->getResult(0), dims);
    return success();
  };
  auto alongLast = [&](auto) {
    auto last = static_cast<int64_t>(dims.size()) - 1;
    if (failed(mask(op, 0, last, Reduction::max)))
      return failure();
    set(op->getResult(0), dims);
    return success();
  };
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<graph::ReduceSumOp, graph::ReduceProdOp, graph::ReduceMaxOp,
            graph::ReduceMinOp, graph::ReduceAndOp, graph::ReduceOrOp>(reduce)
      .Case<graph::ArgMaxOp>(
          [&](auto each) { return find(each, Reduction::max); })
      .Case<graph::ArgMinOp>(
          [&](auto each) { return find(each, Reduction::min); })
      .Case<graph::CumulativeSumOp, graph::CumulativeProdOp,
            graph::CumulativeLogSumExpOp>(cumulate)
      .Case<graph::SoftmaxOp, graph::LogSoftmaxOp>(alongLast)
      .Default([&](Operation *) { return refuse(op); });
}

LogicalResult Inference::visitProduct(Operation *op) {
  auto product = llvm::cast<graph::MatmulOp>(op);
  Dims x = of(product.getA()), y = of(product.getB());
  auto rank = static_cast<int64_t>(x.size());
  auto position = [&](bool isLast) { return rank - (isLast ? 1 : 2); };
  int64_t innerX = position(!product.getTransposeA()),
          innerY = position(product.getTransposeB());
  Dims result(x);
  result.pop_back_n(2);
  for (int64_t i = 0; i < rank - 2; ++i)
    if (failed(join(op, result[i], y[i])))
      return failure();
  Dim common = x[innerX];
  if (failed(join(op, common, y[innerY])))
    return failure();
  // Both: what is no number stays none beside a zero.
  if (failed(mask(op, 0, innerX, Reduction::sum)) ||
      failed(mask(op, 1, innerY, Reduction::sum)))
    return failure();
  result.push_back(x[position(product.getTransposeA())]);
  result.push_back(y[position(!product.getTransposeB())]);
  set(op->getResult(0), result);
  maskResult(op);
  return success();
}

/// Images have their channels last, filters and windows of pools cover the
/// dimensions between.
LogicalResult Inference::visitWindows(Operation *op) {
  Dims dims = of(op->getOperand(0));
  ArrayRef<int64_t> shape = typeOf(op->getResult(0)).getShape();
  auto slide = [&](auto each, ArrayRef<int64_t> window,
                   ArrayRef<int64_t> dilations, Reduction kind) {
    SmallVector<int64_t> open, reaches;
    for (size_t i = 0; i < window.size(); ++i) {
      Dim &dim = dims[i + 1];
      int64_t bound = shape[i + 1];
      if (!isDynamic(dim)) {
        dim = knownDim(bound);
        continue;
      }
      if (dim.size() != 1 || mixing == Mixing::never)
        return refuse(op);
      int64_t reach =
          (window[i] - 1) * (dilations.empty() ? 1 : dilations[i]) + 1;
      int64_t margins = each.getPaddingLow()[i] + each.getPaddingHigh()[i];
      int64_t stride = each.getStrides()[i];
      if (reach > 1) {
        Along along{static_cast<int64_t>(i) + 1, reach, stride, {}};
        open.push_back(along.dim);
        reaches.push_back(along.behind());
      }
      if (stride != 1 || margins != reach - 1) {
        Expr positions = exactly(early, dim.front()) +
                         number(early, margins + stride - reach);
        dim.front().exact =
            maximum(apply<graph::FloorDivOp>(positions, number(early, stride)),
                    number(early, 0))
                .value;
      }
      dim.front().bound = bound;
    }
    // Also for windows within the images: a kernel may compute neighbouring
    // windows from sums of what any of them reads.
    return mask(op, 0, open, kind, reaches);
  };
  auto channels = [&](int64_t count) {
    if (isDynamic(dims.back()))
      return failure();
    dims.back() = knownDim(count);
    return success();
  };
  LogicalResult outcome =
      llvm::TypeSwitch<Operation *, LogicalResult>(op)
          .Case([&](graph::ConvolutionOp each) {
            ArrayRef<int64_t> filter = typeOf(each.getFilter()).getShape();
            if (isDynamic(of(each.getFilter())) ||
                failed(channels(shape.back())))
              return refuse(op);
            return slide(each, filter.drop_back(2), each.getDilations(),
                         Reduction::sum);
          })
          .Case([&](graph::PoolMaxOp each) {
            return slide(each, each.getWindow(), {}, Reduction::max);
          })
          .Case([&](graph::PoolAverageOp each) {
            return slide(each, each.getWindow(), {}, Reduction::sum);
          })
          .Default([&](Operation *) {
            // Its places count from the first element of an image.
            return isDynamic(ArrayRef(dims).drop_front()) ? refuse(op)
                                                          : success();
          });
  if (failed(outcome))
    return failure();
  for (size_t i = 1; i < dims.size(); ++i)
    if (!isDynamic(dims[i]))
      dims[i] = knownDim(shape[i]);
  for (Value result : op->getResults())
    set(result, dims);
  if (isa<graph::ConvolutionOp>(op))
    maskResult(op);
  return success();
}

LogicalResult Inference::visitBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(visit(&op)))
      return failure();
  return success();
}

LogicalResult Inference::visitBranches(Operation *op) {
  SmallVector<Dims> results;
  for (Value result : op->getResults())
    results.push_back(of(result));
  for (Region &region : op->getRegions()) {
    if (failed(visitBlock(region.front())))
      return failure();
    for (auto [dims, value] : llvm::zip_equal(
             results, region.front().getTerminator()->getOperands()))
      if (failed(join(op, dims, of(value))))
        return failure();
  }
  for (auto [result, dims] : llvm::zip_equal(op->getResults(), results))
    set(result, dims);
  return success();
}

/// Free dimensions of what a loop begins with get their sizes from what its
/// steps make of them.
LogicalResult Inference::visitLoop(Operation *op) {
  auto loop = llvm::cast<graph::WhileOp>(op);
  SmallVector<Dims> states;
  size_t open = 0, before;
  for (Value init : loop.getInits())
    states.push_back(of(init));
  auto countDynamic = [&] {
    size_t count = 0;
    for (const Dims &dims : states)
      count += llvm::count_if(
          dims, [](const Dim &dim) { return !dim.empty() && isDynamic(dim); });
    return count;
  };
  do {
    before = open;
    size_t masked = masks.size(), compared = equals.size(),
           emptied = cleared.size();
    for (Region *region : {&loop.getCondition(), &loop.getBody()}) {
      for (auto [argument, dims] :
           llvm::zip_equal(region->getArguments(), states))
        set(argument, dims);
      if (failed(visitBlock(region->front())))
        return failure();
    }
    for (auto [dims, value] : llvm::zip_equal(
             states, loop.getBody().front().getTerminator()->getOperands()))
      if (failed(join(op, dims, of(value))))
        return failure();
    open = countDynamic();
    // What was found of states that now are known better is found again.
    if (open != before) {
      masks.resize(masked);
      equals.resize(compared);
      cleared.resize(emptied);
    }
  } while (open != before);
  for (auto [result, dims] : llvm::zip_equal(loop.getResults(), states))
    set(result, dims);
  return success();
}

/// Whether the op computes a tensor from a tensor.
static bool isOfTensors(Operation *op) {
  return op->getNumOperands() && op->getNumResults() &&
         isa<RankedTensorType>(op->getOperand(0).getType()) &&
         isa<RankedTensorType>(op->getResult(0).getType());
}

LogicalResult Inference::visit(Operation *op) {
  if (llvm::any_of(op->getOperands(),
                   [&](Value operand) { return totals.count(operand); }) &&
      failed(visitTotal(op)))
    return failure();
  if (isa<graph::ScalarOpInterface>(op) ||
      isa<graph::BarrierOp, graph::StopGradientOp>(op))
    return visitElementwise(op);
  if (isa<graph::MatmulOp>(op))
    return visitProduct(op);
  if (isa<graph::ConvolutionOp, graph::PoolMaxOp, graph::PoolAverageOp,
          graph::PoolArgMaxOp>(op))
    return visitWindows(op);
  if (isa<graph::WhileOp>(op))
    return visitLoop(op);
  if (isa<graph::IfOp>(op))
    return visitBranches(op);
  if (isOfTensors(op))
    if (auto moved = visitMove(op))
      return *moved;
  bool isPlain = llvm::none_of(op->getOperands(), [&](Value operand) {
    return isa<RankedTensorType>(operand.getType()) && isDynamic(of(operand));
  });
  return isPlain ? success() : visitReduction(op);
}

} // namespace weir
