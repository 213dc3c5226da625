// Replaces products of dequantized operands by integer products of their bytes.

#include "passes/graph/Passes.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Neural.h"
#include "dialects/graph/Shape.h"
#include "dialects/graph/build/Expr.h"
#include "dialects/graph/constants/Bytes.h"
#include "dialects/weir/Attributes.h"
#include "mlir/IR/Matchers.h"
#include "passes/graph/Quantized.h"
#include "llvm/Support/Debug.h"
#include <cmath>

#define DEBUG_TYPE "weir-form-byte-products"

using namespace mlir;

namespace weir::graph {
#define GEN_PASS_DEF_FORMBYTEPRODUCTS
#include "passes/graph/Passes.h.inc"

namespace {

using graph::build::Expr;

/// A sum of so many products of u8 and i8 cannot overflow i32.
constexpr int64_t maxTerms = INT32_MAX / (255 * 128);

template <typename T>
Value constantOf(OpBuilder &b, Location loc, RankedTensorType type,
                 ArrayRef<T> elements) {
  NewBytes bytes(type);
  std::memcpy(bytes.data(), elements.data(), elements.size() * sizeof(T));
  return b.create<graph::ConstantOp>(loc, std::move(bytes).take("bytes"));
}

bool isZero(Expr scalar) {
  return matchPattern(scalar.value, m_Zero()) ||
         matchPattern(scalar.value, m_AnyZeroFloat());
}

/// `columns` in the last dimension of a tensor of `type`'s rank.
Expr alongLast(Expr columns, RankedTensorType type) {
  return Expr(*columns.b, columns.b->create<graph::BroadcastOp>(
                              type.clone(columns.elementType()), columns.value,
                              ArrayRef<int64_t>{type.getRank() - 1}));
}

/// The bias of `product` in units of its columns' scales. The result is empty
/// if there is no bias, if it is not exactly an integer, or if the sum could
/// overflow i32.
std::vector<int32_t> integerBias(Operation *product, const QuantizedData &data,
                                 const QuantizedWeights &weights,
                                 int64_t terms) {
  auto add = product->hasOneUse()
                 ? dyn_cast<graph::AddOp>(*product->user_begin())
                 : nullptr;
  auto bias = add ? add.getY().getDefiningOp<graph::BroadcastOp>() : nullptr;
  if (!bias || add.getX() != product->getResult(0) || !data.scale ||
      bias.getDims() != ArrayRef<int64_t>{add.getType().getRank() - 1})
    return {};
  std::optional<Bytes> biases = Bytes::of(bias.getX()),
                       scale = Bytes::of(data.scale.value);
  if (!biases || !scale || !biases->type().getElementType().isF32() ||
      biases->type().getNumElements() !=
          static_cast<int64_t>(weights.scales.size()))
    return {};
  auto at = [](const Bytes &bytes, size_t i) {
    float number;
    std::memcpy(&number, bytes.data().data() + (bytes.isSplat() ? 0 : i) * 4,
                4);
    return number;
  };
  double most = INT32_MAX - terms * 255 * 128;
  std::vector<int32_t> integers;
  for (auto [i, ofColumn] : llvm::enumerate(weights.scales)) {
    float unit = ofColumn * at(*scale, 0), number = at(*biases, i);
    double count = std::nearbyint(double(number) / unit);
    if (!(std::fabs(count) <= most) || float(count) * unit != number)
      return {};
    integers.push_back(static_cast<int32_t>(count));
  }
  return integers;
}

/// Dequantizes the i32 sums of `data` times `weights`, to which `bias` is added
/// in units of the scales.
Expr scaled(Expr sums, const QuantizedData &data,
            const QuantizedWeights &weights, ArrayRef<int32_t> bias) {
  ImplicitLocOpBuilder &b = *sums.b;
  auto positions = static_cast<int64_t>(weights.sums.size());
  auto each = [&](ArrayRef<int32_t> numbers) {
    auto type = RankedTensorType::get({positions}, b.getI32Type());
    return Expr(b, constantOf<int32_t>(b, b.getLoc(), type, numbers));
  };
  Expr more = bias.empty() ? Expr() : each(bias);
  if (!isZero(data.zero)) {
    std::vector<int32_t> less(positions);
    for (auto [to, sum] : llvm::zip_equal(less, weights.sums))
      to = static_cast<int32_t>(-sum);
    Expr product = each(less) * data.zero;
    more = more ? more + product : product;
  }
  if (more)
    sums = sums + alongLast(more, sums.type());
  if (!data.scale)
    return sums;
  Expr scales(
      b, constantOf<float>(b, b.getLoc(),
                           RankedTensorType::get({positions}, b.getF32Type()),
                           weights.scales));
  return cast(sums, b.getF32Type()) *
         alongLast(scales * data.scale, sums.type());
}

bool fits(const QuantizedData &data, const QuantizedWeights &weights,
          int64_t terms) {
  return bool(data.scale) == !weights.scales.empty() &&
         (!data.scale || terms <= maxTerms);
}

/// Replaces `op`, and the addition of an integer bias after it, by the
/// dequantized `sums`.
Value replace(Operation *op, Value sums, const QuantizedData &data,
              const QuantizedWeights &weights, int64_t terms) {
  if (!sums)
    return {};
  std::vector<int32_t> bias = integerBias(op, data, weights, terms);
  Operation *last = bias.empty() ? op : *op->user_begin();
  ImplicitLocOpBuilder &b = *data.bytes.b;
  b.setInsertionPoint(last);
  Value value = scaled(Expr(b, sums), data, weights, bias).value;
  last->getResult(0).replaceAllUsesWith(value);
  if (last != op)
    last->erase();
  op->erase();
  return value;
}

Value formed(ImplicitLocOpBuilder &b, graph::MatmulOp op) {
  RankedTensorType right = graph::build::typeOf(op.getB());
  if (right.getRank() != 2 || right.getNumElements() == 0)
    return {};
  bool transposed = op.getTransposeB();
  auto weights = quantizedWeights(op.getB(), transposed ? 0 : 1);
  if (!weights)
    return {};
  auto data = quantizedData(b, op.getA());
  int64_t terms = right.getDimSize(transposed ? 1 : 0);
  if (!data || !fits(*data, *weights, terms))
    return {};
  Value w = constantOf<int8_t>(b, b.getLoc(), weights->type, weights->bytes);
  Value sums = graph::build::make<graph::MatmulOp>(
      b, data->bytes.value, w, op.getTransposeA(), transposed);
  return replace(op, sums, *data, *weights, terms);
}

/// Pads images by the convolution's margins, with the zero point.
Expr padded(graph::ConvolutionOp op, const QuantizedData &data) {
  SmallVector<int64_t> low = {0}, high = {0};
  llvm::append_range(low, op.getPaddingLow());
  llvm::append_range(high, op.getPaddingHigh());
  low.push_back(0), high.push_back(0);
  ImplicitLocOpBuilder &b = *data.bytes.b;
  Expr value = cast(data.zero, data.bytes.elementType());
  SmallVector<int64_t> none(low.size(), 0);
  return Expr(b, graph::build::make<graph::PadOp>(
                     b, data.bytes.value, value.value, low, high, none));
}

Value formed(ImplicitLocOpBuilder &b, graph::ConvolutionOp op) {
  RankedTensorType filter = graph::build::typeOf(op.getFilter());
  int64_t rank = filter.getRank();
  if (rank > 4 || filter.getNumElements() == 0)
    return {};
  auto weights = quantizedWeights(op.getFilter(), rank - 1);
  if (!weights)
    return {};
  auto data = quantizedData(b, op.getX());
  int64_t terms = filter.getNumElements() / filter.getShape().back();
  if (!data || !fits(*data, *weights, terms))
    return {};
  SmallVector<int64_t> low(op.getPaddingLow()), high(op.getPaddingHigh());
  auto isMargin = [](int64_t n) { return n != 0; };
  Expr x = data->bytes;
  if (!isZero(data->zero) &&
      (llvm::any_of(low, isMargin) || llvm::any_of(high, isMargin))) {
    x = padded(op, *data);
    low.assign(low.size(), 0);
    high.assign(high.size(), 0);
  }
  Value w = constantOf<int8_t>(b, b.getLoc(), weights->type, weights->bytes);
  if (!x)
    return {};
  Value sums = graph::build::make<graph::ConvolutionOp>(
      b, x.value, w, op.getStrides(), low, high, op.getDilations(),
      op.getGroups());
  return replace(op, sums, *data, *weights, terms);
}

/// Multiplies `value` by a number. The number is folded into constant factors
/// and terms of its producers, if these have one element for each column.
Value timesNumber(ImplicitLocOpBuilder &b, Value value, float number) {
  auto isShort = [](Value value) {
    auto broadcast = value.getDefiningOp<graph::BroadcastOp>();
    return broadcast && broadcast.getX().getDefiningOp<graph::ConstantOp>();
  };
  auto times = [&](Value value) {
    auto broadcast = value.getDefiningOp<graph::BroadcastOp>();
    Expr scaled = Expr(b, broadcast.getX()) * static_cast<double>(number);
    return b
        .create<graph::BroadcastOp>(broadcast.getType(), scaled.value,
                                    broadcast.getDims())
        .getResult();
  };
  // Transposes between the sums and their scales.
  SmallVector<graph::TransposeOp> moves;
  Value inner = value;
  while (auto move = inner.getDefiningOp<graph::TransposeOp>()) {
    moves.push_back(move);
    inner = move.getX();
  }
  auto add = inner.getDefiningOp<graph::AddOp>();
  auto mul = (add ? add.getX() : inner).getDefiningOp<graph::MulOp>();
  if (!mul || !isShort(mul.getY()) || (add && !isShort(add.getY())))
    return (Expr(b, value) * static_cast<double>(number)).value;
  Value result = b.create<graph::MulOp>(mul.getX(), times(mul.getY()));
  if (add)
    result = b.create<graph::AddOp>(result, times(add.getY()));
  for (graph::TransposeOp move : llvm::reverse(moves))
    result = b.create<graph::TransposeOp>(result, move.getPermutation());
  return result;
}

void multiplyByInverse(graph::DivOp div) {
  Value scale = div.getY();
  if (auto broadcast = scale.getDefiningOp<graph::BroadcastOp>())
    scale = broadcast.getX();
  DenseElementsAttr known;
  if (!div->hasOneUse() || !isa<graph::RoundOp>(*div->user_begin()) ||
      !div.getType().getElementType().isF32() ||
      !matchPattern(scale, m_Constant(&known)) || !known.isSplat())
    return;
  float inverse = 1 / known.getSplatValue<APFloat>().convertToFloat();
  // The inverse of a subnormal scale is infinite, and that of a huge one
  // subnormal.
  if (!std::isnormal(inverse))
    return;
  ImplicitLocOpBuilder b(div.getLoc(), div);
  div.replaceAllUsesWith(timesNumber(b, div.getX(), inverse));
  div.erase();
}

/// Replaces divisions by a known scale by multiplications, if their quotients
/// are rounded. Searches the elementwise users of `value`.
void multiplyByInverses(Value value) {
  SmallVector<Value> work = {value};
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!work.empty()) {
    Value value = work.pop_back_val();
    for (Operation *user : llvm::make_early_inc_range(value.getUsers())) {
      if (auto div = dyn_cast<graph::DivOp>(user)) {
        multiplyByInverse(div);
        continue;
      }
      bool goesOn = isa<graph::AddOp, graph::SubOp, graph::MulOp, graph::ReluOp,
                        graph::MaximumOp, graph::MinimumOp, graph::TransposeOp,
                        graph::ReshapeOp>(user);
      if (goesOn && seen.insert(user).second)
        work.push_back(user->getResult(0));
    }
  }
}

struct FormByteProducts : impl::FormByteProductsBase<FormByteProducts> {
  void runOnOperation() override {
    if (attrs::gpu.isOn(getOperation()))
      return;
    SmallVector<Operation *> products;
    getOperation()->walk([&](Operation *op) {
      if (isa<graph::MatmulOp, graph::ConvolutionOp>(op))
        products.push_back(op);
    });
    for (Operation *op : products) {
      ImplicitLocOpBuilder b(op->getLoc(), op);
      auto matmul = dyn_cast<graph::MatmulOp>(op);
      Value value = matmul ? formed(b, matmul)
                           : formed(b, cast<graph::ConvolutionOp>(op));
      if (!value)
        continue;
      LLVM_DEBUG(llvm::dbgs() << "multiplies bytes at " << b.getLoc() << "\n");
      multiplyByInverses(value);
    }
  }
};

} // namespace
} // namespace weir::graph
