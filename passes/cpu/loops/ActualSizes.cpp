// The run-time sizes of a kernel's results.

#include "passes/cpu/loops/ActualSizes.h"

#include "dialects/weir/Attributes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace weir::cpu {

static bool isScalar(Value buffer) {
  auto type = dyn_cast<MemRefType>(buffer.getType());
  return type && type.getRank() == 0 && type.getElementType().isInteger(64);
}

Value readSize(OpBuilder &b, Location at, Value scalar) {
  Value size = b.create<memref::LoadOp>(at, scalar, ValueRange());
  return b.create<arith::IndexCastOp>(at, b.getIndexType(), size);
}

static Value readSize(Emitter &e, Value scalar) {
  return readSize(e, e.getLoc(), scalar);
}

static bool areScalars(func::FuncOp kernel, const graph::SizesOfDims &dims) {
  for (const graph::SizeOfDim &dim : dims)
    for (graph::SizeFactor factor : dim)
      if (factor.isDynamic() && (factor.symbol >= kernel.getNumArguments() ||
                                 !isScalar(kernel.getArgument(factor.symbol))))
        return false;
  return true;
}

DenseMap<Value, graph::SizesOfDims> dynamicResults(func::FuncOp kernel) {
  DenseMap<Value, graph::SizesOfDims> results;
  auto sizes = attrs::sizes.of(kernel);
  auto inputs = attrs::inputs.of(kernel);
  if (!sizes || !inputs)
    return results;
  for (auto [i, attribute] : llvm::enumerate(sizes)) {
    unsigned number = static_cast<unsigned>(inputs.getInt() + i);
    if (number >= kernel.getNumArguments())
      break;
    BlockArgument argument = kernel.getArgument(number);
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (!type)
      continue;
    graph::SizesOfDims dims = graph::readSizes(attribute, type.getShape());
    if (graph::isDynamic(dims) && areScalars(kernel, dims))
      results[argument] = dims;
  }
  return results;
}

graph::SizesOfDims collapsed(memref::CollapseShapeOp view,
                             const graph::SizesOfDims &source) {
  graph::SizesOfDims dims;
  for (const ReassociationIndices &group : view.getReassociationIndices()) {
    graph::SizeOfDim dim;
    for (int64_t d : group)
      for (graph::SizeFactor factor : source[d])
        if (factor.bound != 1 || factor.isDynamic())
          dim.push_back(factor);
    if (dim.empty())
      dim.push_back({1, -1});
    dims.push_back(dim);
  }
  return dims;
}

Value actualSize(Emitter &e, Value buffer, int64_t dim) {
  auto result = dyn_cast<BlockArgument>(buffer);
  auto kernel = result
                    ? dyn_cast<func::FuncOp>(result.getOwner()->getParentOp())
                    : func::FuncOp();
  if (!kernel)
    return {};
  graph::SizesOfDims dims = dynamicResults(kernel).lookup(buffer);
  if (dims.empty() || dims[dim].size() != 1 || !dims[dim].front().isDynamic())
    return {};
  graph::SizeFactor factor = dims[dim].front();
  return e.smaller(readSize(e, kernel.getArgument(factor.symbol)),
                   e.index(factor.bound));
}

Value actualColumns(Emitter &e, kernel::MatmulOp op) {
  auto kernel = op->getParentOfType<func::FuncOp>();
  auto number = kernel ? attrs::columns.of(kernel) : IntegerAttr();
  if (!attrs::endsColumns.isOn(op) || !number ||
      number.getInt() >= kernel.getNumArguments() ||
      !isScalar(kernel.getArgument(number.getInt())))
    return {};
  return readSize(e, kernel.getArgument(number.getInt()));
}

Value actualDepth(Emitter &e, kernel::MatmulOp op) {
  if (!op.getDepth())
    return {};
  int64_t all = Emitter::shape(op.getA()).take_back(2)[!op.getTransposeA()];
  return e.smaller(readSize(e, op.getDepth()), e.index(all));
}

} // namespace weir::cpu
