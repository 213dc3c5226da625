// Products of matrices as cuBLASLt computes them.

#include "passes/lower/libraries/Libraries.h"

#include "dialects/target/Precision.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace weir::libraries;

namespace weir::lower {
namespace {

// What the library may use besides: more is of use to few products.
constexpr int64_t workspaceBytes = 4 << 20;

/// The right side as it lies before it is packed. That of a convolution with
/// windows of one element is the same but for dimensions of 1.
struct Right {
  Value value;
  bool isTransposed = false;

  static std::optional<Right> of(kernel::MatmulOp op) {
    if (op.getLayout().isPlain())
      return Right{op.getB()};
    if (auto pack = op.getB().getDefiningOp<kernel::PackOp>())
      return Right{pack.getB(), pack.getTransposeB()};
    auto collapse = op.getB().getDefiningOp<tensor::CollapseShapeOp>();
    auto pack = collapse
                    ? collapse.getSrc().getDefiningOp<kernel::PackFilterOp>()
                    : kernel::PackFilterOp();
    return pack && pack.getGroups() == 1
               ? std::optional(Right{pack.getFilter()})
               : std::nullopt;
  }
};

/// With elements of 16 bits the library rounds once, ours after each op.
bool isForLibrary(const Epilogue &epilogue, Type element) {
  return !epilogue.residual && !epilogue.clip &&
         (element.isF32() || epilogue.isPlain());
}

/// What a row says, but for its operands.
GemmAttr describe(kernel::MatmulOp op, const Right &right,
                  const Epilogue &epilogue, ArrayRef<int64_t> operands,
                  bool isForced) {
  auto out = cast<ShapedType>(op.getOut().getType());
  auto rightType = cast<ShapedType>(right.value.getType());
  Type element = out.getElementType();
  Type sum = op.getEpilogue().front().getArgument(0).getType();
  if (!isForLibraries(element) || !sum.isF32() ||
      rightType.getElementType() != element ||
      cast<ShapedType>(op.getA().getType()).getElementType() != element)
    return {};
  int64_t m = out.getShape().drop_back().back(), n = out.getShape().back();
  int64_t k = rightType.getShape().take_back(2)[right.isTransposed ? 1 : 0];
  int64_t batch = 1;
  for (int64_t size : out.getShape().drop_back(2))
    batch *= size;
  for (int64_t size : {m, n, k, batch})
    if (size < 1 || size > maxSize)
      return {};
  // Rows that meet one right side are one matrix, wherever they are.
  bool isShared = op.getShared();
  if (isShared && !op.getTransposeA() && m * batch <= maxSize) {
    m *= batch;
    batch = 1;
    isShared = false;
  }
  if (!isForced && !isWorthCalling(2.0 * m * n * k * batch, element))
    return {};
  constexpr int64_t dense = 0, usual = -1;
  return GemmAttr::get(
      op.getContext(), m, n, k, batch, cast<FloatType>(element),
      op.getTransposeA(), right.isTransposed, bool(epilogue.bias),
      epilogue.relu, element.isF32() && isForTf32(op), /*unaligned=*/false,
      /*lda=*/dense, /*ldb=*/dense, /*ldd=*/dense, /*stride_a=*/usual,
      /*stride_b=*/isShared ? 0 : usual, /*stride_d=*/usual, workspaceBytes,
      DenseI64ArrayAttr::get(op.getContext(), operands));
}

} // namespace

GemmAttr productOf(func::FuncOp kernel, bool isForced) {
  kernel::MatmulOp op;
  unsigned packs = 0;
  for (Operation &inner : kernel.getBody().front().without_terminator()) {
    if (auto found = dyn_cast<kernel::MatmulOp>(inner); found && !op)
      op = found;
    else if (isa<kernel::PackOp, kernel::PackFilterOp>(inner))
      ++packs;
    else if (!isa<tensor::EmptyOp, tensor::CollapseShapeOp, arith::ConstantOp>(
                 inner))
      return {};
  }
  auto leave = kernel.getBody().front().getTerminator();
  if (!op || op->getNumResults() != 1 || leave->getNumOperands() != 1 ||
      leave->getOperand(0) != op->getResult(0) || op.getLayout().isAmx() ||
      packs != (op.getLayout().isPlain() ? 0 : 1))
    return {};
  std::optional<Right> right = Right::of(op);
  std::optional<Epilogue> epilogue = Epilogue::of(op);
  if (!right || !epilogue ||
      !isForLibrary(*epilogue,
                    cast<ShapedType>(op.getOut().getType()).getElementType()))
    return {};
  auto a = dyn_cast<BlockArgument>(op.getA()),
       b = dyn_cast<BlockArgument>(right->value);
  auto bias = dyn_cast_or_null<BlockArgument>(epilogue->bias);
  if (!a || !b || bool(epilogue->bias) != bool(bias))
    return {};
  return describe(op, *right, *epilogue,
                  {int64_t(a.getArgNumber()), int64_t(b.getArgNumber()),
                   bias ? int64_t(bias.getArgNumber()) : -1},
                  isForced);
}

} // namespace weir::lower
