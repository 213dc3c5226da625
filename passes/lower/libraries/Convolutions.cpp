// Convolutions as cuDNN computes them.

#include "passes/lower/libraries/Libraries.h"

#include "dialects/libraries/Problem.h"
#include "dialects/target/Precision.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace weir::libraries;

namespace weir::lower {
namespace {

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
    if (!pack || op.getLayout().isVnni())
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
    if (!pack || !op.getShared() || op.getTransposeA() ||
        op.getLayout().isAmx())
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

Problem problemOf(Convolution of) {
  auto filter = cast<ShapedType>(of.pack.getFilter().getType());
  auto images = cast<ShapedType>(of.images.getType());
  return Problem(images, filter, cast<ShapedType>(of.op.getOut().getType()),
                 filter.getShape().drop_back(2), of.strides, of.dilations,
                 of.padding, static_cast<int64_t>(of.pack.getGroups()));
}

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

/// Packs the filter in panels with one column (K-major). The window of an
/// output is then contiguous, and windows follow each other, as the library
/// requires.
void packByOutputs(kernel::PackFilterOp pack) {
  OpBuilder b(pack);
  auto layout = kernel::LayoutAttr::panels(b.getContext(), 1);
  auto from = cast<RankedTensorType>(pack.getFilter().getType());
  SmallVector<int64_t> shape(from.getShape());
  int64_t outputs = shape.back();
  shape.back() = 1;
  shape.insert(shape.begin(), outputs);
  Value empty =
      b.create<tensor::EmptyOp>(pack.getLoc(), shape, from.getElementType());
  Value packed = b.create<kernel::PackFilterOp>(pack.getLoc(), empty.getType(),
                                                pack.getFilter(), empty, layout,
                                                pack.getGroups())
                     .getResult(0);
  Operation *user = *pack.getResult(0).getUsers().begin();
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(user)) {
    for (Operation *reader : collapse->getUsers())
      cast<kernel::MatmulOp>(reader).setLayoutAttr(layout);
    collapse.replaceAllUsesWith(
        b.create<tensor::CollapseShapeOp>(collapse.getLoc(), packed,
                                          collapse.getReassociationIndices())
            .getResult());
    collapse.erase();
  } else {
    cast<kernel::ConvolutionOp>(user).setLayoutAttr(layout);
    user->replaceUsesOfWith(pack.getResult(0), packed);
  }
  Operation *position = pack.getOut().getDefiningOp();
  pack.erase();
  if (position && position->use_empty())
    position->erase();
}

} // namespace

ConvAttr convolutionOf(func::FuncOp kernel, bool isForced) {
  Operation *op = sumIn(kernel);
  std::optional<Convolution> convolution =
      op ? Convolution::of(op) : std::nullopt;
  std::optional<Epilogue> epilogue =
      convolution ? Epilogue::of(convolution->op) : std::nullopt;
  if (!epilogue ||
      !convolution->op.getEpilogue().front().getArgument(0).getType().isF32())
    return {};
  Problem problem = problemOf(*convolution);
  if (!problem.isKnown || (!isForced && !problem.isWorthCalling()))
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
  ConvolutionEnd end{bool(epilogue->bias), bool(epilogue->residual),
                     epilogue->relu, epilogue->clip};
  ConvAttr record =
      problem.record(kernel.getContext(), &end,
                     problem.element().isF32() && isForTf32(op), operands);
  packByOutputs(convolution->pack);
  return record;
}

} // namespace weir::lower
