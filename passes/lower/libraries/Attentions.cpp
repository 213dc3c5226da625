// Recognizes attentions that cuDNN computes.

#include "passes/lower/libraries/Libraries.h"

#include "dialects/kernel/Nests.h"
#include "dialects/kernel/attention/Attention.h"

#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;
using namespace weir::libraries;

namespace weir::lower {
namespace {

// Heads that the library has a way for.
constexpr int64_t headsBy = 8, maxOfHead = 256;
// What the library may use besides a number of each row.
constexpr int64_t workspaceBytes = 1 << 20, bytesOfRow = 4;

/// An argument or the result as its elements lie, in another order of
/// dimensions.
struct Lying {
  BlockArgument argument; // null: of the result
  SmallVector<int64_t> sizes, strides;

  explicit Lying(RankedTensorType type)
      : sizes(type.getShape()), strides(type.getRank(), 1) {
    for (int64_t i = type.getRank() - 1; i > 0; --i)
      strides[i - 1] = strides[i] * sizes[i];
  }

  /// Looks through copies to other orders of dimensions, and through packing.
  /// None if `value` is not based on an argument.
  static std::optional<Lying> of(Value value) {
    auto pack = value.getDefiningOp<kernel::PackOp>();
    Value memory = pack ? pack.getB() : value;
    SmallVector<AffineMap> turns;
    while (auto copy = memory.getDefiningOp<linalg::GenericOp>()) {
      std::optional<AffineMap> turn = kernel::permutationOf(copy);
      if (!turn)
        return std::nullopt;
      turns.push_back(*turn);
      memory = copy.getInputs()[0];
    }
    auto argument = dyn_cast<BlockArgument>(memory);
    if (!argument)
      return std::nullopt;
    Lying lying(cast<RankedTensorType>(memory.getType()));
    lying.argument = argument;
    for (AffineMap turn : llvm::reverse(turns))
      lying.turn(inversePermutation(turn));
    if (pack && pack.getTransposeB())
      lying.swapMatrix();
    return lying;
  }

  /// Gives the dimensions the order of the results of `order`.
  void turn(AffineMap order) {
    sizes = applyPermutationMap<int64_t>(order, sizes);
    strides = applyPermutationMap<int64_t>(order, strides);
  }

  void swapMatrix() {
    std::swap(sizes.end()[-1], sizes.end()[-2]);
    std::swap(strides.end()[-1], strides.end()[-2]);
  }

  /// Batch, heads and rows with their strides; dimensions that are not there
  /// have one element, as far from the next as all others are long.
  void widen() {
    while (sizes.size() < 4) {
      // A batch is heads of one: the rows of all others lie between them.
      size_t at = sizes.size() == 3 ? 1 : 0;
      int64_t all = 1;
      for (auto [size, stride] : llvm::zip_equal(sizes, strides))
        all = std::max(all, size * stride);
      sizes.insert(sizes.begin() + at, 1);
      strides.insert(strides.begin() + at, all);
    }
  }

  /// Whether the library takes rows that lie so.
  bool isInRows() const {
    return strides.back() == 1 && sizes.back() > 0 &&
           sizes.back() % headsBy == 0 && sizes.back() <= maxOfHead &&
           llvm::all_of(ArrayRef<int64_t>(strides).drop_back(),
                        [](int64_t stride) { return stride % headsBy == 0; });
  }

