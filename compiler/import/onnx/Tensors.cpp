// Reads constants in every encoding of a TensorProto.

#include "compiler/import/onnx/Tensors.h"

#include "compiler/import/onnx/External.h"
#include "compiler/import/onnx/Types.h"
#include "compiler/import/onnx/narrow/Narrow.h"

#include "llvm/Support/FormatVariadic.h"
#include <cstring>

using namespace mlir;
using ::onnx::TensorProto;

namespace weir::onnx {

namespace {

/// The numbers of a field as raw bytes of the elements, each a `To` that must
/// hold it.
template <typename To, typename Field>
bool pack(const Field &field, int64_t count, std::string &bytes,
          std::string &why) {
  if (field.size() != count) {
    why = llvm::formatv("has {0} values for {1} elements", field.size(), count)
              .str();
    return false;
  }
  bytes.resize(count * sizeof(To));
  for (int64_t i = 0; i < count; ++i) {
    auto from = field.Get(i);
    auto value = static_cast<To>(from);
    if constexpr (!std::is_floating_point_v<To> && !std::is_same_v<To, bool>)
      if (static_cast<decltype(from)>(value) != from) {
        why = llvm::formatv("has value {0}, out of its type's range", from);
        return false;
      }
    std::memcpy(&bytes[i * sizeof(To)], &value, sizeof(To));
  }
  return true;
}

bool packValues(const TensorProto &proto, int64_t count, std::string &bytes,
                std::string &why) {
  switch (proto.data_type()) {
  case TensorProto::FLOAT:
    return pack<float>(proto.float_data(), count, bytes, why);
  case TensorProto::DOUBLE:
    return pack<double>(proto.double_data(), count, bytes, why);
  case TensorProto::FLOAT16:
  case TensorProto::BFLOAT16:
  case TensorProto::UINT16:
    return pack<uint16_t>(proto.int32_data(), count, bytes, why);
  case TensorProto::BOOL:
    return pack<bool>(proto.int32_data(), count, bytes, why);
  case TensorProto::INT8:
    return pack<int8_t>(proto.int32_data(), count, bytes, why);
  case TensorProto::UINT8:
  case TensorProto::FLOAT8E4M3FN:
  case TensorProto::FLOAT8E4M3FNUZ:
  case TensorProto::FLOAT8E5M2:
  case TensorProto::FLOAT8E5M2FNUZ:
  case TensorProto::FLOAT8E8M0:
  case TensorProto::FLOAT4E2M1:
  case TensorProto::UINT4:
  case TensorProto::INT4:
  case TensorProto::UINT2:
  case TensorProto::INT2:
    return pack<uint8_t>(proto.int32_data(), count, bytes, why);
  case TensorProto::INT16:
    return pack<int16_t>(proto.int32_data(), count, bytes, why);
  case TensorProto::INT32:
    return pack<int32_t>(proto.int32_data(), count, bytes, why);
  case TensorProto::INT64:
    return pack<int64_t>(proto.int64_data(), count, bytes, why);
  case TensorProto::UINT32:
    return pack<uint32_t>(proto.uint64_data(), count, bytes, why);
  case TensorProto::UINT64:
    return pack<uint64_t>(proto.uint64_data(), count, bytes, why);
  default:
    return false;
  }
}

/// The field that holds the values of a type.
int valueField(int dataType) {
  switch (dataType) {
  case TensorProto::FLOAT:
    return TensorProto::kFloatDataFieldNumber;
  case TensorProto::DOUBLE:
    return TensorProto::kDoubleDataFieldNumber;
  case TensorProto::INT64:
    return TensorProto::kInt64DataFieldNumber;
  case TensorProto::UINT32:
  case TensorProto::UINT64:
    return TensorProto::kUint64DataFieldNumber;
  case TensorProto::STRING:
    return TensorProto::kStringDataFieldNumber;
  default:
    return TensorProto::kInt32DataFieldNumber;
  }
}

/// Whether only the type's own field holds values, and no content beside it.
bool fieldsAgree(const TensorProto &proto, std::string &why) {
  int own = valueField(proto.data_type());
  std::pair<int, int> sizes[] = {
      {TensorProto::kFloatDataFieldNumber, proto.float_data_size()},
      {TensorProto::kInt32DataFieldNumber, proto.int32_data_size()},
      {TensorProto::kStringDataFieldNumber, proto.string_data_size()},
      {TensorProto::kInt64DataFieldNumber, proto.int64_data_size()},
      {TensorProto::kDoubleDataFieldNumber, proto.double_data_size()},
      {TensorProto::kUint64DataFieldNumber, proto.uint64_data_size()}};
  bool isExternal = proto.data_location() == TensorProto::EXTERNAL;
  for (auto [field, size] : sizes) {
    if (!size)
      continue;
    if (field != own) {
      why = "has values of another type than its own, " +
            dataTypeName(proto.data_type());
      return false;
    }
    if (proto.has_raw_data() || isExternal) {
      why = "has values in two places";
      return false;
    }
  }
  if (proto.has_raw_data() && isExternal) {
    why = "has values in two places";
    return false;
  }
  return true;
}

std::optional<Constant> readStrings(const TensorProto &proto,
                                    ArrayRef<int64_t> shape, int64_t count,
                                    Fault &fault) {
  if (proto.string_data_size() != count) {
    fault.why = llvm::formatv("has {0} strings for {1} elements",
                              proto.string_data_size(), count);
    return std::nullopt;
  }
  auto strings = std::make_shared<Strings>();
  strings->shape.assign(shape.begin(), shape.end());
  strings->values.assign(proto.string_data().begin(),
                         proto.string_data().end());
  return Constant{{}, std::move(strings)};
}

/// Codes of fewer than 8 bits, one to a byte, from `packed`, where the first
/// has the lowest bits.
std::string unpackCodes(StringRef packed, int64_t count, unsigned bits) {
  std::string codes(count, 0);
  unsigned perByte = 8 / bits, mask = (1u << bits) - 1;
  for (int64_t i = 0; i < count; ++i) {
    auto byte = static_cast<uint8_t>(packed[i / perByte]);
    codes[i] = static_cast<char>(byte >> (i % perByte * bits) & mask);
  }
  return codes;
}

} // namespace

std::optional<Constant> readTensor(Report &report, TensorProto &proto,
                                   StringRef name, ExternalData &external,
                                   Fault &fault) {
  SmallVector<int64_t> shape(proto.dims().begin(), proto.dims().end());
  int dataType = proto.data_type();
  bool isString = dataType == TensorProto::STRING;
  Type element = elementType(report.context, dataType);
  const Format *format = formatOf(dataType);
  if (format)
    element = IntegerType::get(report.context, 8, IntegerType::Unsigned);
  if (!element && !isString) {
    fault.why = "is of " + dataTypeName(dataType) + ", which weir has no " +
                "tensors of";
    if (TensorProto::DataType_IsValid(dataType) &&
        dataType != TensorProto::UNDEFINED)
      fault.status = Status::unsupported;
    return std::nullopt;
  }
  unsigned width = isString ? 1 : elementBytes(element);
  std::optional<int64_t> size = byteSize(shape, width);
  if (!size || shape.size() > rankLimit) {
    fault.why = llvm::any_of(shape, [](int64_t size) { return size < 0; })
                    ? "has a negative dimension"
                    : "is larger than a tensor may be";
    return std::nullopt;
  }
  if (proto.has_segment()) {
    fault.why = "is one part of a tensor that is stored in several";
    fault.status = Status::unsupported;
    return std::nullopt;
  }
  if (!fieldsAgree(proto, fault.why))
    return std::nullopt;
  if (isString)
    return readStrings(proto, shape, *size, fault);
  int64_t count = *size / width;
  if (format)
    *size = (count + format->perByte() - 1) / format->perByte();
  std::string bytes;
  if (proto.data_location() == TensorProto::EXTERNAL) {
    auto read = external.read(report, proto, *size, fault);
    if (!read)
      return std::nullopt;
    bytes = std::move(*read);
  } else if (proto.has_raw_data()) {
    if (static_cast<int64_t>(proto.raw_data().size()) != *size) {
      fault.why = llvm::formatv("has {0} bytes of raw_data for {1}",
                                proto.raw_data().size(), *size);
      return std::nullopt;
    }
    bytes = std::move(*proto.mutable_raw_data());
  } else {
    if (!packValues(proto, format ? *size : count, bytes, fault.why))
      return std::nullopt;
    // The values are in `bytes` now; their field is not read again.
    const auto *reflection = proto.GetReflection();
    reflection->ClearField(
        &proto, proto.GetDescriptor()->FindFieldByNumber(valueField(dataType)));
  }
  if (format && format->bits < 8)
    bytes = unpackCodes(bytes, count, format->bits);
  auto type = RankedTensorType::get(shape, element);
  return Constant{rawElements(type, std::move(bytes), name), nullptr,
                  format ? dataType : 0};
}

/// The most that a sparse tensor may take as a whole: its file is small.
constexpr int64_t sparseBytes = int64_t(512) << 20;

/// Where element `i` lies, counted row by row; nothing where it is outside.
static std::optional<int64_t> positionOf(ArrayRef<int64_t> indices, int64_t i,
                                         ArrayRef<int64_t> shape, int64_t count,
                                         bool isLinear) {
  if (isLinear)
    return indices[i] < 0 || indices[i] >= count ? std::nullopt
                                                 : std::optional(indices[i]);
  int64_t position = 0;
  auto rank = static_cast<int64_t>(shape.size());
  for (int64_t d = 0; d < rank; ++d) {
    int64_t at = indices[i * rank + d];
    if (at < 0 || at >= shape[d])
      return std::nullopt;
    position = position * shape[d] + at;
  }
  return position;
}

std::optional<Constant> readSparse(Report &report,
                                   ::onnx::SparseTensorProto &proto,
                                   StringRef name, ExternalData &external,
                                   Fault &fault) {
  auto values =
      readTensor(report, *proto.mutable_values(), name, external, fault);
  auto indices = values ? readTensor(report, *proto.mutable_indices(), name,
                                     external, fault)
                        : std::nullopt;
  if (!values || !indices)
    return std::nullopt;
  if (values->narrowType) {
    fault = {"is sparse and of " + dataTypeName(values->narrowType),
             Status::unsupported};
    return std::nullopt;
  }
  auto data = denseElements(values->value);
  auto positions = denseElements(indices->value);
  SmallVector<int64_t> shape(proto.dims().begin(), proto.dims().end());
  auto fails = [&](const Twine &why) -> std::optional<Constant> {
    fault.why = why.str();
    return std::nullopt;
  };
  if (!data || data->getType().getRank() != 1)
    return fails("has values that are no list of numbers");
  Type element = data->getElementType();
  unsigned width = elementBytes(element);
  std::optional<int64_t> size = byteSize(shape, width);
  if (!size || *size > sparseBytes || shape.size() > rankLimit)
    return fails("is larger than a sparse tensor may be");
  int64_t stored = data->getNumElements();
  bool isLinear = positions && positions->getType().getRank() == 1;
  SmallVector<int64_t> wanted{stored};
  if (!isLinear)
    wanted.push_back(static_cast<int64_t>(shape.size()));
  if (!positions || !positions->getElementType().isInteger(64) ||
      positions->getType().getShape() != ArrayRef(wanted))
    return fails("has indices that are not one for each value");
  auto at = llvm::to_vector(positions->getValues<int64_t>());
  std::string bytes(*size, 0);
  bool isBit = element.isInteger(1);
  int64_t previous = -1;
  for (int64_t i = 0; i < stored; ++i) {
    auto position = positionOf(at, i, shape, *size / width, isLinear);
    if (!position)
      return fails("has value " + Twine(i) + " at a place outside of it");
    if (*position <= previous)
      return fails("has indices that do not ascend");
    previous = *position;
    const char *from = data->getRawData().data();
    if (isBit)
      bytes[*position] = data->getValues<bool>()[i];
    else
      std::memcpy(&bytes[*position * width],
                  from + (data->isSplat() ? 0 : i * width), width);
  }
  auto type = RankedTensorType::get(shape, element);
  return Constant{rawElements(type, std::move(bytes), name), nullptr};
}

} // namespace weir::onnx
