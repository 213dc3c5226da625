// Arrays of scalars: how elements of tensors become lanes.

#include "dialects/graph/elementwise/Lanes.h"

#include "llvm/ADT/bit.h"
#include <cstring>

using namespace mlir;

namespace weir {

const llvm::fltSemantics *semanticsOf(Type type) {
  auto number = dyn_cast<FloatType>(type);
  return number ? &number.getFloatSemantics() : nullptr;
}

/// Rounds to a float type.
double rounded(double value, const llvm::fltSemantics &semantics) {
  if (&semantics == &APFloat::IEEEdouble())
    return value;
  if (&semantics == &APFloat::IEEEsingle())
    return static_cast<float>(value);
  APFloat number(value);
  bool loses;
  number.convert(semantics, APFloat::rmNearestTiesToEven, &loses);
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &loses);
  return number.convertToDouble();
}

/// The float with these bits.
double decoded(uint64_t bits, const llvm::fltSemantics &semantics) {
  if (&semantics == &APFloat::IEEEdouble())
    return llvm::bit_cast<double>(bits);
  if (&semantics == &APFloat::IEEEsingle())
    return llvm::bit_cast<float>(static_cast<uint32_t>(bits));
  APFloat number(semantics, APInt(16, bits));
  bool loses;
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &loses);
  return number.convertToDouble();
}

uint64_t encoded(double value, const llvm::fltSemantics &semantics) {
  if (&semantics == &APFloat::IEEEdouble())
    return llvm::bit_cast<uint64_t>(value);
  if (&semantics == &APFloat::IEEEsingle())
    return llvm::bit_cast<uint32_t>(static_cast<float>(value));
  APFloat number(value);
  bool loses;
  number.convert(semantics, APFloat::rmNearestTiesToEven, &loses);
  return number.bitcastToAPInt().getZExtValue();
}

void loadLanes(Lanes &lanes, int64_t count, Type type, const char *from,
               int64_t stride) {
  unsigned width = (type.getIntOrFloatBitWidth() + 7) / 8;
  const llvm::fltSemantics *semantics = semanticsOf(type);
  for (int64_t i = 0; i < count; ++i, from += stride) {
    uint64_t bits = 0;
    std::memcpy(&bits, from, width);
    if (semantics)
      lanes[i].number = decoded(bits, *semantics);
    else
      lanes[i].bits = bits;
  }
}

void storeLanes(const Lanes &lanes, int64_t count, Type type, char *to) {
  unsigned width = (type.getIntOrFloatBitWidth() + 7) / 8;
  const llvm::fltSemantics *semantics = semanticsOf(type);
  for (int64_t i = 0; i < count; ++i, to += width) {
    uint64_t bits =
        semantics ? encoded(lanes[i].number, *semantics) : lanes[i].bits;
    std::memcpy(to, &bits, width);
  }
}

} // namespace weir
