// The error function where AVX2 looks up tables of 8 entries in a register.

#include "dialects/math/Functions.h"

using namespace mlir;

namespace weir {

// Rows by power of t: erf(i/2 + t) = T[0][i] + t P(t), P from T[1] on, but
// erf(t) = t + t P(t) in the first half, where t is all there is.
static constexpr float erfTable[8][8] = {
    {0, 0.520499885, 0.842700779, 0.966105163, 0.995322287, 0.999593019,
     0.999977887, 0.999999285},
    {0.128379181, 0.87878108, 0.415110111, 0.118927054, 0.0206627175,
     0.00218381011, 0.000143678408, -4.69446348e-07},
    {-2.45347405e-06, -0.439341962, -0.415189832, -0.178291932, -0.0411981232,
     -0.00562212942, -0.00055901584, 0.000184786899},
    {-0.37605536, -0.147058383, 0.139331535, 0.137509793, 0.0466010608,
     0.0104648052, 0.00248192786, -0.0026119235},
    {-0.000766256067, 0.186387256, 0.0639244393, -0.0374975167, -0.0252379943,
     -0.020698376, -0.0107075702, 0.0164095201},
    {0.11670351, -0.00153783988, -0.0549737327, -0.0357396938, -0.0136326142,
     0.0415256917, 0.0293288231, -0.0524382517},
    {-0.00955317449, -0.0406059697, -0.012465124, 0.049992051, 0.0384836271,
     -0.0543059483, -0.0418408662, 0.0829483792},
    {-0.0168957934, 0.00786775071, 0.0189135689, -0.0234046374, -0.0235691871,
     0.0300730597, 0.0237475075, -0.0515254661},
};

// Each half of [0, 4) has a polynomial of its own; what is past 3.92 is 1.
Value MathFunctions::erfByHalves(Value x) {
  Value magnitude = abs(x), last = real(3.95);
  magnitude = select(test(Predicate::OGT, magnitude, last), last, magnitude);
  // Halves are the last bits of floats of this size, which round to nearest,
  // and 0.25 to 0.
  Value magic = real(6291456.0);
  Value shifted = add(sub(magnitude, real(0.25)), magic);
  Value t = sub(magnitude, sub(shifted, magic));
  Value index = toBits(shifted);
  Value p = lookUp(index, erfTable[7]);
  for (int k = 6; k > 0; --k)
    p = multiplyAdd(p, t, lookUp(index, erfTable[k]));
  Value first = test(Predicate::OLE, magnitude, real(0.5));
  Value begin = select(first, t, lookUp(index, erfTable[0]));
  return withSign(multiplyAdd(p, t, begin), x);
}

} // namespace weir
