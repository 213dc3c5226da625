// Variables, and ops whose result is their operand.

#include "compiler/export/onnx/Ops.h"

#include "dialects/graph/gradients/Gradient.h"
#include "dialects/graph/packed/Packed.h"
#include "dialects/graph/state/State.h"
#include "dialects/weir/Attributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace weir::graph;

namespace weir::to_onnx {
namespace {

/// The value of a variable that only its initialization assigns; null for
/// others, and without a constant.
ElementsAttr valueOf(VariableOp variable) {
  ElementsAttr value = variable.getInitialAttr();
  bool isConstant = true;
  variable->getParentOfType<ModuleOp>().walk([&](WriteVariableOp write) {
    if (write.getVariable() != variable.getSymName())
      return;
    ElementsAttr written = constantOf(write.getValue());
    isConstant &= written && !value &&
                  attrs::init.isOn(write->getParentOfType<func::FuncOp>());
    value = written;
  });
  return isConstant ? value : ElementsAttr();
}

LogicalResult writeRead(Writer &w, ReadVariableOp op) {
  auto module = op->getParentOfType<ModuleOp>();
  auto variable = module.lookupSymbol<VariableOp>(op.getVariable());
  ElementsAttr value = valueOf(variable);
  if (!value)
    return w.refuse("'" + variable.nameInModel() +
                    "' is a variable without a fixed value");
  Sizes order = countUp(variable.getTensorType().getRank());
  w.hold(op, {w.constant(value, order, variable.nameInModel(),
                         /*isWhole=*/false),
              Sizes(variable.getTensorType().getShape()), order});
  return success();
}

template <typename Op>
LogicalResult writeOperand(Writer &w, Op op) {
  w.hold(op->getResult(0), w.viewOf(op->getOperand(0)));
  return success();
}

/// A tensor with one element for each block, as one that broadcasts to `shape`.
Tensor perBlock(Writer &w, Tensor tensor, int64_t axis) {
  Sizes shape = tensor.shape;
  shape.insert(shape.begin() + axis + 1, 1);
  return w.reshaped(w.cast(tensor, w.builder().getF32Type()), shape);
}

LogicalResult writeDequantize(Writer &w, DequantizeOp op) {
  RankedTensorType type = typeOf(op.getResult());
  int64_t axis = op.getAxis();
  int64_t size = type.getDimSize(axis);
  int64_t block = std::min<int64_t>(op.getBlock(), size);
  if (op.getBits() != 8 || block == 0 || size % block != 0)
    return w.refuse("its codes are not bytes in equal blocks");
  Sizes blocks(type.getShape());
  blocks[axis] = size / block;
  blocks.insert(blocks.begin() + axis + 1, block);
  Tensor codes = w.whole(op.getCodes());
  if (op.getIsSigned() != codes.element.isSignlessInteger())
    return w.refuse("its codes have the type of the other sign");
  Tensor values = w.reshaped(w.cast(codes, type.getElementType()), blocks);
  if (op.getZeros())
    values = w.map("Sub", {values, perBlock(w, w.whole(op.getZeros()), axis)});
  values = w.map("Mul", {values, perBlock(w, w.whole(op.getScales()), axis)});
  w.hold(op, w.reshaped(values, type.getShape()));
  return success();
}

LogicalResult writePacked(Writer &w, PackedMatmulOp) {
  return w.refuse("its weights are packed; --stop-after=import exports them as "
                  "they are in the model");
}

} // namespace

void addState(OpWriters &writers) {
  addWriter<ReadVariableOp, writeRead>(writers);
  addWriter<BarrierOp, writeOperand<BarrierOp>>(writers);
  addWriter<StopGradientOp, writeOperand<StopGradientOp>>(writers);
  addWriter<DequantizeOp, writeDequantize>(writers);
  addWriter<PackedMatmulOp, writePacked>(writers);
}

} // namespace weir::to_onnx
