// Convolutions as cuDNN computes them.

#include "passes/gpu/libraries/Libraries.h"

#include "passes/gpu/Precision.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <array>

using namespace mlir;

namespace weir::gpu {
namespace {

// What the library may use besides: in proportion to what it reads and writes,
// so that small models stay small.
constexpr int64_t leastWorkspace = 4 << 20, mostWorkspace = 64 << 20,
                  workspaceTimes = 4;
// Windows of more elements are those of a gradient by a filter, which are as
// large as images: libraries have other ways for that.
constexpr int64_t mostTaps = 49;

using Pair = std::array<int64_t, 2>;

/// One of the ways in which a convolution stands in a kernel.
struct Convolution {
  kernel::KernelOpInterface op;
  kernel::PackFilterOp pack;
  Value images;
  SmallVector<int64_t> strides, dilations, padding;

  static std::optional<Convolution> of(Operation *op) {
    if (auto convolution = dyn_cast<kernel::ConvolutionOp>(op))
      return of(convolution);
    if (auto product = dyn_cast<kernel::MatmulOp>(op))
      return of(product);
    return std::nullopt;
  }

private:
  static std::optional<Convolution> of(kernel::ConvolutionOp op) {
    auto pack = op.getFilter().getDefiningOp<kernel::PackFilterOp>();
    if (!pack || op.isInWords())
      return std::nullopt;
    return Convolution{kernel::KernelOpInterface(op),
                       pack,
                       op.getX(),
                       SmallVector<int64_t>(op.getStrides()),
                       SmallVector<int64_t>(op.getDilations()),
                       SmallVector<int64_t>(op.getPadding())};
  }

  /// Windows of one element: a product of those pixels that strides choose.
  static std::optional<Convolution> of(kernel::MatmulOp op) {
    auto collapse = op.getB().getDefiningOp<tensor::CollapseShapeOp>();
    auto pack = collapse
                    ? collapse.getSrc().getDefiningOp<kernel::PackFilterOp>()
                    : kernel::PackFilterOp();
    if (!pack || !op.getShared() || op.getTransposeA() || op.isTiled())
      return std::nullopt;
    int64_t spatial = cast<ShapedType>(op.getOut().getType()).getRank() - 2;
    SmallVector<int64_t> ones(spatial, 1), zeros(spatial, 0), strides = ones;
    Value images = op.getA();
    if (auto slice = images.getDefiningOp<tensor::ExtractSliceOp>()) {
      ArrayRef<int64_t> steps = slice.getStaticStrides();
      if (!llvm::all_of(slice.getStaticOffsets(),
                        [](int64_t at) { return at == 0; }) ||
          int64_t(steps.size()) != spatial + 2 || steps.front() != 1 ||
          steps.back() != 1)
        return std::nullopt;
      strides.assign(steps.begin() + 1, steps.end() - 1);
      images = slice.getSource();
    }
    return Convolution{
        kernel::KernelOpInterface(op), pack, images, strides, ones, zeros};
  }
};

/// The values of one or two spatial dimensions, of two.
Pair both(ArrayRef<int64_t> values, int64_t absent) {
  return values.size() == 1 ? Pair{absent, values[0]}
                            : Pair{values[0], values[1]};
}

bool isSmall(ShapedType type) {
  int64_t elements = 1;
  for (int64_t size : type.getShape())
    if (size < 1 || size > mostSize / elements)
      return false;
    else
      elements *= size;
  return true;
}

/// Sizes as the library counts them.
class Problem {
public:
  explicit Problem(Convolution from)
      : images(cast<ShapedType>(from.images.getType())),
        filter(cast<ShapedType>(from.pack.getFilter().getType())),
        out(cast<ShapedType>(from.op.getOut().getType())),
        groups(static_cast<int64_t>(from.pack.getGroups())) {
    int64_t rank = out.getRank();
    isKnown = (rank == 3 || rank == 4) && images.getRank() == rank &&
              filter.getRank() == rank && isSmall(images) && isSmall(filter) &&
              isSmall(out) && images.getElementType() == out.getElementType() &&
              filter.getElementType() == out.getElementType();
    if (!isKnown)
      return;
    size = both(images.getShape().slice(1, rank - 2), 1);
    window = both(filter.getShape().take_front(rank - 2), 1);
    result = both(out.getShape().slice(1, rank - 2), 1);
    strides = both(from.strides, 1);
    dilations = both(from.dilations, 1);
    low = both(from.padding, 0);
    for (int i = 0; i < 2; ++i) {
      // At the end the library pads as much as the results need.
      int64_t reach = (window[i] - 1) * dilations[i] + 1;
      high[i] = std::max<int64_t>(
          (result[i] - 1) * strides[i] + reach - size[i] - low[i], 0);
      int64_t rest = size[i] + low[i] + high[i] - reach;
      isKnown &= rest >= 0 && rest / strides[i] + 1 == result[i];
    }
  }

  bool isKnown;

  Type element() const { return out.getElementType(); }
  int64_t taps() const { return window[0] * window[1]; }
  bool isGrouped() const { return groups > 1; }

  double operations() const {
    return 2.0 * out.getNumElements() * taps() * images.getShape().back() /
           groups;
  }

