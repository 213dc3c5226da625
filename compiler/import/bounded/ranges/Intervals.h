// Ranges of values and of elements of lists, by what computes them.

#ifndef WEIR_COMPILER_IMPORT_BOUNDED_RANGES_INTERVALS_H
#define WEIR_COMPILER_IMPORT_BOUNDED_RANGES_INTERVALS_H

#include "mlir/IR/BuiltinTypes.h"

#include "llvm/ADT/SetVector.h"

namespace weir {

/// What the computation of a scalar, or of every element of a tensor, says of
/// its values: as doubles, infinite where nothing does.
struct Interval {
  double low, high;
};

/// Each interval is computed once, however many paths lead to it.
class Intervals {
public:
  /// Of all elements, or of the one with this index in row-major order.
  Interval of(mlir::Value value, int64_t index = -1, unsigned depth = 0);
  std::optional<bool> valueOf(mlir::Value condition);
  /// Knows from now on whether a scalar condition holds, and what follows for
  /// the integers that it compares. False where that cannot be.
  bool assume(mlir::Value condition, bool holds);

  /// The scalars that chose between values, and whose truth is not known.
  llvm::SetVector<mlir::Value> conditions;

private:
  Interval compute(mlir::Value value, int64_t index, unsigned depth);
  /// Of an op that moves elements of lists, the one that becomes this element.
  std::optional<Interval> ofMoved(mlir::Operation *op, int64_t index,
                                  unsigned depth);
  Interval reduced(mlir::Value list, mlir::RankedTensorType type,
                   Interval (*combine)(Interval, Interval), unsigned depth);
  /// Knows that a scalar integer lies in an interval too, and what follows for
  /// those that it is computed of, a few steps back. False where that cannot
  /// be.
  bool narrow(mlir::Value scalar, Interval interval, unsigned depth = 12);

  llvm::DenseMap<std::pair<mlir::Value, int64_t>, Interval> known;
};

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_BOUNDED_RANGES_INTERVALS_H
