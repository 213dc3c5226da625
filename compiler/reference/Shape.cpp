// Ops of the reference interpreter that rearrange elements.

#include "compiler/reference/Families.h"

#include "dialects/graph/Elements.h"
#include "dialects/graph/Shape.h"
#include "dialects/graph/gradients/Gradient.h"

using namespace mlir;

namespace weir::reference {

namespace {

/// A tensor whose elements are those of `x` at the offsets of a strided view.
Tensor view(RankedTensorType type, const Tensor &x, ArrayRef<int64_t> strides,
            int64_t first = 0) {
  Tensor result(type);
  int64_t to = 0;
  forEachOffset(type.getShape(), strides, first,
                [&](int64_t from) { result[to++] = x[from]; });
  return result;
}

Tensor transpose(graph::TransposeOp op, const Tensor &x) {
  SmallVector<int64_t> from = graph::stridesOf(x.shape()), strides;
  for (int64_t dim : op.getPermutation())
    strides.push_back(from[dim]);
  return view(op.getType(), x, strides);
}

Tensor broadcast(graph::BroadcastOp op, const Tensor &x) {
  SmallVector<int64_t> from = graph::stridesOf(x.shape());
  SmallVector<int64_t> strides(op.getType().getRank(), 0);
  for (auto [i, dim] : llvm::enumerate(op.getDims()))
    strides[dim] = x.shape()[i] == 1 ? 0 : from[i];
  return view(op.getType(), x, strides);
}

Tensor slice(graph::SliceOp op, const Tensor &x) {
  SmallVector<int64_t> strides = graph::stridesOf(x.shape());
  int64_t first = 0;
  for (size_t i = 0; i < strides.size(); ++i) {
    first += op.getStarts()[i] * strides[i];
    strides[i] *= op.getStrides()[i];
  }
  return view(op.getType(), x, strides, first);
}

Tensor reverse(graph::ReverseOp op, const Tensor &x) {
  SmallVector<int64_t> strides = graph::stridesOf(x.shape());
  int64_t first = 0;
  for (int64_t dim : op.getDims()) {
    first += (x.shape()[dim] - 1) * strides[dim];
    strides[dim] = -strides[dim];
  }
  return view(op.getType(), x, strides, first);
}

Tensor pad(graph::PadOp op, const Tensor &x, const Tensor &value) {
  Tensor result(op.getType());
  std::fill_n(result.data(), result.size(), value[0]);
  SmallVector<int64_t> strides = graph::stridesOf(result.shape());
  int64_t first = 0, from = 0;
  for (size_t i = 0; i < strides.size(); ++i) {
    first += op.getLow()[i] * strides[i];
    strides[i] *= op.getInterior()[i] + 1;
  }
  forEachOffset(x.shape(), strides, first,
                [&](int64_t to) { result[to] = x[from++]; });
  return result;
}

Tensor concat(graph::ConcatOp op, Operands inputs) {
  Tensor result(op.getType());
  SmallVector<int64_t> strides = graph::stridesOf(result.shape());
  int64_t first = 0;
  for (const TensorRef &input : inputs) {
    int64_t from = 0;
    forEachOffset(input->shape(), strides, first,
                  [&](int64_t to) { result[to] = (*input)[from++]; });
    first += input->shape()[op.getAxis()] * strides[op.getAxis()];
  }
  return result;
}

Tensor iota(graph::IotaOp op) {
  Tensor result(op.getType());
  int64_t size = op.getType().getDimSize(op.getAxis());
  int64_t apart = graph::stridesOf(result.shape())[op.getAxis()];
  for (int64_t i = 0; i < result.size(); ++i) {
    int64_t index = i / apart % size;
    if (result.isFloat())
      result[i].number = rounded(static_cast<double>(index),
                                 *semanticsOf(result.elementType()));
    else
      result.setInteger(i, index);
  }
  return result;
}

} // namespace

void addShape(Evaluators &all) {
  all.add([](graph::ReshapeOp op, Operands in) {
    return in[0]->reshaped(op.getType());
  });
  all.addEach<graph::BarrierOp, graph::StopGradientOp>(
      [](auto, Operands in) { return *in[0]; });
  all.add(
      [](graph::TransposeOp op, Operands in) { return transpose(op, *in[0]); });
  all.add(
      [](graph::BroadcastOp op, Operands in) { return broadcast(op, *in[0]); });
  all.add([](graph::SliceOp op, Operands in) { return slice(op, *in[0]); });
  all.add([](graph::ReverseOp op, Operands in) { return reverse(op, *in[0]); });
  all.add([](graph::PadOp op, Operands in) { return pad(op, *in[0], *in[1]); });
  all.add([](graph::ConcatOp op, Operands in) { return concat(op, in); });
  all.add([](graph::IotaOp op, Operands) { return iota(op); });
  all.add([](graph::EmptyOp op, Operands) { return Tensor(op.getType()); });
}

} // namespace weir::reference
