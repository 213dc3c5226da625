// What the records among the attributes may say.

#include "dialects/weir/Records.h"

#include "dialects/weir/Attributes.h"
#include "dialects/weir/Checks.h"
#include "dialects/weir/NamePattern.h"
#include "dialects/weir/Weir.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Regex.h"

using namespace mlir;
using namespace weir;

#define GET_ATTRDEF_CLASSES
#include "dialects/weir/Records.cpp.inc"

void WeirDialect::addRecords() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/weir/Records.cpp.inc"
      >();
}

namespace {

LogicalResult verifyStrings(Emit emitError, StringLiteral name,
                            ArrayAttr values) {
  if (!llvm::all_of(values, llvm::IsaPred<StringAttr>))
    return emitError() << name << " must be an array of strings";
  return success();
}

template <typename Record>
LogicalResult verifyRecords(Emit emitError, StringLiteral name,
                            ArrayAttr values) {
  if (!llvm::all_of(values, llvm::IsaPred<Record>))
    return emitError() << name << " must be an array of #weir."
                       << Record::getMnemonic();
  return success();
}

LogicalResult verifyStatic(Emit emitError, RankedTensorType type) {
  if (!type || !type.hasStaticShape())
    return emitError() << "type must have a static shape";
  return success();
}

} // namespace

LogicalResult TargetAttr::verify(Emit emitError, StringRef, StringRef,
                                 StringRef, int64_t vectorBits,
                                 int64_t panelBits, int64_t vectorRegisters,
                                 int64_t l1, int64_t l2, bool, int64_t fmaRate,
                                 bool) {
  if (!llvm::isPowerOf2_64(vectorBits))
    return emitError() << "vector_bits must be a power of two, not "
                       << vectorBits;
  return verifyRanges(
      emitError,
      {{"vector_bits", vectorBits, 64, 2048},
       {"panel_bits", panelBits, panelBits ? vectorBits : 0, 2048},
       {"vector_registers", vectorRegisters, vectorRegisters ? 8 : 0, 64},
       {"l1", l1, 4 << 10, 1 << 24},
       {"l2", l2, 32 << 10, 1 << 28},
       {"fma_rate", fmaRate, 1, 4}});
}

TargetAttr TargetAttr::of(Operation *op) {
  auto module = llvm::dyn_cast<ModuleOp>(op);
  if (!module)
    module = op->getParentOfType<ModuleOp>();
  for (; module; module = module->getParentOfType<ModuleOp>())
    if (TargetAttr target = attrs::target.of(module))
      return target;
  // Only Records.td has the defaults.
  return llvm::cast<TargetAttr>(
      parseAttribute("#weir.target<>", op->getContext()));
}

GpuAttr GpuAttr::of(Operation *op) {
  auto module = llvm::dyn_cast<ModuleOp>(op);
  if (!module)
    module = op->getParentOfType<ModuleOp>();
  for (; module; module = module->getParentOfType<ModuleOp>())
    if (attrs::target.isOn(module) || attrs::gpu.isOn(module))
      return attrs::gpu.of(module);
  return {};
}

bool TargetAttr::has(StringRef feature) const {
  SmallVector<StringRef> all;
  getFeatures().split(all, ',');
  return llvm::any_of(all, [&](StringRef one) {
    return one.consume_front("+") && one == feature;
  });
}

int64_t TargetAttr::registers() const {
  if (getVectorRegisters())
    return getVectorRegisters();
  return getVectorBits() >= 512 || isArm() ? 32 : 16;
}

LogicalResult GpuAttr::verify(Emit emitError, StringRef kind, ArrayAttr archs,
                              bool, StringRef, ArrayAttr place) {
  if (kind != "cuda" && kind != "sim")
    return emitError() << "kind must be cuda or sim, not '" << kind << "'";
  if (failed(verifyStrings(emitError, "archs", archs)) ||
      failed(verifyStrings(emitError, "place", place)))
    return failure();
  for (auto arch : archs.getAsRange<StringAttr>())
    if (!llvm::Regex("^sm_[1-9][0-9]{1,3}a?$").match(arch))
      return emitError() << "archs has " << arch
                         << ", which is no architecture such as sm_80";
  for (auto rule : place.getAsRange<StringAttr>()) {
    auto [names, device] = rule.getValue().rsplit(':');
    if ((device != "cpu" && device != "gpu") ||
        !NamePattern::fault(names).empty())
      return emitError() << "place has " << rule
                         << ", which is not REGEX:cpu or REGEX:gpu";
  }
  return success();
}

StringRef GpuAttr::firstArch() const {
  return getArchs().empty() ? StringRef()
                            : llvm::cast<StringAttr>(getArchs()[0]).getValue();
}

