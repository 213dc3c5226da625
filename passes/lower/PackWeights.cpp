// Packs constants at compile time. If all tasks that run a kernel pass a
// constant for an argument that the kernel packs, the kernel receives the
// packed constant instead. Layouts are those of the packs.

#include "passes/lower/Passes.h"
#include "passes/lower/layouts/Constants.h"

#include "dialects/graph/packed/Float16Constants.h"
#include "dialects/kernel/Kernel.h"
#include "dialects/weir/Attributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include <map>

using namespace mlir;

namespace weir::lower {
#define GEN_PASS_DEF_PACKWEIGHTS
#include "passes/lower/Passes.h.inc"

namespace {

/// How a constant is written: elements as they are, or, with a layout, packed.
struct Packing {
  kernel::WeightsSource source;
  kernel::LayoutAttr layout;

  /// Identifies a packing of a constant to a type.
  using Key = std::array<const void *, 5>;
  Key key() const {
    auto number = [](int64_t i) { return reinterpret_cast<const void *>(i); };
    const void *bytes = layout ? layout.getAsOpaquePointer() : nullptr;
    // The safe range of tiles says nothing about the bytes of the weights.
    if (layout && layout.isAmx())
      bytes = number(2 * layout.getSplit() + layout.isAmxPanels());
    return {bytes, number(source.depthStride), number(source.columnStride),
            number(source.depth), number(source.groups)};
  }
};

struct PackWeights : impl::PackWeightsBase<PackWeights> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    made.clear();
    packs.clear();
    replaced.clear();
    forEachKernel(module,
                  [&](func::FuncOp kernel, ArrayRef<plan::TaskOp> callers) {
                    for (BlockArgument argument : kernel.getArguments())
                      if (argument.hasOneUse())
                        packArgument(kernel, argument, callers);
                  });
    bool keeps = attrs::keepsConstants.isOn(module);
    SmallVector<DenseResourceElementsAttr> gone;
    for (graph::ConstantOp constant : replaced)
      if (constant->use_empty()) {
        llvm::append_range(gone, resourcesOf(constant));
        constant->erase();
      }
    if (!keeps)
      freeUnused(module, gone);
  }

private:
  void packArgument(func::FuncOp kernel, BlockArgument argument,
                    ArrayRef<plan::TaskOp> callers) {
    auto pack = dyn_cast<kernel::PackOpInterface>(*argument.user_begin());
    if (!pack || pack->getOperand(0) != argument || pack->getNumResults() != 1)
      return;
    auto transform = dyn_cast<kernel::TransformFilterOp>(pack.getOperation());
    if (transform && transform.getAtRun())
      return storeAsFloat16(kernel, argument, callers);
    if (!constantsFor(argument, callers))
      return;
    attrs::storedAs.removeFromArgument(kernel, argument.getArgNumber());
    auto type = cast<RankedTensorType>(pack->getResult(0).getType());
    replaceConstants(callers, argument.getArgNumber(), type,
                     {pack.getSource(), pack.getLayout()});
    argument.setType(type);
    pack->getResult(0).replaceAllUsesWith(argument);
    pack->erase();
    setTypes(kernel);
  }

  static void setTypes(func::FuncOp kernel) {
    kernel.setType(FunctionType::get(kernel.getContext(),
                                     kernel.getBody().getArgumentTypes(),
                                     kernel.getResultTypes()));
  }

  /// A filter that each run transforms is stored in the type of 16 bits that
  /// weir-fit-weights has chosen, if any.
  void storeAsFloat16(func::FuncOp kernel, BlockArgument argument,
                      ArrayRef<plan::TaskOp> callers) {
    unsigned index = argument.getArgNumber();
    TypeAttr stored = attrs::storedAs.removeFromArgument(kernel, index);
    if (!stored)
      return;
    auto from = cast<RankedTensorType>(argument.getType());
    RankedTensorType type = from.clone(stored.getValue());
    replaceConstants(callers, index, type, {});
    argument.setType(type);
    setTypes(kernel);
  }

