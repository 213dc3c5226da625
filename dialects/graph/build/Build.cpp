// Builds and folds graph ops.

#include "dialects/graph/build/Build.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Shape.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace weir::graph::build {

Value makeChecked(ImplicitLocOpBuilder &b, OperationState &state) {
  if (llvm::is_contained(state.operands, Value()))
    return {};
  if (llvm::is_contained(state.types, Type())) {
    auto infer =
        state.name.getRegisteredInfo()->getInterface<InferTypeOpInterface>();
    state.types.clear();
    // An op without properties has the defaults of all.
    assert((state.getRawProperties() || state.attributes.empty()) &&
           "inference reads the properties");
    if (failed(infer->inferReturnTypes(
            b.getContext(), state.location, state.operands,
            state.attributes.getDictionary(b.getContext()),
            state.getRawProperties(), state.regions, state.types)))
      return {};
  }
  Operation *op = b.create(state);
  // Folders trust the verifier, so it runs first.
  if (failed(mlir::verify(op))) {
    op->erase();
    return {};
  }
  SmallVector<Value> folded;
  if (failed(b.tryFold(op, folded)) || folded.empty())
    return op->getResult(0);
  op->erase();
  return folded.front();
}

DenseElementsAttr splatAttr(RankedTensorType type, double value) {
  Type element = type.getElementType();
  if (auto number = dyn_cast<FloatType>(element))
    return DenseElementsAttr::get(type,
                                  FloatAttr::get(number, value).getValue());
  unsigned width = element.getIntOrFloatBitWidth();
  APInt integer(64, static_cast<uint64_t>(static_cast<int64_t>(value)));
  return DenseElementsAttr::get(type, integer.zextOrTrunc(width));
}

Value splat(ImplicitLocOpBuilder &b, RankedTensorType type, double value) {
  return b.create<graph::ConstantOp>(splatAttr(type, value));
}

Value numbers(ImplicitLocOpBuilder &b, Type elementType,
              ArrayRef<int64_t> values) {
  auto type = RankedTensorType::get(values.size(), elementType);
  SmallVector<APInt> integers;
  for (int64_t value : values)
    integers.emplace_back(elementType.getIntOrFloatBitWidth(), value, true);
  return b.create<graph::ConstantOp>(DenseElementsAttr::get(type, integers));
}

FailureOr<SmallVector<int64_t>> broadcastShapes(ArrayRef<int64_t> a,
                                                ArrayRef<int64_t> b) {
  SmallVector<int64_t> shape(std::max(a.size(), b.size()));
  for (size_t i = 0; i < shape.size(); ++i) {
    int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
    int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1)
      return failure();
    shape[shape.size() - 1 - i] = x == 1 ? y : x;
  }
  return shape;
}

Value castTo(ImplicitLocOpBuilder &b, Value value, Type elementType,
             bool rounds) {
  RankedTensorType type = typeOf(value);
  if (type.getElementType() == elementType)
    return value;
  rounds &= isa<FloatType>(type.getElementType()) &&
            isa<FloatType>(elementType) &&
            elementType.getIntOrFloatBitWidth() < type.getElementTypeBitWidth();
  return make<graph::CastOp>(b, type.clone(elementType), value, rounds);
}

Value reshapeTo(ImplicitLocOpBuilder &b, Value value, ArrayRef<int64_t> shape) {
  return make<graph::ReshapeOp>(b, typeOf(value).clone(shape), value);
}

Value broadcastTo(ImplicitLocOpBuilder &b, Value value,
                  ArrayRef<int64_t> shape) {
  RankedTensorType type = typeOf(value);
  if (type.getShape() == shape)
    return value;
  int64_t rank = shape.size();
  auto dims = llvm::to_vector(llvm::seq<int64_t>(rank - type.getRank(), rank));
  return make<graph::BroadcastOp>(b, type.clone(shape), value, dims);
}

Value transposeBy(ImplicitLocOpBuilder &b, Value value,
                  ArrayRef<int64_t> permutation) {
  return make<graph::TransposeOp>(b, value, permutation);
}

} // namespace weir::graph::build
