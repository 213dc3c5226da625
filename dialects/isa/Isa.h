// The instruction set of a target: what MLIR has no portable op for.

#ifndef WEIR_DIALECTS_ISA_ISA_H
#define WEIR_DIALECTS_ISA_ISA_H

#include "dialects/target/Instructions.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <memory>
#include <utility>

namespace weir {

/// Emits the instructions that ops of `vector` and `arith` do not express:
/// products of bytes and of bf16, tables in registers, powers of two.
/// TileRegisters beside it is the interface of tile registers. This folder is
/// the only place that names intrinsics; together with dialects/target and
/// compiler/target it is the only place that names instruction sets.
///
/// A user first asks a query (`byteSumBits`, `lookUpLanes`, or a member of
/// Instructions, which kernel::Target has too) and then calls the method. The
/// queries of this class, the generic set, decline; a derived class overrides
/// what its set has. Decisions about sizes are not here: kernel::Target has
/// registers, lanes, caches and rates as numbers.
///
/// Everything else is portable. Loads, stores and their masks, splats,
/// multiply-adds, transposes and other permutes by constants
/// (`vector.shuffle`), prefetches and conversions are ops of MLIR, which LLVM
/// lowers well for each processor. aarch64 needs no class so far: NEON code is
/// made of these ops.
///
/// A port to another set is a row of dialects/target/Features.inc and a class
/// here. A set of scalable vectors (SVE, RVV) compiles for one length:
/// `vector_bits` of the target has it, emitters build fixed vectors of that
/// length, and LLVM places them in scalable registers if the function has a
/// `vscale_range`. Code for all lengths needs scalable types. Emitter makes
/// most vector types (`load`, `store`, `splat`, `zeros`, `vectorize`), so they
/// would change there; shuffles by lane number need other ops.
class Isa {
public:
  using Builder = mlir::ImplicitLocOpBuilder;
  using Value = mlir::Value;

  static std::unique_ptr<Isa> of(const Instructions &has);

  explicit Isa(const Instructions &has) : has(has) {}
  virtual ~Isa() = default;

  /// The width of sums of products of bytes, for registers of `lanes` words: 32
  /// for exact sums of four products a word; 16 for sums of two products, which
  /// saturate, so that few products may be added before `widenByteSums`; 0
  /// without such products.
  virtual int64_t byteSumBits(int64_t lanes) const { return 0; }
  /// Adds the products of the unsigned bytes by the signed bytes of words to
  /// `sums`: one i32 a word, or two i16, as `byteSumBits` reports.
  virtual Value addByteProducts(Builder &b, Value sums, Value unsignedWords,
                                Value signedWords) const;
  /// Sums of `addByteProducts` as one i32 a word.
  virtual Value widenByteSums(Builder &b, Value sums) const;

  /// Adds the products of the two bf16 in each word of `left` by those of
  /// `right` to sums of f32. Denormal numbers count as zero. With
  /// `Instructions::pairDots`.
  virtual Value addBf16Products(Builder &b, Value sums, Value left,
                                Value right) const;

  /// The number of f32 in each of the registers that hold a table of `entries`
  /// words for `lookUp`, or 0.
  virtual int64_t lookUpLanes(int64_t entries) const { return 0; }
  /// The entries of a table of f32, which `registers` hold one after the other,
  /// at the i32 in `index`, modulo the number of entries. A table of one
  /// register permutes its lanes.
  virtual Value lookUp(Builder &b, mlir::ValueRange registers,
                       Value index) const;

  /// The number of f32 in the vectors of `scale` and `split`, or 0. The results
  /// have the bits of the arithmetic that replaces them for other vectors, so
  /// that a function has the same bits for all vector widths.
  virtual int64_t exponentLanes() const { return 0; }
  /// x * 2^n, where `n` has integers as f32. It overflows, underflows and
  /// rounds once.
  virtual Value scale(Builder &b, Value x, Value n) const;
  /// The mantissa in [3/4, 3/2) and the exponent, as f32. The exponent of 0 is
  /// -infinity; the mantissa of a number below 0 is NaN.
  virtual std::pair<Value, Value> split(Builder &b, Value x) const;

  /// (x & mask) | y of vectors of i32.
  virtual Value mergeBits(Builder &b, Value x, int32_t mask, Value y) const;

protected:
  const Instructions has;
};

} // namespace weir

#endif // WEIR_DIALECTS_ISA_ISA_H
