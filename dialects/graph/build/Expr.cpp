// Builds and verifies the ops of expressions.

#include "dialects/graph/build/Expr.h"

#include "dialects/graph/Elements.h"
#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Index.h"
#include "dialects/graph/Neural.h"
#include "dialects/graph/Reduce.h"
#include "dialects/graph/Shape.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;

namespace weir::graph::build {

Expr Expr::like(double number) const {
  if (!value)
    return {};
  return Expr(*b, splat(*b, RankedTensorType::get({}, elementType()), number));
}

bool align(Expr &x, Expr &y) {
  if (!x || !y || x.elementType() != y.elementType())
    return false;
  auto shape = broadcastShapes(x.shape(), y.shape());
  if (failed(shape))
    return false;
  x.value = broadcastTo(*x.b, x.value, *shape);
  y.value = broadcastTo(*y.b, y.value, *shape);
  return true;
}

Expr operator+(Expr x, Expr y) { return apply<graph::AddOp>(x, y); }
Expr operator-(Expr x, Expr y) { return apply<graph::SubOp>(x, y); }
Expr operator*(Expr x, Expr y) { return apply<graph::MulOp>(x, y); }
Expr operator/(Expr x, Expr y) { return apply<graph::DivOp>(x, y); }
Expr operator+(Expr x, double y) { return x + x.like(y); }
Expr operator-(Expr x, double y) { return x - x.like(y); }
Expr operator*(Expr x, double y) { return x * x.like(y); }
Expr operator/(Expr x, double y) { return x / x.like(y); }
Expr operator-(double x, Expr y) { return y.like(x) - y; }
Expr operator-(Expr x) { return apply<graph::NegOp>(x); }

Expr maximum(Expr x, Expr y) { return apply<graph::MaximumOp>(x, y); }
Expr minimum(Expr x, Expr y) { return apply<graph::MinimumOp>(x, y); }
Expr clamp(Expr x, double low, double high) {
  return minimum(maximum(x, x.like(low)), x.like(high));
}
Expr sigmoid(Expr x) { return apply<graph::SigmoidOp>(x); }
Expr tanh(Expr x) { return apply<graph::TanhOp>(x); }
Expr rsqrt(Expr x) { return apply<graph::RsqrtOp>(x); }

Expr responseFactor(Expr x, double exponent, bool isPositive) {
  if (!x)
    return {};
  if (isPositive && exponent == 0.5)
    return rsqrt(x);
  if (isPositive && exponent == 0.75) {
    Expr root = rsqrt(x);
    return root * apply<graph::SqrtOp>(root);
  }
  return apply<graph::PowOp>(x, x.like(-exponent));
}

Expr select(Expr condition, Expr x, Expr y) {
  if (!condition || !align(x, y) || !condition.elementType().isInteger(1))
    return {};
  auto shape = broadcastShapes(condition.shape(), x.shape());
  if (failed(shape))
    return {};
  ImplicitLocOpBuilder &b = *x.b;
  Value pred = broadcastTo(b, condition.value, *shape);
  x.value = broadcastTo(b, x.value, *shape);
  y.value = broadcastTo(b, y.value, *shape);
  return Expr(b, make<graph::SelectOp>(b, pred, x.value, y.value));
}

Expr cast(Expr x, Type elementType) {
  return x ? Expr(*x.b, castTo(*x.b, x.value, elementType)) : Expr();
}

Expr rounded(Expr x, Type elementType) {
  return x ? Expr(*x.b, castTo(*x.b, x.value, elementType, /*rounds=*/true))
           : Expr();
}

template <typename Op>
static Expr reduce(Expr x, ArrayRef<int64_t> dims, bool keep) {
  if (!x || (!dims.empty() && (dims.front() < 0 || dims.back() >= x.rank())))
    return {};
  Expr result(*x.b, make<Op>(*x.b, x.value, dims));
  if (!keep)
    return result;
  SmallVector<int64_t> shape(x.shape());
  for (int64_t dim : dims)
    shape[dim] = 1;
  return reshape(result, shape);
}

Expr sum(Expr x, ArrayRef<int64_t> dims, bool keep) {
  return reduce<graph::ReduceSumOp>(x, dims, keep);
}

Expr mean(Expr x, ArrayRef<int64_t> dims, bool keep) {
  Expr total = sum(x, dims, keep);
  if (!total)
    return {};
  double count = 1;
  for (int64_t dim : dims)
    count *= static_cast<double>(x.size(dim));
  return total / count;
}

Expr reshape(Expr x, ArrayRef<int64_t> shape) {
  if (!x)
    return {};
  int64_t count = 1;
  for (int64_t size : shape)
    if (size < 0 || llvm::MulOverflow(count, size, count))
      return {};
  if (count != x.type().getNumElements())
    return {};
  return Expr(*x.b, reshapeTo(*x.b, x.value, shape));
}

Expr transpose(Expr x, ArrayRef<int64_t> permutation) {
  return x ? Expr(*x.b, transposeBy(*x.b, x.value, permutation)) : Expr();
}

Expr transposed(Expr x) {
  if (!x || x.rank() < 2)
    return {};
  SmallVector<int64_t> permutation(x.rank());
  std::iota(permutation.begin(), permutation.end(), 0);
  std::swap(permutation.end()[-1], permutation.end()[-2]);
  return transpose(x, permutation);
}

Expr broadcast(Expr x, ArrayRef<int64_t> shape) {
  if (!x)
    return {};
  auto common = broadcastShapes(x.shape(), shape);
  if (failed(common) || ArrayRef<int64_t>(*common) != shape)
    return {};
  return Expr(*x.b, broadcastTo(*x.b, x.value, shape));
}

Expr slice(Expr x, int64_t dim, int64_t start, int64_t size, int64_t stride) {
  if (!x || dim < 0 || dim >= x.rank() || start < 0 || size < 0 || stride < 1)
    return {};
  int64_t limit = start;
  if (size > 0 && (llvm::MulOverflow(size - 1, stride, limit) ||
                   llvm::AddOverflow(limit, start + 1, limit)))
    return {};
  if (limit > x.size(dim))
    return {};
  if (size == x.size(dim))
    return x;
  SmallVector<int64_t> starts(x.rank(), 0), limits(x.shape()),
      strides(x.rank(), 1);
  starts[dim] = start;
  limits[dim] = limit;
  strides[dim] = stride;
  return Expr(*x.b,
              make<graph::SliceOp>(*x.b, x.value, starts, limits, strides));
}

Expr concat(ArrayRef<Expr> parts, int64_t axis) {
  SmallVector<Value> values;
  SmallVector<int64_t> shape;
  for (Expr part : parts) {
    if (!part || part.rank() <= axis ||
        part.elementType() != parts[0].elementType() ||
        part.rank() != parts[0].rank())
      return {};
    for (int64_t i = 0; i < part.rank(); ++i)
      if (i != axis && part.size(i) != parts[0].size(i))
        return {};
    if (values.empty())
      shape.assign(part.shape().begin(), part.shape().end());
    else if (llvm::AddOverflow(shape[axis], part.size(axis), shape[axis]))
      return {};
    values.push_back(part.value);
  }
  if (values.empty() || !graph::countElements(shape))
    return {};
  return Expr(*parts[0].b, make<graph::ConcatOp>(*parts[0].b, values, axis));
}

Expr pad(Expr x, ArrayRef<int64_t> low, ArrayRef<int64_t> high,
         ArrayRef<int64_t> interior) {
  if (!x)
    return {};
  // Padding comes first, then the slice.
  SmallVector<int64_t> before, after, between, starts, limits;
  bool grows = false, cuts = false;
  for (int64_t i = 0; i < x.rank(); ++i) {
    int64_t gap = interior.empty() ? 0 : interior[i];
    before.push_back(std::max<int64_t>(low[i], 0));
    after.push_back(std::max<int64_t>(high[i], 0));
    between.push_back(gap);
    int64_t size, gaps;
    if (gap < 0 ||
        llvm::MulOverflow(std::max<int64_t>(x.size(i) - 1, 0), gap, gaps) ||
        llvm::AddOverflow(x.size(i), gaps, size) ||
        llvm::AddOverflow(size, before.back(), size) ||
        llvm::AddOverflow(size, after.back(), size))
      return {};
    starts.push_back(std::max<int64_t>(-low[i], 0));
    limits.push_back(size - std::max<int64_t>(-high[i], 0));
    if (starts.back() > limits.back())
      return {};
    grows |= before.back() > 0 || after.back() > 0 || gap > 0;
    cuts |= low[i] < 0 || high[i] < 0;
  }
  ImplicitLocOpBuilder &b = *x.b;
  if (grows) {
    int64_t count = 1;
    for (int64_t i = 0; i < x.rank(); ++i) {
      int64_t size = limits[i] + std::max<int64_t>(-high[i], 0);
      if (llvm::MulOverflow(count, size, count) || count >= int64_t(1) << 58)
        return {};
    }
    x.value =
        make<graph::PadOp>(b, x.value, x.like(0).value, before, after, between);
  }
  if (cuts)
    x.value = make<graph::SliceOp>(b, x.value, starts, limits,
                                   SmallVector<int64_t>(x.rank(), 1));
  return x;
}

Expr reverse(Expr x, ArrayRef<int64_t> dims) {
  return x && !dims.empty()
             ? Expr(*x.b, make<graph::ReverseOp>(*x.b, x.value, dims))
             : x;
}

Expr gather(Expr x, Expr indices, int64_t axis) {
  if (!x || !indices || axis < 0 || axis >= x.rank() ||
      (x.size(axis) == 0 && indices.type().getNumElements() != 0))
    return {};
  SmallVector<int64_t> shape(x.shape().take_front(axis));
  llvm::append_range(shape, indices.shape());
  llvm::append_range(shape, x.shape().drop_front(axis + 1));
  if (!graph::countElements(shape))
    return {};
  return Expr(*x.b, make<graph::GatherOp>(*x.b, x.value, indices.value, axis,
                                          /*batch_dims=*/0));
}

Expr matmul(Expr x, Expr y, bool transposeX, bool transposeY) {
  if (!x || !y || x.elementType() != y.elementType() || x.rank() < 2 ||
      y.rank() < 2)
    return {};
  auto rows = x.shape().take_back(2), columns = y.shape().take_back(2);
  auto batch = broadcastShapes(x.shape().drop_back(2), y.shape().drop_back(2));
  if (failed(batch) || rows[!transposeX] != columns[transposeY])
    return {};
  auto batched = [&](Expr e) {
    SmallVector<int64_t> shape(*batch);
    llvm::append_range(shape, e.shape().take_back(2));
    return broadcast(e, shape);
  };
  // A batch with one right matrix is one product with more rows.
  if (y.rank() == 2 && x.rank() > 2 && !transposeX) {
    SmallVector<int64_t> shape(x.shape());
    shape.back() = columns[!transposeY];
    int64_t count = 1;
    for (int64_t size : x.shape().drop_back())
      count *= size;
    return reshape(matmul(reshape(x, {count, rows[1]}), y, false, transposeY),
                   shape);
  }
  // A batch of one product is that product.
  if (!batch->empty() &&
      llvm::all_of(*batch, [](int64_t size) { return size == 1; })) {
    SmallVector<int64_t> shape(*batch);
    shape.push_back(rows[transposeX]);
    shape.push_back(columns[!transposeY]);
    return reshape(
        matmul(reshape(x, rows), reshape(y, columns), transposeX, transposeY),
        shape);
  }
  x = batched(x);
  y = batched(y);
  if (!x || !y)
    return {};
  return Expr(*x.b, make<graph::MatmulOp>(*x.b, x.value, y.value, transposeX,
                                          transposeY));
}

Expr constant(ImplicitLocOpBuilder &b, Type elementType,
              ArrayRef<int64_t> shape, ArrayRef<double> values) {
  auto type = RankedTensorType::get(shape, elementType);
  if (auto number = dyn_cast<FloatType>(elementType)) {
    SmallVector<APFloat> elements;
    for (double value : values) {
      APFloat element(value);
      bool loses;
      element.convert(number.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                      &loses);
      elements.push_back(element);
    }
    return Expr(
        b, b.create<graph::ConstantOp>(DenseElementsAttr::get(type, elements)));
  }
  SmallVector<APInt> elements;
  for (double value : values)
    elements.emplace_back(elementType.getIntOrFloatBitWidth(),
                          static_cast<int64_t>(value), /*isSigned=*/true);
  return Expr(
      b, b.create<graph::ConstantOp>(DenseElementsAttr::get(type, elements)));
}

} // namespace weir::graph::build
