// Integers that stand for floats by a scale and a zero point, and their
// products.

#include "compiler/import/onnx/quantized/Quantized.h"

#include "compiler/import/onnx/Tensors.h"
#include "compiler/import/onnx/narrow/Narrow.h"
#include "compiler/import/onnx/quantized/Dequantized.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"

using namespace mlir;

namespace weir::onnx {

Expr saturated(Expr x, Expr zero) {
  if (!x || !zero)
    return {};
  // The conversion takes what lies outside to the ends of the range.
  Expr moved = apply<graph::RoundOp>(x) + cast(zero, x.elementType());
  return cast(moved, zero.elementType());
}

static bool isSmallInteger(Type type) {
  return isa<IntegerType>(type) && (type.isInteger(8) || type.isInteger(16));
}

/// Scales or zero points as a tensor that broadcasts to `shape`: of all
/// elements, one for each place along an axis, or one for each block of it.
static FailureOr<Expr> spread(Node &node, unsigned i, ArrayRef<int64_t> shape) {
  Expr x = numbersAt(node, i);
  auto rank = static_cast<int64_t>(shape.size());
  if (x.type().getNumElements() == 1 && node.intAttr("block_size") == 0)
    return reshape(x, {});
  auto axis = node.axis(node.intAttr("axis", 1), rank);
  if (failed(axis))
    return failure();
  if (x.rank() == 1 && x.size(0) == shape[*axis] &&
      node.intAttr("block_size") == 0)
    return along(x, *axis, rank);
  int64_t block = node.intAttr("block_size");
  bool fits = x.rank() == rank && block > 0;
  for (int64_t d = 0; fits && d < rank; ++d)
    fits = d == *axis ? x.size(d) > 0 && block <= shape[d] &&
                            (shape[d] - 1) / block + 1 == x.size(d)
                      : x.size(d) == shape[d];
  if (!fits)
    return node.error() << "operand " << i << ", " << x.type()
                        << ", does not suit the shape [" << shape << "]";
  Integers split(x.shape()), whole(x.shape());
  split.insert(split.begin() + *axis + 1, 1);
  x = reshape(x, split);
  split[*axis + 1] = block;
  whole[*axis] *= block;
  return slice(reshape(broadcast(x, split), whole), *axis, 0, shape[*axis]);
}

/// The type of a QuantizeLinear's result: narrow, or one of the dialect's.
struct Quantum {
  Type type;
  const Format *format = nullptr;
};

static FailureOr<Quantum> quantumOf(Node &node) {
  if (const Narrow *zero = narrowAt(node, 2))
    return Quantum{{}, &zero->format};
  if (node.has(2))
    return Quantum{node.element(2)};
  int64_t requested = node.intAttr("output_dtype");
  if (const Format *format = formatOf(
          llvm::isInt<32>(requested) ? static_cast<int>(requested) : 0))
    return Quantum{{}, format};
  Type type = node.typeAttr("output_dtype", ::onnx::TensorProto::UINT8);
  if (requested == 0)
    type = node.b.getIntegerType(8, false);
  if (!type)
    return failure();
  return Quantum{type};
}

static LogicalResult importQuantize(Node &node) {
  if (failed(wantOperands(node, 2)))
    return failure();
  Expr x = operand(node, 0);
  auto quantum = quantumOf(node);
  if (failed(quantum))
    return failure();
  if (!quantum->format && !isSmallInteger(quantum->type))
    return node.unsupported("results of such elements");
  if (!x || !node.operand(1))
    return node.unsupported("operands of a narrow type");
  if (isa<FloatType>(node.element(1)) && node.intAttr("precision") != 0) {
    Type precision = node.typeAttr("precision");
    if (!precision)
      return failure();
    x = cast(x, precision);
  }
  Type work =
      isa<FloatType>(x.elementType()) ? x.elementType() : node.b.getF32Type();
  if (work.getIntOrFloatBitWidth() < 32)
    work = node.b.getF32Type();
  auto scale = spread(node, 1, x.shape());
  if (failed(scale))
    return failure();
  Expr y = cast(x, work) / cast(*scale, work), zero;
  if (node.has(2)) {
    auto given = spread(node, 2, x.shape());
    if (failed(given))
      return failure();
    zero = *given;
  }
  if (!quantum->format) {
    if (!zero)
      zero = filled(node.b, {}, quantum->type, 0);
    return give(node, saturated(y, zero));
  }
  const Format &format = *quantum->format;
  if (format.kind == Format::Kind::integer) {
    y = apply<graph::RoundOp>(y);
    if (zero)
      y = y + cast(zero, work);
    double high = format.largest, low = format.isSigned ? -high - 1 : 0;
    y = clamp(y, low, high);
  } else if (zero) {
    y = y + cast(zero, work);
  }
  Rounding rounding{node.intAttr("saturate", 1) != 0};
  return node.tracedResults({narrow(format, encoded(y, format, rounding))});
}

/// Whether a constant may be the bytes of a product's weights.
static bool isWeights(Expr x) {
  return x.elementType().isInteger(8) && x.rank() > 1 &&
         x.value.getDefiningOp<graph::ConstantOp>();
}

/// The floats of bytes, computed by ops even where these are known: a product
/// of their floats may become one of the bytes.
static Expr unfolded(Expr x, Expr zero, Expr scale) {
  ImplicitLocOpBuilder &b = *x.b;
  auto integers = x.type().clone(b.getI32Type());
  Value y = b.create<graph::CastOp>(integers, x.value);
  if (zero)
    y = b.create<graph::SubOp>(
        y, broadcast(cast(zero, b.getI32Type()), x.shape()).value);
  y = b.create<graph::CastOp>(x.type().clone(b.getF32Type()), y);
  Expr factors = broadcast(cast(scale, b.getF32Type()), x.shape());
  return Expr(b, b.create<graph::MulOp>(y, factors.value));
}

static LogicalResult importDequantize(Node &node) {
  if (failed(wantOperands(node, 2)))
    return failure();
  if (!node.operand(1))
    return node.unsupported("scales of a narrow type");
  Expr x = numbersAt(node, 0);
  Type result = node.element(1);
  if (node.intAttr("output_dtype"))
    if (!(result = node.typeAttr("output_dtype")))
      return failure();
  bool isNarrow = narrowAt(node, 0);
  bool isInteger =
      isa<IntegerType>(x.elementType()) && !x.elementType().isInteger(1);
  if ((!isNarrow && !isInteger) || !isa<FloatType>(result) ||
      !isa<FloatType>(node.element(1)))
    return node.error() << "cannot turn " << x.type() << " into " << result;
  auto scale = spread(node, 1, x.shape());
  if (failed(scale))
    return failure();
  if (Expr kept = keptDequantized(node))
    return give(node, cast(kept, result));
  Type i32 = node.b.getI32Type();
  bool isWide = isNarrow || x.elementType().getIntOrFloatBitWidth() >= 32;
  Expr zero;
  if (node.has(2)) {
    auto given = spread(node, 2, x.shape());
    if (failed(given))
      return failure();
    zero = *given;
  }
  Type work = node.b.getF32Type();
  if (!isNarrow && isWeights(x) && result == work)
    return give(node, unfolded(x, zero, *scale));
  Expr difference = isWide ? x : cast(x, i32);
  if (zero)
    difference = difference - cast(zero, difference.elementType());
  return give(node, cast(cast(difference, work) * cast(*scale, work), result));
}

/// The results: integers ui8, their scale and their zero point.
static LogicalResult importDynamicQuantize(Node &node) {
  if (failed(wantFloats(node, 1)))
    return failure();
  Expr x = operand(node, 0);
  Integers all = dimsFrom(0, x.rank());
  Expr high = reshape(largest(x, all), {}), low = reshape(smallest(x, all), {});
  high = maximum(high, high.like(0));
  low = minimum(low, low.like(0));
  Type ui8 = node.b.getIntegerType(8, false);
  Expr scale = (high - low) / 255.0;
  // Of zeros alone any scale is right, and none must divide by it.
  Expr usable =
      select(apply<graph::EqualOp>(scale, scale.like(0)), scale.like(1), scale);
  Expr none = filled(node.b, {}, ui8, 0);
  Expr zero = saturated(-low / usable, none);
  return give(node, {saturated(x / usable, zero), scale, zero});
}

/// A matrix product after NumPy's rules for vectors.
static Expr product(Expr a, Expr b) {
  if (!a || !b || a.rank() < 1 || b.rank() < 1)
    return {};
  Expr x = a, y = b;
  if (a.rank() == 1)
    x = reshape(a, {1, a.size(0)});
  if (b.rank() == 1)
    y = reshape(b, {b.size(0), 1});
  Expr z = matmul(x, y);
  if (!z)
    return {};
  Integers shape(z.shape());
  if (b.rank() == 1)
    shape.pop_back();
  if (a.rank() == 1)
    shape.erase(shape.end() - (b.rank() == 1 ? 1 : 2));
  return reshape(z, shape);
}

/// Operand `x` as i32, less the zero points at `zero`: one, or one for each row
/// of the left operand or column of the right one.
static FailureOr<Expr> centered(Node &node, unsigned x, unsigned zero,
                                bool isLeft) {
  if (!node.element(x).isInteger(8))
    return node.error() << "does not take " << node.type(x);
  Expr wide = cast(operand(node, x), node.b.getI32Type());
  if (!node.has(zero))
    return wide;
  Expr point = cast(operand(node, zero), node.b.getI32Type());
  if (point.type().getNumElements() == 1)
    return wide - reshape(point, {});
  if (point.rank() == 1 && isLeft)
    point = reshape(point, {point.size(0), 1});
  Expr result = wide - point;
  if (!result || result.shape() != wide.shape())
    return node.error() << "zero points " << node.type(zero) << " do not suit "
                        << node.type(x);
  return result;
}

static LogicalResult importMatMulInteger(Node &node) {
  if (failed(wantOperands(node, 2)))
    return failure();
  auto a = centered(node, 0, 2, true), b = centered(node, 1, 3, false);
  if (failed(a) || failed(b))
    return failure();
  return give(node, product(*a, *b));
}

/// Operands: a, its scale and zero point; the same of b and of the result.
static LogicalResult importQLinearMatMul(Node &node) {
  if (failed(wantOperands(node, 8)))
    return failure();
  auto a = centered(node, 0, 2, true), b = centered(node, 3, 5, false);
  if (failed(a) || failed(b))
    return failure();
  Type f32 = node.b.getF32Type();
  auto scale = [&](unsigned i, bool isLeft) {
    Expr e = cast(operand(node, i), f32);
    if (e.type().getNumElements() == 1)
      return reshape(e, {});
    return e.rank() == 1 && isLeft ? reshape(e, {e.size(0), 1}) : e;
  };
  Expr sums = cast(product(*a, *b), f32);
  Expr y = sums * (scale(1, true) * scale(4, false) / scale(6, false));
  Expr zero = operand(node, 7);
  if (zero.type().getNumElements() == 1)
    zero = reshape(zero, {});
  if (!isSmallInteger(zero.elementType()))
    return node.error() << "has a zero point of " << zero.type();
  return give(node, saturated(y, zero));
}

void addQuantizedHandlers(Handlers &handlers) {
  handlers["QuantizeLinear"] = {importQuantize, Takes::narrow};
  handlers["DequantizeLinear"] = {importDequantize, Takes::narrow};
  handlers["DynamicQuantizeLinear"] = importDynamicQuantize;
  handlers["MatMulInteger"] = importMatMulInteger;
  handlers["QLinearMatMul"] = importQLinearMatMul;
}

} // namespace weir::onnx
