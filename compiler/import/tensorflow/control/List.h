// What tensor lists and tensor arrays are while they are traced: their elements
// are of one shape, and kept as one tensor with a dimension more.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_CONTROL_LIST_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_CONTROL_LIST_H

#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/tensorflow/Tracer.h"

namespace weir::tensorflow {

/// The shape of an element, as far as it is known: nothing for a dimension that
/// is not.
using ElementShape = std::optional<llvm::SmallVector<std::optional<Size>>>;

struct List : Object {
  mlir::Type element;
  /// How many elements there are.
  Size length;
  /// The most elements that there may be, where the model says; negative else.
  int64_t most = -1;
  ElementShape shape;
  /// The elements along its first dimension, whose size is `length`; without a
  /// value until an element's shape is known.
  Traced elements;
  /// Grows where an element behind its end is written.
  bool grows = false;

  bool flatten(llvm::SmallVectorImpl<mlir::Value> &values) const override;
  std::shared_ptr<Object>
  rebuild(llvm::ArrayRef<mlir::Value> &values) const override;
  std::shared_ptr<Object> settle(mlir::ImplicitLocOpBuilder &b,
                                 const Object &like) const override;

  bool isFilled() const { return bool(elements.value); }
  /// Makes these the elements, and their number the length.
  void setElements(Traced tensor);
  /// Makes elements of zeros, where there are none yet and `like` or its own
  /// shape says of which size; false where neither does.
  bool fill(TracedNode &node, const ElementShape &like);
  /// The element at a scalar index; there must be one.
  Traced get(mlir::ImplicitLocOpBuilder &b, mlir::Value index) const;
  /// Replaces the element at a scalar index by one of its sizes and bounds.
  void set(mlir::ImplicitLocOpBuilder &b, mlir::Value index,
           const Traced &item);
  /// Fills the list for elements like `item`, and brings both to the sizes that
  /// they share, which a check sees to where only the run knows.
  mlir::LogicalResult fit(TracedNode &node, Traced &item);
  /// As above for a tensor whose rows are the elements.
  mlir::LogicalResult fitRows(TracedNode &node, Traced &rows);
  /// Cuts the list, or adds zeros, to `size` elements.
  void resize(mlir::ImplicitLocOpBuilder &b, Size size);
  /// Puts an element behind the last one.
  mlir::LogicalResult append(TracedNode &node, Traced item);
  /// Writes each of the rows, which fit, at the index of operand `i` that it
  /// has; a check refuses others than the list has.
  mlir::LogicalResult scatter(TracedNode &node, unsigned i, const Traced &rows);
  /// The elements at the indices of operand `i`.
  mlir::FailureOr<Traced> gather(TracedNode &node, unsigned i) const;
  /// The elements one after another along their first dimension, and how many
  /// rows each has, of i64.
  mlir::FailureOr<std::pair<Traced, Traced>> concat(TracedNode &node) const;
  /// A check that operand `i`, a scalar, is the index of an element; an error
  /// where it is known to be none.
  mlir::LogicalResult checkIndex(TracedNode &node, unsigned i) const;
};

/// The shape that the sizes are.
ElementShape elementShape(llvm::ArrayRef<Size> sizes);
/// The shape of the rows of a tensor.
ElementShape rowShape(const Traced &tensor);
/// The one that numbers say, negative where they do not.
ElementShape elementShape(llvm::ArrayRef<int64_t> numbers);
/// A tensor of zeros with these sizes.
Traced zerosOf(mlir::ImplicitLocOpBuilder &b, mlir::Type element,
               llvm::ArrayRef<Size> sizes);
/// The list that a value is; null where it is none.
const List *listOf(const Traced &traced);
/// The tensor that a value is, or that holds a list's elements; one without a
/// value where there is neither.
const Traced &tensorOf(const Traced &traced);
/// A value like `like` that is `tensor`, or a list of these elements.
Traced withTensor(const Traced &like, Traced tensor);
/// A list as a result.
mlir::LogicalResult giveList(TracedNode &node, const List &list);
/// Whether an operand is a tensor of real numbers; `rank` is the least.
bool isTensor(TracedNode &node, unsigned i, int64_t rank = 0);
/// A scalar operand as a number of elements.
mlir::FailureOr<Size> lengthAt(TracedNode &node, unsigned i);

/// Lists made of a tensor's rows.
void addListRowHandlers(Handlers &);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_CONTROL_LIST_H
