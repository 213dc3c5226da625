// Constants that kernels pack are packed at compile time.
//
// A kernel that packs an argument takes it packed instead, where each task that
// runs the kernel gives it a constant.

#include "passes/lower/Passes.h"
#include "passes/lower/weights/Packing.h"
#include "passes/lower/weights/TileWeights.h"

#include "dialects/graph/Graph.h"
#include "dialects/graph/packed/HalfConstants.h"
#include "dialects/kernel/Kernel.h"
#include "dialects/plan/Plan.h"
#include "dialects/weir/Attributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include <map>

using namespace mlir;

namespace weir {
#define GEN_PASS_DEF_PACKWEIGHTS
#include "passes/lower/Passes.h.inc"

namespace {

struct PackWeights : impl::PackWeightsBase<PackWeights> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    llvm::DenseSet<Attribute> counted;
    module.walk([&](graph::ConstantOp constant) {
      ShapedType type = constant.getType();
      if (counted.insert(constant.getValue()).second)
        weightsBytes += type.getNumElements() *
                        llvm::divideCeil(type.getElementTypeBitWidth(), 8);
    });
    for (auto &[name, callers] : plan::tasksOfKernels(module))
      if (auto kernel = module.lookupSymbol<func::FuncOp>(name);
          kernel && !attrs::gemm.isOn(kernel) && !attrs::attention.isOn(kernel))
        for (BlockArgument argument : kernel.getArguments())
          if (argument.hasOneUse())
            packArgument(kernel, argument, callers);
    attrs::weightsLeft.remove(module);
    bool keeps = attrs::keepsConstants.isOn(module);
    SmallVector<DenseResourceElementsAttr> gone;
    for (graph::ConstantOp constant : replaced)
      if (constant->use_empty()) {
        if (auto bytes =
                dyn_cast<DenseResourceElementsAttr>(constant.getValue()))
          gone.push_back(bytes);
        constant->erase();
      }
    if (!keeps)
      freeUnused(module, gone);
  }

private:
  void packArgument(func::FuncOp kernel, BlockArgument argument,
                    ArrayRef<plan::TaskOp> callers) {
    Operation *user = *argument.getUsers().begin();
    Packing packing = {};
    if (auto pack = dyn_cast<kernel::PackOp>(user))
      packing = Packing::of(pack);
    else if (auto pack = dyn_cast<kernel::PackFilterOp>(user))
      packing = Packing::of(pack);
    else if (auto transform = dyn_cast<kernel::TransformFilterOp>(user))
      packing = Packing::of(transform);
    else if (!isa<tensor::CollapseShapeOp>(user) || !WordPacking::of(user))
      return;
    auto transform = dyn_cast<kernel::TransformFilterOp>(user);
    if (transform && transform.getAtRun())
      return storeAsHalves(kernel, argument, callers);
    auto type = dyn_cast<RankedTensorType>(user->getResult(0).getType());
    if (!type || user->getOperand(0) != argument)
      return;
    packing.words = WordPacking::of(user);
    FloatType half = storedType(kernel, argument);
    int64_t parts = packing.words || half ? 0 : partsInTiles(user);
    unsigned index = argument.getArgNumber();
    auto constantOf = [&](plan::TaskOp task) {
      return task->getOperand(index).getDefiningOp<graph::ConstantOp>();
    };
    for (plan::TaskOp task : callers)
      if (!constantOf(task) || !bytesOf(constantOf(task)) ||
          constantOf(task).getType() != argument.getType())
        return;
    WeightRange range;
    if (parts)
      for (plan::TaskOp task : callers)
        range.add(*bytesOf(constantOf(task)), type.getElementType());
    auto bounds = range.bounds(packing.depth, type.getElementType());
    bool tiled = parts && bounds;
    kernel::ConvolutionOp convolution = convolutionOf(user);
    if (tiled) {
      Value out = convolution ? convolution.getOut() : productOf(user).getOut();
      bool inPanels =
          type.getElementType().isF32() &&
          !areApart(rowsOf(out), weightsBytes, kernel::Target::of(user));
      Packing apart = packing;
      apart.tileParts = parts;
      RankedTensorType tiles =
          tiledType(type, argument.getType(), convolution != nullptr, apart);
      packing.tileParts = parts;
      if (inPanels || !hasRoom(tiles, argument.getType(), callers.size()))
        packing.tileParts = 0;
      type = packing.tileParts ? tiles
                               : tiledType(type, argument.getType(),
                                           convolution != nullptr, packing);
      packing = packing.tileParts ? apart : packing;
    }
    if (packing.words)
      type = packing.words->type();
    if (half)
      type = type.clone(half);
    bool unpaired = bool(
        attrs::unpaired.removeFromArgument(kernel, argument.getArgNumber()));
    packing.paired = !packing.words && !tiled && !half && !unpaired &&
                     isWorthPairing(user, /*isConstant=*/true) &&
                     llvm::all_of(callers, [&](plan::TaskOp task) {
                       return suitsPairs(constantOf(task), packing.pairs());
                     });
    if (packing.paired)
      type = packing.pairs().type(type.getElementType());

    replaceConstants(callers, index, type, packing);
    argument.setType(type);
    if (packing.words) {
      packing.words->give(user, argument);
    } else if (packing.paired) {
      pair(user, argument);
    } else if (tiled && convolution) {
      convolution.getFilterMutable().assign(argument);
      convolution.setRange(ArrayRef<int32_t>{bounds->first, bounds->second});
      if (parts > 1)
        convolution.setParts(parts);
    } else if (tiled) {
      kernel::MatmulOp product = productOf(user);
      Operation *between = product.getB().getDefiningOp();
      product.getBMutable().assign(argument);
      product.setRange(ArrayRef<int32_t>{bounds->first, bounds->second});
      if (parts > 1)
        product.setParts(parts);
      if (between != user)
        between->erase();
    } else {
      for (Operation *reader : user->getResult(0).getUsers())
        if (auto flat = dyn_cast<tensor::CollapseShapeOp>(reader))
          flat.getResult().setType(
              flat.getResultType().clone(type.getElementType()));
      user->getResult(0).replaceAllUsesWith(argument);
    }
    user->erase();
    setTypes(kernel);
  }

