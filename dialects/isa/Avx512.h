// AVX-512: 16 lanes of 32 bits, with dot products where VNNI and BF16 are
// there.

#ifndef WEIR_DIALECTS_ISA_AVX512_H
#define WEIR_DIALECTS_ISA_AVX512_H

#include "dialects/isa/Avx2.h"

namespace weir {

class Avx512 : public Avx2 {
public:
  using Avx2::Avx2;

  int64_t exponentLanes() const override;
  Value scale(Builder &b, Value x, Value n) const override;
  std::pair<Value, Value> split(Builder &b, Value x) const override;

  int64_t lookUpLanes(int64_t entries) const override;
  Value lookUp(Builder &b, mlir::ValueRange registers,
               Value index) const override;

  int64_t byteSumBits(int64_t lanes) const override;
  Value addByteProducts(Builder &b, Value sums, Value unsignedWords,
                        Value signedWords) const override;
  Value widenByteSums(Builder &b, Value sums) const override;

  Value addBf16Products(Builder &b, Value sums, Value left,
                        Value right) const override;
  Value mergeBits(Builder &b, Value x, int32_t mask, Value y) const override;
};

} // namespace weir

#endif // WEIR_DIALECTS_ISA_AVX512_H
