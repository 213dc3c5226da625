// Reads constants in every encoding of a TensorProto.

#include "compiler/import/tensorflow/Tensors.h"

#include "compiler/import/tensorflow/Types.h"

#include "compiler/Diagnostics.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cstring>

using namespace mlir;
using ::tensorflow::TensorProto;

namespace weir::tensorflow {

/// The most that repeating a constant's last value may make.
constexpr int64_t repeatBytes = int64_t(512) << 20;

namespace {

/// The values of one typed field as raw bytes of the elements.
class Packer {
public:
  Packer(int64_t count, std::string &why) : count(count), why(why) {}

  /// The field's numbers, each written as a `To` that must hold it.
  template <typename To, typename Field>
  bool pack(const Field &field, int perElement = 1) {
    int64_t wanted = count * perElement;
    if (field.size() > wanted) {
      why =
          llvm::formatv("has {0} values for {1} elements", field.size(), wanted)
              .str();
      return false;
    }
    if (field.size() % perElement) {
      why = "has half a complex number";
      return false;
    }
    // One element stands for all of them, and the last for the rest.
    int64_t written = std::max(field.size(), perElement);
    if (field.size() > perElement)
      written = wanted;
    if (!count)
      written = 0;
    if (written > field.size() + perElement &&
        written * int64_t(sizeof(To)) > repeatBytes) {
      why = "repeats its last value more often than weir allows";
      return false;
    }
    bytes.resize(written * sizeof(To));
    To value{};
    for (int64_t i = 0; i < written; ++i) {
      if (i < field.size()) {
        auto from = field.Get(i);
        value = static_cast<To>(from);
        if constexpr (!std::is_floating_point_v<To> &&
                      !std::is_same_v<To, bool>)
          if (static_cast<decltype(from)>(value) != from) {
            why = llvm::formatv("has value {0}, out of its type's range", from)
                      .str();
            return false;
          }
      } else if (perElement > 1) {
        std::memcpy(&value, &bytes[(i - perElement) * sizeof(To)], sizeof(To));
      }
      std::memcpy(&bytes[i * sizeof(To)], &value, sizeof(To));
    }
    return true;
  }

