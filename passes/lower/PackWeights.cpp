// Constants that kernels pack are packed at compile time.
//
// A kernel that packs an argument takes it packed instead, where each task that
// runs the kernel gives it a constant.

#include "passes/lower/PairWeights.h"
#include "passes/lower/Passes.h"
#include "passes/lower/TileWeights.h"
#include "passes/lower/WordWeights.h"

#include "dialects/graph/Graph.h"
#include "dialects/kernel/Kernel.h"
#include "dialects/plan/Plan.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include <array>
#include <map>

using namespace mlir;

namespace weir {
#define GEN_PASS_DEF_PACKWEIGHTS
#include "passes/lower/Passes.h.inc"

namespace {

// How a matrix of bytes lies in memory and in panels: `batches` times, element
// (k, n) of group g is at `k * depthStride + (g * columns + n) * columnStride`.
struct Packing {
  int64_t batches, groups, depth, columns, depthStride, columnStride, width;
  // For kernel.winograd.
  std::optional<kernel::MinimalWindow> window = {};
  int64_t tileParts = 0;          // of each element, in tiles; 0: panels
  SmallVector<int64_t> taps = {}; // of a filter in tiles
  std::optional<WordPacking> words = {};
  bool paired = false;

  PairPacking pairs() const {
    return {depth, columns, depthStride, columnStride};
  }

  TilePacking tiles() const {
    int64_t channels = depth;
    for (int64_t size : taps)
      channels /= size;
    return {depth, columns, depthStride, columnStride, channels, tileParts};
  }

  static Packing of(kernel::PackOp op) {
    auto from = cast<ShapedType>(op.getB().getType());
    auto to = cast<ShapedType>(op.getOut().getType());
    ArrayRef<int64_t> matrix = from.getShape().take_back(2);
    bool t = op.getTransposeB();
    int64_t batches = 1;
    for (int64_t size : from.getShape().drop_back(2))
      batches *= size;
    return {batches,
            1,
            matrix[t],
            matrix[!t],
            t ? 1 : matrix[1],
            t ? matrix[1] : 1,
            to.getShape().back()};
  }

  static Packing of(kernel::PackFilterOp op) {
    auto from = cast<ShapedType>(op.getFilter().getType());
    auto to = cast<ShapedType>(op.getOut().getType());
    int64_t outputs = from.getShape().back(), groups = op.getGroups();
    return {1,
            groups,
            from.getNumElements() / outputs,
            outputs / groups,
            outputs,
            1,
            to.getShape().back()};
  }

  static Packing of(kernel::TransformFilterOp transform) {
    auto from = cast<ShapedType>(transform.getFilter().getType());
    auto to = cast<ShapedType>(transform.getOut().getType());
    int64_t outputs = from.getDimSize(3);
    return {1,       1, from.getDimSize(2), outputs,
            outputs, 1, to.getDimSize(3),   transform.getWindow()};
  }

  /// The taps of each product and their factors, by its place.
  using Taps = SmallVector<std::pair<int64_t, double>>;
  std::vector<Taps> tapsOfProducts() const {
    std::vector<Taps> taps(window->products());
    auto place = window->productPlace.begin();
    for (const auto &down : window->y.products)
      for (const auto &across : window->x.products) {
        Taps &these = taps[*place++];
        for (auto [y, a] : llvm::enumerate(down.taps))
          for (auto [x, b] : llvm::enumerate(across.taps))
            if (a * b != 0)
              these.push_back({y * window->x.window + x, a * b});
      }
    return taps;
  }

  /// Each sum of taps, computed in double and rounded once.
  void transform(const float *from, float *to) const {
    std::vector<Taps> products = tapsOfProducts();
    std::vector<double> sums(width);
    for (int64_t first = 0; first < columns; first += width)
      for (const Taps &taps : products)
        for (int64_t k = 0; k < depth; ++k, to += width) {
          int64_t valid = std::min(width, columns - first);
          std::fill(sums.begin(), sums.end(), 0);
          for (auto [tap, factor] : taps) {
            const float *row = from + (tap * depth + k) * columns + first;
            for (int64_t n = 0; n < valid; ++n)
              sums[n] += factor * row[n];
          }
          for (int64_t n = 0; n < valid; ++n)
            to[n] = static_cast<float>(sums[n]);
        }
  }

