// Where a view is in its buffer, in bytes.

#ifndef WEIR_PASSES_CPU_BOUNDS_PLACES_H
#define WEIR_PASSES_CPU_BOUNDS_PLACES_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <optional>

namespace weir::cpu {

/// An index that is a constant, or a value.
struct Scalar {
  std::optional<int64_t> constant;
  mlir::Value value;

  Scalar() : constant(0) {}
  Scalar(int64_t constant) : constant(constant) {}
  static Scalar of(mlir::OpFoldResult index);
  mlir::Value materialize(mlir::ImplicitLocOpBuilder &b) const;
};

Scalar add(mlir::ImplicitLocOpBuilder &b, const Scalar &left,
           const Scalar &right);
Scalar multiply(mlir::ImplicitLocOpBuilder &b, const Scalar &left,
                int64_t right);

/// The bytes of an element in memory; an i1 takes a byte.
int64_t bytesOfElement(mlir::MemRefType type);
/// The bytes of a buffer of static shape.
int64_t bytesOf(mlir::MemRefType type);

/// The buffer that a view is in, and the byte where the view begins. The byte
/// is null where the chain of views has an op that is not followed.
struct Place {
  mlir::Value root;
  std::optional<Scalar> byte;
};
Place placeOf(mlir::ImplicitLocOpBuilder &b, mlir::Value view);

/// The byte of the element at these indices of the view in its buffer; null if
/// a stride or the place is not known.
std::optional<Scalar> byteOf(mlir::ImplicitLocOpBuilder &b, const Place &place,
                             mlir::Value view, mlir::ValueRange indices);

/// The number of lanes up to the last one that is set.
Scalar activeLanes(mlir::ImplicitLocOpBuilder &b, mlir::Value mask);

} // namespace weir::cpu

#endif // WEIR_PASSES_CPU_BOUNDS_PLACES_H
