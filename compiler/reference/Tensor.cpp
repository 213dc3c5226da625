// Tensors of the reference interpreter.

#include "compiler/reference/Tensor.h"

#include "dialects/weir/ElementBytes.h"

#include <cmath>

using namespace mlir;

namespace weir::reference {

Tensor::Tensor(RankedTensorType type)
    : tensorType(type), elements(type.getNumElements(), Lane{.bits = 0}) {}

Tensor Tensor::fromBytes(RankedTensorType type, ArrayRef<char> bytes,
                         bool isSplat) {
  Tensor tensor(type);
  int64_t width = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  Lanes block;
  for (int64_t first = 0; first < tensor.size(); first += blockLanes) {
    int64_t count = std::min(blockLanes, tensor.size() - first);
    loadLanes(block, count, type.getElementType(),
              bytes.data() + (isSplat ? 0 : first * width),
              isSplat ? 0 : width);
    std::copy_n(block.begin(), count, tensor.elements.begin() + first);
  }
  return tensor;
}

FailureOr<Tensor> Tensor::fromAttribute(ElementsAttr value) {
  std::optional<ElementBytes> bytes = ElementBytes::of(value);
  if (!bytes)
    return failure();
  return fromBytes(cast<RankedTensorType>(value.getType()), bytes->data(),
                   bytes->isSplat());
}

std::vector<char> Tensor::toBytes() const {
  int64_t width = llvm::divideCeil(elementType().getIntOrFloatBitWidth(), 8);
  const llvm::fltSemantics *semantics = semanticsOf(elementType());
  std::vector<char> bytes(size() * width);
  Lanes block;
  for (int64_t first = 0; first < size(); first += blockLanes) {
    int64_t count = std::min(blockLanes, size() - first);
    std::copy_n(data() + first, count, block.begin());
    for (int64_t i = 0; semantics && i < count; ++i)
      block[i].number = rounded(block[i].number, *semantics);
    storeLanes(block, count, elementType(), bytes.data() + first * width);
  }
  return bytes;
}

Tensor Tensor::asF64() const {
  return reshaped(RankedTensorType::get(
      shape(), Float64Type::get(tensorType.getContext())));
}

double Tensor::number(int64_t index) const {
  if (isFloat())
    return elements[index].number;
  if (elementType().isUnsignedInteger() || elementType().isInteger(1))
    return static_cast<double>(elements[index].bits);
  return static_cast<double>(integer(index));
}

int64_t Tensor::integer(int64_t index) const {
  uint64_t bits = elements[index].bits;
  unsigned width = elementType().getIntOrFloatBitWidth();
  if (elementType().isUnsignedInteger() || width == 1 || width == 64)
    return static_cast<int64_t>(bits);
  return static_cast<int64_t>(bits << (64 - width)) >> (64 - width);
}

void Tensor::setInteger(int64_t index, int64_t value) {
  unsigned width = elementType().getIntOrFloatBitWidth();
  uint64_t mask = width == 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1;
  elements[index].bits = static_cast<uint64_t>(value) & mask;
}

Tensor Tensor::reshaped(RankedTensorType type) const {
  Tensor result(*this);
  result.tensorType = type;
  return result;
}

void forEachOffset(ArrayRef<int64_t> shape, ArrayRef<int64_t> strides,
                   int64_t first, function_ref<void(int64_t)> body) {
  if (llvm::is_contained(shape, 0))
    return;
  SmallVector<int64_t> index(shape.size(), 0);
  int64_t offset = first;
  while (true) {
    body(offset);
    size_t dim = shape.size();
    while (dim-- > 0) {
      offset += strides[dim];
      if (++index[dim] < shape[dim])
        break;
      offset -= strides[dim] * shape[dim];
      index[dim] = 0;
    }
    if (dim == static_cast<size_t>(-1))
      return;
  }
}

bool isLess(const Tensor &tensor, int64_t first, int64_t second) {
  if (tensor.isFloat()) {
    double x = tensor[first].number, y = tensor[second].number;
    return std::isnan(y) ? !std::isnan(x) : x < y;
  }
  if (tensor.elementType().isUnsignedInteger() ||
      tensor.elementType().isInteger(1))
    return tensor[first].bits < tensor[second].bits;
  return tensor.integer(first) < tensor.integer(second);
}

} // namespace weir::reference
