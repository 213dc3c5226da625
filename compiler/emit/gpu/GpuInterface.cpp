// Reads what the stages of a GPU left on the module: docs/attributes.md.

#include "compiler/emit/Interface.h"

#include "dialects/weir/Attributes.h"

using namespace mlir;
using llvm::Error;

namespace weir {
namespace {

/// The element type of what a library computes.
weir_dtype dtypeOf(FloatType type) {
  return type.isF32() ? WEIR_F32 : type.isF16() ? WEIR_F16 : WEIR_BF16;
}

uint32_t bits(std::initializer_list<bool> flags) {
  uint32_t all = 0;
  for (auto [i, flag] : llvm::enumerate(flags))
    all |= uint32_t(flag) << i;
  return all;
}

template <size_t n>
std::array<int64_t, n> numbers(DenseI64ArrayAttr values) {
  std::array<int64_t, n> to = {};
  if (values)
    llvm::copy(values.asArrayRef(), to.begin());
  return to;
}

/// Unless the record has other strides, operands lie without gaps.
GpuGemm read(GemmAttr row) {
  GpuGemm gemm = {};
  bool a = row.getTransposeA(), b = row.getTransposeB();
  gemm.dtype = dtypeOf(row.getDtype());
  gemm.flags = bits(
      {a, b, row.getBias(), row.getRelu(), row.getUnaligned(), row.getTf32()});
  gemm.m = row.getM(), gemm.n = row.getN(), gemm.k = row.getK();
  gemm.batch = row.getBatch();
  gemm.workspace = row.getWorkspace();
  auto orElse = [](int64_t value, int64_t none, int64_t usual) {
    return value == none ? usual : value;
  };
  gemm.lda = orElse(row.getLda(), 0, a ? gemm.m : gemm.k);
  gemm.ldb = orElse(row.getLdb(), 0, b ? gemm.k : gemm.n);
  gemm.ldd = orElse(row.getLdd(), 0, gemm.n);
  gemm.strideA = orElse(row.getStrideA(), -1, (a ? gemm.k : gemm.m) * gemm.lda);
  gemm.strideB = orElse(row.getStrideB(), -1, (b ? gemm.n : gemm.k) * gemm.ldb);
  gemm.strideD = orElse(row.getStrideD(), -1, gemm.m * gemm.ldd);
  return gemm;
}

GpuConv read(ConvAttr row) {
  GpuConv conv = {};
  FloatAttr clip = row.getClip();
  conv.dtype = dtypeOf(row.getDtype());
  conv.flags =
      bits({row.getBias(), row.getResidual(), row.getRelu(), row.getUnaligned(),
            row.getTf32(), bool(clip), row.getGradient()});
  conv.images = row.getImages();
  conv.inputs = row.getInputs();
  conv.outputs = row.getOutputs();
  conv.groups = row.getGroups();
  conv.workspace = row.getWorkspace();
  conv.clip = clip ? clip.getValueAsDouble() : 0;
  conv.size = numbers<2>(row.getSize());
  conv.window = numbers<2>(row.getWindow());
  conv.strides = numbers<2>(row.getStrides());
  conv.dilations = numbers<2>(row.getDilations());
  conv.before = numbers<2>(row.getPaddingLow());
  conv.after = numbers<2>(row.getPaddingHigh());
  conv.result = {row.resultSize(0), row.resultSize(1)};
  return conv;
}

GpuAttention read(AttentionAttr row) {
  GpuAttention of = {};
  of.dtype = dtypeOf(row.getDtype());
  of.flags = bits({bool(row.getMask()), row.getUnaligned()});
  of.batch = row.getBatch();
  of.heads = row.getHeads();
  of.rows = row.getRows();
  of.columns = row.getColumns();
  of.depth = row.getDepth();
  of.width = row.getWidth();
  of.workspace = row.getWorkspace();
  of.q = numbers<3>(row.getQ());
  of.k = numbers<3>(row.getK());
  of.v = numbers<3>(row.getV());
  of.out = numbers<3>(row.getOut());
  of.mask = numbers<3>(row.getMask());
  of.scale = row.getScale().getValueAsDouble();
  return of;
}

/// The records of a table, if the module has it.
template <typename Record>
auto rows(ModuleOp module,
          const StageAttribute<kinds::Records<Record>> &table) {
  ArrayAttr all = table.of(module);
  return all ? llvm::to_vector(all.getAsRange<Record>())
             : SmallVector<Record>();
}

} // namespace

Error readGpu(ModuleOp module, ModelInterface &model) {
  if (!attrs::gpuImages.isOn(module))
    return Error::success();
  model.gpu = true;
  std::string target = "cuda";
  for (GpuImageAttr image : rows(module, attrs::gpuImages)) {
    target += (model.images.empty() ? " sm_" : ",sm_") +
              std::to_string(image.getSm()) + (image.getSpecific() ? "a" : "");
    model.images.push_back({image.isCubin(),
                            static_cast<uint32_t>(image.getSm()),
                            image.getSpecific(), image.getData()});
  }
  model.target = target + " " + model.target;
  for (GpuKernelAttr kernel : rows(module, attrs::gpuKernels))
    model.kernels.push_back({kernel.getName().str(), kernel.getShared()});
  for (GemmAttr row : rows(module, attrs::gpuGemms))
    model.gemms.push_back(read(row));
  for (ConvAttr row : rows(module, attrs::gpuConvs))
    model.convs.push_back(read(row));
  for (AttentionAttr row : rows(module, attrs::gpuAttentions))
    model.attentions.push_back(read(row));
  if (IntegerAttr bytes = attrs::hostBytes.of(module))
    model.hostBytes = bytes.getInt();
  if (!model.kernels.empty() && model.images.empty())
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   attrs::gpuKernels.name() +
                                       " has kernels, and " +
                                       attrs::gpuImages.name() + " no code");
  return Error::success();
}

} // namespace weir
