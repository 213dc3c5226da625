// Where the elements of lists of sizes come from.

#include "compiler/import/bounded/ranges/Moved.h"

#include "compiler/import/Build.h"

#include "dialects/graph/Elements.h"
#include "dialects/graph/Shape.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace weir {

static SmallVector<int64_t> indicesOf(Value tensor, int64_t index) {
  SmallVector<int64_t> indices;
  for (int64_t stride : graph::stridesOf(typeOf(tensor).getShape())) {
    indices.push_back(index / stride);
    index %= stride;
  }
  return indices;
}

static Element elementAt(Value tensor, ArrayRef<int64_t> indices) {
  Element element{tensor, 0};
  auto strides = graph::stridesOf(typeOf(tensor).getShape());
  for (auto [i, stride] : llvm::zip_equal(indices, strides))
    element.index += i * stride;
  return element;
}

std::optional<Element> movedFrom(Operation *op, int64_t index) {
  using Found = std::optional<Element>;
  if (op->getNumResults() != 1 || typeOf(op->getResult(0)).getNumElements() < 1)
    return std::nullopt;
  Value result = op->getResult(0);
  return llvm::TypeSwitch<Operation *, Found>(op)
      .Case([&](graph::ReshapeOp reshape) {
        return Element{reshape.getX(), index};
      })
      .Case([&](graph::ConcatOp concat) -> Found {
        SmallVector<int64_t> at = indicesOf(result, index);
        int64_t &along = at[concat.getAxis()];
        for (Value input : concat.getInputs()) {
          int64_t count = typeOf(input).getDimSize(concat.getAxis());
          if (along < count)
            return elementAt(input, at);
          along -= count;
        }
        return std::nullopt;
      })
      .Case([&](graph::SliceOp slice) {
        SmallVector<int64_t> at = indicesOf(result, index);
        for (auto [i, start, stride] :
             llvm::zip_equal(at, slice.getStarts(), slice.getStrides()))
          i = start + i * stride;
        return elementAt(slice.getX(), at);
      })
      .Case([&](graph::TransposeOp transpose) {
        SmallVector<int64_t> at = indicesOf(result, index), from(at.size());
        for (auto [i, dim] : llvm::enumerate(transpose.getPermutation()))
          from[dim] = at[i];
        return elementAt(transpose.getX(), from);
      })
      .Case([&](graph::ReverseOp reverse) {
        SmallVector<int64_t> at = indicesOf(result, index);
        for (int64_t dim : reverse.getDims())
          at[dim] = typeOf(result).getDimSize(dim) - 1 - at[dim];
        return elementAt(reverse.getX(), at);
      })
      .Default([](Operation *) { return std::nullopt; });
}

} // namespace weir
