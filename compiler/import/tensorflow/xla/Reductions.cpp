// XLA's reductions by functions of two elements, which it lets combine in any
// order: along dimensions, and of windows.

#include "compiler/import/bounded/PaddedBuffers.h"
#include "compiler/import/bounded/Rows.h"
#include "compiler/import/tensorflow/bounded/Bounds.h"
#include "compiler/import/tensorflow/shape/Moves.h"
#include "compiler/import/tensorflow/xla/Computation.h"
#include "compiler/import/tensorflow/xla/MoveNodes.h"
#include "compiler/import/tensorflow/xla/Xla.h"

#include "dialects/graph/Elements.h"
#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Reduce.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace weir::tensorflow {
namespace {

using Tensors = SmallVector<Expr>;
/// Two tuples of tensors of one shape to one; none after a diagnostic.
using Combine = llvm::function_ref<Tensors(ArrayRef<Expr>, ArrayRef<Expr>)>;

Tensors sliced(ArrayRef<Expr> xs, int64_t dim, int64_t start, int64_t size,
               int64_t stride = 1) {
  Tensors parts;
  for (Expr x : xs)
    parts.push_back(slice(x, dim, start, size, stride));
  return parts;
}

/// All along a dimension, which is then of size 1: neighbours with neighbours.
Tensors combineAlong(Tensors xs, int64_t dim, Combine combine) {
  while (xs[0] && xs[0].size(dim) > 1) {
    int64_t size = xs[0].size(dim), half = size / 2;
    Tensors next =
        combine(sliced(xs, dim, 0, half, 2), sliced(xs, dim, 1, half, 2));
    if (next.empty())
      return {};
    if (size % 2)
      for (auto [x, last] : llvm::zip(next, sliced(xs, dim, size - 1, 1)))
        x = concat({x, last}, dim);
    xs = next;
  }
  return xs;
}

/// Windows of `size` elements, `dilation` apart, that begin at each element for
/// which there is room: of windows of half as many.
Tensors combineWindows(Tensors xs, int64_t dim, int64_t size, int64_t dilation,
                       Combine combine) {
  int64_t count = xs[0].size(dim) - (size - 1) * dilation;
  Tensors result;
  int64_t done = 0;
  for (int64_t power = 1; power <= size; power *= 2) {
    if (size & power) {
      Tensors part = sliced(xs, dim, done * dilation, count);
      result = result.empty() ? part : combine(result, part);
      if (result.empty())
        return {};
      done += power;
    }
    if (2 * power <= size) {
      int64_t left = xs[0].size(dim) - power * dilation;
      xs = combine(sliced(xs, dim, 0, left),
                   sliced(xs, dim, power * dilation, left));
      if (xs.empty())
        return {};
    }
  }
  return result;
}

Tensors applied(const Computation &function, ArrayRef<Expr> xs,
                ArrayRef<Expr> ys) {
  Tensors all(xs);
  llvm::append_range(all, ys);
  Tensors results = function(all);
  if (results.size() != xs.size())
    return {};
  for (auto [result, x] : llvm::zip(results, xs))
    if (!result || result.type() != x.type())
      return {};
  return results;
}

/// The reduction whose combiner is the function of two numbers, or Booleans.
Expr reduceBy(StringRef op, Expr x, ArrayRef<int64_t> dims) {
  ImplicitLocOpBuilder &b = *x.b;
  bool isBool = x.elementType().isInteger(1);
  if (isBool)
    return op == "LogicalAnd"
               ? Expr(b, make<graph::ReduceAndOp>(b, x.value, dims))
           : op == "LogicalOr"
               ? Expr(b, make<graph::ReduceOrOp>(b, x.value, dims))
               : Expr();
  if (op == "Add" || op == "AddV2")
    return sum(x, dims);
  if (op == "Mul")
    return Expr(b, make<graph::ReduceProdOp>(b, x.value, dims));
  if (op == "Maximum")
    return Expr(b, make<graph::ReduceMaxOp>(b, x.value, dims));
  if (op == "Minimum")
    return Expr(b, make<graph::ReduceMinOp>(b, x.value, dims));
  return {};
}

LogicalResult misfit(Node &node) {
  return node.error() << "its function does not give what it combines";
}

/// XlaReduce, and its variadic forms: as many operands as first values.
LogicalResult importReduce(Node &node) {
  unsigned count = node.size() / 2;
  if (count == 0 || node.size() % 2)
    return node.error() << "has " << node.size() << " operands";
  auto function = Computation::of(node, "reducer");
  if (failed(function))
    return failure();
  Tensors xs, inits;
  for (unsigned i = 0; i < count; ++i) {
    xs.push_back(operand(node, i));
    inits.push_back(operand(node, count + i));
    if (xs[i].shape() != xs[0].shape() || inits[i].rank() != 0 ||
        inits[i].elementType() != xs[i].elementType())
      return node.error() << "cannot reduce " << xs[i].type() << " from "
                          << inits[i].type();
  }
  Integers dims = node.intsAttr("dimensions_to_reduce");
  if (!areDims(dims, xs[0].rank()))
    return node.error() << "dimensions [" << dims << "] are none of "
                        << xs[0].type();
  llvm::sort(dims);
  Integers kept;
  bool isEmpty = false;
  for (int64_t i = 0; i < xs[0].rank(); ++i) {
    if (!llvm::is_contained(dims, i))
      kept.push_back(xs[0].size(i));
    else
      isEmpty |= xs[0].size(i) == 0;
  }
  if (!graph::countElements(kept))
    return node.error() << "its result is larger than a tensor may be";
  for (Expr &init : inits)
    init = broadcast(init, kept);
  if (isEmpty || llvm::is_contained(kept, 0))
    return give(node, inits);
  Expr known;
  if (count == 1)
    known = reduceBy(function->symmetric(), xs[0], dims);
  Tensors results;
  if (known) {
    results = {known};
  } else {
    auto combine = [&](ArrayRef<Expr> x, ArrayRef<Expr> y) {
      return applied(*function, x, y);
    };
    results = xs;
    for (int64_t dim : dims) {
      results = combineAlong(results, dim, combine);
      if (results.empty())
        return misfit(node);
    }
    for (Expr &x : results)
      x = reshape(x, kept);
  }
  results = applied(*function, inits, results);
  return results.empty() ? misfit(node) : give(node, results);
}

/// Windows along every dimension, and what is around and between elements.
struct Box {
  Integers size, strides, gaps, dilations, low, high;
};

FailureOr<Box> boxOf(Node &node, Expr x, bool isDilated, unsigned padding) {
  auto rank = static_cast<size_t>(x.rank());
  Box box;
  box.gaps.assign(rank, 0);
  box.dilations.assign(rank, 1);
  auto read = [&](unsigned i, Integers &values) {
    auto given = node.integers(i);
    if (failed(given))
      return failure();
    if (given->size() != rank || llvm::any_of(*given, [](int64_t value) {
          return value < 1 || value > (1 << 30);
        }))
      return LogicalResult(node.error()
                           << "operand " << i << " does not say each of "
                           << rank << " dimensions");
    values = *given;
    return success();
  };
  unsigned first = isDilated ? 2 : 1;
  if (failed(read(first, box.size)) || failed(read(first + 1, box.strides)) ||
      (isDilated && (failed(read(first + 2, box.gaps)) ||
                     failed(read(first + 3, box.dilations)))))
    return failure();
  if (isDilated)
    for (int64_t &gap : box.gaps)
      --gap;
  auto margins = node.integers(padding);
  if (failed(margins))
    return failure();
  if (margins->size() != 2 * rank)
    return node.error() << "does not say each of " << rank << " dimensions";
  for (size_t i = 0; i < rank; ++i) {
    int64_t low = (*margins)[2 * i], high = (*margins)[2 * i + 1], reach;
    int64_t room = std::max<int64_t>(x.size(i) - 1, 0) * box.gaps[i] +
                   x.size(i) + low + high;
    if (std::abs(low) > (1 << 30) || std::abs(high) > (1 << 30) ||
        llvm::MulOverflow(box.size[i] - 1, box.dilations[i], reach) ||
        room <= reach)
      return node.error() << "a window of " << box.size[i]
                          << " does not fit along dimension " << i << " of "
                          << x.type();
    box.low.push_back(low);
    box.high.push_back(high);
  }
  return box;
}

Tensors combineBoxes(Tensors xs, const Box &box, Combine combine) {
  for (size_t i = 0; i < box.size.size(); ++i) {
    auto dim = static_cast<int64_t>(i);
    xs = combineWindows(xs, dim, box.size[i], box.dilations[i], combine);
    if (xs.empty() || !xs[0])
      return {};
    int64_t count = (xs[0].size(dim) - 1) / box.strides[i] + 1;
    xs = sliced(xs, dim, 0, count, box.strides[i]);
  }
  return xs;
}

/// Operands: the tensor, the first value, sizes, strides, gaps and dilations of
/// the windows, margins.
LogicalResult importReduceWindow(Node &node) {
  if (failed(wantOperands(node, 7)))
    return failure();
  auto function = Computation::of(node, "computation");
  if (failed(function))
    return failure();
  Expr x = operand(node, 0), init = operand(node, 1);
  if (init.rank() != 0 || init.elementType() != x.elementType() ||
      x.type().getNumElements() == 0)
    return node.error() << "cannot reduce windows of " << x.type() << " from "
                        << init.type();
  auto box = boxOf(node, x, /*isDilated=*/true, 6);
  if (failed(box))
    return failure();
  x = padWith(x, init, box->low, box->high, box->gaps);
  if (!x)
    return give(node, x);
  Tensors results =
      combineBoxes({x}, *box, [&](ArrayRef<Expr> x, ArrayRef<Expr> y) {
        return applied(*function, x, y);
      });
  if (!results.empty())
    results =
        applied(*function, {broadcast(init, results[0].shape())}, results);
  return results.empty() ? misfit(node) : give(node, results);
}

/// Each source goes to the element of its window that is selected. Operands:
/// the tensor, sizes, strides and margins of windows, the sources, the first
/// value.
LogicalResult importSelectAndScatter(Node &node) {
  if (failed(wantOperands(node, 6)))
    return failure();
  auto selects = Computation::of(node, "select"),
       scatters = Computation::of(node, "scatter");
  if (failed(selects) || failed(scatters))
    return failure();
  StringRef op = scatters->symmetric();
  Expr x = operand(node, 0), source = operand(node, 4), init = operand(node, 5);
  if (op != "Add" && op != "AddV2")
    return node.unsupported("a scatter that does not add");
  if (source.elementType() != x.elementType() || init.rank() != 0 ||
      init.elementType() != x.elementType() || x.elementType().isInteger(1) ||
      x.type().getNumElements() == 0)
    return node.error() << "cannot scatter " << source.type() << " from "
                        << init.type();
  auto box = boxOf(node, x, /*isDilated=*/false, 3);
  if (failed(box))
    return failure();
  ImplicitLocOpBuilder &b = node.b;
  int64_t all = x.type().getNumElements();
  // Margins are at no place, and never selected.
  Expr positions = padWith(reshape(iota(b, all), x.shape()), number(b, -1),
                           box->low, box->high, box->gaps);
  Expr values = padWith(x, x.like(0), box->low, box->high, box->gaps);
  if (!positions || !values)
    return give(node, Expr());
  Tensors chosen = combineBoxes(
      {values, positions}, *box, [&](ArrayRef<Expr> x, ArrayRef<Expr> y) {
        Tensors which = (*selects)({x[0], y[0]});
        if (which.size() != 1 || !which[0].elementType().isInteger(1))
          return Tensors();
        Expr none = number(b, 0);
        Expr isThere = apply<graph::GreaterEqualOp>(x[1], none);
        Expr isAlone = apply<graph::LessOp>(y[1], none);
        Expr first = apply<graph::LogicalAndOp>(
            isThere, apply<graph::LogicalOrOp>(isAlone, which[0]));
        return Tensors{select(first, x[0], y[0]), select(first, x[1], y[1])};
      });
  if (chosen.empty())
    return misfit(node);
  if (chosen[1].shape() != source.shape())
    return node.error() << "has " << source.type() << " for windows ["
                        << chosen[1].shape() << "]";
  int64_t count = source.type().getNumElements();
  Expr y = scatterRows(broadcast(init, {all}), reshape(chosen[1], {count}),
                       reshape(source, {count}), graph::Combiner::add);
  return give(node, reshape(y, x.shape()));
}

} // namespace

void addXlaReduceHandlers(Handlers &handlers) {
  for (const char *name :
       {"XlaReduce", "XlaVariadicReduce", "XlaVariadicReduceV2"})
    handlers[name] = importReduce;
  handlers["XlaReduceWindow"] = importReduceWindow;
  handlers["XlaSelectAndScatter"] = importSelectAndScatter;
}

} // namespace weir::tensorflow