LogicalResult MeshAttr::verify(Emit emitError, ArrayAttr axes,
                               DenseI64ArrayAttr sizes) {
  constexpr int64_t mostRanks = 65536;
  if (failed(verifyStrings(emitError, "axes", axes)))
    return failure();
  if (axes.empty() || axes.size() > 31 ||
      axes.size() != static_cast<size_t>(sizes.size()))
    return emitError() << "a mesh has 1 to 31 axes and a size for each, not "
                       << axes.size() << " and " << sizes.size();
  llvm::StringSet<> names;
  int64_t ranks = 1;
  for (auto [axis, size] :
       llvm::zip_equal(axes.getAsRange<StringAttr>(), sizes.asArrayRef())) {
    if (axis.empty() || !names.insert(axis.getValue()).second)
      return emitError() << "each axis has a name of its own, not " << axis;
    if (size < 1 || size > mostRanks / ranks)
      return emitError() << "a mesh has 1 to " << mostRanks << " ranks";
    ranks *= size;
  }
  return success();
}

MeshAttr MeshAttr::of(Operation *op) {
  auto module = llvm::dyn_cast<ModuleOp>(op);
  if (!module)
    module = op->getParentOfType<ModuleOp>();
  for (; module; module = module->getParentOfType<ModuleOp>())
    if (MeshAttr mesh = attrs::mesh.of(module))
      return mesh;
  return {};
}

int64_t MeshAttr::ranks() const {
  int64_t all = 1;
  for (int64_t size : getSizes().asArrayRef())
    all *= size;
  return all;
}

int64_t MeshAttr::sizeOf(StringRef axis) const {
  for (auto [name, size] : llvm::zip_equal(getAxes().getAsRange<StringAttr>(),
                                           getSizes().asArrayRef()))
    if (name.getValue() == axis)
      return size;
  return 0;
}

int64_t MeshAttr::sizeOf(ArrayAttr axes) const {
  int64_t all = 1;
  for (auto axis : axes.getAsRange<StringAttr>())
    all *= sizeOf(axis.getValue());
  return all;
}

int64_t MeshAttr::bitsOf(ArrayAttr axes) const {
  int64_t bits = 0;
  for (auto [i, name] : llvm::enumerate(getAxes()))
    if (llvm::is_contained(axes, name))
      bits |= int64_t(1) << i;
  return bits;
}

LogicalResult CollectiveAttr::verify(Emit emitError, StringRef kind,
                                     StringRef combine, int64_t axes,
                                     RankedTensorType type, int64_t data,
                                     int64_t scratch, StringRef, int64_t entry,
                                     int64_t key, int64_t peer, int64_t peers,
                                     int64_t only) {
  bool isMessage = llvm::is_contained({"send", "recv"}, kind);
  if (!isMessage &&
      !llvm::is_contained(
          {"all_reduce", "all_gather", "own_part", "reduce_scatter"}, kind))
    return emitError() << "kind must be all_reduce, all_gather, own_part, "
                       << "reduce_scatter, send or recv, not '" << kind << "'";
  if (!llvm::is_contained({"sum", "max", "min"}, combine))
    return emitError() << "combine must be sum, max or min, not '" << combine
                       << "'";
  if (failed(verifyStatic(emitError, type)))
    return failure();
  // A message has a tag of 31 bits, 64 times its key and more.
  constexpr int64_t mostKeys = int64_t(1) << 25;
  return verifyRanges(emitError, {{"axes", axes, isMessage ? 0 : 1, INT32_MAX},
                                  {"data", data, 0, INT64_MAX},
                                  {"scratch", scratch, 0, INT64_MAX},
                                  {"entry", entry, 0, INT32_MAX},
                                  {"key", key, -1, mostKeys - 1},
                                  {"peer", peer, 0, INT32_MAX},
                                  {"peers", peers, isMessage, INT32_MAX},
                                  {"only", only, -1, INT32_MAX}});
}

static LogicalResult verifyShards(Emit emitError, RankedTensorType type,
                                  DenseI64ArrayAttr shards) {
  if (shards && shards.size() != type.getRank())
    return emitError() << "shards has " << shards.size()
                       << " numbers for a rank of " << type.getRank();
  return success();
}

LogicalResult ScheduleItemAttr::verify(Emit emitError, StringRef kind,
                                       int64_t entry, int64_t collective,
                                       int64_t tasks, int64_t nanoseconds,
                                       int64_t multiplyAdds, int64_t bytes) {
  if (!llvm::is_contained({"compute", "start", "progress", "wait"}, kind))
    return emitError() << "kind must be compute, start, progress or wait, not '"
                       << kind << "'";
  return verifyRanges(emitError, {{"entry", entry, 0, INT32_MAX},
                                  {"collective", collective, 0, INT32_MAX},
                                  {"tasks", tasks, 0, INT32_MAX},
                                  {"nanoseconds", nanoseconds, 0, INT64_MAX},
                                  {"multiply_adds", multiplyAdds, 0, INT64_MAX},
                                  {"bytes", bytes, 0, INT64_MAX}});
}