  std::string bytes;

private:
  int64_t count;
  std::string &why;
};

bool packValues(const TensorProto &proto, Packer &packer) {
  switch (proto.dtype()) {
  case ::tensorflow::DT_FLOAT:
    return packer.pack<float>(proto.float_val());
  case ::tensorflow::DT_DOUBLE:
    return packer.pack<double>(proto.double_val());
  case ::tensorflow::DT_COMPLEX64:
    return packer.pack<float>(proto.scomplex_val(), 2);
  case ::tensorflow::DT_COMPLEX128:
    return packer.pack<double>(proto.dcomplex_val(), 2);
  case ::tensorflow::DT_HALF:
  case ::tensorflow::DT_BFLOAT16:
    return packer.pack<uint16_t>(proto.half_val());
  case ::tensorflow::DT_BOOL:
    return packer.pack<bool>(proto.bool_val());
  case ::tensorflow::DT_INT8:
  case ::tensorflow::DT_QINT8:
    return packer.pack<int8_t>(proto.int_val());
  case ::tensorflow::DT_UINT8:
  case ::tensorflow::DT_QUINT8:
    return packer.pack<uint8_t>(proto.int_val());
  case ::tensorflow::DT_INT16:
  case ::tensorflow::DT_QINT16:
    return packer.pack<int16_t>(proto.int_val());
  case ::tensorflow::DT_UINT16:
  case ::tensorflow::DT_QUINT16:
    return packer.pack<uint16_t>(proto.int_val());
  case ::tensorflow::DT_INT32:
  case ::tensorflow::DT_QINT32:
    return packer.pack<int32_t>(proto.int_val());
  case ::tensorflow::DT_INT64:
    return packer.pack<int64_t>(proto.int64_val());
  case ::tensorflow::DT_UINT32:
    return packer.pack<uint32_t>(proto.uint32_val());
  case ::tensorflow::DT_UINT64:
    return packer.pack<uint64_t>(proto.uint64_val());
  default:
    return false;
  }
}

/// The field that holds the values of a type.
int valueField(int dataType) {
  switch (dataType) {
  case ::tensorflow::DT_FLOAT:
    return TensorProto::kFloatValFieldNumber;
  case ::tensorflow::DT_DOUBLE:
    return TensorProto::kDoubleValFieldNumber;
  case ::tensorflow::DT_STRING:
    return TensorProto::kStringValFieldNumber;
  case ::tensorflow::DT_COMPLEX64:
    return TensorProto::kScomplexValFieldNumber;
  case ::tensorflow::DT_COMPLEX128:
    return TensorProto::kDcomplexValFieldNumber;
  case ::tensorflow::DT_INT64:
    return TensorProto::kInt64ValFieldNumber;
  case ::tensorflow::DT_BOOL:
    return TensorProto::kBoolValFieldNumber;
  case ::tensorflow::DT_HALF:
  case ::tensorflow::DT_BFLOAT16:
    return TensorProto::kHalfValFieldNumber;
  case ::tensorflow::DT_UINT32:
    return TensorProto::kUint32ValFieldNumber;
  case ::tensorflow::DT_UINT64:
    return TensorProto::kUint64ValFieldNumber;
  default:
    return TensorProto::kIntValFieldNumber;
  }
}

/// Whether only the type's own field holds values, and no content beside it.
bool fieldsAgree(const TensorProto &proto, std::string &why) {
  int own = valueField(proto.dtype()), filled = 0;
  std::pair<int, int> sizes[] = {
      {TensorProto::kFloatValFieldNumber, proto.float_val_size()},
      {TensorProto::kDoubleValFieldNumber, proto.double_val_size()},
      {TensorProto::kIntValFieldNumber, proto.int_val_size()},
      {TensorProto::kStringValFieldNumber, proto.string_val_size()},
      {TensorProto::kScomplexValFieldNumber, proto.scomplex_val_size()},
      {TensorProto::kInt64ValFieldNumber, proto.int64_val_size()},
      {TensorProto::kBoolValFieldNumber, proto.bool_val_size()},
      {TensorProto::kDcomplexValFieldNumber, proto.dcomplex_val_size()},
      {TensorProto::kHalfValFieldNumber, proto.half_val_size()},
      {TensorProto::kUint32ValFieldNumber, proto.uint32_val_size()},
      {TensorProto::kUint64ValFieldNumber, proto.uint64_val_size()},
      {TensorProto::kResourceHandleValFieldNumber,
       proto.resource_handle_val_size()},
      {TensorProto::kVariantValFieldNumber, proto.variant_val_size()}};
  for (auto [field, size] : sizes) {
    if (size && field != own) {
      why = "has values of another type than its own, " +
            dataTypeName(proto.dtype());
      return false;
    }
    filled += size != 0;
  }
  if (filled && !proto.tensor_content().empty()) {
    why = "has both tensor_content and values";
    return false;
  }
  return true;
}

/// Every other element of `bytes`, from the one at `start`.
std::string everySecond(StringRef bytes, unsigned width, unsigned start) {
  std::string part;
  part.reserve(bytes.size() / 2);
  for (size_t i = start * width; i + width <= bytes.size(); i += 2 * width)
    part.append(bytes.data() + i, width);
  return part;
}

} // namespace

FailureOr<Constant> readTensor(MLIRContext *context, TensorProto &proto,
                               StringRef name, std::string &why) {
  Constant result;
  auto shape = shapeOf(proto.tensor_shape());
  if (failed(shape) || !*shape || ShapedType::isDynamicShape(**shape)) {
    why = "has no valid shape";
    return failure();
  }
  result.shape = **shape;
  int dataType = proto.dtype();
  Type part = complexPart(context, dataType);
  Type element = part ? part : elementType(context, dataType);
  bool isString = dataType == ::tensorflow::DT_STRING;
  if ((!element && !isString) || dataType >= ::tensorflow::DT_FLOAT_REF) {
    why = "is of " + dataTypeName(dataType) + ", which no constant can be";
    return failure();
  }
  unsigned width = isString ? 1 : elementBytes(element);
  std::optional<int64_t> size = byteSize(result.shape, width);
  if (!size) {
    why = "is larger than a tensor may be";
    return failure();
  }
  int64_t count = *size / width;
  if (!fieldsAgree(proto, why))
    return failure();
  if (isString) {
    if (proto.string_val_size() > count || !proto.tensor_content().empty()) {
      why = llvm::formatv("has {0} strings for {1} elements",
                          proto.string_val_size(), count)
                .str();
      return failure();
    }
    result.strings.assign(proto.string_val().begin(), proto.string_val().end());
    return result;
  }
  std::string bytes;
  if (std::string &content = *proto.mutable_tensor_content();
      !content.empty()) {
    int64_t wanted = part ? 2 * *size : *size;
    if (static_cast<int64_t>(content.size()) != wanted) {
      why = llvm::formatv("has {0} bytes of tensor_content for {1}",
                          content.size(), wanted)
                .str();
      return failure();
    }
    bytes = std::move(content);
  } else {
    Packer packer(count, why);
    if (!packValues(proto, packer))
      return failure();
    bytes = std::move(packer.bytes);
    // The values are in `bytes` now; their field is not read again.
    const auto *reflection = proto.GetReflection();
    TensorProto emptied;
    reflection->SwapFields(
        &proto, &emptied,
        {proto.GetDescriptor()->FindFieldByNumber(valueField(dataType))});
  }
  auto type = RankedTensorType::get(result.shape, element);
  if (part) {
    result.value = rawElements(type, everySecond(bytes, width, 0), name);
    result.imaginary = rawElements(type, everySecond(bytes, width, 1), name);
  } else {
    result.value = rawElements(type, std::move(bytes), name);
  }
  return result;
}

} // namespace weir::tensorflow
