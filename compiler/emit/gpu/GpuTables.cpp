// What libraries compute for a GPU, as tables of the runtime: the structs of
// runtime/cuda/gpu.h, field by field.

#include "compiler/emit/Names.h"
#include "compiler/emit/Tables.h"

#include "llvm/ADT/bit.h"
#include "llvm/IR/Constants.h"

using namespace llvm;

namespace weir {
namespace {

/// A list of structs of two 32-bit numbers, of which the rest have 64 bits.
class Rows {
public:
  explicit Rows(LLVMContext &context) : context(context) {}

  void add(uint32_t dtype, uint32_t flags, ArrayRef<int64_t> values) {
    Type *i32 = Type::getInt32Ty(context), *i64 = Type::getInt64Ty(context);
    SmallVector<Constant *> fields{ConstantInt::get(i32, dtype),
                                   ConstantInt::get(i32, flags)};
    for (int64_t value : values)
      fields.push_back(ConstantInt::get(i64, value));
    rows.push_back(ConstantStruct::getAnon(context, fields));
  }

  Constant *in(Module &module, const Twine &name) const {
    if (rows.empty())
      return ConstantPointerNull::get(PointerType::get(context, 0));
    auto *type = ArrayType::get(rows[0]->getType(), rows.size());
    return new GlobalVariable(module, type, true, GlobalValue::PrivateLinkage,
                              ConstantArray::get(type, rows), name);
  }

private:
  LLVMContext &context;
  SmallVector<Constant *> rows;
};

} // namespace

Constant *addGemmTable(Module &module, const ModelInterface &model) {
  Rows rows(module.getContext());
  for (const GpuGemm &gemm : model.gemms)
    rows.add(gemm.dtype, gemm.flags,
             {gemm.m, gemm.n, gemm.k, gemm.lda, gemm.ldb, gemm.ldd, gemm.batch,
              gemm.strideA, gemm.strideB, gemm.strideD, gemm.workspace});
  return rows.in(module, globals::gemms);
}

Constant *addConvTable(Module &module, const ModelInterface &model) {
  Rows rows(module.getContext());
  for (const GpuConv &conv : model.convs) {
    SmallVector<int64_t> values{conv.images, conv.inputs, conv.outputs,
                                conv.groups};
    for (const std::array<int64_t, 2> &pair :
         {conv.size, conv.window, conv.result, conv.strides, conv.dilations,
          conv.before, conv.after})
      values.append(pair.begin(), pair.end());
    values.push_back(conv.workspace);
    values.push_back(bit_cast<int64_t>(conv.clip));
    rows.add(conv.dtype, conv.flags, values);
  }
  return rows.in(module, globals::convs);
}

Constant *addAttentionTable(Module &module, const ModelInterface &model) {
  Rows rows(module.getContext());
  for (const GpuAttention &of : model.attentions) {
    SmallVector<int64_t> values{of.batch,   of.heads, of.rows,
                                of.columns, of.depth, of.width};
    for (const std::array<int64_t, 3> &strides :
         {of.q, of.k, of.v, of.mask, of.out})
      values.append(strides.begin(), strides.end());
    values.push_back(of.workspace);
    values.push_back(bit_cast<int64_t>(of.scale));
    rows.add(of.dtype, of.flags, values);
  }
  return rows.in(module, globals::attentions);
}

} // namespace weir
