// What a library for several ranks has beside: the structs of runtime/comm,
// field by field, and NAME_mesh.

#include "compiler/emit/tables/Constants.h"
#include "compiler/emit/Tables.h"

#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace weir {
namespace {

class Builder : ConstantBuilder {
public:
  Builder(Module &module, const MeshInterface &mesh)
      : ConstantBuilder(module), mesh(mesh) {}

  /// A weir_mesh.
  Constant *build(const ModelInterface &model, uint64_t fingerprint) {
    SmallVector<Constant *> collectives;
    for (const CollectiveInterface &each : mesh.collectives)
      collectives.push_back(record(
          {int32(each.kind), int32(each.combine), int32(each.axes),
           int32(each.dtype), int64(each.elements), int64(each.elementBytes),
           int64(each.data), int64(each.scratch), cText(each.node)}));
    MeshRoom room = roomOf(mesh);
    return constant(
        record({info(model), cText(mesh.text()), int64(fingerprint),
                list(collectives, globals::mesh), int64(collectives.size()),
                int64(room.steps), int64(room.transfers)}),
        globals::mesh);
  }

  /// A weir_mesh_info.
  Constant *info(const ModelInterface &model) {
    SmallVector<Constant *> axes, sizes, functions;
    for (auto [axis, size] : zip_equal(mesh.axes, mesh.sizes)) {
      axes.push_back(cText(axis));
      sizes.push_back(int32(size));
    }
    for (const FunctionInterface &function : model.functions) {
      SmallVector<Constant *> tensors;
      for (const auto *side : {&function.inputs, &function.outputs})
        for (const TensorInterface &tensor : *side) {
          SmallVector<Constant *> bits;
          for (int64_t each : tensor.shards)
            bits.push_back(int32(each));
          tensors.push_back(list(bits, globals::mesh));
        }
      functions.push_back(list(tensors, globals::mesh));
    }
    SmallVector<Constant *> collectives;
    for (const CollectiveInterface &each : mesh.collectives)
      collectives.push_back(record(
          {int32(each.function), int32(each.kind), int32(each.axes), int32(0),
           int64(each.elements * each.elementBytes), cText(each.node)}));
    return infoConstant = constant(
               record({int32(mesh.ranks()), int32(axes.size()),
                       list(axes, globals::mesh), list(sizes, globals::mesh),
                       list(functions, globals::mesh),
                       int32(collectives.size()), int32(0),
                       list(collectives, globals::mesh),
                       null()}), // variables are whole on each rank
               globals::mesh);
  }

  Constant *infoConstant = nullptr;

private:
  const MeshInterface &mesh;
};

} // namespace

uint64_t fingerprintOf(const Module &module, uint64_t weightsHash) {
  SmallVector<char, 0> bytes;
  raw_svector_ostream os(bytes);
  WriteBitcodeToFile(module, os);
  os.write(reinterpret_cast<const char *>(&weightsHash), sizeof weightsHash);
  return xxh3_64bits(
      ArrayRef(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()));
}

void addMesh(Module &module, const ModelInterface &model,
             const TableOptions &options, uint64_t fingerprint,
             SmallVectorImpl<Constant *> &values) {
  Builder builder(module, *model.mesh);
  values.push_back(builder.build(model, fingerprint));
  values.push_back(ConstantInt::get(Type::getInt64Ty(module.getContext()),
                                    options.ranksAt));
  auto *type = FunctionType::get(PointerType::get(module.getContext(), 0), {},
                                 /*isVarArg=*/false);
  auto *function = Function::Create(type, GlobalValue::ExternalLinkage,
                                    model.prefix + "_mesh", module);
  IRBuilder<>(BasicBlock::Create(module.getContext(), "", function))
      .CreateRet(builder.infoConstant);
}

} // namespace weir
