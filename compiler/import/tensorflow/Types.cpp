// TensorFlow's data types and shapes as MLIR's.

#include "compiler/import/tensorflow/Types.h"

#include "compiler/import/tensorflow/Tensors.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace weir::tensorflow {

constexpr int firstReference = 101;

Type elementType(MLIRContext *context, int dataType) {
  Builder b(context);
  if (dataType >= firstReference)
    dataType -= firstReference - 1;
  switch (dataType) {
  case ::tensorflow::DT_FLOAT:
    return b.getF32Type();
  case ::tensorflow::DT_DOUBLE:
    return b.getF64Type();
  case ::tensorflow::DT_HALF:
    return b.getF16Type();
  case ::tensorflow::DT_BFLOAT16:
    return b.getBF16Type();
  case ::tensorflow::DT_BOOL:
    return b.getI1Type();
  case ::tensorflow::DT_INT8:
  case ::tensorflow::DT_QINT8:
    return b.getI8Type();
  case ::tensorflow::DT_INT16:
  case ::tensorflow::DT_QINT16:
    return b.getI16Type();
  case ::tensorflow::DT_INT32:
  case ::tensorflow::DT_QINT32:
    return b.getI32Type();
  case ::tensorflow::DT_INT64:
    return b.getI64Type();
  case ::tensorflow::DT_UINT8:
  case ::tensorflow::DT_QUINT8:
    return b.getIntegerType(8, false);
  case ::tensorflow::DT_UINT16:
  case ::tensorflow::DT_QUINT16:
    return b.getIntegerType(16, false);
  case ::tensorflow::DT_UINT32:
    return b.getIntegerType(32, false);
  case ::tensorflow::DT_UINT64:
    return b.getIntegerType(64, false);
  default:
    return {};
  }
}

Type complexPart(MLIRContext *context, int dataType) {
  if (dataType >= firstReference)
    dataType -= firstReference - 1;
  if (dataType == ::tensorflow::DT_COMPLEX64)
    return Float32Type::get(context);
  if (dataType == ::tensorflow::DT_COMPLEX128)
    return Float64Type::get(context);
  return {};
}

std::string dataTypeName(int dataType) {
  if (!::tensorflow::DataType_IsValid(dataType))
    return "type " + std::to_string(dataType);
  StringRef name = ::tensorflow::DataType_Name(
      static_cast<::tensorflow::DataType>(dataType));
  name.consume_front("DT_");
  return name.lower();
}

FailureOr<std::optional<SmallVector<int64_t>>>
shapeOf(const ::tensorflow::TensorShapeProto &proto) {
  if (proto.unknown_rank()) {
    if (proto.dim_size())
      return failure();
    return std::optional<SmallVector<int64_t>>();
  }
  if (proto.dim_size() > rankLimit)
    return failure();
  SmallVector<int64_t> shape;
  for (const auto &dim : proto.dim()) {
    if (dim.size() < -1)
      return failure();
    shape.push_back(dim.size() == -1 ? ShapedType::kDynamic : dim.size());
  }
  return std::optional(std::move(shape));
}

} // namespace weir::tensorflow