  static void setTypes(func::FuncOp kernel) {
    kernel.setType(FunctionType::get(kernel.getContext(),
                                     kernel.getBody().getArgumentTypes(),
                                     kernel.getResultTypes()));
  }

  /// The type of 16 bits that weir-fit-weights has chosen, or null.
  static FloatType storedType(func::FuncOp kernel, BlockArgument argument) {
    unsigned index = argument.getArgNumber();
    auto type = dyn_cast_or_null<TypeAttr>(
        attrs::storedAs.removeFromArgument(kernel, index));
    return type ? dyn_cast<FloatType>(type.getValue()) : FloatType();
  }

  /// A filter that each run transforms.
  void storeAsHalves(func::FuncOp kernel, BlockArgument argument,
                     ArrayRef<plan::TaskOp> callers) {
    FloatType half = storedType(kernel, argument);
    if (!half)
      return;
    unsigned index = argument.getArgNumber();
    RankedTensorType type = cast<RankedTensorType>(argument.getType());
    replaceConstants(callers, index, type.clone(half),
                     Packing::copy(type.getNumElements()));
    argument.setType(type.clone(half));
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

  /// Whether the budget has room for parts of f32, which are 1.5 times as
  /// large; these bytes are then taken.
  bool hasRoom(RankedTensorType tiles, Type plain, size_t constants) {
    auto left = attrs::weightsLeft.of(getOperation());
    auto from = cast<RankedTensorType>(plain);
    if (!left || !from.getElementType().isF32())
      return true;
    int64_t more = (tiles.getNumElements() * 2 - from.getNumElements() * 4) *
                   int64_t(constants);
    if (more > left.getInt())
      return false;
    Builder b(&getContext());
    attrs::weightsLeft.set(getOperation(),
                           left.getInt() - std::max<int64_t>(more, 0));
    return true;
  }

  /// The type of what tiles are to multiply, and `packing` as it is of that:
  /// panels are as wide as tiles are.
  static RankedTensorType tiledType(RankedTensorType panels, Type plain,
                                    bool isFilter, Packing &packing) {
    SmallVector<int64_t> taps;
    if (isFilter)
      taps = llvm::to_vector(cast<ShapedType>(plain).getShape().drop_back(2));
    if (packing.tileParts) {
      packing.taps = taps;
      return packing.tiles().type(panels.getElementType(), taps);
    }
    packing.width = WeightRange::panelWidth;
    int64_t depth = packing.depth;
    for (int64_t size : taps)
      depth /= size;
    SmallVector<int64_t> shape = {
        int64_t(llvm::divideCeil(packing.columns, packing.width))};
    shape.append(taps);
    shape.append({depth, packing.width});
    return panels.clone(shape);
  }

  static bool suitsPairs(graph::ConstantOp constant, const PairPacking &pairs) {
    ArrayRef<char> bytes = *bytesOf(constant);
    bool isSplat = bytes.size() != pairs.depth * pairs.columns * sizeof(float);
    return !isSplat &&
           pairs.suits(reinterpret_cast<const float *>(bytes.data()));
  }

  static std::optional<ArrayRef<char>> bytesOf(graph::ConstantOp constant) {
    return rawBytes(constant.getValue());
  }

  /// The constant packed, beside it. Functions that have equal constants share
  /// the bytes of the packed one.
  Value pack(graph::ConstantOp constant, RankedTensorType type,
             const Packing &packing) {
    DenseResourceElementsAttr &value =
        packs[{constant.getValue().getAsOpaquePointer(),
               type.getAsOpaquePointer(), packing.key()}];
    if (!value)
      value = packBytes(constant, type, packing);
    OpBuilder b(constant->getBlock(), std::next(constant->getIterator()));
    return b.create<graph::ConstantOp>(constant.getLoc(), type, value);
  }

  static DenseResourceElementsAttr packBytes(graph::ConstantOp constant,
                                             RankedTensorType type,
                                             const Packing &packing) {
    ArrayRef<char> from = *bytesOf(constant);
    Type element = constant.getType().getElementType();
    std::vector<char> halves;
    if (auto half = dyn_cast<FloatType>(type.getElementType());
        half && half.getWidth() == 16 && element.isF32() &&
        !packing.tileParts) {
      halves = toHalves(from, half);
      from = halves;
      element = half;
    }
    int64_t bytes = element.getIntOrFloatBitWidth() / 8;
    std::vector<char> spread;
    auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (dense && dense.isSplat()) {
      for (int64_t i = 0; i < dense.getNumElements(); ++i)
        spread.insert(spread.end(), from.begin(), from.begin() + bytes);
      from = spread;
    }
    AsmResourceBlob blob = HeapAsmResourceBlob::allocate(
        type.getNumElements() * (type.getElementTypeBitWidth() / 8),
        /*align=*/64);
    std::memset(blob.getMutableData().data(), 0, blob.getData().size());
    packing.run(from.data(), blob.getMutableData().data(), element);
    return DenseResourceElementsAttr::get(type, "packed", std::move(blob));
  }

  /// Frees the bytes of constants that nothing names any more: the unpacked
  /// weights are as large as the packed ones.
  static void freeUnused(ModuleOp module,
                         ArrayRef<DenseResourceElementsAttr> gone) {
    llvm::DenseSet<void *> used;
    module.walk([&](graph::ConstantOp op) {
      if (auto resource = dyn_cast<DenseResourceElementsAttr>(op.getValue()))
        used.insert(resource.getRawHandle().getResource());
    });
    for (DenseResourceElementsAttr resource : gone)
      if (!used.contains(resource.getRawHandle().getResource()))
        resource.getRawHandle().getResource()->setBlob(AsmResourceBlob());
  }

  using Key = std::tuple<const void *, const void *, Packing::Key>;
  std::map<Key, Value> made;                      // of a constant op
  std::map<Key, DenseResourceElementsAttr> packs; // of a constant's value
  llvm::SetVector<graph::ConstantOp> replaced;
  int64_t weightsBytes = 0; // of all constants
};

} // namespace
} // namespace weir