  void replaceConstants(ArrayRef<plan::TaskOp> callers, unsigned index,
                        RankedTensorType type, const Packing &packing) {
    for (plan::TaskOp task : callers) {
      auto constant =
          task->getOperand(index).getDefiningOp<graph::ConstantOp>();
      Value &packed = made[{constant.getAsOpaquePointer(),
                            type.getAsOpaquePointer(), packing.key()}];
      if (!packed)
        packed = pack(constant, type, packing);
      task->setOperand(index, packed);
      replaced.insert(constant);
    }
  }

  /// The constant packed, beside it. Functions that have equal constants share
  /// the bytes of the packed one.
  Value pack(graph::ConstantOp constant, RankedTensorType type,
             const Packing &packing) {
    ElementsAttr &value = packs[{constant.getValue().getAsOpaquePointer(),
                                 type.getAsOpaquePointer(), packing.key()}];
    if (!value) {
      SmallVector<ElementsAttr> packed;
      for (ElementsAttr part : PartsAttr::of(constant.getValue()))
        packed.push_back(packBytes(part, type, packing));
      value = PartsAttr::replace(constant.getValue(), packed);
    }
    OpBuilder b(constant->getBlock(), std::next(constant->getIterator()));
    return b.create<graph::ConstantOp>(constant.getLoc(), type, value);
  }

  static ElementsAttr packBytes(ElementsAttr constant, RankedTensorType type,
                                const Packing &packing) {
    ArrayRef<char> from = *rawBytes(constant);
    kernel::WeightsSource source = packing.source;
    kernel::LayoutAttr layout = packing.layout;
    source.element = constant.getElementType();
    // Elements are narrowed first, unless the layout does it.
    std::vector<char> asFloat16;
    Type stored = layout ? layout.getFormat().elementOf(layout, source.element)
                         : source.element;
    if (auto float16 = dyn_cast<FloatType>(type.getElementType());
        float16 && float16 != stored) {
      asFloat16 = toFloat16(from, float16);
      from = asFloat16;
      source.element = float16;
    }
    int64_t bytes = source.element.getIntOrFloatBitWidth() / 8;
    std::vector<char> spread;
    auto dense = dyn_cast<DenseElementsAttr>(constant);
    if (dense && dense.isSplat()) {
      for (int64_t i = 0; i < dense.getNumElements(); ++i)
        spread.insert(spread.end(), from.begin(), from.begin() + bytes);
      from = spread;
    }
    AsmResourceBlob blob = HeapAsmResourceBlob::allocate(
        type.getNumElements() * (type.getElementTypeBitWidth() / 8),
        /*align=*/64);
    char *to = blob.getMutableData().data();
    std::memset(to, 0, blob.getData().size());
    source.data = from.data();
    if (layout)
      layout.getFormat().pack(layout, source, to);
    else
      std::memcpy(to, from.data(), from.size());
    return DenseResourceElementsAttr::get(type, "packed", std::move(blob));
  }

  static SmallVector<DenseResourceElementsAttr, 1>
  resourcesOf(graph::ConstantOp constant) {
    SmallVector<DenseResourceElementsAttr, 1> resources;
    for (ElementsAttr part : PartsAttr::of(constant.getValue()))
      if (auto resource = dyn_cast<DenseResourceElementsAttr>(part))
        resources.push_back(resource);
    return resources;
  }

  /// Frees the bytes of constants that nothing names any more: the unpacked
  /// weights are as large as the packed ones.
  static void freeUnused(ModuleOp module,
                         ArrayRef<DenseResourceElementsAttr> gone) {
    llvm::DenseSet<void *> used;
    module.walk([&](graph::ConstantOp op) {
      for (DenseResourceElementsAttr resource : resourcesOf(op))
        used.insert(resource.getRawHandle().getResource());
    });
    for (DenseResourceElementsAttr resource : gone)
      if (!used.contains(resource.getRawHandle().getResource()))
        resource.getRawHandle().getResource()->setBlob(AsmResourceBlob());
  }

  using Key = std::tuple<const void *, const void *, Packing::Key>;
  std::map<Key, Value> made;         // of a constant op
  std::map<Key, ElementsAttr> packs; // of a constant's value
  llvm::SetVector<graph::ConstantOp> replaced;
};

} // namespace
} // namespace weir::lower
