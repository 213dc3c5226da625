// What a library for several ranks has beside: the structs of runtime/comm,
// field by field, and NAME_mesh.

#include "compiler/emit/Tables.h"
#include "compiler/emit/tables/Constants.h"

#include "dialects/graph/collective/Collective.h"
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
      collectives.push_back(
          record({int32(each.kind), int32(each.combine), int32(each.axes),
                  int32(each.dtype), int64(each.elements),
                  int64(each.elementBytes), int64(each.data),
                  int64(each.scratch), cText(each.node), int32(each.key),
                  int32(each.peer), int32(each.peers), int32(each.only)}));
    SmallVector<Constant *> regions;
    for (const RegionInterface &each : mesh.regions)
      regions.push_back(
          record({int64(each.axes), int64(each.offset), int64(each.stride)}));
    MeshRoom room = roomOf(mesh);
    // Roles of a cluster have programs of their own.
    if (mesh.fingerprint)
      fingerprint = mesh.fingerprint;
    return constant(record({info(model), cText(mesh.text()), int64(fingerprint),
                            list(collectives, globals::mesh),
                            int64(collectives.size()), int64(room.steps),
                            int64(room.transfers), list(regions, globals::mesh),
                            int64(regions.size()), int64(mesh.table)}),
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
        for (const TensorInterface &tensor : *side)
          tensors.push_back(bits(tensor.shards));
      functions.push_back(list(tensors, globals::mesh));
    }
    SmallVector<Constant *> collectives;
    for (const CollectiveInterface &each : mesh.collectives)
      collectives.push_back(
          record({int32(each.function), int32(each.kind), int32(each.axes),
                  int32(each.elementBytes),
                  int64(each.elements * each.elementBytes), cText(each.node)}));
    SmallVector<Constant *> variables;
    for (const VariableInterface &variable : model.variables)
      variables.push_back(bits(variable.shards));
    SmallVector<Constant *> items;
    for (const ScheduleItem &each : mesh.schedule)
      items.push_back(record({int32(each.function), int32(each.kind),
                              int32(each.collective), int32(each.tasks),
                              int64(each.nanoseconds), int64(each.multiplyAdds),
                              int64(each.bytes)}));
    return infoConstant = constant(
               record(
                   {int32(mesh.ranks()), int32(axes.size()),
                    list(axes, globals::mesh), list(sizes, globals::mesh),
                    list(functions, globals::mesh), int32(collectives.size()),
                    int32(items.size()), list(collectives, globals::mesh),
                    list(items, globals::mesh), list(variables, globals::mesh),
                    int64(mesh.ownBytes(model.weightsBytes)),
                    mesh.role.empty() ? null() : cText(mesh.role),
                    int32(mesh.firstRank), int32(mesh.numRanks)}),
               globals::mesh);
  }

  Constant *infoConstant = nullptr;

private:
  /// The axes that divide each dimension; null: the tensor is whole.
  Constant *bits(ArrayRef<int64_t> shards) {
    SmallVector<Constant *> bits;
    for (int64_t each : shards)
      bits.push_back(int32(each));
    return list(bits, globals::mesh);
  }

  const MeshInterface &mesh;
};

} // namespace

/// Whether any tensor is a part of one of all ranks.
static bool dividesAny(const ModelInterface &model) {
  auto isPart = [](const TensorInterface &tensor) {
    return !tensor.shards.empty();
  };
  return any_of(model.functions, [&](const FunctionInterface &function) {
    return any_of(function.inputs, isPart) || any_of(function.outputs, isPart);
  });
}

/// What ranks of different models must have in common.
static void writeCollectives(const MeshInterface &mesh, raw_ostream &os) {
  os << mesh.text();
  for (const CollectiveInterface &each : mesh.collectives)
    os << " " << each.function << "," << each.kind << "," << each.combine << ","
       << each.axes << "," << each.dtype << "," << each.elements;
}

uint64_t fingerprintOf(const Module &module, const ModelInterface &model,
                       uint64_t weightsHash) {
  SmallVector<char, 0> bytes;
  raw_svector_ostream os(bytes);
  if (!is_contained(model.mesh->axes, graph::dataAxis) && !dividesAny(model)) {
    writeCollectives(*model.mesh, os);
    return xxh3_64bits(StringRef(bytes.data(), bytes.size()));
  }
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
  values.push_back(
      ConstantInt::get(Type::getInt64Ty(module.getContext()), options.ranksAt));
  auto *type = FunctionType::get(PointerType::get(module.getContext(), 0), {},
                                 /*isVarArg=*/false);
  auto *function = Function::Create(type, GlobalValue::ExternalLinkage,
                                    model.prefix + "_mesh", module);
  IRBuilder<>(BasicBlock::Create(module.getContext(), "", function))
      .CreateRet(builder.infoConstant);
}

} // namespace weir
