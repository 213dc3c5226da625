// The difference of two tensors, element by element.

#ifndef WEIR_TOOLS_DIFF_COMPARE_H
#define WEIR_TOOLS_DIFF_COMPARE_H

#include "compiler/reference/Tensor.h"
#include "llvm/ADT/APSInt.h"
#include <optional>
#include <string>

namespace weir::diff {

/// The difference that two elements may have: |a - b| <= absolute + relative *
/// |b|, or a distance in units in the last place of side A's type.
struct Bound {
  double relative = 0, absolute = 0;
  std::optional<uint64_t> ulp = {};
};

/// The value of an element. A double lacks the low bits of large integers.
struct Element {
  double number = 0;
  std::optional<llvm::APSInt> integer = {};
};

struct Difference {
  /// Whether an element is beyond all bounds, or the tensors are no tensors of
  /// equal shape.
  bool isBeyond = false;
  /// Why the elements were not compared, or empty.
  std::string mismatch;
  int64_t beyond = 0, elements = 0;
  /// Over all elements; infinite for NaN against a number.
  double maxAbsolute = 0, maxRelative = 0;
  /// For floats; none for NaN against a number.
  std::optional<uint64_t> maxUlp;
  /// The element that is furthest from its bound, and its values.
  int64_t worst = 0;
  Element a, b;

  bool isEqual() const { return mismatch.empty() && maxAbsolute == 0; }
};

/// Compares two tensors. An element has to be within one of the bounds.
/// Integers are compared in all their bits. NaN is equal to NaN. If the type of
/// A has an infinity for the value of B, then both are equal.
Difference compare(const reference::Tensor &a, const reference::Tensor &b,
                   llvm::ArrayRef<Bound> bounds);

/// `f32[2,3]`.
std::string typeText(const reference::Tensor &tensor);
/// The index of an element along each dimension, as in `[1,0]`.
std::string indexText(llvm::ArrayRef<int64_t> shape, int64_t index);

} // namespace weir::diff

#endif // WEIR_TOOLS_DIFF_COMPARE_H
