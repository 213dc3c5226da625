// Arithmetic of complex tensors, which travel as two: the real and the
// imaginary part.

#include "compiler/import/tensorflow/elementwise/Operands.h"

#include "compiler/import/tensorflow/Tensors.h"
#include "compiler/import/tensorflow/Types.h"
#include "compiler/import/tensorflow/proto/graph.pb.h"
#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"

using namespace mlir;

namespace weir::tensorflow {
namespace {

struct Complex {
  Expr re, im;
};

Expr square(Expr x) { return x * x; }
Expr squaredMagnitude(Complex x) { return square(x.re) + square(x.im); }

/// By the greater of the two, so that squares neither overflow nor vanish.
Expr magnitude(Complex x) {
  Expr a = apply<graph::AbsOp>(x.re), b = apply<graph::AbsOp>(x.im);
  Expr most = maximum(a, b), least = minimum(a, b);
  Expr ratio = apply<graph::DivNoNanOp>(least, most);
  Expr y = most * apply<graph::SqrtOp>(square(ratio) + 1.0);
  // An infinite part makes it infinite.
  Expr isInfinite = apply<graph::IsInfOp>(most);
  return select(isInfinite, most, y);
}

Expr angle(Complex x) { return apply<graph::Atan2Op>(x.im, x.re); }

Complex add(Complex x, Complex y) { return {x.re + y.re, x.im + y.im}; }
Complex sub(Complex x, Complex y) { return {x.re - y.re, x.im - y.im}; }
Complex conjugate(Complex x) { return {x.re, -x.im}; }

Complex mul(Complex x, Complex y) {
  return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}

/// Both divided by the greater part of the divisor first.
Complex div(Complex x, Complex y) {
  Expr scale = maximum(apply<graph::AbsOp>(y.re), apply<graph::AbsOp>(y.im));
  Complex z{y.re / scale, y.im / scale};
  Expr below = squaredMagnitude(z) * scale;
  Complex above = mul(x, conjugate(z));
  return {above.re / below, above.im / below};
}

Complex divNoNan(Complex x, Complex y) {
  Expr isZero = apply<graph::EqualOp>(squaredMagnitude(y), y.re.like(0));
  Complex z = div(x, y);
  return {select(isZero, z.re.like(0), z.re),
          select(isZero, z.im.like(0), z.im)};
}

Complex squaredDifference(Complex x, Complex y) {
  Complex z = sub(x, y);
  Expr re = squaredMagnitude(z);
  return {re, zerosOf(re)};
}

Complex neg(Complex x) { return {-x.re, -x.im}; }
Complex squareOf(Complex x) { return mul(x, x); }

Complex one(Complex x) { return {zerosOf(x.re) + 1.0, zerosOf(x.re)}; }

Complex reciprocal(Complex x) { return div(one(x), x); }

Complex polar(Expr radius, Expr theta) {
  return {radius * apply<graph::CosOp>(theta),
          radius * apply<graph::SinOp>(theta)};
}

Complex exp(Complex x) { return polar(apply<graph::ExpOp>(x.re), x.im); }

Complex log(Complex x) { return {apply<graph::LogOp>(magnitude(x)), angle(x)}; }

Complex log1p(Complex x) { return log({x.re + 1.0, x.im}); }

Complex expm1(Complex x) {
  Complex y = exp(x);
  return {y.re - 1.0, y.im};
}

/// The root whose real part is not below 0.
Complex sqrt(Complex x) {
  Expr length = magnitude(x);
  Expr isRight = apply<graph::GreaterEqualOp>(x.re, x.re.like(0));
  Expr major = apply<graph::SqrtOp>((length + apply<graph::AbsOp>(x.re)) * 0.5);
  Expr minor = apply<graph::DivNoNanOp>(apply<graph::AbsOp>(x.im), major * 2.0);
  Expr re = select(isRight, major, minor);
  Expr im = select(isRight, minor, major);
  Expr isBelow = apply<graph::LessOp>(x.im, x.im.like(0));
  return {re, select(isBelow, -im, im)};
}

Complex rsqrt(Complex x) { return reciprocal(sqrt(x)); }

Complex pow(Complex x, Complex y) {
  Complex z = exp(mul(y, log(x)));
  Expr isZero = apply<graph::EqualOp>(magnitude(x), x.re.like(0));
  Expr isOne = apply<graph::EqualOp>(magnitude(y), y.re.like(0));
  Expr atZero = cast(isOne, x.re.elementType());
  return {select(isZero, atZero, z.re), select(isZero, z.im.like(0), z.im)};
}

Complex sinh(Complex x) {
  return {apply<graph::SinhOp>(x.re) * apply<graph::CosOp>(x.im),
          apply<graph::CoshOp>(x.re) * apply<graph::SinOp>(x.im)};
}

Complex cosh(Complex x) {
  return {apply<graph::CoshOp>(x.re) * apply<graph::CosOp>(x.im),
          apply<graph::SinhOp>(x.re) * apply<graph::SinOp>(x.im)};
}

Complex turned(Complex x) { return {-x.im, x.re}; }

Complex sin(Complex x) {
  Complex y = sinh(turned(x));
  return {y.im, -y.re};
}

Complex cos(Complex x) { return cosh(turned(x)); }
Complex tan(Complex x) { return div(sin(x), cos(x)); }
Complex tanh(Complex x) { return div(sinh(x), cosh(x)); }

Complex sigmoid(Complex x) { return reciprocal(add(one(x), exp(neg(x)))); }

/// The number of magnitude 1 in the same direction, or 0.
Complex sign(Complex x) {
  Expr length = magnitude(x);
  return {apply<graph::DivNoNanOp>(x.re, length),
          apply<graph::DivNoNanOp>(x.im, length)};
}

// Nodes

Complex complexOperand(Node &node, unsigned i) {
  const Traced &traced = node.traced(i);
  Complex x{Expr(node.b, traced.value), Expr(node.b, traced.imaginary)};
  if (!traced.imaginary)
    x.im = zerosOf(x.re);
  return x;
}

LogicalResult wantOperands(Node &node, unsigned count) {
  if (node.size() == count)
    return success();
  return node.error() << "has " << node.size() << " operands instead of "
                      << count;
}

LogicalResult give(Node &node, Complex z) {
  if (!z.re || !z.im)
    return weir::give(node, ArrayRef<Expr>{z.re, z.im});
  return node.tracedResults({Traced{z.re.value, z.im.value, nullptr}});
}

template <Complex (*function)(Complex)>
LogicalResult importUnary(Node &node) {
  if (failed(wantOperands(node, 1)))
    return failure();
  return give(node, function(complexOperand(node, 0)));
}

template <Complex (*function)(Complex, Complex)>
LogicalResult importBinary(Node &node) {
  if (failed(wantOperands(node, 2)))
    return failure();
  return give(node, function(complexOperand(node, 0), complexOperand(node, 1)));
}

template <Expr (*function)(Complex)>
LogicalResult importReal(Node &node) {
  if (failed(wantOperands(node, 1)))
    return failure();
  return weir::give(node, function(complexOperand(node, 0)));
}

Expr realPart(Complex x) { return x.re; }
Expr imaginaryPart(Complex x) { return x.im; }

template <bool equal>
LogicalResult importEquality(Node &node) {
  if (failed(wantOperands(node, 2)))
    return failure();
  Complex x = complexOperand(node, 0), y = complexOperand(node, 1);
  Expr same = apply<graph::LogicalAndOp>(apply<graph::EqualOp>(x.re, y.re),
                                         apply<graph::EqualOp>(x.im, y.im));
  return weir::give(node, equal ? same : apply<graph::LogicalNotOp>(same));
}

LogicalResult importAddN(Node &node) {
  Complex sum = complexOperand(node, 0);
  for (unsigned i = 1; i < node.size(); ++i)
    sum = add(sum, complexOperand(node, i));
  return give(node, sum);
}

LogicalResult importCast(Node &node) {
  if (failed(wantOperands(node, 1)))
    return failure();
  Complex x = complexOperand(node, 0);
  if (Type part = complexPart(node, "DstT"))
    return give(node, Complex{cast(x.re, part), cast(x.im, part)});
  Type to = node.typeAttr("DstT");
  if (!to)
    return node.unsupported("its result's element type");
  return weir::give(node, cast(x.re, to));
}

LogicalResult importSelect(Node &node) {
  if (failed(wantOperands(node, 3)))
    return failure();
  Complex x = complexOperand(node, 1), y = complexOperand(node, 2);
  Expr p(node.b, node.operand(0));
  if (node.op() == "Select" && p && p.rank() == 1 && x.re && x.re.rank() > 1) {
    SmallVector<int64_t> shape(x.re.rank(), 1);
    shape[0] = p.size(0);
    p = reshape(p, shape);
  }
  return give(node, Complex{select(p, x.re, y.re), select(p, x.im, y.im)});
}

/// Of a real operand: itself, 0, and the like.
LogicalResult importComplex(Node &node) {
  auto operands = operandsOf(node, 2, Elements::floats);
  if (failed(operands))
    return failure();
  return give(node, Complex{(*operands)[0], (*operands)[1]});
}

} // namespace

void addComplexResultHandlers(Handlers &handlers) {
  handlers["Complex"] = importComplex;
  handlers["Real"] = importReal<realPart>;
  handlers["Imag"] = importReal<imaginaryPart>;
  handlers["Angle"] = importReal<angle>;
  handlers["ComplexAbs"] = importReal<magnitude>;
  handlers["Conj"] = importReal<realPart>;
}

void addComplexHandlers(Handlers &handlers) {
  auto set = [&](StringRef op, Handler run) {
    handlers[op] = {run, Takes::complex};
  };
  set("Add", importBinary<add>);
  set("AddV2", importBinary<add>);
  set("Sub", importBinary<sub>);
  set("Mul", importBinary<mul>);
  set("Div", importBinary<div>);
  set("RealDiv", importBinary<div>);
  set("DivNoNan", importBinary<divNoNan>);
  set("Pow", importBinary<pow>);
  set("SquaredDifference", importBinary<squaredDifference>);
  set("Neg", importUnary<neg>);
  set("Square", importUnary<squareOf>);
  set("Reciprocal", importUnary<reciprocal>);
  set("Inv", importUnary<reciprocal>);
  set("Exp", importUnary<exp>);
  set("Expm1", importUnary<expm1>);
  set("Log", importUnary<log>);
  set("Log1p", importUnary<log1p>);
  set("Sqrt", importUnary<sqrt>);
  set("Rsqrt", importUnary<rsqrt>);
  set("Sin", importUnary<sin>);
  set("Cos", importUnary<cos>);
  set("Tan", importUnary<tan>);
  set("Sinh", importUnary<sinh>);
  set("Cosh", importUnary<cosh>);
  set("Tanh", importUnary<tanh>);
  set("Sigmoid", importUnary<sigmoid>);
  set("Sign", importUnary<sign>);
  set("Conj", importUnary<conjugate>);
  set("Real", importReal<realPart>);
  set("Imag", importReal<imaginaryPart>);
  set("Angle", importReal<angle>);
  set("ComplexAbs", importReal<magnitude>);
  set("Equal", importEquality<true>);
  set("NotEqual", importEquality<false>);
  set("AddN", importAddN);
  set("AccumulateNV2", importAddN);
  set("Cast", importCast);
  set("Select", importSelect);
  set("SelectV2", importSelect);
  addComplexReduceHandlers(handlers);
}

} // namespace weir::tensorflow
