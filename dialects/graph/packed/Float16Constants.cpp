// Constants of f32 that a type of 16 bits represents exactly.

#include "dialects/graph/packed/Float16Constants.h"

#include "dialects/weir/ElementBytes.h"

#include "llvm/ADT/bit.h"

#include <cmath>
#include <cstring>

using namespace mlir;

namespace weir {
namespace {

uint32_t bitsAt(ArrayRef<char> f32, size_t i) {
  uint32_t bits;
  std::memcpy(&bits, &f32[i * sizeof bits], sizeof bits);
  return bits;
}

/// The bits of an f16 that equals a finite `f32`, or nothing.
std::optional<uint16_t> asF16(uint32_t f32) {
  constexpr uint32_t signs = 0x80000000, digits = 0x1fff;
  auto sign = uint16_t((f32 & signs) >> 16);
  uint32_t magnitude = f32 & ~signs;
  auto exponent = int32_t(magnitude >> 23) - 127;
  if (exponent > 15)
    return std::nullopt;
  if (exponent >= -14)
    return f32 & digits ? std::nullopt
                        : std::optional<uint16_t>(
                              sign | ((magnitude - (112u << 23)) >> 13));
  // Denormals of f16 are multiples of 2^-24.
  float steps = std::ldexp(llvm::bit_cast<float>(magnitude), 24);
  if (steps != std::floor(steps))
    return std::nullopt;
  return uint16_t(sign | uint16_t(steps));
}

} // namespace

std::optional<ArrayRef<char>> rawBytes(ElementsAttr value) {
  // The bytes of Booleans may not be in the attribute.
  if (value.getElementType().isInteger(1))
    return std::nullopt;
  std::optional<ElementBytes> bytes = ElementBytes::of(value);
  return bytes ? std::optional(bytes->data()) : std::nullopt;
}

FloatType float16TypeOf(ArrayRef<char> f32, MLIRContext *context) {
  bool f16 = true, bf16 = true;
  for (size_t i = 0; (f16 || bf16) && i < f32.size() / 4; ++i) {
    uint32_t bits = bitsAt(f32, i);
    f16 = f16 && asF16(bits);
    bf16 = bf16 && (bits & 0xffff) == 0;
  }
  if (f16)
    return FloatType::getF16(context);
  return bf16 ? FloatType::getBF16(context) : FloatType();
}

std::vector<char> toFloat16(ArrayRef<char> f32, FloatType type) {
  std::vector<char> narrowed(f32.size() / 2);
  for (size_t i = 0; i < f32.size() / 4; ++i) {
    uint32_t bits = bitsAt(f32, i);
    uint16_t float16 = type.isF16() ? *asF16(bits) : uint16_t(bits >> 16);
    std::memcpy(&narrowed[i * sizeof float16], &float16, sizeof float16);
  }
  return narrowed;
}

} // namespace weir
