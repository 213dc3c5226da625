// ONNX's data types and shapes as MLIR's.

#include "compiler/import/onnx/Types.h"

#include "compiler/import/onnx/Tensors.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using ::onnx::TensorProto;

namespace weir::onnx {

Type elementType(MLIRContext *context, int dataType) {
  Builder b(context);
  switch (dataType) {
  case TensorProto::FLOAT:
    return b.getF32Type();
  case TensorProto::DOUBLE:
    return b.getF64Type();
  case TensorProto::FLOAT16:
    return b.getF16Type();
  case TensorProto::BFLOAT16:
    return b.getBF16Type();
  case TensorProto::BOOL:
    return b.getI1Type();
  case TensorProto::INT8:
    return b.getI8Type();
  case TensorProto::INT16:
    return b.getI16Type();
  case TensorProto::INT32:
    return b.getI32Type();
  case TensorProto::INT64:
    return b.getI64Type();
  case TensorProto::UINT8:
    return b.getIntegerType(8, false);
  case TensorProto::UINT16:
    return b.getIntegerType(16, false);
  case TensorProto::UINT32:
    return b.getIntegerType(32, false);
  case TensorProto::UINT64:
    return b.getIntegerType(64, false);
  default:
    return {};
  }
}

int dataTypeOf(Type element) {
  for (int type = TensorProto::FLOAT; type <= TensorProto::BFLOAT16; ++type)
    if (elementType(element.getContext(), type) == element)
      return type;
  return TensorProto::UNDEFINED;
}

std::string dataTypeName(int dataType) {
  if (!TensorProto::DataType_IsValid(dataType))
    return "type " + std::to_string(dataType);
  return StringRef(TensorProto::DataType_Name(
                       static_cast<TensorProto::DataType>(dataType)))
      .lower();
}

FailureOr<std::optional<SmallVector<Dim>>>
dimsOf(const ::onnx::TypeProto::Tensor &proto) {
  if (!proto.has_shape())
    return std::optional<SmallVector<Dim>>();
  if (proto.shape().dim_size() > rankLimit)
    return failure();
  SmallVector<Dim> dims;
  for (const auto &dim : proto.shape().dim()) {
    // Some models have -1, or 0 beside a name, for a dynamic size.
    bool isNamed = dim.has_dim_param() && !dim.dim_param().empty();
    int64_t size = dim.has_dim_value() ? dim.dim_value() : -1;
    if (size < -1 || (isNamed && size > 0))
      return failure();
    if (isNamed || size == -1)
      size = ShapedType::kDynamic;
    dims.push_back({size, isNamed ? dim.dim_param() : ""});
  }
  return std::optional(std::move(dims));
}

} // namespace weir::onnx
