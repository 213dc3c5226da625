// The ops of a scalar function on arrays of scalars.

#include "dialects/graph/elementwise/Lanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/ADT/bit.h"
#include <cmath>

using namespace mlir;

namespace weir {
namespace {

uint64_t maskOf(unsigned width) {
  return width >= 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1;
}

int64_t extended(uint64_t bits, unsigned width) {
  return static_cast<int64_t>(bits << (64 - width)) >> (64 - width);
}

/// One op of the function on a block of lanes.
class Step {
public:
  Step(Operation &op, ArrayRef<const Lanes *> in, Lanes &out, int64_t count)
      : op(op), in(in), out(out), count(count) {}

  LogicalResult run();

private:
  LogicalResult constant();
  LogicalResult floats();
  LogicalResult functions();
  LogicalResult integers();
  LogicalResult bitcast();
  LogicalResult entry();
  LogicalResult conversions();
  LogicalResult compare(arith::CmpFPredicate predicate);
  LogicalResult compare(arith::CmpIPredicate predicate);

  template <typename F>
  LogicalResult number(F f) {
    const llvm::fltSemantics &semantics =
        *semanticsOf(op.getResult(0).getType());
    for (int64_t i = 0; i < count; ++i)
      out[i].number = rounded(apply(f, i), semantics);
    return success();
  }
  template <typename F>
  auto apply(F f, int64_t i) -> decltype(f(0.0)) {
    return f((*in[0])[i].number);
  }
  template <typename F>
  auto apply(F f, int64_t i) -> decltype(f(0.0, 0.0)) {
    return f((*in[0])[i].number, (*in[1])[i].number);
  }
  template <typename F>
  auto apply(F f, int64_t i) -> decltype(f(0.0, 0.0, 0.0)) {
    return f((*in[0])[i].number, (*in[1])[i].number, (*in[2])[i].number);
  }
  template <typename F>
  LogicalResult integer(F f) {
    uint64_t mask = maskOf(widthOf(op.getResult(0)));
    for (int64_t i = 0; i < count; ++i)
      out[i].bits = f((*in[0])[i].bits, (*in[1])[i].bits) & mask;
    return success();
  }
  /// The same on signed values; `defined` tells where `f` is.
  template <typename Defined, typename F>
  LogicalResult guarded(Defined defined, F f) {
    unsigned width = widthOf(op.getResult(0));
    for (int64_t i = 0; i < count; ++i) {
      int64_t a = extended((*in[0])[i].bits, width);
      int64_t b = extended((*in[1])[i].bits, width);
      if (!defined(a, b))
        return failure();
      out[i].bits = static_cast<uint64_t>(f(a, b)) & maskOf(width);
    }
    return success();
  }
  static unsigned widthOf(Value value) {
    return value.getType().getIntOrFloatBitWidth();
  }

