// Tensors of the reference as arrays of weir-run.

#include "tools/reference/Array.h"

#include "compiler/import/Import.h"

#include <cstdio>
#include <cstring>

using namespace mlir;

namespace weir::reference {

void Array::describe(RankedTensorType type) {
  std::string name;
  llvm::raw_string_ostream(name) << type.getElementType();
  dtype_of_name(name.data(), name.size(), &value.dtype);
  value.rank = static_cast<int>(std::min<int64_t>(type.getRank(), MAX_RANK));
  for (int i = 0; i < value.rank; ++i)
    value.shape[i] = type.getDimSize(i);
}

Status Array::allocate() { return static_cast<Status>(array_allocate(&value)); }

std::string Array::typeText() const {
  char text[1600];
  array_type_text(&value, text, sizeof text);
  return text;
}

std::string Array::elementText(int64_t index) const {
  if (value.dtype == WEIR_I64)
    return std::to_string(static_cast<const int64_t *>(value.data)[index]);
  if (value.dtype == WEIR_U64)
    return std::to_string(static_cast<const uint64_t *>(value.data)[index]);
  // A double has all digits of the other types.
  bool isInteger = value.dtype >= WEIR_BOOL;
  int digits = isInteger ? 20 : value.dtype == WEIR_F64 ? 17 : 9;
  char text[64];
  std::snprintf(text, sizeof text, "%.*g", digits, array_get(&value, index));
  return text;
}

std::optional<Tensor> tensorOf(Array &array, Type element) {
  Type own = parseElement(element.getContext(), dtype_name(array->dtype));
  if (element.isBF16() && array->dtype == WEIR_U16)
    own = element;
  bool isWide = element.isBF16() && own.isF32();
  if (own != element && !isWide)
    return std::nullopt;
  auto type = RankedTensorType::get({array->shape, size_t(array->rank)}, own);
  Tensor tensor = Tensor::fromBytes(
      type, {static_cast<const char *>(array->data), array->bytes});
  if (!isWide)
    return tensor;
  for (int64_t i = 0; i < tensor.size(); ++i)
    tensor[i].number = rounded(tensor[i].number, *semanticsOf(element));
  return tensor.reshaped(type.clone(element));
}

Status copyTo(Array &array, const Tensor &tensor) {
  array.describe(tensor.type());
  if (Status status = array.allocate(); status != Status::ok)
    return status;
  std::vector<char> bytes = tensor.toBytes();
  std::memcpy(array->data, bytes.data(), bytes.size());
  return Status::ok;
}

} // namespace weir::reference
