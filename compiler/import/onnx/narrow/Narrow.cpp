// What the codes of narrow types mean, and how they lie in memory.

#include "compiler/import/onnx/narrow/Narrow.h"

#include "compiler/import/onnx/neural/Compose.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"

#include <cmath>

using namespace mlir;
using ::onnx::TensorProto;

namespace weir::onnx {

const Format *formatOf(int dataType) {
  using Kind = Format::Kind;
  // The floats of 8 bits are those of ONNX's operator Cast (opset 19 and 24).
  static const Format formats[] = {
      {TensorProto::FLOAT8E4M3FN, Kind::floating, 8, true, 3, 7, 0x7e, 0x7f,
       0x7f, false},
      {TensorProto::FLOAT8E4M3FNUZ, Kind::floating, 8, true, 3, 8, 0x7f, 0x80,
       0x80, true},
      {TensorProto::FLOAT8E5M2, Kind::floating, 8, true, 2, 15, 0x7b, 0x7c,
       0x7e, false},
      {TensorProto::FLOAT8E5M2FNUZ, Kind::floating, 8, true, 2, 16, 0x7f, 0x80,
       0x80, true},
      {TensorProto::FLOAT8E8M0, Kind::exponent, 8, false, 0, 127, 0xfe, 0xff,
       0xff, false},
      // Without infinities and NaNs, which become the largest number and -0.
      {TensorProto::FLOAT4E2M1, Kind::floating, 4, true, 1, 1, 7, 7, 8, false},
      {TensorProto::UINT4, Kind::integer, 4, false, 0, 0, 15, 0, 0, false},
      {TensorProto::INT4, Kind::integer, 4, true, 0, 0, 7, 0, 0, false},
      {TensorProto::UINT2, Kind::integer, 2, false, 0, 0, 3, 0, 0, false},
      {TensorProto::INT2, Kind::integer, 2, true, 0, 0, 1, 0, 0, false}};
  for (const Format &format : formats)
    if (format.dataType == dataType)
      return &format;
  return nullptr;
}

double Format::valueOf(uint8_t code) const {
  if (kind == Kind::integer) {
    int wrap = 1 << bits;
    return isSigned && code > largest ? code - wrap : code;
  }
  if (kind == Kind::exponent)
    return code == nan ? NAN : std::ldexp(1.0, code - bias);
  int sign = 1 << (bits - 1), magnitude = code & (sign - 1);
  if (bits == 8) {
    if (isUnsignedZero ? code == nan : magnitude > beyond || magnitude == nan)
      return NAN;
    if (!isUnsignedZero && magnitude == beyond)
      return beyond == nan ? NAN : (code & sign ? -INFINITY : INFINITY);
  }
  int exponent = magnitude >> mantissa,
      part = magnitude & ((1 << mantissa) - 1);
  double value =
      exponent ? std::ldexp((1 << mantissa) + part, exponent - bias - mantissa)
               : std::ldexp(part, 1 - bias - mantissa);
  return code & sign ? -value : value;
}

static Expr bitAnd(Expr x, double mask) {
  return apply<graph::BitwiseAndOp>(x, x.like(mask));
}
static Expr shiftedRight(Expr x, double by) {
  return apply<graph::ShiftRightOp>(x, x.like(by));
}
static Expr shiftedLeft(Expr x, double by) {
  return apply<graph::ShiftLeftOp>(x, x.like(by));
}

static Expr bitcast(Expr x, Type element) {
  return {*x.b, make<graph::BitcastOp>(*x.b, x.type().clone(element), x.value)};
}

/// Codes of f32 as i32; the powers of two of type float8e8m0.
static Expr exponentCodes(Expr bits, const Format &format,
                          const Rounding &rounding) {
  Expr exponent = bitAnd(shiftedRight(bits, 23), 0xff);
  Expr part = bitAnd(bits, 0x7fffff);
  Expr zero = bits.like(0), up;
  if (rounding.mode == "up") {
    up = less(zero, part);
  } else if (rounding.mode == "nearest") {
    // Halfway the exponent grows, but that of zero does not.
    Expr half = bits.like(0x400000);
    up =
        either(less(half, part), both(equal(part, half), less(zero, exponent)));
  }
  if (up) {
    if (rounding.saturates)
      up = both(up, less(exponent, bits.like(format.largest)));
    up = both(up, less(exponent, bits.like(format.nan)));
    exponent = select(up, exponent + 1, exponent);
  }
  return exponent;
}

/// The others: the mantissa of a number as a whole number of its last place,
/// rounded to even, is the code but for what the exponent adds.
static Expr floatCodes(Expr x, Expr bits, const Format &format,
                       const Rounding &rounding) {
  Type i32 = x.b->getI32Type();
  double least = 1 - format.bias;
  Expr exponent = bitAnd(shiftedRight(bits, 23), 0xff) - 127;
  exponent = maximum(exponent, exponent.like(least));
  Expr quantum = bitcast(shiftedLeft((127 + format.mantissa) - exponent, 23),
                         x.elementType());
  Expr magnitude = apply<graph::AbsOp>(x);
  Expr infinite = apply<graph::IsInfOp>(x);
  magnitude = select(infinite, magnitude.like(0), magnitude);
  Expr whole = cast(apply<graph::RoundOp>(magnitude * quantum), i32);
  Expr code = whole + (exponent - least) * std::ldexp(1.0, format.mantissa);
  double most = format.largest;
  Expr isBeyond = either(infinite, less(code.like(most), code));
  bool saturates = rounding.saturates || format.bits < 8;
  code = select(isBeyond, code.like(saturates ? most : format.beyond), code);
  Expr isNegative = less(bits, bits.like(0));
  double sign = 1 << (format.bits - 1);
  if (format.isUnsignedZero)
    isNegative = both(isNegative, inRange(code, code.like(1), code.like(sign)));
  Expr isNan = apply<graph::IsNanOp>(x);
  if (format.isUnsignedZero || format.bits < 8)
    isNegative = both(isNegative, isFalse(isNan));
  code = select(isNan, code.like(format.nan), code);
  return select(isNegative, code + sign, code);
}

Expr encoded(Expr x, const Format &format, const Rounding &rounding) {
  if (!x)
    return x;
  ImplicitLocOpBuilder &b = *x.b;
  Type ui8 = b.getIntegerType(8, false);
  if (format.kind == Format::Kind::integer)
    return cast(bitAnd(cast(x, b.getI64Type()), (1 << format.bits) - 1), ui8);
  x = cast(x, b.getF32Type());
  Expr bits = bitcast(x, b.getI32Type());
  return cast(format.kind == Format::Kind::exponent
                  ? exponentCodes(bits, format, rounding)
                  : floatCodes(x, bits, format, rounding),
              ui8);
}

Expr decoded(Expr codes, const Format &format) {
  if (!codes)
    return codes;
  ImplicitLocOpBuilder &b = *codes.b;
  int64_t count = int64_t(1) << format.bits;
  SmallVector<double> values;
  for (int64_t code = 0; code < count; ++code)
    values.push_back(format.valueOf(static_cast<uint8_t>(code)));
  Expr table = constant(b, b.getF32Type(), {count}, values);
  return gather(table, cast(codes, b.getI32Type()), 0);
}

Integers packedShape(const Format &format, ArrayRef<int64_t> shape) {
  int64_t per = format.perByte();
  if (per == 1)
    return Integers(shape);
  return {(productOf(shape) + per - 1) / per};
}

Expr packed(Expr codes, const Format &format) {
  int64_t per = format.perByte();
  if (!codes || per == 1)
    return codes;
  int64_t count = productOf(codes.shape()), bytes = (count + per - 1) / per;
  Expr row = pad(reshape(codes, {count}), {0}, {bytes * per - count});
  row = reshape(row, {bytes, per});
  Expr all;
  for (int64_t k = 0; k < per && row; ++k) {
    Expr part = reshape(slice(row, 1, k, 1), {bytes});
    part = shiftedLeft(part, static_cast<double>(k * format.bits));
    all = all ? apply<graph::BitwiseOrOp>(all, part) : part;
  }
  return all;
}

Expr unpacked(Expr bytes, const Format &format, ArrayRef<int64_t> shape) {
  int64_t per = format.perByte();
  if (!bytes || per == 1)
    return bytes;
  int64_t size = bytes.size(0);
  SmallVector<Expr> parts;
  for (int64_t k = 0; k < per; ++k) {
    Expr part = shiftedRight(bytes, static_cast<double>(k * format.bits));
    parts.push_back(reshape(bitAnd(part, (1 << format.bits) - 1), {size, 1}));
  }
  Expr all = reshape(concat(parts, 1), {size * per});
  return reshape(slice(all, 0, 0, productOf(shape)), shape);
}

Traced narrow(const Format &format, Expr codes) {
  if (!codes)
    return {};
  return {{}, {}, std::make_shared<Narrow>(format, codes.value)};
}

const Narrow *narrowAt(Node &node, unsigned i) {
  return dynamic_cast<const Narrow *>(node.traced(i).object.get());
}

Expr numbersAt(Node &node, unsigned i) {
  if (const Narrow *x = narrowAt(node, i))
    return decoded({node.b, x->codes}, x->format);
  return operand(node, i);
}

} // namespace weir::onnx
