// Recognizes attentions that cuDNN computes.

#include "passes/lower/libraries/Libraries.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Shape.h"

#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;

namespace weir::libraries {
namespace {

// Heads that the library has a way for.
constexpr int64_t headsBy = 8, mostOfHead = 256;
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

  /// Turns of an argument are looked through. None: it is no argument's.
  static std::optional<Lying> of(Value value) {
    SmallVector<graph::TransposeOp> turns;
    while (auto turn = value.getDefiningOp<graph::TransposeOp>()) {
      turns.push_back(turn);
      value = turn.getX();
    }
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument)
      return std::nullopt;
    Lying lying(cast<RankedTensorType>(value.getType()));
    lying.argument = argument;
    for (graph::TransposeOp turn : llvm::reverse(turns))
      lying.turn(turn.getPermutation());
    return lying;
  }

  void turn(ArrayRef<int64_t> permutation) {
    SmallVector<int64_t> oldSizes(sizes), oldStrides(strides);
    for (auto [i, from] : llvm::enumerate(permutation)) {
      sizes[i] = oldSizes[from];
      strides[i] = oldStrides[from];
    }
  }

  /// As it was before it was turned.
  void turnBack(ArrayRef<int64_t> permutation) {
    SmallVector<int64_t> oldSizes(sizes), oldStrides(strides);
    for (auto [i, from] : llvm::enumerate(permutation)) {
      sizes[from] = oldSizes[i];
      strides[from] = oldStrides[i];
    }
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
           sizes.back() % headsBy == 0 && sizes.back() <= mostOfHead &&
           llvm::all_of(ArrayRef<int64_t>(strides).drop_back(),
                        [](int64_t stride) { return stride % headsBy == 0; });
  }

  DenseI64ArrayAttr strideAttr(Builder b) const {
    return b.getDenseI64ArrayAttr(ArrayRef<int64_t>(strides).drop_back());
  }
};

/// The one value of a constant of floats.
std::optional<double> splatOf(Value value) {
  DenseElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)) || !elements.isSplat() ||
      !isa<FloatType>(elements.getElementType()))
    return std::nullopt;
  return elements.getSplatValue<APFloat>().convertToDouble();
}

/// An attention of the kernel's arguments.
struct Found {
  graph::MatmulOp scores, product;
  Value mask; // null: there is none
  double scale = 1;
  SmallVector<graph::TransposeOp> turns; // of the result, the last first

  static std::optional<Found> endingIn(Value value) {
    Found found;
    while (auto turn = value.getDefiningOp<graph::TransposeOp>()) {
      if (!turn->hasOneUse())
        return std::nullopt;
      found.turns.push_back(turn);
      value = turn.getX();
    }
    found.product = value.getDefiningOp<graph::MatmulOp>();
    auto softmax = found.product && !found.product.getTransposeA()
                       ? found.product.getA().getDefiningOp<graph::SoftmaxOp>()
                       : graph::SoftmaxOp();
    // The library does not promise zeros for rows that are masked throughout.
    if (!softmax || softmax.getMasked())
      return std::nullopt;
    value = softmax.getX();
    if (auto add = value.getDefiningOp<graph::AddOp>())
      value = found.takeMask(add);
    while (value && !value.getDefiningOp<graph::MatmulOp>())
      value = found.takeScale(value);
    // The library has the scale as a float.
    if (!value || !std::isfinite(static_cast<float>(found.scale)))
      return std::nullopt;
    found.scores = value.getDefiningOp<graph::MatmulOp>();
    return found;
  }

  /// What is added to the scores is an argument, for all of some dimensions.
  Value takeMask(graph::AddOp add) {
    auto isOfArgument = [](Value value) {
      auto broadcast = value.getDefiningOp<graph::BroadcastOp>();
      return isa<BlockArgument>(broadcast ? broadcast.getX() : value);
    };
    for (unsigned i : {1, 0})
      if (isOfArgument(add->getOperand(i))) {
        mask = add->getOperand(i);
        return add->getOperand(1 - i);
      }
    return {};
  }

  Value takeScale(Value value) {
    Operation *op = value.getDefiningOp();
    if (!isa_and_nonnull<graph::MulOp, graph::DivOp>(op))
      return {};
    bool divides = isa<graph::DivOp>(op);
    for (unsigned i : {1, 0})
      if (std::optional<double> factor = splatOf(op->getOperand(i));
          factor && (i == 1 || !divides)) {
        scale = divides ? scale / *factor : scale * *factor;
        return op->getOperand(1 - i);
      }
    return {};
  }
};

/// The mask's argument, and how far apart its batches, heads and rows lie: 0
/// where there is one for all. None: the library has no such mask.
std::optional<std::pair<BlockArgument, SmallVector<int64_t>>>
maskOf(Value mask) {
  auto broadcast = mask.getDefiningOp<graph::BroadcastOp>();
  auto argument = dyn_cast<BlockArgument>(broadcast ? broadcast.getX() : mask);
  Lying from(cast<RankedTensorType>(argument.getType()));
  ArrayRef<int64_t> shape = cast<RankedTensorType>(mask.getType()).getShape();
  SmallVector<int64_t> strides(shape.size(), 0);
  for (auto [i, size] : llvm::enumerate(from.sizes)) {
    int64_t dim = broadcast ? broadcast.getDims()[i] : int64_t(i);
    if (size == shape[dim] && size > 1)
      strides[dim] = from.strides[i];
  }
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
  std::optional<Found> found = leave->getNumOperands() == 1
                                   ? Found::endingIn(leave->getOperand(0))
                                   : std::nullopt;
  if (!found)
    return {};
  std::optional<Lying> q = Lying::of(found->scores.getA()),
                       k = Lying::of(found->scores.getB()),
                       v = Lying::of(found->product.getB());
  auto type = cast<RankedTensorType>(leave->getOperand(0).getType());
  Type element = type.getElementType();
  if (!q || !k || !v || type.getRank() > 4 ||
      !(element.isF16() || element.isBF16()))
    return {};
  Lying out(type);
  for (graph::TransposeOp turn : found->turns)
    out.turnBack(turn.getPermutation());
  if (found->scores.getTransposeA())
    q->swapMatrix();
  if (!found->scores.getTransposeB())
    k->swapMatrix();
  if (found->product.getTransposeB())
    v->swapMatrix();
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
  if (std::max(all, elements) > static_cast<double>(mostSize) || all == 0)
    return {};
  if (!isForced && !isWorthCalling(2 * all * (depth + width), element))
    return {};
  Builder b(kernel.getContext());
  DenseI64ArrayAttr maskStrides;
  SmallVector<int64_t> operands;
  for (Lying *side : {&*q, &*k, &*v})
    operands.push_back(side->argument.getArgNumber());
  operands.push_back(-1);
  if (found->mask) {
    auto mask = maskOf(found->mask);
    if (!mask)
      return {};
    operands.back() = mask->first.getArgNumber();
    maskStrides = b.getDenseI64ArrayAttr(mask->second);
  }
  return AttentionAttr::get(kernel.getContext(), batch, heads, rows, columns,
                            depth, width, q->strideAttr(b), k->strideAttr(b),
                            v->strideAttr(b), maskStrides, out.strideAttr(b),
                            b.getF64FloatAttr(found->scale),
                            cast<FloatType>(element), /*unaligned=*/false,
                            workspaceBytes + bytesOfRow * batch * heads * rows,
                            b.getDenseI64ArrayAttr(operands));
}

} // namespace weir::libraries
