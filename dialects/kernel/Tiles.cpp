// What kernel.matmul and kernel.convolution check of what tiles may make.

#include "dialects/kernel/Kernel.h"

using namespace mlir;
using namespace weir::kernel;

static LogicalResult verifyMagnitudes(Operation *op, ArrayRef<int32_t> range,
                                      int64_t parts) {
  if (range.size() != 2 || range[0] > range[1] || range[0] < 1)
    return op->emitOpError("has no range of magnitudes");
  if (parts != 2 && parts != 3)
    return op->emitOpError("cannot have ") << parts << " parts";
  return success();
}

// (C6)
LogicalResult MatmulOp::verifyTiles() {
  auto a = cast<ShapedType>(getA().getType());
  auto b = cast<ShapedType>(getB().getType());
  auto out = cast<ShapedType>(getOut().getType());
  ArrayRef<int32_t> range = *getRange();
  Type element = a.getElementType(), weight = b.getElementType();
  Type sum = getEpilogue().front().getArgument(0).getType();
  int64_t depth = a.getShape().back(), columns = out.getShape().back();
  bool bytes = weight.isInteger(8);
  if (a.getRank() < 2 || getTransposeA() || getUnsignedA() ||
      (out.getRank() > 2 && !getShared()))
    return emitOpError("cannot multiply ") << a << " by tiles";
  if (!bytes && failed(verifyMagnitudes(*this, range, getParts())))
    return failure();
  if (range.size() != 2 || range[0] > range[1])
    return emitOpError("has no range");
  bool types = bytes ? sum.isInteger(32) &&
                           (element.isInteger(32) || element.isInteger(8))
                     : sum.isF32() && (element == weight ||
                                       (element.isF32() && weight.isBF16()));
  int64_t line = bytes ? 64 : 32;
  SmallVector<int64_t> wanted = {int64_t(llvm::divideCeil(columns, 32))};
  if (weight.isF32())
    wanted.append({depth, 32});
  else
    wanted.append({int64_t(llvm::divideCeil(depth, line)),
                   element.isF32() ? int64_t(getParts()) : 1, 2, 16, line});
  if (!types || b.getShape() != ArrayRef<int64_t>(wanted))
    return emitOpError("cannot multiply ") << a << " by tiles of " << b;
  return success();
}

// (C5)
LogicalResult ConvolutionOp::verifyTiles() {
  auto x = cast<ShapedType>(getX().getType());
  auto w = cast<ShapedType>(getFilter().getType());
  Type element = x.getElementType(), weight = w.getElementType();
  Type sum = getEpilogue().front().getArgument(0).getType();
  if (failed(verifyMagnitudes(*this, *getRange(), getParts())))
    return failure();
  int64_t columns = cast<ShapedType>(getOut().getType()).getShape().back();
  int64_t spatial = x.getRank() - 2, inputs = x.getShape().back();
  SmallVector<int64_t> wanted(w.getShape().take_front(spatial + 1));
  wanted[0] = llvm::divideCeil(columns, 32);
  if (weight.isF32())
    wanted.append({inputs, 32});
  else
    wanted.append({int64_t(llvm::divideCeil(inputs, 32)),
                   element.isF32() ? int64_t(getParts()) : 1, 2, 16, 32});
  bool types = sum.isF32() &&
               ((weight.isF32() && element.isF32()) ||
                (weight.isBF16() && (element.isF32() || element.isBF16())));
  if (getGroups() != 1 || getUnsignedX() || !types ||
      w.getShape() != ArrayRef<int64_t>(wanted))
    return emitOpError("cannot sum tiles of ") << w;
  return success();
}
