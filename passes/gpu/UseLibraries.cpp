// Kernels that are a product of matrices are left to cuBLASLt, where that is
// asked for.

#include "passes/gpu/Passes.h"
#include "passes/gpu/Precision.h"

#include "dialects/kernel/Kernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace weir {
#define GEN_PASS_DEF_USELIBRARIES
#include "passes/gpu/Passes.h.inc"

namespace {

// What a product takes by each way, for an A100 or later: our kernels multiply
// on the usual units, and the library on those for matrices where elements are
// of 16 bits. A launch is counted twice for the library, which may split the
// depth. None of it is measured: no GPU is at hand.
constexpr double ownRate = 5e12, libraryRate = 15e12,
                 libraryRateOfHalf = 200e12;
constexpr double launchSeconds = 3e-6;
// What the library may use besides: more is of use to few products.
constexpr int64_t workspaceBytes = 4 << 20;
constexpr int64_t mostSize = INT32_MAX;

/// What the epilogue of a product does that the library does too.
struct Epilogue {
  bool bias = false, relu = false;
};

bool isZero(Value value) { return matchPattern(value, m_AnyZeroFloat()); }

/// The value that a relu is of; null: it is none.
Value reluOf(Value value) {
  if (auto select = value.getDefiningOp<arith::SelectOp>()) {
    auto compare = select.getCondition().getDefiningOp<arith::CmpFOp>();
    Value x = select.getFalseValue();
    return compare && compare.getPredicate() == arith::CmpFPredicate::OLT &&
                   compare.getLhs() == x && isZero(compare.getRhs()) &&
                   isZero(select.getTrueValue())
               ? x
               : Value();
  }
  if (auto most = value.getDefiningOp<arith::MaximumFOp>())
    return isZero(most.getRhs()) ? most.getLhs() : Value();
  return {};
}

std::optional<Epilogue> epilogueOf(kernel::MatmulOp op) {
  Block &block = op.getEpilogue().front();
  Value sum = block.getArgument(0),
        value = block.getTerminator()->getOperand(0);
  Epilogue result;
  // With elements of 16 bits the library rounds once, ours after each op.
  if (!cast<ShapedType>(op.getOut().getType()).getElementType().isF32()) {
    auto rounded = value.getDefiningOp<arith::TruncFOp>();
    return rounded && rounded.getIn() == sum && op.getExtras().empty()
               ? std::optional(result)
               : std::nullopt;
  }
  if (Value of = reluOf(value)) {
    result.relu = true;
    value = of;
  }
  if (auto add = value.getDefiningOp<arith::AddFOp>();
      add && block.getNumArguments() == 2) {
    Value bias = block.getArgument(1);
    result.bias = (add.getLhs() == sum && add.getRhs() == bias) ||
                  (add.getLhs() == bias && add.getRhs() == sum);
  }
  if (!result.bias)
    return value == sum && op.getExtras().empty() ? std::optional(result)
                                                  : std::nullopt;
  // One element for each column.
  AffineMap map = cast<AffineMapAttr>(op.getExtraMaps()[0]).getValue();
  auto type = cast<ShapedType>(op.getExtras()[0].getType());
  int64_t columns = cast<ShapedType>(op.getOut().getType()).getShape().back();
  return type.getElementType().isF32() && type.getNumElements() == columns &&
                 map.getNumResults() > 0 &&
                 map.getResult(map.getNumResults() - 1) ==
                     getAffineDimExpr(map.getNumDims() - 1, op.getContext())
             ? std::optional(result)
             : std::nullopt;
}

struct UseLibraries : impl::UseLibrariesBase<UseLibraries> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    auto gpu = kernel->getParentOp()->getAttrOfType<DictionaryAttr>("weir.gpu");
    auto library = gpu ? gpu.getAs<StringAttr>("library") : nullptr;
    if (!library || !kernel->hasAttr("weir.kernel") ||
        kernel->hasAttr("weir.host") || kernel.isExternal())
      return;
    if (DictionaryAttr product =
            productOf(kernel, /*isForced=*/library.getValue() == "cublaslt"))
      kernel->setAttr("weir.gemm", product);
  }