  DenseI64ArrayAttr strideAttr(Builder b) const {
    return b.getDenseI64ArrayAttr(ArrayRef<int64_t>(strides).drop_back());
  }
};

/// The value before it was rounded or widened: the library keeps f32 between
/// the operations.
Value beforeCasts(Value value) {
  while (isa_and_nonnull<arith::TruncFOp, arith::ExtFOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

/// The scalar function of the scores, if the library has it.
struct ScoreFunction {
  double scale = 1;
  std::optional<unsigned> mask; // the extra that is added

  static std::optional<ScoreFunction> of(kernel::AttentionOp op) {
    Block &function = op.getScores().front();
    ScoreFunction found;
    Value value = beforeCasts(function.getTerminator()->getOperand(0));
    if (auto add = value.getDefiningOp<arith::AddFOp>())
      value = found.takeMask(add);
    while (value && value != function.getArgument(0))
      value = found.takeScale(value);
    // The library has the scale as a float.
    if (!value || !std::isfinite(static_cast<float>(found.scale)) ||
        op.getScoreExtras().size() != (found.mask ? 1 : 0))
      return std::nullopt;
    return found;
  }

private:
  Value takeMask(arith::AddFOp add) {
    for (unsigned i : {1, 0})
      if (auto extra = dyn_cast<BlockArgument>(beforeCasts(add->getOperand(i)));
          extra && extra.getArgNumber() > 0) {
        mask = extra.getArgNumber() - 1;
        return beforeCasts(add->getOperand(1 - i));
      }
    return {};
  }

  Value takeScale(Value value) {
    Operation *op = value.getDefiningOp();
    if (!isa_and_nonnull<arith::MulFOp, arith::DivFOp>(op))
      return {};
    bool divides = isa<arith::DivFOp>(op);
    FloatAttr number;
    for (unsigned i : {1, 0})
      if (matchPattern(op->getOperand(i), m_Constant(&number)) &&
          (i == 1 || !divides)) {
        double factor = number.getValueAsDouble();
        scale = divides ? scale / factor : scale * factor;
        return beforeCasts(op->getOperand(1 - i));
      }
    return {};
  }
};

/// Whether the region stores its first argument, rounded or not.
bool isPlain(Region &function) {
  return beforeCasts(function.front().getTerminator()->getOperand(0)) ==
         function.front().getArgument(0);
}

/// The attention that is all of the kernel but for copies; null if there is
/// none.
kernel::AttentionOp attentionIn(Value &result, Lying &out) {
  while (auto copy = result.getDefiningOp<linalg::GenericOp>()) {
    std::optional<AffineMap> turn = kernel::permutationOf(copy);
    if (!turn || !copy->hasOneUse())
      return nullptr;
    out.turn(*turn);
    result = copy.getInputs()[0];
  }
  return result.getDefiningOp<kernel::AttentionOp>();
}

/// The mask's argument, and the strides of its batches, heads and rows: 0 where
/// one element is for all. None: the library has no such mask.
std::optional<std::pair<BlockArgument, SmallVector<int64_t>>>
maskOf(kernel::AttentionOp op, unsigned extra) {
  auto argument = dyn_cast<BlockArgument>(op.getScoreExtras()[extra]);
  if (!argument || getElementTypeOrSelf(argument) != op.scoreType())
    return std::nullopt;
  AffineMap map = cast<AffineMapAttr>(op.getScoreMaps()[extra]).getValue();
  Lying from(cast<RankedTensorType>(argument.getType()));
  SmallVector<int64_t> shape = op.scoreShape();
  SmallVector<int64_t> strides(shape.size(), 0);
  for (auto [i, result] : llvm::enumerate(map.getResults()))
    if (auto dim = dyn_cast<AffineDimExpr>(result); dim && from.sizes[i] > 1)
      strides[dim.getPosition()] = from.strides[i];
  if (shape.back() > 1 && strides.back() != 1)
    return std::nullopt;
  strides.pop_back();
  while (strides.size() < 3)
    strides.insert(strides.begin() + (strides.size() == 2 ? 1 : 0), 0);
  return std::pair(argument, strides);
}

} // namespace

AttentionAttr attentionOf(func::FuncOp kernel, bool isForced) {
  Operation *leave = kernel.getBody().front().getTerminator();
  if (leave->getNumOperands() != 1)
    return {};
  Value result = leave->getOperand(0);
  auto type = cast<RankedTensorType>(result.getType());
  Lying out(type);
  kernel::AttentionOp op = attentionIn(result, out);
  // The library does not promise zeros for rows that are masked throughout.
  if (!op || op.getMasked() || op.getDepth() || op.getColumns() ||
      !isPlain(op.getWeights()) || !isPlain(op.getEpilogue()))
    return {};
  std::optional<ScoreFunction> function = ScoreFunction::of(op);
  std::optional<Lying> q = Lying::of(op.getQ()), k = Lying::of(op.getK()),
                       v = Lying::of(op.getV());
  Type element = type.getElementType();
  if (!function || !q || !k || !v || type.getRank() > 4 ||
      !(element.isF16() || element.isBF16()) || op.scoreType() != element ||
      op.weightType() != element)
    return {};
  if (op.getTransposeQ())
    q->swapMatrix();
  // The library has the rows of k for each column of the scores.
  k->swapMatrix();
  double elements = 1;
  for (Lying *side : {&*q, &*k, &*v, &out}) {
    side->widen();
    if (!side->isInRows())
      return {};
    double all = 1;
    for (int64_t size : side->sizes)
      all *= static_cast<double>(size);
    elements = std::max(elements, all);
  }
  int64_t batch = q->sizes[0], heads = q->sizes[1], rows = q->sizes[2],
          depth = q->sizes[3], columns = k->sizes[2], width = v->sizes[3];
  double all = static_cast<double>(batch) * heads * rows * columns;
  if (std::max(all, elements) > static_cast<double>(maxSize) ||
      all * depth * width == 0)
    return {};
  if (!isForced && !isWorthCalling(2 * all * (depth + width), element))
    return {};
  Builder b(kernel.getContext());
  DenseI64ArrayAttr maskStrides;
  SmallVector<int64_t> operands;
  for (Lying *side : {&*q, &*k, &*v}) {
    if (getElementTypeOrSelf(side->argument) != element)
      return {};
    operands.push_back(side->argument.getArgNumber());
  }
  operands.push_back(-1);
  if (function->mask) {
    auto mask = maskOf(op, *function->mask);
    if (!mask)
      return {};
    operands.back() = mask->first.getArgNumber();
    maskStrides = b.getDenseI64ArrayAttr(mask->second);
  }
  return AttentionAttr::get(kernel.getContext(), batch, heads, rows, columns,
                            depth, width, q->strideAttr(b), k->strideAttr(b),
                            v->strideAttr(b), maskStrides, out.strideAttr(b),
                            b.getF64FloatAttr(function->scale),
                            cast<FloatType>(element), /*unaligned=*/false,
                            workspaceBytes + bytesOfRow * batch * heads * rows,
                            b.getDenseI64ArrayAttr(operands));
}

} // namespace weir::lower