LogicalResult TensorAttr::verify(Emit emitError, StringRef, StringRef,
                                 RankedTensorType type, int64_t shapeOf,
                                 DenseI64ArrayAttr, ArrayAttr dims,
                                 ArrayAttr strings, DenseI64ArrayAttr shards) {
  if (failed(verifyStatic(emitError, type)) ||
      failed(verifyStrings(emitError, "dims", dims)) ||
      failed(verifyStrings(emitError, "strings", strings)))
    return failure();
  if (failed(verifyShards(emitError, type, shards)))
    return failure();
  return verifyRanges(emitError, {{"shape_of", shapeOf, -1, INT64_MAX}});
}

TensorAttr TensorAttr::of(DictionaryAttr attributes, RankedTensorType type) {
  auto textOf = [](StringAttr text) {
    return text ? text.getValue() : StringRef();
  };
  auto listOf = [&](ArrayAttr list) {
    return list ? list : ArrayAttr::get(type.getContext(), {});
  };
  IntegerAttr shapeOf = attrs::shapeOf.in(attributes);
  return get(type.getContext(), textOf(attrs::name.in(attributes)),
             textOf(attrs::tensor.in(attributes)), type,
             shapeOf ? shapeOf.getInt() : -1, attrs::least.in(attributes),
             listOf(attrs::dims.in(attributes)),
             listOf(attrs::strings.in(attributes)),
             attrs::shards.in(attributes));
}

LogicalResult EntryAttr::verify(Emit emitError, StringRef, StringRef symbol,
                                ArrayAttr inputs, ArrayAttr outputs, bool, bool,
                                bool) {
  if (symbol.empty())
    return emitError() << "an entry has a symbol";
  if (failed(verifyRecords<TensorAttr>(emitError, "inputs", inputs)))
    return failure();
  return verifyRecords<TensorAttr>(emitError, "outputs", outputs);
}

LogicalResult VariableAttr::verify(Emit emitError, StringRef, StringRef,
                                   int64_t offset, RankedTensorType type,
                                   StringRef, DenseI64ArrayAttr shards) {
  if (offset < 0 || offset % 64)
    return emitError() << "offset must be a multiple of 64, not " << offset;
  if (failed(verifyShards(emitError, type, shards)))
    return failure();
  return verifyStatic(emitError, type);
}

LogicalResult WeightAttr::verify(Emit emitError, int64_t offset, int64_t region,
                                 ElementsAttr elements) {
  if (offset < 0 || offset % 64)
    return emitError() << "offset must be a multiple of 64, not " << offset;
  if ((region > 0) != llvm::isa<PartsAttr>(elements))
    return emitError() << "a weight in a region has parts, and no other has";
  if (!llvm::isa<RankedTensorType>(elements.getType()))
    return emitError() << "elements must have the type of a tensor";
  return success();
}

LogicalResult RowBlocksAttr::verify(Emit emitError, int64_t rows,
                                    int64_t size) {
  if (rows < 1 || size < 1 || rows % size)
    return emitError() << "size must divide the " << rows << " rows, not be "
                       << size;
  return success();
}

LogicalResult WorkAttr::verify(Emit emitError, int64_t inputs,
                               int64_t multiplyAdds) {
  return verifyRanges(emitError,
                      {{"inputs", inputs, 0, INT32_MAX},
                       {"multiply_adds", multiplyAdds, 0, INT64_MAX}});
}

LogicalResult ProfileTaskAttr::verify(Emit emitError, int64_t entry,
                                      StringRef kernel, ArrayAttr nodes,
                                      int64_t phase, int64_t bytesRead,
                                      int64_t bytesWritten,
                                      int64_t multiplyAdds) {
  if (kernel.empty())
    return emitError() << "a task has a kernel";
  if (failed(verifyStrings(emitError, "nodes", nodes)))
    return failure();
  return verifyRanges(emitError,
                      {{"entry", entry, 0, INT32_MAX},
                       {"phase", phase, 0, INT32_MAX},
                       {"bytes_read", bytesRead, 0, INT64_MAX},
                       {"bytes_written", bytesWritten, 0, INT64_MAX},
                       {"multiply_adds", multiplyAdds, 0, INT64_MAX}});
}

LogicalResult LaunchAttr::verify(Emit emitError, int64_t blocks,
                                 int64_t threads) {
  return verifyRanges(emitError, {{"blocks", blocks, 1, INT32_MAX},
                                  {"threads", threads, 1, 1024}});
}

LogicalResult GpuImageAttr::verify(Emit emitError, StringRef kind, int64_t sm,
                                   bool, StringRef data) {
  if (kind != "ptx" && kind != "cubin")
    return emitError() << "kind must be ptx or cubin, not '" << kind << "'";
  if (data.empty())
    return emitError() << "an image has data";
  // The driver reads the text up to its first 0.
  if (kind == "ptx" && data.contains('\0'))
    return emitError() << "PTX has no byte that is 0";
  return verifyRanges(emitError, {{"sm", sm, 10, 9999}});
}

LogicalResult GpuKernelAttr::verify(Emit emitError, StringRef name,
                                    int64_t shared) {
  if (name.empty() || name.contains('\0'))
    return emitError() << "a kernel has a name";
  return verifyRanges(emitError, {{"shared", shared, 0, 1 << 20}});
}