  void write(NamedAttrList &fields, Builder b) const {
    for (auto [name, value] :
         {std::pair("images", images.getDimSize(0)),
          std::pair("inputs", images.getShape().back()),
          std::pair("outputs", out.getShape().back()),
          std::pair("groups", groups), std::pair("workspace", workspace())})
      fields.set(name, b.getI64IntegerAttr(value));
    for (const auto &[name, pair] :
         {std::pair("size", size), std::pair("window", window),
          std::pair("strides", strides), std::pair("dilations", dilations),
          std::pair("padding_low", low), std::pair("padding_high", high)})
      fields.set(name, b.getDenseI64ArrayAttr(pair));
    fields.set("dtype", b.getStringAttr(nameOf(element())));
  }

private:
  int64_t workspace() const {
    int64_t bytes = (images.getNumElements() + filter.getNumElements() +
                     out.getNumElements()) *
                    (element().getIntOrFloatBitWidth() / 8);
    return std::clamp(bytes * workspaceTimes, leastWorkspace, mostWorkspace);
  }

  ShapedType images, filter, out;
  int64_t groups;
  Pair size, window, result, strides, dilations, low, high;
};

/// The one op of the kernel that sums; null: there is more in it than that, or
/// less.
Operation *sumIn(func::FuncOp kernel) {
  Operation *op = nullptr;
  for (Operation &inner : kernel.getBody().front().without_terminator()) {
    if (isa<kernel::KernelOpInterface>(inner) && !op)
      op = &inner;
    else if (!isa<kernel::PackFilterOp, tensor::EmptyOp,
                  tensor::CollapseShapeOp, tensor::ExtractSliceOp,
                  arith::ConstantOp>(inner))
      return nullptr;
  }
  Operation *leave = kernel.getBody().front().getTerminator();
  return op && op->getNumResults() == 1 && leave->getNumOperands() == 1 &&
                 leave->getOperand(0) == op->getResult(0)
             ? op
             : nullptr;
}

/// Panels of one column: an output's window lies without gaps, and one window
/// after the other, as the library reads filters.
void packByOutputs(kernel::PackFilterOp pack) {
  OpBuilder b(pack);
  auto from = cast<RankedTensorType>(pack.getFilter().getType());
  SmallVector<int64_t> shape(from.getShape());
  int64_t outputs = shape.back();
  shape.back() = 1;
  shape.insert(shape.begin(), outputs);
  Value empty =
      b.create<tensor::EmptyOp>(pack.getLoc(), shape, from.getElementType());
  Value packed =
      b.create<kernel::PackFilterOp>(pack.getLoc(), empty.getType(),
                                     pack.getFilter(), empty, pack.getGroups())
          .getResult(0);
  Operation *user = *pack.getResult(0).getUsers().begin();
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(user)) {
    collapse.replaceAllUsesWith(
        b.create<tensor::CollapseShapeOp>(collapse.getLoc(), packed,
                                          collapse.getReassociationIndices())
            .getResult());
    collapse.erase();
  } else {
    user->replaceUsesOfWith(pack.getResult(0), packed);
  }
  Operation *place = pack.getOut().getDefiningOp();
  pack.erase();
  if (place && place->use_empty())
    place->erase();
}

} // namespace

DictionaryAttr convolutionOf(func::FuncOp kernel, bool isForced) {
  Operation *op = sumIn(kernel);
  std::optional<Convolution> convolution =
      op ? Convolution::of(op) : std::nullopt;
  std::optional<Epilogue> epilogue =
      convolution ? Epilogue::of(convolution->op) : std::nullopt;
  if (!epilogue ||
      !convolution->op.getEpilogue().front().getArgument(0).getType().isF32())
    return {};
  Problem problem(*convolution);
  if (!problem.isKnown || nameOf(problem.element()).empty())
    return {};
  if (!isForced && (problem.isGrouped() || problem.taps() > mostTaps ||
                    !isWorthCalling(problem.operations(), problem.element())))
    return {};
  SmallVector<int64_t> operands;
  for (Value value : {convolution->images, convolution->pack.getFilter(),
                      epilogue->bias, epilogue->residual}) {
    auto argument = dyn_cast_or_null<BlockArgument>(value);
    if (value && !argument)
      return {};
    operands.push_back(argument ? int64_t(argument.getArgNumber()) : -1);
  }
  // What is packed is of no other use as it was.
  if (!convolution->pack.getFilter().hasOneUse() ||
      !convolution->pack.getResult(0).hasOneUse())
    return {};
  Builder b(kernel.getContext());
  NamedAttrList fields;
  problem.write(fields, b);
  for (auto [name, holds] :
       {std::pair("bias", bool(epilogue->bias)),
        std::pair("residual", bool(epilogue->residual)),
        std::pair("relu", epilogue->relu),
        std::pair("tf32", problem.element().isF32() && isForTf32(op))})
    if (holds)
      fields.set(name, b.getUnitAttr());
  if (epilogue->clip)
    fields.set("clip", b.getF64FloatAttr(*epilogue->clip));
  fields.set("operands", b.getDenseI64ArrayAttr(operands));
  packByOutputs(convolution->pack);
  return fields.getDictionary(kernel.getContext());
}

} // namespace weir::gpu
