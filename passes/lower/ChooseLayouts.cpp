// Chooses how the weights of kernels lie in memory: #kernel.layout on each pack
// and on the kernel that reads it.
//
// The decisions follow each other. First the kernel alone decides, between
// plain weights, panels and the K-major layout. Then constants that only few
// rows meet get narrower panels. Then each constant may get a layout of the
// processor's dot products or tiles, or that of inner-product pairing; last, so
// may what each run packs.

#include "passes/lower/Passes.h"
#include "passes/lower/layouts/AmxLayouts.h"
#include "passes/lower/layouts/Constants.h"
#include "passes/lower/layouts/PairingLayouts.h"
#include "passes/lower/layouts/PanelWidths.h"
#include "passes/lower/layouts/VnniLayouts.h"

#include "dialects/graph/packed/Float16Constants.h"
#include "dialects/kernel/layouts/Pairing.h"
#include "dialects/weir/Attributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace weir::lower {
#define GEN_PASS_DEF_CHOOSELAYOUTS
#include "passes/lower/Passes.h.inc"

#define DEBUG_TYPE "weir-choose-layouts"

namespace {

struct ChooseLayouts : impl::ChooseLayoutsBase<ChooseLayouts> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    weightsBytes = 0;
    compiled.clear();
    SmallVector<kernel::PackOpInterface> packs;
    module.walk([&](kernel::PackOpInterface pack) {
      kernel::LayoutAttr layout = pack.getLayout();
      if (pack->getNumResults() == 1 &&
          (layout.isPlain() || layout.isWinograd()))
        packs.push_back(pack);
    });
    for (kernel::PackOpInterface pack : packs)
      choosePanels(pack);
    narrowPanels(module);
    countWeights(module);
    forEachKernel(module,
                  [&](func::FuncOp kernel, ArrayRef<plan::TaskOp> callers) {
                    for (BlockArgument argument : kernel.getArguments())
                      if (argument.hasOneUse())
                        chooseForConstant(kernel, argument, callers);
                  });
    attrs::weightsLeft.remove(module);
    for (auto kernel : module.getOps<func::FuncOp>())
      chooseAtRun(kernel);
    LLVM_DEBUG(module.walk([](kernel::PackOpInterface pack) {
      llvm::dbgs() << pack.getLayout() << " for " << pack.getSource().rows()
                   << " x " << pack.getSource().columns << "\n";
    }));
  }

