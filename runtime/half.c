// Conversions of 16-bit floats that a processor may lack. The code generator
// calls them by these names; elsewhere the compiler's own library has them,
// which a product must not need. Integer arithmetic throughout, so that no
// conversion here calls itself.

#include <stdint.h>

union half_bits {
  _Float16 value;
  uint16_t bits;
};
union bfloat_bits {
  __bf16 value;
  uint16_t bits;
};
union float_bits {
  float value;
  uint32_t bits;
};

float __extendhfsf2(_Float16 half);
_Float16 __truncsfhf2(float value);
_Float16 __truncdfhf2(double value);
__bf16 __truncsfbf2(float value);
__bf16 __truncdfbf2(double value);

float __extendhfsf2(_Float16 half) {
  uint16_t bits = ((union half_bits){.value = half}).bits;
  uint32_t sign = (uint32_t)(bits & 0x8000) << 16;
  uint32_t exponent = bits >> 10 & 31, mantissa = bits & 1023;
  union float_bits out;
  if (exponent == 31) {
    out.bits = 0x7f800000 | mantissa << 13 | (mantissa ? 0x400000 : 0);
  } else if (exponent) {
    out.bits = (exponent + 112) << 23 | mantissa << 13;
  } else { // the product of an integer and a power of two is exact
    out.value = (float)mantissa * 0x1p-24f;
  }
  out.bits |= sign;
  return out.value;
}

static uint16_t half_of(uint32_t bits) {
  uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
  bits &= 0x7fffffff;
  if (bits > 0x7f800000)
    return sign | 0x7e00 | (uint16_t)(bits >> 13 & 0x1ff);
  if (bits >= 0x477ff000) // 65520 rounds to infinity
    return sign | 0x7c00;
  if (bits <= 0x33000000) // a tie at 2^-25 goes to the even zero
    return sign;
  if (bits < 0x38800000) { // subnormal: units of 2^-24
    uint32_t mantissa = (bits & 0x7fffff) | 0x800000,
             shift = 126 - (bits >> 23);
    uint32_t whole = mantissa >> shift;
    uint32_t rest = mantissa & ((1u << shift) - 1), tie = 1u << (shift - 1);
    whole += rest > tie || (rest == tie && (whole & 1));
    return sign | (uint16_t)whole;
  }
  bits += 0xfff + (bits >> 13 & 1);
  return sign | (uint16_t)((bits - 0x38000000) >> 13);
}

static uint16_t bfloat_of(uint32_t bits) {
  if ((bits & 0x7fffffff) > 0x7f800000)
    return (uint16_t)(bits >> 16 | 0x40);
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

// To float with the last bit set when anything was lost: rounding that again
// gives what rounding once would have given.
static uint32_t odd_float(double value) {
  union float_bits near = {.value = (float)value};
  double back = near.value;
  if (back != value && value == value) {
    if (value < 0 ? back < value : back > value)
      --near.bits;
    near.bits |= 1;
  }
  return near.bits;
}

_Float16 __truncsfhf2(float value) {
  uint32_t bits = ((union float_bits){.value = value}).bits;
  return ((union half_bits){.bits = half_of(bits)}).value;
}

_Float16 __truncdfhf2(double value) {
  return ((union half_bits){.bits = half_of(odd_float(value))}).value;
}

__bf16 __truncsfbf2(float value) {
  uint32_t bits = ((union float_bits){.value = value}).bits;
  return ((union bfloat_bits){.bits = bfloat_of(bits)}).value;
}

__bf16 __truncdfbf2(double value) {
  return ((union bfloat_bits){.bits = bfloat_of(odd_float(value))}).value;
}
