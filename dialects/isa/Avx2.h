// AVX2: eight lanes of 32 bits.

#ifndef WEIR_DIALECTS_ISA_AVX2_H
#define WEIR_DIALECTS_ISA_AVX2_H

#include "dialects/isa/Isa.h"

namespace weir {

class Avx2 : public Isa {
public:
  using Isa::Isa;

  int64_t lookUpLanes(int64_t entries) const override;
  Value lookUp(Builder &b, mlir::ValueRange registers,
               Value index) const override;

  int64_t byteSumBits(int64_t lanes) const override;
  Value addByteProducts(Builder &b, Value sums, Value unsignedWords,
                        Value signedWords) const override;
  Value widenByteSums(Builder &b, Value sums) const override;

protected:
  static Value call(Builder &b, llvm::StringRef name, mlir::Type type,
                    mlir::ValueRange operands);
};

} // namespace weir

#endif // WEIR_DIALECTS_ISA_AVX2_H
