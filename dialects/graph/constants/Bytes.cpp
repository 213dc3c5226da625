// Reads and builds constants as raw bytes, for passes that fold tensors of any
// size.

#include "dialects/graph/constants/Bytes.h"

#include "dialects/graph/Graph.h"
#include "dialects/graph/state/State.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace weir::graph {

// A smaller constant is an attribute, which costs less than a resource.
static constexpr int64_t smallBytes = 4096;

int64_t bytesOf(Type elementType) {
  return (elementType.getIntOrFloatBitWidth() + 7) / 8;
}

std::optional<int64_t> bytesOf(RankedTensorType type) {
  int64_t bytes = bytesOf(type.getElementType());
  for (int64_t size : type.getShape())
    if (llvm::MulOverflow(bytes, size, bytes))
      return std::nullopt;
  return bytes;
}

std::optional<Bytes> Bytes::of(Value value) {
  auto constant = value.getDefiningOp<graph::ConstantOp>();
  if (!constant)
    return std::nullopt;
  std::optional<ElementBytes> elements = ElementBytes::of(constant.getValue());
  if (!elements)
    return std::nullopt;
  return Bytes(cast<RankedTensorType>(value.getType()), std::move(*elements));
}

NewBytes::NewBytes(RankedTensorType type)
    : type(type), blob(HeapAsmResourceBlob::allocate(*bytesOf(type), 64,
                                                     /*dataIsMutable=*/true)) {}

ElementsAttr NewBytes::take(StringRef name) && {
  ArrayRef<char> data = blob.getData();
  if (static_cast<int64_t>(data.size()) > smallBytes)
    return DenseResourceElementsAttr::get(type, name, std::move(blob));
  if (!type.getElementType().isInteger(1))
    return DenseElementsAttr::getFromRawBuffer(type, data);
  SmallVector<bool> booleans(data.begin(), data.end());
  return DenseElementsAttr::get(type, ArrayRef<bool>(booleans));
}

static void forEachResource(Operation *module,
                            function_ref<void(DenseResourceElementsHandle)> f) {
  auto visit = [&](ElementsAttr value) {
    if (auto resource = dyn_cast_or_null<DenseResourceElementsAttr>(value))
      f(resource.getRawHandle());
  };
  module->walk([&](graph::ConstantOp constant) { visit(constant.getValue()); });
  module->walk(
      [&](graph::VariableOp variable) { visit(variable.getInitialAttr()); });
}

NamedResources::NamedResources(Operation *module) : module(module) {
  forEachResource(module, [&](DenseResourceElementsHandle handle) {
    handles.insert({handle.getResource(), handle});
  });
}

void NamedResources::release() {
  forEachResource(module, [&](DenseResourceElementsHandle handle) {
    handles.erase(handle.getResource());
  });
  for (auto &[resource, handle] : handles)
    handle.getResource()->setBlob(AsmResourceBlob());
  handles.clear();
}

SmallVector<int64_t> byteStrides(RankedTensorType type) {
  SmallVector<int64_t> strides(type.getRank());
  int64_t stride = bytesOf(type.getElementType());
  for (int64_t i = type.getRank(); i-- > 0;) {
    strides[i] = stride;
    stride *= type.getDimSize(i);
  }
  return strides;
}

/// Copies one row of elements whose width is a constant of the compiler.
template <int width>
static void copyRow(int64_t count, char *to, int64_t toStride, const char *from,
                    int64_t fromStride) {
  if (toStride == width && fromStride == width) {
    std::memcpy(to, from, count * width);
    return;
  }
  for (int64_t i = 0; i < count; ++i)
    std::memcpy(to + i * toStride, from + i * fromStride, width);
}

void copyBox(ArrayRef<int64_t> shape, int64_t width, char *to,
             ArrayRef<int64_t> toStrides, const char *from,
             ArrayRef<int64_t> fromStrides) {
  if (llvm::is_contained(shape, 0))
    return;
  size_t rank = shape.size();
  int64_t count = rank ? shape.back() : 1;
  int64_t toStride = rank ? toStrides.back() : width;
  int64_t fromStride = rank ? fromStrides.back() : width;
  auto row = width == 1   ? copyRow<1>
             : width == 2 ? copyRow<2>
             : width == 4 ? copyRow<4>
                          : copyRow<8>;
  SmallVector<int64_t> index(rank);
  while (true) {
    row(count, to, toStride, from, fromStride);
    size_t d = rank;
    // The innermost dimension is copied as a row; the outer ones are counted
    // here.
    for (d = rank ? rank - 1 : 0; d-- > 0;) {
      to += toStrides[d];
      from += fromStrides[d];
      if (++index[d] < shape[d])
        break;
      to -= index[d] * toStrides[d];
      from -= index[d] * fromStrides[d];
      index[d] = 0;
    }
    if (d == static_cast<size_t>(-1))
      return;
  }
}

} // namespace weir::graph