  Operation &op;
  ArrayRef<const Lanes *> in;
  Lanes &out;
  int64_t count;
};

LogicalResult Step::constant() {
  Attribute value;
  if (!matchPattern(&op, m_Constant(&value)))
    return failure();
  Lane lane;
  if (auto number = dyn_cast<FloatAttr>(value))
    lane.number =
        rounded(number.getValueAsDouble(), number.getValue().getSemantics());
  else if (auto integer = dyn_cast<IntegerAttr>(value))
    lane.bits = integer.getValue().getZExtValue();
  else
    return failure();
  std::fill_n(out.begin(), count, lane);
  return success();
}

LogicalResult Step::compare(arith::CmpFPredicate predicate) {
  for (int64_t i = 0; i < count; ++i)
    out[i].bits = arith::applyCmpPredicate(
        predicate, APFloat((*in[0])[i].number), APFloat((*in[1])[i].number));
  return success();
}

LogicalResult Step::compare(arith::CmpIPredicate predicate) {
  unsigned width = widthOf(op.getOperand(0));
  for (int64_t i = 0; i < count; ++i)
    out[i].bits =
        arith::applyCmpPredicate(predicate, APInt(width, (*in[0])[i].bits),
                                 APInt(width, (*in[1])[i].bits));
  return success();
}

LogicalResult Step::floats() {
  auto nan = [](double a, double b) { return std::isnan(a) ? a : b; };
  auto either = [](double a, double b) {
    return std::isnan(a) || std::isnan(b);
  };
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case([&](arith::AddFOp) {
        return number([](double a, double b) { return a + b; });
      })
      .Case([&](arith::SubFOp) {
        return number([](double a, double b) { return a - b; });
      })
      .Case([&](arith::MulFOp) {
        return number([](double a, double b) { return a * b; });
      })
      .Case([&](arith::DivFOp) {
        return number([](double a, double b) { return a / b; });
      })
      .Case([&](arith::NegFOp) { return number([](double a) { return -a; }); })
      .Case([&](math::AbsFOp) {
        return number([](double a) { return std::fabs(a); });
      })
      .Case([&](arith::MaximumFOp) {
        return number([=](double a, double b) {
          if (either(a, b))
            return nan(a, b);
          return a > b || (a == b && !std::signbit(a)) ? a : b;
        });
      })
      .Case([&](arith::MinimumFOp) {
        return number([=](double a, double b) {
          if (either(a, b))
            return nan(a, b);
          return a < b || (a == b && std::signbit(a)) ? a : b;
        });
      })
      .Case([&](math::SqrtOp) {
        return number([](double a) { return std::sqrt(a); });
      })
      .Case([&](math::FloorOp) {
        return number([](double a) { return std::floor(a); });
      })
      .Case([&](math::CeilOp) {
        return number([](double a) { return std::ceil(a); });
      })
      .Case([&](math::TruncOp) {
        return number([](double a) { return std::trunc(a); });
      })
      .Case([&](math::RoundEvenOp) {
        return number([](double a) { return std::nearbyint(a); });
      })
      .Case([&](math::CopySignOp) {
        return number([](double a, double b) { return std::copysign(a, b); });
      })
      .Case([&](arith::RemFOp) {
        return number([](double a, double b) { return std::fmod(a, b); });
      })
      .Case([&](math::FmaOp fma) {
        // Of f32 a double would round twice.
        if (!fma.getType().isF32())
          return number(
              [](double a, double b, double c) { return std::fma(a, b, c); });
        return number([](float a, float b, float c) -> double {
          return std::fma(a, b, c);
        });
      })
      .Case([&](arith::CmpFOp cmp) { return compare(cmp.getPredicate()); })
      .Default([](Operation *) { return failure(); });
}

LogicalResult Step::functions() {
  LibmFunction function = libmFunction(op);
  if (function.one)
    return number([=](double a) { return function.one(a); });
  if (function.two)
    return number([=](double a, double b) { return function.two(a, b); });
  return failure();
}

LogicalResult Step::integers() {
  auto always = [](int64_t, int64_t) { return true; };
  unsigned width = op.getNumResults() && op.getResult(0).getType().isInteger()
                       ? widthOf(op.getResult(0))
                       : 64;
  auto divides = [width](int64_t a, int64_t b) {
    int64_t least = extended(uint64_t(1) << (width - 1), width);
    return b != 0 && !(a == least && b == -1);
  };
  auto shifts = [width](int64_t, int64_t b) {
    return b >= 0 && b < static_cast<int64_t>(width);
  };
  auto unsignedBy = [&](auto f) {
    for (int64_t i = 0; i < count; ++i)
      if ((*in[1])[i].bits == 0)
        return LogicalResult(failure());
    return integer(f);
  };
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case([&](arith::AddIOp) { return integer(std::plus<uint64_t>()); })
      .Case([&](arith::SubIOp) { return integer(std::minus<uint64_t>()); })
      .Case([&](arith::MulIOp) { return integer(std::multiplies<uint64_t>()); })
      .Case([&](arith::AndIOp) { return integer(std::bit_and<uint64_t>()); })
      .Case([&](arith::OrIOp) { return integer(std::bit_or<uint64_t>()); })
      .Case([&](arith::XOrIOp) { return integer(std::bit_xor<uint64_t>()); })
      .Case([&](arith::MaxUIOp) {
        return integer([](uint64_t a, uint64_t b) { return std::max(a, b); });
      })
      .Case([&](arith::MinUIOp) {
        return integer([](uint64_t a, uint64_t b) { return std::min(a, b); });
      })
      .Case([&](arith::MaxSIOp) {
        return guarded(always,
                       [](int64_t a, int64_t b) { return std::max(a, b); });
      })
      .Case([&](arith::MinSIOp) {
        return guarded(always,
                       [](int64_t a, int64_t b) { return std::min(a, b); });
      })
      .Case([&](arith::DivSIOp) {
        return guarded(divides, [](int64_t a, int64_t b) { return a / b; });
      })
      .Case([&](arith::RemSIOp) {
        return guarded(divides, [](int64_t a, int64_t b) { return a % b; });
      })
      .Case([&](arith::DivUIOp) {
        return unsignedBy([](uint64_t a, uint64_t b) { return a / b; });
      })
      .Case([&](arith::RemUIOp) {
        return unsignedBy([](uint64_t a, uint64_t b) { return a % b; });
      })
      .Case([&](arith::ShRUIOp) {
        for (int64_t i = 0; i < count; ++i)
          if ((*in[1])[i].bits >= width)
            return failure();
        return integer([](uint64_t a, uint64_t b) { return a >> b; });
      })
      .Case([&](math::CtPopOp) {
        for (int64_t i = 0; i < count; ++i)
          out[i].bits = llvm::popcount((*in[0])[i].bits);
        return success();
      })
      .Case([&](arith::ShLIOp) {
        return guarded(shifts, [](uint64_t a, uint64_t b) { return a << b; });
      })
      .Case([&](arith::ShRSIOp) {
        return guarded(shifts, [](int64_t a, int64_t b) { return a >> b; });
      })
      .Case([&](arith::CmpIOp cmp) { return compare(cmp.getPredicate()); })
      .Default([](Operation *) { return failure(); });
}

LogicalResult Step::conversions() {
  unsigned from = widthOf(op.getOperand(0)), to = widthOf(op.getResult(0));
  const llvm::fltSemantics *semantics = semanticsOf(op.getResult(0).getType());
  const Lanes &x = *in[0];
  if (isa<arith::ExtFOp, arith::TruncFOp>(op))
    return number([](double a) { return a; });
  if (isa<arith::ExtUIOp, arith::TruncIOp, arith::ExtSIOp>(op)) {
    bool isSigned = isa<arith::ExtSIOp>(op);
    for (int64_t i = 0; i < count; ++i)
      out[i].bits =
          (isSigned ? extended(x[i].bits, from) : x[i].bits) & maskOf(to);
    return success();
  }
  if (isa<arith::SIToFPOp, arith::UIToFPOp>(op)) {
    // A double holds 32 bits exactly; 64 bits must be rounded only once.
    if (from > 32 && to < 32)
      return failure();
    bool isSigned = isa<arith::SIToFPOp>(op), single = to == 32;
    for (int64_t i = 0; i < count; ++i) {
      int64_t value = extended(x[i].bits, from);
      // A choice between a float and an integer would be a float.
      if (single)
        out[i].number = isSigned ? static_cast<float>(value)
                                 : static_cast<float>(x[i].bits);
      else
        out[i].number = isSigned ? static_cast<double>(value)
                                 : static_cast<double>(x[i].bits);
      out[i].number = rounded(out[i].number, *semantics);
    }
    return success();
  }
  if (isa<arith::FPToSIOp, arith::FPToUIOp>(op)) {
    bool isSigned = isa<arith::FPToSIOp>(op);
    double low = isSigned ? -std::ldexp(1.0, to - 1) : 0.0;
    double high = std::ldexp(1.0, isSigned ? to - 1 : to);
    for (int64_t i = 0; i < count; ++i) {
      double value = std::trunc(x[i].number);
      if (!(value >= low && value < high))
        return failure();
      out[i].bits =
          (isSigned ? static_cast<uint64_t>(static_cast<int64_t>(value))
                    : static_cast<uint64_t>(value)) &
          maskOf(to);
    }
    return success();
  }
  return failure();
}

LogicalResult Step::bitcast() {
  Type from = op.getOperand(0).getType();
  const llvm::fltSemantics *source = semanticsOf(from);
  const llvm::fltSemantics *target = semanticsOf(op.getResult(0).getType());
  for (int64_t i = 0; i < count; ++i) {
    Lane lane = (*in[0])[i];
    uint64_t bits = source ? encoded(lane.number, *source) : lane.bits;
    if (target)
      out[i].number = decoded(bits, *target);
    else
      out[i].bits = bits;
  }
  return success();
}

/// Elements of a constant vector.
LogicalResult Step::entry() {
  auto extract = cast<vector::ExtractElementOp>(op);
  DenseElementsAttr table;
  if (!matchPattern(extract.getVector(), m_Constant(&table)) ||
      !table.getElementType().isF32() || !extract.getPosition())
    return failure();
  auto entries = llvm::to_vector(table.getValues<float>());
  for (int64_t i = 0; i < count; ++i) {
    if ((*in[1])[i].bits >= entries.size())
      return failure();
    out[i].number = entries[(*in[1])[i].bits];
  }
  return success();
}

LogicalResult Step::run() {
  if (op.getNumRegions() != 0 || !op.getResult(0).getType().isIntOrFloat())
    return failure();
  if (in.empty())
    return constant();
  if (isa<arith::SelectOp>(op)) {
    for (int64_t i = 0; i < count; ++i)
      out[i] = (*in[0])[i].bits ? (*in[1])[i] : (*in[2])[i];
    return success();
  }
  if (isa<vector::ExtractElementOp>(op))
    return entry();
  for (Value operand : op.getOperands())
    if (!operand.getType().isIntOrFloat())
      return failure();
  if (isa<arith::BitcastOp>(op))
    return bitcast();
  if (succeeded(floats()) || succeeded(functions()) || succeeded(integers()))
    return success();
  return in.size() == 1 ? conversions() : failure();
}

} // namespace

bool isTable(Operation &op) {
  return isa<arith::ConstantOp>(op) &&
         isa<VectorType>(op.getResult(0).getType());
}

LogicalResult stepLanes(Operation &op, ArrayRef<const Lanes *> in, Lanes &out,
                        int64_t count) {
  return Step(op, in, out, count).run();
}

} // namespace weir
