// Initializers: constants of the program and operands of nodes.

#include "compiler/export/onnx/Writer.h"

#include "compiler/import/onnx/Types.h"
#include "dialects/graph/Elements.h"
#include "dialects/weir/ElementBytes.h"

#include "mlir/IR/Builders.h"

#include <cstring>

using namespace mlir;

namespace weir::to_onnx {

/// Larger splats are scalars that a node expands.
constexpr int64_t wholeBytes = 256;

static int64_t widthOf(Type element) {
  return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

static std::string repeat(StringRef bytes, int64_t count) {
  std::string all;
  all.reserve(bytes.size() * count);
  for (int64_t i = 0; i < count; ++i)
    all += bytes;
  return all;
}

/// The elements of a tensor of shape `from` with its dimensions in `order`.
static std::string inOrder(StringRef bytes, ArrayRef<int64_t> from,
                           ArrayRef<int64_t> order, int64_t width) {
  Sizes strides = pick(graph::stridesOf(from), order),
        shape = pick(from, order);
  Sizes index(shape.size(), 0);
  std::string result(bytes.size(), 0);
  int64_t source = 0;
  for (size_t at = 0; at < bytes.size(); at += width) {
    std::memcpy(&result[at], bytes.data() + source * width, width);
    for (int64_t d = shape.size() - 1; d >= 0; --d) {
      source += strides[d];
      if (++index[d] < shape[d])
        break;
      source -= strides[d] * shape[d];
      index[d] = 0;
    }
  }
  return result;
}

Tensor Writer::addInitializer(Tensor tensor, std::string bytes,
                              StringRef name) {
  tensor.name = nameTensor(name);
  ::onnx::GraphProto &root = *scopes.front().graph;
  initializers[tensor.name] = root.initializer_size();
  ::onnx::TensorProto &proto = *root.add_initializer();
  proto.set_name(tensor.name);
  proto.set_data_type(onnx::dataTypeOf(tensor.element));
  for (int64_t size : tensor.shape)
    proto.add_dims(size);
  proto.set_raw_data(std::move(bytes));
  return tensor;
}

Tensor Writer::initializer(StringRef key, Tensor tensor, std::string bytes,
                           StringRef name) {
  if (const Tensor *made = findMade(key))
    return *made;
  return scopes.front().made[key] =
             addInitializer(std::move(tensor), std::move(bytes), name);
}

Tensor Writer::numbers(ArrayRef<int64_t> values) {
  std::string bytes(reinterpret_cast<const char *>(values.data()),
                    values.size() * sizeof(int64_t));
  std::string key = "numbers", name = "sizes";
  for (int64_t value : values)
    key += "," + std::to_string(value);
  Type element = builder().getI64Type();
  return initializer(key, {"", {int64_t(values.size())}, element},
                     std::move(bytes), name);
}

Tensor Writer::number(double value, Type element) {
  llvm::APInt bits;
  if (auto type = dyn_cast<FloatType>(element)) {
    llvm::APFloat number(value);
    bool loses;
    number.convert(type.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven,
                   &loses);
    bits = number.bitcastToAPInt();
  } else {
    bits = llvm::APInt(64, static_cast<uint64_t>(static_cast<int64_t>(value)));
  }
  uint64_t word = bits.getZExtValue();
  std::string bytes(reinterpret_cast<const char *>(&word), widthOf(element));
  std::string key =
      "number:" + bytes + "," + std::to_string(onnx::dataTypeOf(element));
  return initializer(key, {"", {}, element}, std::move(bytes), "value");
}

Tensor Writer::constant(ElementsAttr value, ArrayRef<int64_t> order,
                        StringRef name, bool isWhole) {
  std::string key =
      (isWhole ? "whole:" : "constant:") +
      std::to_string(reinterpret_cast<uintptr_t>(value.getAsOpaquePointer()));
  for (int64_t dim : order)
    key += "," + std::to_string(dim);
  if (const Tensor *made = findMade(key))
    return *made;
  ArrayRef<int64_t> from = value.getShapedType().getShape();
  Tensor tensor{"", pick(from, order), value.getElementType()};
  std::optional<ElementBytes> elements = ElementBytes::of(value);
  if (!elements) {
    (void)refuse("the file has no elements of a constant");
    tensor.name = nameTensor("refused");
    return tensor;
  }
  int64_t width = widthOf(tensor.element), count = value.getNumElements();
  bool isSplat = elements->isSplat() && count > 1;
  std::string bytes(elements->data().begin(), elements->data().end());
  if (isSplat && (!isWhole || count * width > wholeBytes))
    tensor.shape.clear();
  else if (isSplat)
    bytes = repeat(bytes, count);
  else if (!isCountUp(order))
    bytes = inOrder(bytes, from, order, width);
  if (count == 0)
    bytes.clear();
  return initializer(key, tensor, std::move(bytes),
                     name.empty() ? StringRef("constant") : name);
}

} // namespace weir::to_onnx