private:
  /// The kernel as a row of `weir.gpu_gemms`, with the numbers of the arguments
  /// that are a, b and the bias, or -1; null where it is no such product.
  static DictionaryAttr productOf(func::FuncOp kernel, bool isForced) {
    kernel::MatmulOp op;
    kernel::PackOp pack;
    for (Operation &inner : kernel.getBody().front().without_terminator()) {
      if (auto found = dyn_cast<kernel::MatmulOp>(inner); found && !op)
        op = found;
      else if (auto found = dyn_cast<kernel::PackOp>(inner); found && !pack)
        pack = found;
      else if (!isa<tensor::EmptyOp, arith::ConstantOp>(inner))
        return {};
    }
    auto leave = kernel.getBody().front().getTerminator();
    if (!op || op->getNumResults() != 1 || leave->getNumOperands() != 1 ||
        leave->getOperand(0) != op->getResult(0) || op.isTiled() ||
        (op.isPacked() && (!pack || op.getB() != pack->getResult(0))) ||
        (!op.isPacked() && pack))
      return {};
    Value right = pack ? pack.getB() : op.getB();
    std::optional<Epilogue> epilogue = epilogueOf(op);
    auto a = dyn_cast<BlockArgument>(op.getA()),
         b = dyn_cast<BlockArgument>(right);
    auto bias = epilogue && epilogue->bias
                    ? dyn_cast<BlockArgument>(op.getExtras()[0])
                    : BlockArgument();
    if (!epilogue || !a || !b || (epilogue->bias && !bias))
      return {};
    return describe(op, right, pack && pack.getTransposeB(), *epilogue,
                    {int64_t(a.getArgNumber()), int64_t(b.getArgNumber()),
                     bias ? int64_t(bias.getArgNumber()) : -1},
                    isForced);
  }

  static DictionaryAttr describe(kernel::MatmulOp op, Value right,
                                 bool transposeB, Epilogue epilogue,
                                 ArrayRef<int64_t> operands, bool isForced) {
    auto out = cast<ShapedType>(op.getOut().getType());
    auto rightType = cast<ShapedType>(right.getType());
    Type element = out.getElementType();
    StringRef dtype = element.isF32()    ? "f32"
                      : element.isF16()  ? "f16"
                      : element.isBF16() ? "bf16"
                                         : "";
    Type sum = op.getEpilogue().front().getArgument(0).getType();
    if (dtype.empty() || !sum.isF32() ||
        rightType.getElementType() != element ||
        cast<ShapedType>(op.getA().getType()).getElementType() != element)
      return {};
    int64_t m = out.getShape().drop_back().back(), n = out.getShape().back();
    int64_t k = rightType.getShape().take_back(2)[transposeB ? 1 : 0];
    int64_t batch = 1;
    for (int64_t size : out.getShape().drop_back(2))
      batch *= size;
    for (int64_t size : {m, n, k, batch})
      if (size < 1 || size > mostSize)
        return {};
    double work = 2.0 * m * n * k * batch;
    double own = launchSeconds + work / ownRate;
    double theirs = 2 * launchSeconds +
                    work / (element.isF32() ? libraryRate : libraryRateOfHalf);
    if (!isForced && theirs >= own)
      return {};
    Builder builder(op.getContext());
    NamedAttrList fields;
    auto number = [&](StringRef name, int64_t value) {
      fields.set(name, builder.getI64IntegerAttr(value));
    };
    number("m", m);
    number("n", n);
    number("k", k);
    number("batch", batch);
    if (op.getShared())
      number("stride_b", 0);
    number("workspace", workspaceBytes);
    for (auto [name, holds] :
         {std::pair("transpose_a", op.getTransposeA()),
          std::pair("transpose_b", transposeB),
          std::pair("bias", epilogue.bias), std::pair("relu", epilogue.relu),
          std::pair("tf32", element.isF32() && gpu::isForTf32(op))})
      if (holds)
        fields.set(name, builder.getUnitAttr());
    fields.set("dtype", builder.getStringAttr(dtype));
    fields.set("operands", builder.getDenseI64ArrayAttr(operands));
    return fields.getDictionary(op.getContext());
  }
};

} // namespace
} // namespace weir
