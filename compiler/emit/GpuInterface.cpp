// Reads what the stages of a GPU left on the module: docs/pipeline.md, "Between
// plan and emit".

#include "compiler/emit/Interface.h"

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

/// Where nothing else is said, operands lie without gaps.
Error readGemm(DictionaryAttr fields, ModelInterface &model) {
  constexpr int64_t most = int64_t(1) << 31, anywhere = int64_t(1) << 62;
  static constexpr std::pair<StringLiteral, weir_dtype> dtypes[] = {
      {"f32", WEIR_F32}, {"f16", WEIR_F16}, {"bf16", WEIR_BF16}};
  GpuGemm gemm = {};
  auto dtype = fields.getAs<StringAttr>("dtype");
  auto found = llvm::find_if(
      dtypes, [&](auto &one) { return dtype && one.first == dtype; });
  if (found == std::end(dtypes))
    return bad("weir.gpu_gemms has a product that is not of f32, f16 or bf16");
  gemm.dtype = found->second;
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

} // namespace

Error readGpu(ModuleOp module, ModelInterface &model) {
  auto images = module->getAttrOfType<ArrayAttr>("weir.gpu_images");
  auto kernels = module->getAttrOfType<ArrayAttr>("weir.gpu_kernels");
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
  for (Attribute attr : kernels ? kernels.getValue() : ArrayRef<Attribute>()) {
    auto fields = dyn_cast<DictionaryAttr>(attr);
    if (!fields)
      return bad("weir.gpu_kernels has an entry that is no dictionary");
    if (Error error = readKernel(fields, model))
      return error;
  }
  auto gemms = module->getAttrOfType<ArrayAttr>("weir.gpu_gemms");
  for (Attribute attr : gemms ? gemms.getValue() : ArrayRef<Attribute>()) {
    auto fields = dyn_cast<DictionaryAttr>(attr);
    if (!fields)
      return bad("weir.gpu_gemms has an entry that is no dictionary");
    if (Error error = readGemm(fields, model))
      return error;
  }
  if (Error error = number(module->getAttrDictionary(), "weir.host_bytes", 0, 0,
                           int64_t(1) << 62, model.hostBytes))
    return error;
  if (!model.kernels.empty() && model.images.empty())
    return bad("weir.gpu_kernels has kernels, and weir.gpu_images no code");
  return Error::success();
}

} // namespace weir
