// What AVX-512 has instructions for: scaling by powers of two, on vectors of
// 16, and the error function by tables of 32 entries in registers.

#include "dialects/math/Functions.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace weir {

Value MathFunctions::scaleByInstruction(Value x, Value n) {
  Value all = b.create<LLVM::ConstantOp>(b.getI16IntegerAttr(-1));
  Value roundAsSet = b.create<LLVM::ConstantOp>(b.getI32IntegerAttr(4));
  return intrinsic("llvm.x86.avx512.mask.scalef.ps.512",
                   {x, n, x, all, roundAsSet});
}

// Of 0 the mantissa is 1 and the exponent -infinity; of numbers below it the
// mantissa is NaN.
std::pair<Value, Value> MathFunctions::splitByInstruction(Value x) {
  Value all = b.create<LLVM::ConstantOp>(b.getI16IntegerAttr(-1));
  Value roundAsSet = b.create<LLVM::ConstantOp>(b.getI32IntegerAttr(4));
  // From 3/4, without a sign, NaN where there was one.
  Value how = b.create<LLVM::ConstantOp>(b.getI32IntegerAttr(15));
  Value mantissa = intrinsic("llvm.x86.avx512.mask.getmant.ps.512",
                             {x, how, x, all, roundAsSet});
  auto exponentOf = [&](Value y) {
    return intrinsic("llvm.x86.avx512.mask.getexp.ps.512",
                     {y, y, all, roundAsSet});
  };
  return {mantissa, sub(exponentOf(x), exponentOf(mantissa))};
}

// Rows by power of t: erf(i/8 + t) = T[0][i] + t + t P(t), P from T[1] on. Of
// the last, all entries but the first two are 0: there the result is 1, or the
// float below it.
static constexpr float erfTable[6][32] = {
    {0,           0.140316203, 0.276326388, 0.404116899,
     0.520499885, 0.623240888, 0.711155653, 0.784075081,
     0.842700779, 0.888388216, 0.92290014,  0.948170066,
     0.966105163, 0.978443742, 0.986671686, 0.99199003,
     0.995322287, 0.997345984, 0.998537302, 0.999217033,
     0.999593019, 0.999794602, 0.999899387, 0.999952137,
     0.999977887, 0.999990106, 0.999995708, 0.999998212,
     0.999999285, 0.999999702, 0.999999881, 1},
    {0.128379166,  0.11088527,   0.0600141324, -0.0196471903, -0.121217422,
     -0.236500457, -0.357068926, -0.475254953, -0.584892511,  -0.681726038,
     -0.763478875, -0.82964021,  -0.88106972,  -0.919527769,  -0.947224975,
     -0.966454148, -0.979333043, -0.987659156, -0.992857695,  -0.995993495,
     -0.997821689, -0.998852134, -0.999413729, -0.999709785,  -0.999860764,
     -0.999935269, -0.999970794, -0.999987245, -0.999994576,  -0.999997795,
     -0.999999106, -0.999998987},
    {-2.77555756e-16, -0.138860509,    -0.265003264,    -0.367631972,
     -0.439390957,    -0.477186948,    -0.482198119,    -0.459151834,
     -0.415107518,    -0.358058304,    -0.295651555,    -0.234244838,
     -0.178395554,    -0.130767509,    -0.0923563018,   -0.0628984571,
     -0.0413339734,   -0.0262242313,   -0.0160701983,   -0.00951536465,
     -0.00544569222,  -0.00301315752,  -0.00161225151,  -0.000834398787,
     -0.000417754287, -0.000202367912, -9.48625966e-05, -4.30361615e-05,
     -1.88974809e-05, -8.03245075e-06, -3.30524358e-06, 0},
    {-0.37612617,    -0.358724833,   -0.309172064,   -0.234877288,
     -0.146464661,   -0.0556725524,  0.0267882627,   0.0929232314,
     0.138368934,    0.162452236,    0.167535782,    0.157937765,
     0.138752103,    0.114840731,    0.0901573896,   0.0674411729,
     0.0482230224,   0.0330374353,   0.021724565,    0.0137305316,
     0.00835008081,  0.00489041535,  0.00276037841,  0.00150252751,
     0.000789094309, 0.000400015473, 0.000195806962, 9.25813001e-05,
     4.22945704e-05, 1.86732341e-05, 7.96935274e-06, 0},
    {1.40285759e-13,  0.0685846657,    0.126760945,     0.166311294,
     0.182807863,     0.176235184,     0.150540903,     0.112340167,
     0.0692095309,    0.028057659,     -0.00604368001,  -0.0303801782,
     -0.0444938019,   -0.0496404804,   -0.0480534472,   -0.0422375239,
     -0.0344424509,   -0.0263706986,   -0.0190991554,   -0.013150136,
     -0.00863758847,  -0.00542651257,  -0.00326712942,  -0.00188796374,
     -0.00104841508,  -0.000560036569, -0.000288004521, -0.000142685589,
     -6.81414458e-05, -3.13840537e-05, -1.39463264e-05, 0},
    {0.112680644,    0.10439615,     0.080259271,    0.0456871986,
     0.00753846345,  -0.0272046346,  -0.0530544072,  -0.0670618415,
     -0.0690755174,  -0.0612631589,  -0.0471650884,  -0.0306247175,
     -0.0149066309,  -0.00218362873, 0.00657802075,  0.0114253685,
     0.013063712,    0.0124815116,   0.0106526865,   0.0083583314,
     0.00612141285,  0.00422297884,  0.00276064593,  0.00171722192,
     0.00101947319,  0.000578958541, 0.000315071695, 0.000164540223,
     8.25529132e-05, 3.98290722e-05, 1.84931087e-05, 0},
};

// Each eighth of [0, 4) has a polynomial of its own around its middle.
Value MathFunctions::erfByTable(Value x) {
  Value magnitude = abs(x), last = real(3.93);
  magnitude = select(test(Predicate::OGT, magnitude, last), last, magnitude);
  // Eighths are the last bits of floats of this size.
  Value magic = real(1572864.0);
  Value shifted = add(magnitude, magic);
  Value t = sub(magnitude, sub(shifted, magic));
  Value index = toBits(shifted);
  Value p = lookUp(index, erfTable[5]);
  for (int k = 4; k > 0; --k)
    p = multiplyAdd(p, t, lookUp(index, erfTable[k]));
  return withSign(add(lookUp(index, erfTable[0]), multiplyAdd(p, t, t)), x);
}

} // namespace weir
