// Special functions that are composed of others: computed in f64 and rounded
// once.

#include "compiler/import/tensorflow/elementwise/SpecialNodes.h"

#include "compiler/import/build/Quantile.h"
#include "compiler/import/tensorflow/elementwise/Operands.h"

#include "dialects/graph/Elementwise.h"

using namespace mlir;

namespace weir::tensorflow {
namespace {

// exp(-x) I0(x) in 0 .. 8 by powers of x / 4 - 1: the Chebyshev series, whose
// rest is below 1e-16, as are those of the following.
static const double i0Near[] = {
    0.2070019212239867,     -0.11300432688620549,    0.09451562853995103,
    -0.08904344136075962,   0.08734341617552313,     -0.08496338091616305,
    0.07927522590716347,    -0.06954119561719381,    0.05677703201991695,
    -0.04298594945479612,   0.030177912022978357,    -0.01968265469059234,
    0.011960077907026221,   -0.0067923998730731695,  0.003617126448897043,
    -0.001811886793937724,  0.0008563152748272306,   -0.00038290209550065975,
    0.00016240542162878106, -6.550861389620851e-05,  2.520232727107692e-05,
    -9.251680584432654e-06, 3.2293390826404927e-06,  -1.0883393970072518e-06,
    3.675842926555429e-07,  -1.1384114641747256e-07, 2.6265363151970112e-08,
    -7.723094556846333e-09, 4.470516727511741e-09,   -1.1852342482684723e-09,
};
// exp(-x) sqrt(x) I0(x) from 8 on by powers of 16 / x - 1.
static const double i0Far[] = {
    0.4021765094450081,     0.0033605519836678614,  0.0001362160743919305,
    1.1143033790932038e-05, 1.4838475658279249e-06, 2.9735985885673923e-07,
    8.872219737904054e-08,  3.932584334552952e-08,  2.1548377974791598e-08,
    7.554691881248808e-09,  -6.747657956107524e-09, -1.340891754008974e-08,
    -5.404771567579958e-09, 7.552583062123384e-09,  7.430464650325426e-09,
    -3.505966530879332e-09, -5.95356943826489e-09,  1.5200816953924232e-09,
    3.6379546359011143e-09, -5.715843864202709e-10, -1.618980683624682e-09,
    1.5279202694981569e-10, 4.577087631643623e-10,  -2.0260604287413626e-11,
    -6.067631570603006e-11,
};
// exp(-x) I1(x) / x in 0 .. 8 by powers of x / 4 - 1.
static const double i1Near[] = {
    0.044687709875608835,    -0.061124338029666284,  0.0680575999095116,
    -0.06848260620582691,    0.06376740371340721,    -0.055280039226991644,
    0.04467457262125467,     -0.03367135552108536,   0.023686016957729535,
    -0.015571309243980052,   0.009583962150731578,   -0.005534567847563678,
    0.0030057624197775295,   -0.00153887456203039,   0.0007445123445061157,
    -0.0003411760289073331,  0.0001484212433475852,  -6.142360299099794e-05,
    2.4233753149624307e-05,  -9.136543922789093e-06, 3.293899139003749e-06,
    -1.1327072698408053e-06, 3.759367306404118e-07,  -1.2424759932738304e-07,
    3.802984785138283e-08,   -8.984420960424589e-09, 2.603206542331157e-09,
    -1.41695079121077e-09,   3.7284532079392345e-10,
};
// exp(-x) sqrt(x) I1(x) from 8 on by powers of 16 / x - 1.
static const double i1Far[] = {
    0.38939845902587233,     -0.009749577193235737,   -0.00021923576383388928,
    -1.5038547200567216e-05, -1.8349101326980946e-06, -3.483855761044295e-07,
    -1.0001288294864884e-07, -4.312917729178349e-08,  -2.337392820814264e-08,
    -8.427766093735185e-09,  6.734464815301592e-09,   1.4034238782067183e-08,
    5.974437608040264e-09,   -7.64239413436356e-09,   -7.888351507862078e-09,
    3.4262341490077958e-09,  6.242741219786445e-09,   -1.4387250533041013e-09,
    -3.794670896208339e-09,  5.295625441161261e-10,   1.6848984479705146e-09,
    -1.4011625179770627e-10, -4.758818838703853e-10,  1.8515118828852956e-11,
    6.305965197150057e-11,
};

Expr less(Expr x, Expr y) { return apply<graph::LessOp>(x, y); }

/// exp(-|x|) times the modified Bessel function of order 0 or 1.
Expr besselI(Expr x, bool first) {
  Expr size = apply<graph::AbsOp>(x), eight = x.like(8);
  Expr near = minimum(size, eight), far = maximum(size, eight);
  Expr low = polynomial(near * 0.25 - 1, first ? ArrayRef(i1Near) : i0Near);
  Expr high = polynomial(far.like(16) / far - 1,
                         first ? ArrayRef(i1Far) : ArrayRef(i0Far)) /
              apply<graph::SqrtOp>(far);
  if (first) {
    low = low * near;
    return select(less(size, eight), low, high) * apply<graph::SignOp>(x);
  }
  return select(less(size, eight), low, high);
}

Expr scaledI0(Expr x) { return besselI(x, false); }
Expr scaledI1(Expr x) { return besselI(x, true); }
Expr i0(Expr x) {
  return besselI(x, false) * apply<graph::ExpOp>(apply<graph::AbsOp>(x));
}
Expr i1(Expr x) {
  return besselI(x, true) * apply<graph::ExpOp>(apply<graph::AbsOp>(x));
}

template <Expr (*function)(Expr)>
LogicalResult importComposed(Node &node) {
  auto operands = operandsOf(node, 1, Elements::floats);
  if (failed(operands))
    return failure();
  Expr x = operands->front();
  return give(node,
              cast(function(cast(x, node.b.getF64Type())), x.elementType()));
}

} // namespace

void addSpecialHandlers(Handlers &handlers) {
  handlers["Erfinv"] = importComposed<errorInverse>;
  handlers["Ndtri"] = importComposed<normalQuantile>;
  handlers["BesselI0e"] = importComposed<scaledI0>;
  handlers["BesselI1e"] = importComposed<scaledI1>;
  handlers["BesselI0"] = importComposed<i0>;
  handlers["BesselI1"] = importComposed<i1>;
}

} // namespace weir::tensorflow