  /// What tells packings of one constant to one type apart.
  using Key = std::array<int64_t, 12>;
  Key key() const {
    Key key = {batches,     groups,       depth, columns,
               depthStride, columnStride, width, tileParts};
    if (window) {
      key[8] = window->y.results, key[9] = window->y.stride;
      key[10] = window->x.results, key[11] = window->x.stride;
    }
    return key;
  }

  /// `to` is zero before.
  void run(const char *from, char *to, Type element) const {
    if (window)
      return transform(reinterpret_cast<const float *>(from),
                       reinterpret_cast<float *>(to));
    if (words)
      return words->run(from, to);
    if (tileParts)
      return tiles().run(from, element, to);
    if (paired)
      return pairs().run(reinterpret_cast<const float *>(from),
                         reinterpret_cast<float *>(to));
    int64_t bytes = element.getIntOrFloatBitWidth() / 8;
    int64_t panels = (columns + width - 1) / width;
    for (int64_t batch = 0; batch < batches; ++batch) {
      for (int64_t g = 0; g < groups; ++g)
        for (int64_t j = 0; j < panels; ++j) {
          int64_t valid = std::min(width, columns - j * width);
          for (int64_t k = 0; k < depth; ++k, to += width * bytes) {
            const char *row =
                from +
                (k * depthStride + (g * columns + j * width) * columnStride) *
                    bytes;
            if (columnStride == 1)
              std::memcpy(to, row, valid * bytes);
            else
              for (int64_t n = 0; n < valid; ++n)
                std::memcpy(to + n * bytes, row + n * columnStride * bytes,
                            bytes);
          }
        }
      from += depth * columns * groups * bytes;
    }
  }
};

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
          kernel && !kernel->hasAttr("weir.gemm") &&
          !kernel->hasAttr("weir.attention"))
        for (BlockArgument argument : kernel.getArguments())
          if (argument.hasOneUse())
            packArgument(kernel, argument, callers);
    bool keeps = module->hasAttr("weir.keeps_constants");
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
    auto type = dyn_cast<RankedTensorType>(user->getResult(0).getType());
    if (!type || user->getOperand(0) != argument)
      return;
    packing.words = WordPacking::of(user);
    int64_t parts = packing.words ? 0 : partsInTiles(user);
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
      packing.tileParts = inPanels ? 0 : parts;
      type =
          tiledType(type, argument.getType(), convolution != nullptr, packing);
    }
    if (packing.words)
      type = packing.words->type();
    packing.paired = !packing.words && !tiled &&
                     isWorthPairing(user, /*isConstant=*/true) &&
                     llvm::all_of(callers, [&](plan::TaskOp task) {
                       return suitsPairs(constantOf(task), packing.pairs());
                     });
    if (packing.paired)
      type = packing.pairs().type(type.getElementType());

    for (plan::TaskOp task : callers) {
      graph::ConstantOp constant = constantOf(task);
      Value &packed = made[{constant.getAsOpaquePointer(),
                            type.getAsOpaquePointer(), packing.key()}];
      if (!packed)
        packed = pack(constant, type, packing);
      task->setOperand(index, packed);
      replaced.insert(constant);
    }
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
      user->getResult(0).replaceAllUsesWith(argument);
    }
    user->erase();
    kernel.setType(FunctionType::get(kernel.getContext(),
                                     kernel.getBody().getArgumentTypes(),
                                     kernel.getResultTypes()));
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

  /// The raw bytes of a constant, where it has them; a splat has one element.
  static std::optional<ArrayRef<char>> bytesOf(graph::ConstantOp constant) {
    if (constant.getValue().getElementType().isInteger(1))
      return std::nullopt;
    if (auto dense = dyn_cast<DenseElementsAttr>(constant.getValue()))
      return dense.getRawData();
    if (auto resource =
            dyn_cast<DenseResourceElementsAttr>(constant.getValue()))
      if (AsmResourceBlob *blob = resource.getRawHandle().getBlob())
        if (int64_t(blob->getData().size()) ==
            resource.getType().getNumElements() *
                (resource.getType().getElementTypeBitWidth() / 8))
          return blob->getData();
    return std::nullopt;
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
