// Computes the first layers of an image model for a few images of a batch at a
// time.
//
// There activations are large and filters are small: the results for a whole
// batch would leave the caches before the next layer reads them. In later
// layers filters are larger than activations, and the whole batch reads each
// filter once.

#include "passes/fuse/Passes.h"

#include "dialects/graph/Elements.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Neural.h"
#include "dialects/graph/Shape.h"
#include "dialects/kernel/Target.h"
#include "dialects/weir/Attributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/Debug.h"

#define DEBUG_TYPE "weir-split-batches"

using namespace mlir;

namespace weir::fuse {
#define GEN_PASS_DEF_SPLITBATCHES
#include "passes/fuse/Passes.h.inc"

namespace {

/// A result of so many times the size of L2 does not stay in the caches.
constexpr int64_t large = 8;
/// In units of L2, the part of the last cache that one core certainly has.
constexpr int64_t part = 4;
/// The limit of parts; each is a set of tasks to compile.
constexpr int64_t maxParts = 16;
/// A shorter chain of layers gains nothing.
constexpr int64_t minLayers = 2;
/// At most so many results may be needed for the whole batch, and concatenated.
constexpr size_t mostWhole = 2;

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

RankedTensorType ofImages(RankedTensorType type, int64_t images) {
  SmallVector<int64_t> shape(type.getShape());
  shape.front() = images;
  return type.clone(shape);
}

/// Ops each of which computes an image of its results from the same image of
/// its operands.
class Batch {
public:
  Batch(Block &block, int64_t images, const kernel::Target &target)
      : block(block), images(images), target(target) {
    for (BlockArgument argument : block.getArguments())
      if (hasImages(argument.getType()))
        batches.insert(argument);
    for (Operation &op : block)
      if (isByImages(&op)) {
        ops.insert(&op);
        batches.insert(op.getResult(0));
      }
    keepThoseNearLarge();
    keepThoseBeforeUses();
  }

  /// Whether computing a few images at a time is profitable.
  bool gains() {
    int64_t layers = llvm::count_if(
        ops, [](Operation *op) { return isa<graph::ConvolutionOp>(op); });
    return layers >= minLayers && whole().size() <= mostWhole && firstUse &&
           imagesAtOnce() < images;
  }

  void split() {
    OpBuilder b(firstUse);
    SmallVector<Value> results = whole();
    SmallVector<SmallVector<Value>> parts(results.size());
    int64_t some = imagesAtOnce();
    for (int64_t first = 0; first < images; first += some) {
      IRMapping mapping;
      for (Operation *op : ops)
        clone(b, op, mapping, first, some);
      for (auto [all, result] : llvm::zip_equal(parts, results))
        all.push_back(mapping.lookup(result));
    }
    for (auto [all, result] : llvm::zip_equal(parts, results)) {
      Value joined = b.create<graph::ConcatOp>(result.getLoc(), all, 0);
      result.replaceUsesWithIf(joined, [&](OpOperand &use) {
        return !ops.contains(use.getOwner());
      });
    }
    for (Operation *op : llvm::reverse(ops.getArrayRef())) {
      // An op may read a value twice; it counts once.
      llvm::SmallSetVector<Value, 4> operands(op->operand_begin(),
                                              op->operand_end());
      op->erase();
      for (Value operand : operands)
        if (auto broadcast = operand.getDefiningOp<graph::BroadcastOp>())
          if (broadcast->use_empty())
            broadcast->erase();
    }
  }

private:
  bool hasImages(Type type) const {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape() && tensor.getRank() >= 2 &&
           tensor.getDimSize(0) == images;
  }

  bool isBatch(Value value) const { return batches.contains(value); }

  /// Whether the value is the same for each image.
  bool isRepeated(Value value) const {
    if (auto broadcast = value.getDefiningOp<graph::BroadcastOp>()) {
      auto dims = llvm::zip_equal(typeOf(broadcast.getX()).getShape(),
                                  broadcast.getDims());
      return !isBatch(broadcast.getX()) && llvm::none_of(dims, [](auto dim) {
        return std::get<1>(dim) == 0 && std::get<0>(dim) != 1;
      });
    }
    DenseElementsAttr elements;
    return matchPattern(value, m_Constant(&elements)) && elements.isSplat() &&
           elements.getNumElements() > 0;
  }

  bool isByImages(Operation *op) const {
    if (op->getNumResults() != 1 || op->getNumRegions() != 0 ||
        op->getNumOperands() == 0 || !hasImages(op->getResult(0).getType()))
      return false;
    if (isa<graph::ScalarOpInterface>(op))
      return llvm::any_of(op->getOperands(),
                          [&](Value operand) { return isBatch(operand); }) &&
             llvm::all_of(op->getOperands(), [&](Value operand) {
               return hasImages(operand.getType()) &&
                      (isBatch(operand) || isRepeated(operand));
             });
    if (auto concat = dyn_cast<graph::ConcatOp>(op))
      return concat.getAxis() != 0 &&
             llvm::all_of(op->getOperands(),
                          [&](Value operand) { return isBatch(operand); });
    if (!isBatch(op->getOperand(0)))
      return false;
    if (auto convolution = dyn_cast<graph::ConvolutionOp>(op)) {
      Value filter = convolution.getFilter();
      return !isBatch(filter) &&
             graph::tensorBytes(filter.getType()) <= target.l2;
    }
    if (auto slice = dyn_cast<graph::SliceOp>(op))
      return slice.getStarts()[0] == 0 && slice.getLimits()[0] == images &&
             slice.getStrides()[0] == 1;
    if (auto pad = dyn_cast<graph::PadOp>(op))
      return pad.getLow()[0] == 0 && pad.getHigh()[0] == 0 &&
             pad.getInterior()[0] == 0 && !isBatch(pad.getValue());
    if (auto transpose = dyn_cast<graph::TransposeOp>(op))
      return transpose.getPermutation()[0] == 0;
    return isa<graph::PoolMaxOp, graph::PoolAverageOp, graph::ReshapeOp>(op);
  }

