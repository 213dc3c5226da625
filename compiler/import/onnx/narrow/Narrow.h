// Numbers of fewer bits than weir's tensors have: ONNX's floats of 8 and 4 bits
// and integers of 4 and 2. The importer keeps them as their codes, of ui8,
// which casts and quantization turn into numbers and back.

#ifndef WEIR_COMPILER_IMPORT_ONNX_NARROW_NARROW_H
#define WEIR_COMPILER_IMPORT_ONNX_NARROW_NARROW_H

#include "compiler/import/onnx/Operands.h"

namespace weir::onnx {

/// How the codes of a type are read. Of floats, from the highest bit: a sign
/// but for float8e8m0, an exponent, `mantissa` bits of mantissa.
struct Format {
  enum class Kind { integer, floating, exponent };

  int dataType;
  Kind kind;
  unsigned bits;
  bool isSigned;
  int mantissa, bias;
  /// Codes without the sign: of the largest number, of what is larger than
  /// that where it does not saturate, and of what is no number.
  uint8_t largest, beyond, nan;
  /// Whether there is neither a negative zero nor any other NaN than 0x80.
  bool isUnsignedZero;

  /// How many codes a byte holds.
  int64_t perByte() const { return 8 / bits; }
  /// The number that a code is.
  double valueOf(uint8_t code) const;
};

/// Null where `dataType`, a number of ONNX's, is no such type.
const Format *formatOf(int dataType);

/// How floats become codes: whether those too large become the largest one
/// there is, and how a power of two is chosen ("up", "down" or "nearest").
struct Rounding {
  bool saturates = true;
  llvm::StringRef mode = "up";
};

/// The codes of numbers of any type. Integers keep their lowest bits.
Expr encoded(Expr x, const Format &format, const Rounding &rounding);
/// The numbers that codes are, as f32.
Expr decoded(Expr codes, const Format &format);

/// Codes as they are stored: in a row, several to a byte, the first in its
/// lowest bits. Where a byte holds one, the shape stays.
Expr packed(Expr codes, const Format &format);
Expr unpacked(Expr bytes, const Format &format, llvm::ArrayRef<int64_t> shape);
/// The shape of what `packed` gives.
Integers packedShape(const Format &format, llvm::ArrayRef<int64_t> shape);

/// What an edge carries of such a type.
struct Narrow : Object {
  Narrow(const Format &format, mlir::Value codes)
      : format(format), codes(codes) {}

  bool flatten(llvm::SmallVectorImpl<mlir::Value> &values) const override {
    values.push_back(codes);
    return true;
  }
  std::shared_ptr<Object>
  rebuild(llvm::ArrayRef<mlir::Value> &values) const override {
    auto same = std::make_shared<Narrow>(format, values.front());
    values = values.drop_front();
    return same;
  }

  const Format &format;
  mlir::Value codes;
};

Traced narrow(const Format &format, Expr codes);
/// Null where operand `i` is not of such a type.
const Narrow *narrowAt(Node &node, unsigned i);
/// Operand `i` as numbers: of such a type as f32.
Expr numbersAt(Node &node, unsigned i);

/// Casts, to and from every type.
void addCastHandlers(Handlers &);

} // namespace weir::onnx

#endif // WEIR_COMPILER_IMPORT_ONNX_NARROW_NARROW_H