private:
  using Constants = SmallVector<graph::ConstantOp>;

  /// Counts the weights that kernels use: constants from before a folding may
  /// remain until the next canonicalization.
  void countWeights(ModuleOp module) {
    llvm::DenseSet<Attribute> counted;
    module.walk([&](graph::ConstantOp constant) {
      ShapedType type = constant.getType();
      if (!constant->use_empty() && counted.insert(constant.getValue()).second)
        weightsBytes += type.getNumElements() *
                        llvm::divideCeil(type.getElementTypeBitWidth(), 8);
    });
  }

  void chooseForConstant(func::FuncOp kernel, BlockArgument argument,
                         ArrayRef<plan::TaskOp> callers) {
    Operation *user = *argument.user_begin();
    std::optional<Constants> constants = constantsFor(argument, callers);
    auto pack = dyn_cast<kernel::PackOpInterface>(user);
    if (isa<kernel::TransformFilterOp>(user) || !constants)
      return;
    if (!pack) {
      if (kernel::PackOpInterface packed = packDepthwise(user))
        compiled.insert(packed);
      return;
    }
    if (pack->getOperand(0) != argument || pack->getNumResults() != 1)
      return;
    unsigned index = argument.getArgNumber();
    TypeAttr stored = attrs::storedAs.removeFromArgument(kernel, index);
    auto half = stored ? dyn_cast<FloatType>(stored.getValue()) : FloatType();
    bool withoutPairing =
        bool(attrs::withoutPairing.removeFromArgument(kernel, index));
    if (std::optional<kernel::LayoutAttr> dots = vnniLayoutOf(pack))
      pack = repack(pack, *dots);
    else if (half)
      pack = repack(pack, pack.getLayout(), half);
    else if (std::optional<kernel::LayoutAttr> tiles =
                 amxLayoutOf(pack, *constants))
      pack = repack(pack, *tiles);
    else if (!withoutPairing && isWorthPairing(pack, /*isConstant=*/true) &&
             llvm::all_of(*constants, [&](graph::ConstantOp constant) {
               return suits(constant, pack.getSource());
             }))
      pack = pairConstant(pack);
    compiled.insert(pack);
  }

  std::optional<kernel::LayoutAttr> amxLayoutOf(kernel::PackOpInterface pack,
                                                const Constants &constants) {
    int64_t split = splitForTiles(pack);
    if (!split)
      return std::nullopt;
    kernel::WeightsSource weights = pack.getSource();
    WeightRange range;
    for (graph::ConstantOp constant : constants)
      for (ElementsAttr part : PartsAttr::of(constant.getValue()))
        range.add(*rawBytes(part), weights.element);
    auto numbers = range.numbers(weights.rows(), weights.element, split);
    if (!numbers)
      return std::nullopt;
    auto tiles = kernel::LayoutAttr::get(
        &getContext(), kernel::LayoutKind::AmxTiles, *numbers);
    if (!weights.element.isF32())
      return tiles;
    kernel::ConvolutionOp convolution = convolutionOf(pack);
    Value out = convolution ? convolution.getOut() : productOf(pack).getOut();
    return splitsBefore(rowsOf(out), weightsBytes, kernel::Target::of(pack)) &&
                   hasRoom(tiles, weights, int64_t(constants.size()))
               ? tiles
               : kernel::LayoutAttr::get(
                     &getContext(), kernel::LayoutKind::AmxPanels, *numbers);
  }

  /// Whether the budget has room for the packed weights, which may be larger
  /// than those of the model; the additional bytes are then taken.
  bool hasRoom(kernel::LayoutAttr layout, const kernel::WeightsSource &weights,
               int64_t constants) {
    auto left = attrs::weightsLeft.of(getOperation());
    if (!left)
      return true;
    const kernel::LayoutFormat &format = layout.getFormat();
    auto bytesOf = [](Type element) -> int64_t {
      return element.getIntOrFloatBitWidth() / 8;
    };
    int64_t packed =
        ShapedType::getNumElements(format.shapeOf(layout, weights)) *
        bytesOf(format.elementOf(layout, weights.element));
    int64_t given = weights.rows() * weights.columns * bytesOf(weights.element);
    int64_t more = (packed - given) * constants;
    if (more > left.getInt())
      return false;
    attrs::weightsLeft.set(getOperation(),
                           left.getInt() - std::max<int64_t>(more, 0));
    return true;
  }

  static bool suits(graph::ConstantOp constant, kernel::WeightsSource weights) {
    return llvm::all_of(
        PartsAttr::of(constant.getValue()), [&](ElementsAttr part) {
          ArrayRef<char> bytes = *rawBytes(part);
          weights.data = bytes.data();
          bool isSplat =
              bytes.size() != weights.rows() * weights.columns * sizeof(float);
          return !isSplat && suitsPairing(weights);
        });
  }

  void chooseAtRun(func::FuncOp kernel) {
    SmallVector<kernel::PackOp> packs;
    kernel.walk([&](kernel::PackOp pack) {
      auto any = cast<kernel::PackOpInterface>(pack.getOperation());
      if (!compiled.contains(pack) && !pack.getLayout().isPairing() &&
          pack->getNumResults() == 1 && pack.getSource().batches.empty() &&
          isWorthPairing(any, /*isConstant=*/false))
        packs.push_back(pack);
    });
    for (kernel::PackOp pack : packs)
      pairAtRun(pack);
  }

  int64_t weightsBytes = 0;                    // of all constants
  llvm::SmallPtrSet<Operation *, 16> compiled; // packs of constants
};

} // namespace
} // namespace weir::lower
