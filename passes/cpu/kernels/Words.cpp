// Dot products of words: AVX-512 VNNI of four bytes, AVX-512 BF16 of two bf16.

#include "passes/cpu/kernels/Emitter.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace weir {

Value Emitter::loadWords(Value buffer, ValueRange indices, int64_t lanes) {
  int64_t count = lanes * 4 / elementBytes(buffer);
  return create<vector::BitCastOp>(VectorType::get(lanes, getI32Type()),
                                   load(buffer, indices, count, count));
}

Value Emitter::splatWord(Value buffer, ValueRange indices, int64_t lanes) {
  return splat(
      create<vector::ExtractOp>(loadWords(buffer, indices, 1), int64_t(0)),
      lanes);
}

Value Emitter::dot(Value sums, Value unsignedWords, Value signedWords) {
  return create<LLVM::CallIntrinsicOp>(
             sums.getType(), getStringAttr("llvm.x86.avx512.vpdpbusd.512"),
             ValueRange{sums, unsignedWords, signedWords})
      .getResult(0);
}

Value Emitter::dotPairs(Value sums, Value left, Value right) {
  auto pairs = VectorType::get(32, getBF16Type());
  return create<LLVM::CallIntrinsicOp>(
             sums.getType(), getStringAttr("llvm.x86.avx512bf16.dpbf16ps.512"),
             ValueRange{sums, create<vector::BitCastOp>(pairs, left),
                        create<vector::BitCastOp>(pairs, right)})
      .getResult(0);
}

} // namespace weir