  bool isLarge(Value value) const {
    return isBatch(value) &&
           graph::tensorBytes(value.getType()) > large * target.l2;
  }

  /// Keeps the ops that read or write large results, and the ops between them.
  void keepThoseNearLarge() {
    llvm::SmallPtrSet<Operation *, 32> kept;
    for (Operation *op : llvm::reverse(ops.getArrayRef()))
      if (isLarge(op->getResult(0)) ||
          llvm::any_of(op->getOperands(),
                       [&](Value operand) { return isLarge(operand); }) ||
          llvm::any_of(op->getUsers(),
                       [&](Operation *user) { return kept.contains(user); }))
        kept.insert(op);
    ops.remove_if([&](Operation *op) { return !kept.contains(op); });
  }

  /// Removes ops after the first use of a result elsewhere, which would have to
  /// wait for them.
  void keepThoseBeforeUses() {
    for (Operation *op : ops)
      for (Operation *user : op->getUsers()) {
        Operation *use = block.findAncestorOpInBlock(*user);
        if (!ops.contains(use) && (!firstUse || use->isBeforeInBlock(firstUse)))
          firstUse = use;
      }
    ops.remove_if([&](Operation *op) {
      return firstUse && firstUse->isBeforeInBlock(op);
    });
  }

  /// The results with users elsewhere.
  SmallVector<Value> whole() const {
    SmallVector<Value> values;
    for (Operation *op : ops)
      if (llvm::any_of(op->getUsers(),
                       [&](Operation *user) { return !ops.contains(user); }))
        values.push_back(op->getResult(0));
    return values;
  }

  /// The number of images at a time. It divides the batch, and no result is too
  /// large for the caches; at least one.
  int64_t imagesAtOnce() const {
    int64_t largest = 1, some = 1;
    for (Operation *op : ops)
      largest =
          std::max(largest, graph::tensorBytes(op->getResult(0).getType()));
    for (int64_t count = 1; count <= images; ++count) {
      bool fits = largest / images * count <= part * target.l2;
      if (images % count == 0 && (fits || some < images / maxParts))
        some = count;
    }
    return some;
  }

  void clone(OpBuilder &b, Operation *op, IRMapping &mapping, int64_t first,
             int64_t some) {
    for (Value operand : op->getOperands())
      if (isBatch(operand) && !mapping.contains(operand))
        mapping.map(operand, slice(b, operand, first, some));
    IRMapping own(mapping);
    if (isa<graph::ScalarOpInterface>(op))
      for (Value operand : op->getOperands())
        if (!isBatch(operand))
          own.map(operand, repeated(b, operand, some));
    Operation *made = b.clone(*op, own);
    Value result = made->getResult(0);
    result.setType(ofImages(typeOf(result), some));
    mapping.map(op->getResult(0), result);
    if (auto slice = dyn_cast<graph::SliceOp>(made)) {
      SmallVector<int64_t> limits(slice.getLimits());
      limits[0] = some;
      slice.setLimits(limits);
    }
  }

  static Value slice(OpBuilder &b, Value value, int64_t first, int64_t some) {
    SmallVector<int64_t> limits(typeOf(value).getShape());
    SmallVector<int64_t> starts(limits.size(), 0), strides(limits.size(), 1);
    starts[0] = first;
    limits[0] = first + some;
    return b.create<graph::SliceOp>(value.getLoc(), value, starts, limits,
                                    strides);
  }

  static Value repeated(OpBuilder &b, Value value, int64_t some) {
    RankedTensorType type = ofImages(typeOf(value), some);
    if (auto broadcast = value.getDefiningOp<graph::BroadcastOp>())
      return b.create<graph::BroadcastOp>(
          value.getLoc(), type, broadcast.getX(), broadcast.getDims());
    DenseElementsAttr elements;
    matchPattern(value, m_Constant(&elements));
    return b.create<graph::ConstantOp>(value.getLoc(),
                                       elements.resizeSplat(type));
  }

  Block &block;
  int64_t images;
  const kernel::Target &target;
  llvm::SetVector<Operation *> ops;
  llvm::DenseSet<Value> batches; // arguments, and results of the ops
  Operation *firstUse = nullptr; // the first other op that uses a result
};

struct SplitBatches : impl::SplitBatchesBase<SplitBatches> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    auto module = function->getParentOfType<ModuleOp>();
    if (!attrs::entry.isOn(function) || attrs::gpu.isOn(module))
      return;
    auto target = kernel::Target::of(function);
    llvm::SmallSetVector<int64_t, 4> sizes;
    for (Type type : function.getArgumentTypes())
      if (auto tensor = dyn_cast<RankedTensorType>(type))
        if (tensor.getRank() >= 2 && tensor.getDimSize(0) > 1)
          sizes.insert(tensor.getDimSize(0));
    for (int64_t images : sizes) {
      Batch batch(function.getBody().front(), images, target);
      if (!batch.gains())
        continue;
      LLVM_DEBUG(llvm::dbgs() << "splits batches of " << images << " images in "
                              << function.getName() << "\n");
      batch.split();
    }
  }
};

} // namespace
} // namespace weir::fuse
