// Reads what the stages of a GPU left on the module: docs/pipeline.md, "Between
// plan and emit".

#include "compiler/emit/Interface.h"
#include "dialects/weir/Attributes.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using llvm::Error;

namespace weir {
namespace {

Error bad(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

/// A number from `least` to `most`, `by_default` where there is none.
Error number(DictionaryAttr fields, StringRef name, int64_t byDefault,
             int64_t least, int64_t most, int64_t &to) {
  to = byDefault;
  if (Attribute attr = fields.get(name)) {
    auto value = dyn_cast<IntegerAttr>(attr);
    if (!value || value.getValue().getSignificantBits() > 64)
      return bad(name + " of a GPU's code is not a number");
    to = value.getValue().getSExtValue();
  }
  if (to < least || to > most)
    return bad(name + " of a GPU's code is out of range");
  return Error::success();
}

Error readImage(DictionaryAttr fields, ModelInterface &model) {
  auto kind = fields.getAs<StringAttr>("kind");
  auto data = fields.getAs<StringAttr>("data");
  if (!kind || (kind.getValue() != "ptx" && kind.getValue() != "cubin"))
    return bad("weir.gpu_images has code that is neither ptx nor cubin");
  if (!data || data.getValue().empty())
    return bad("weir.gpu_images has an image without data");
  bool cubin = kind.getValue() == "cubin";
  // The driver reads the text up to its first 0.
  if (!cubin && data.getValue().contains('\0'))
    return bad("weir.gpu_images has PTX with a 0 byte in it");
  int64_t sm;
  if (Error error = number(fields, "sm", 0, 10, 9999, sm))
    return error;
  model.images.push_back({cubin, static_cast<uint32_t>(sm),
                          fields.contains("specific"), data.getValue()});
  return Error::success();
}

Error readKernel(DictionaryAttr fields, ModelInterface &model) {
  auto name = fields.getAs<StringAttr>("name");
  if (!name || name.getValue().empty() || name.getValue().contains('\0'))
    return bad("weir.gpu_kernels has a kernel without a name");
  int64_t shared;
  if (Error error = number(fields, "shared", 0, 0, 1 << 20, shared))
    return error;
  model.kernels.push_back({name.str(), shared});
  return Error::success();
}

/// The element type of what a library computes, by its name.
std::optional<weir_dtype> dtypeOf(DictionaryAttr fields) {
  static constexpr std::pair<StringLiteral, weir_dtype> dtypes[] = {
      {"f32", WEIR_F32}, {"f16", WEIR_F16}, {"bf16", WEIR_BF16}};
  auto dtype = fields.getAs<StringAttr>("dtype");
  for (const auto &[name, value] : dtypes)
    if (dtype && dtype == name)
      return value;
  return std::nullopt;
}

/// Where nothing else is said, operands lie without gaps.
Error readGemm(DictionaryAttr fields, ModelInterface &model) {
  constexpr int64_t most = int64_t(1) << 31, anywhere = int64_t(1) << 62;
  GpuGemm gemm = {};
  std::optional<weir_dtype> dtype = dtypeOf(fields);
  if (!dtype)
    return bad("weir.gpu_gemms has a product that is not of f32, f16 or bf16");
  gemm.dtype = *dtype;
  bool a = fields.contains("transpose_a"), b = fields.contains("transpose_b");
  gemm.flags = (a ? 1 : 0) | (b ? 2 : 0) | (fields.contains("bias") ? 4 : 0) |
               (fields.contains("relu") ? 8 : 0) |
               (fields.contains("unaligned") ? 16 : 0) |
               (fields.contains("tf32") ? 32 : 0);
  struct Field {
    StringLiteral name;
    int64_t byDefault, least, most;
    int64_t &to;
  };
  auto read = [&](std::initializer_list<Field> list) -> Error {
    for (const Field &one : list)
      if (Error error = number(fields, one.name, one.byDefault, one.least,
                               one.most, one.to))
        return error;
    return Error::success();
  };
  if (Error error = read({{"m", 0, 1, most, gemm.m},
                          {"n", 0, 1, most, gemm.n},
                          {"k", 0, 1, most, gemm.k},
                          {"batch", 1, 1, most - 1, gemm.batch},
                          {"workspace", 0, 0, anywhere, gemm.workspace}}))
    return error;
  int64_t rowA = a ? gemm.m : gemm.k, rowB = b ? gemm.k : gemm.n;
  if (Error error = read({{"lda", rowA, rowA, most, gemm.lda},
                          {"ldb", rowB, rowB, most, gemm.ldb},
                          {"ldd", gemm.n, gemm.n, most, gemm.ldd}}))
    return error;
  int64_t rowsA = a ? gemm.k : gemm.m, rowsB = b ? gemm.n : gemm.k;
  if (Error error =
          read({{"stride_a", rowsA * gemm.lda, 0, anywhere, gemm.strideA},
                {"stride_b", rowsB * gemm.ldb, 0, anywhere, gemm.strideB},
                {"stride_d", gemm.m * gemm.ldd, 0, anywhere, gemm.strideD}}))
    return error;
  model.gemms.push_back(gemm);
  return Error::success();
}

/// So many numbers of a row of a table.
Error numbers(DictionaryAttr fields, StringRef table, StringRef name,
              int64_t least, MutableArrayRef<int64_t> to, int64_t most) {
  auto values = fields.getAs<DenseI64ArrayAttr>(name);
  if (!values || size_t(values.size()) != to.size())
    return bad(name + " of " + table + " is not " +
               (to.size() == 2 ? "two" : "three") + " numbers");
  for (auto [i, value] : llvm::enumerate(values.asArrayRef())) {
    if (value < least || value > most)
      return bad(name + " of a GPU's code is out of range");
    to[i] = value;
  }
  return Error::success();
}

/// Whether a tensor of these sizes has not too many elements.
bool isSmall(std::initializer_list<int64_t> sizes) {
  constexpr int64_t most = int64_t(1) << 40;
  int64_t elements = 1;
  for (int64_t size : sizes)
    if (llvm::MulOverflow(elements, size, elements) || elements > most)
      return false;
  return true;
}

/// Sizes of the result follow from the others.
Error readConv(DictionaryAttr fields, ModelInterface &model) {
  GpuConv conv = {};
  std::optional<weir_dtype> dtype = dtypeOf(fields);
  if (!dtype)
    return bad(
        "weir.gpu_convs has a convolution that is not of f32, f16 or bf16");
  conv.dtype = *dtype;
  static constexpr StringLiteral flags[] = {
      "bias", "residual", "relu", "unaligned", "tf32", "clip", "gradient"};
  for (auto [i, flag] : llvm::enumerate(flags))
    conv.flags |= fields.contains(flag) ? 1u << i : 0;
  if (fields.contains("gradient"))
    for (StringRef flag : {"bias", "residual", "relu"})
      if (fields.contains(flag))
        return bad("weir.gpu_convs has a gradient with a " + flag);
  struct Field {
    StringLiteral name;
    int64_t byDefault, least;
    int64_t &to;
  };
  for (const Field &one :
       {Field{"images", 0, 1, conv.images}, Field{"inputs", 0, 1, conv.inputs},
        Field{"outputs", 0, 1, conv.outputs},
        Field{"groups", 1, 1, conv.groups},
        Field{"workspace", 0, 0, conv.workspace}})
    if (Error error = number(fields, one.name, one.byDefault, one.least,
                             INT32_MAX, one.to))
      return error;
  if (Attribute clip = fields.get("clip")) {
    auto bound = dyn_cast<FloatAttr>(clip);
    conv.clip = bound ? bound.getValueAsDouble() : 0;
    if (!(conv.clip > 0) || !std::isfinite(conv.clip) ||
        !fields.contains("relu"))
      return bad("clip of weir.gpu_convs is no bound of a relu");
  }
  struct Pair {
    StringLiteral name;
    int64_t least;
    std::array<int64_t, 2> &to;
  };
  for (const Pair &one :
       {Pair{"size", 1, conv.size}, Pair{"window", 1, conv.window},
        Pair{"strides", 1, conv.strides}, Pair{"dilations", 1, conv.dilations},
        Pair{"padding_low", 0, conv.before},
        Pair{"padding_high", 0, conv.after}})
    if (Error error = numbers(fields, "weir.gpu_convs", one.name, one.least,
                              one.to, INT32_MAX))
      return error;
  if (conv.inputs % conv.groups || conv.outputs % conv.groups)
    return bad("weir.gpu_convs has groups that do not divide the channels");
  for (int i = 0; i < 2; ++i) {
    int64_t rest = conv.size[i] + conv.before[i] + conv.after[i] -
                   ((conv.window[i] - 1) * conv.dilations[i] + 1);
    if (rest < 0)
      return bad("weir.gpu_convs has a window that is larger than the image");
    conv.result[i] = rest / conv.strides[i] + 1;
  }
  if (!isSmall({conv.images, conv.size[0], conv.size[1], conv.inputs}) ||
      !isSmall({conv.images, conv.result[0], conv.result[1], conv.outputs}) ||
      !isSmall({conv.outputs, conv.window[0], conv.window[1], conv.inputs}))
    return bad("weir.gpu_convs has a tensor that is too large");
  model.convs.push_back(conv);
  return Error::success();
}

/// Strides of what is left out are those of one for all.
Error readAttention(DictionaryAttr fields, ModelInterface &model) {
  constexpr int64_t most = INT32_MAX, mostElements = int64_t(1) << 40;
  GpuAttention of = {};
  std::optional<weir_dtype> dtype = dtypeOf(fields);
  if (!dtype || *dtype == WEIR_F32)
    return bad(
        "weir.gpu_attentions has an attention that is not of f16 or bf16");
  of.dtype = *dtype;
  bool isMasked = fields.contains("mask");
  of.flags = (isMasked ? 1 : 0) | (fields.contains("unaligned") ? 2 : 0);
  struct Field {
    StringLiteral name;
    int64_t &to;
  };
  for (const Field &one : {Field{"batch", of.batch}, Field{"heads", of.heads},
                           Field{"rows", of.rows}, Field{"columns", of.columns},
                           Field{"depth", of.depth}, Field{"width", of.width},
                           Field{"workspace", of.workspace}})
    if (Error error = number(fields, one.name, 0, 1, most, one.to))
      return error;
  struct Strides {
    StringLiteral name;
    int64_t least;
    std::array<int64_t, 3> &to;
  };
  for (const Strides &one :
       {Strides{"q", 1, of.q}, Strides{"k", 1, of.k}, Strides{"v", 1, of.v},
        Strides{"out", 1, of.out}, Strides{"mask", 0, of.mask}}) {
    if (one.name == "mask" && !isMasked)
      continue;
    if (Error error = numbers(fields, "weir.gpu_attentions", one.name,
                              one.least, one.to, mostElements))
      return error;
  }
  if (!isSmall({of.batch, of.heads, of.rows, of.columns}) ||
      !isSmall({of.batch, of.heads, of.rows, of.depth}) ||
      !isSmall({of.batch, of.heads, of.rows, of.width}) ||
      !isSmall({of.batch, of.heads, of.columns, of.depth}) ||
      !isSmall({of.batch, of.heads, of.columns, of.width}))
    return bad("weir.gpu_attentions has a tensor that is too large");
  if (of.workspace < 4 * of.batch * of.heads * of.rows)
    return bad("weir.gpu_attentions has no room for a number of each row");
  auto scale = fields.getAs<FloatAttr>("scale");
  of.scale = scale ? scale.getValueAsDouble() : 0;
  if (!scale || !std::isfinite(static_cast<float>(of.scale)))
    return bad("weir.gpu_attentions has no scale that a float holds");
  model.attentions.push_back(of);
  return Error::success();
}

/// Reads each entry of a list of the module's, where it has one.
Error readRows(ModuleOp module, StringRef name, ModelInterface &model,
               Error (*read)(DictionaryAttr, ModelInterface &)) {
  auto rows = module->getAttrOfType<ArrayAttr>(name);
  for (Attribute attr : rows ? rows.getValue() : ArrayRef<Attribute>()) {
    auto fields = dyn_cast<DictionaryAttr>(attr);
    if (!fields)
      return bad(name + " has an entry that is no dictionary");
    if (Error error = read(fields, model))
      return error;
  }
  return Error::success();
}

} // namespace

Error readGpu(ModuleOp module, ModelInterface &model) {
  auto images = attrs::gpuImages.of(module);
  if (!images)
    return Error::success();
  model.gpu = true;
  std::string target = "cuda";
  for (Attribute attr : images) {
    auto fields = dyn_cast<DictionaryAttr>(attr);
    if (!fields)
      return bad("weir.gpu_images has an entry that is no dictionary");
    if (Error error = readImage(fields, model))
      return error;
    const GpuImage &image = model.images.back();
    target += (model.images.size() == 1 ? " sm_" : ",sm_") +
              std::to_string(image.sm) + (image.specific ? "a" : "");
  }
  model.target = target + " " + model.target;
  if (Error error = readRows(module, "weir.gpu_kernels", model, readKernel))
    return error;
  if (Error error = readRows(module, "weir.gpu_gemms", model, readGemm))
    return error;
  if (Error error = readRows(module, "weir.gpu_convs", model, readConv))
    return error;
  if (Error error =
          readRows(module, "weir.gpu_attentions", model, readAttention))
    return error;
  if (Error error = number(module->getAttrDictionary(), "weir.host_bytes", 0, 0,
                           int64_t(1) << 62, model.hostBytes))
    return error;
  if (!model.kernels.empty() && model.images.empty())
    return bad("weir.gpu_kernels has kernels, and weir.gpu_images no code");
  return Error::success();
}

} // namespace weir
