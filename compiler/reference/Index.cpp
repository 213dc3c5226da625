// Ops of the reference interpreter that choose or place elements by values.

#include "compiler/reference/Families.h"
#include "compiler/reference/Windows.h"

#include "dialects/graph/Elements.h"
#include "dialects/graph/Index.h"
#include <algorithm>

using namespace mlir;

namespace weir::reference {
namespace {

int64_t clamped(int64_t index, int64_t size) {
  return std::clamp<int64_t>(index, 0, std::max<int64_t>(size - 1, 0));
}

Tensor gather(graph::GatherOp op, const Tensor &x, const Tensor &indices) {
  Tensor result(op.getType());
  int64_t axis = op.getAxis(), batchDims = op.getBatchDims();
  int64_t size = x.shape()[axis];
  int64_t batch = product(x.shape().take_front(batchDims));
  int64_t outer = product(x.shape().slice(batchDims, axis - batchDims));
  int64_t inner = product(x.shape().drop_front(axis + 1));
  int64_t count = product(indices.shape().drop_front(batchDims));
  Lane *to = result.data();
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t o = 0; o < outer; ++o)
      for (int64_t i = 0; i < count; ++i, to += inner) {
        int64_t index = clamped(indices.integer(b * count + i), size);
        std::copy_n(x.data() + ((b * outer + o) * size + index) * inner, inner,
                    to);
      }
  return result;
}

/// The offset in `x` of the slice that a vector of indices selects; none where
/// an index is outside and `clamps` is false.
std::optional<int64_t> offsetOf(const Tensor &indices, int64_t vector,
                                ArrayRef<int64_t> sizes,
                                ArrayRef<int64_t> strides, bool clamps) {
  int64_t offset = 0, length = static_cast<int64_t>(sizes.size());
  for (int64_t i = 0; i < length; ++i) {
    int64_t index = indices.integer(vector * length + i);
    if (clamps)
      index = clamped(index, sizes[i]);
    else if (index < 0 || index >= sizes[i])
      return std::nullopt;
    offset += index * strides[i];
  }
  return offset;
}

Tensor gatherNd(graph::GatherNdOp op, const Tensor &x, const Tensor &indices) {
  Tensor result(op.getType());
  int64_t batchDims = op.getBatchDims(), length = indices.shape().back();
  int64_t batch = product(x.shape().take_front(batchDims));
  int64_t each = product(indices.shape().drop_front(batchDims).drop_back());
  SmallVector<int64_t> strides = graph::stridesOf(x.shape());
  ArrayRef<int64_t> sizes = x.shape().slice(batchDims, length);
  int64_t inner = product(x.shape().drop_front(batchDims + length));
  int64_t ofBatch = product(x.shape().drop_front(batchDims));
  Lane *to = result.data();
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t i = 0; i < each; ++i, to += inner) {
      auto offset = offsetOf(indices, b * each + i, sizes,
                             ArrayRef(strides).slice(batchDims, length),
                             /*clamps=*/true);
      std::copy_n(x.data() + b * ofBatch + *offset, inner, to);
    }
  return result;
}

Lane combined(graph::Combiner combiner, const Tensor &x, Lane old,
              const Tensor &updates, int64_t at) {
  Lane update = updates[at];
  if (combiner == graph::Combiner::update)
    return update;
  // Two elements of the type, so that its order and its width apply.
  Tensor both(RankedTensorType::get({2}, x.elementType()));
  both[0] = old;
  both[1] = update;
  bool isFloat = x.isFloat();
  switch (combiner) {
  case graph::Combiner::min:
  case graph::Combiner::max: {
    // A NaN on either side is the result.
    if (isFloat && (old.number != old.number || update.number != update.number))
      return old.number != old.number ? old : update;
    bool isLower = isLess(both, 1, 0);
    return isLower == (combiner == graph::Combiner::min) ? update : old;
  }
  case graph::Combiner::add:
    isFloat ? void(both[0].number += update.number)
            : both.setInteger(0, int64_t(old.bits + update.bits));
    break;
  case graph::Combiner::sub:
    isFloat ? void(both[0].number -= update.number)
            : both.setInteger(0, int64_t(old.bits - update.bits));
    break;
  case graph::Combiner::mul:
    isFloat ? void(both[0].number *= update.number)
            : both.setInteger(0, int64_t(old.bits * update.bits));
    break;
  case graph::Combiner::update:
    break;
  }
  return both[0];
}

Tensor scatter(graph::ScatterOp op, const Tensor &x, const Tensor &indices,
               const Tensor &updates) {
  Tensor result(x);
  int64_t length = indices.shape().back();
  SmallVector<int64_t> strides = graph::stridesOf(x.shape());
  int64_t inner = product(x.shape().drop_front(length));
  int64_t vectors = product(indices.shape().drop_back());
  for (int64_t i = 0; i < vectors; ++i) {
    auto offset = offsetOf(indices, i, x.shape().take_front(length), strides,
                           /*clamps=*/false);
    if (!offset)
      continue;
    for (int64_t k = 0; k < inner; ++k) {
      Lane &element = result[*offset + k];
      element = combined(op.getCombiner(), x, element, updates, i * inner + k);
    }
  }
  return result;
}

/// The offset of a box of `sizes` that starts at these indices, moved into `x`.
int64_t startOf(const Tensor &x, ArrayRef<int64_t> sizes, Operands starts) {
  SmallVector<int64_t> strides = graph::stridesOf(x.shape());
  int64_t first = 0;
  for (size_t i = 0; i < sizes.size(); ++i)
    first +=
        std::clamp<int64_t>(starts[i]->integer(0), 0, x.shape()[i] - sizes[i]) *
        strides[i];
  return first;
}

Tensor dynamicSlice(graph::DynamicSliceOp op, const Tensor &x,
                    Operands starts) {
  Tensor result(op.getType());
  int64_t to = 0;
  forEachOffset(op.getSizes(), graph::stridesOf(x.shape()),
                startOf(x, op.getSizes(), starts),
                [&](int64_t from) { result[to++] = x[from]; });
  return result;
}

Tensor dynamicUpdateSlice(const Tensor &x, const Tensor &update,
                          Operands starts) {
  Tensor result(x);
  int64_t from = 0;
  forEachOffset(update.shape(), graph::stridesOf(x.shape()),
                startOf(x, update.shape(), starts),
                [&](int64_t to) { result[to] = update[from++]; });
  return result;
}

Tensor oneHot(graph::OneHotOp op, const Tensor &indices, Lane on, Lane off) {
  Tensor result(op.getType());
  std::fill_n(result.data(), result.size(), off);
  int64_t depth = op.getDepth(), axis = op.getAxis();
  int64_t inner = product(indices.shape().drop_front(axis));
  bool isUnsigned = indices.elementType().isUnsignedInteger();
  for (int64_t i = 0; i < indices.size(); ++i) {
    int64_t index = indices.integer(i);
    if ((!isUnsigned && index < 0) || uint64_t(index) >= uint64_t(depth))
      continue;
    result[(i / inner * depth + index) * inner + i % inner] = on;
  }
  return result;
}

SmallVector<int64_t> permutationOf(ArrayRef<int64_t> permutation, size_t rank) {
  if (!permutation.empty())
    return SmallVector<int64_t>(permutation);
  return llvm::to_vector(llvm::seq<int64_t>(0, int64_t(rank)));
}

/// The shape of the corner that is in use.
SmallVector<int64_t> cornerOf(SmallVector<int64_t> shape,
                              ArrayRef<int64_t> dims, Operands sizes) {
  for (auto [dim, size] : llvm::zip_equal(dims, sizes))
    shape[dim] = std::clamp<int64_t>(size->integer(0), 0, shape[dim]);
  return shape;
}

Tensor compact(graph::CompactOp op, const Tensor &x, Operands sizes) {
  Tensor result(op.getType());
  SmallVector<int64_t> from = graph::stridesOf(x.shape()), strides, shape;
  for (int64_t dim : permutationOf(op.getPermutation(), from.size())) {
    strides.push_back(from[dim]);
    shape.push_back(x.shape()[dim]);
  }
  int64_t to = 0;
  forEachOffset(cornerOf(shape, op.getDims(), sizes), strides, 0,
                [&](int64_t offset) { result[to++] = x[offset]; });
  return result;
}

Tensor spread(graph::SpreadOp op, const Tensor &x, Operands sizes) {
  Tensor result(op.getType());
  SmallVector<int64_t> to = graph::stridesOf(result.shape());
  SmallVector<int64_t> strides(to.size());
  // Dimension i of the result is dimension permutation[i] of `shape`.
  for (auto [i, dim] :
       llvm::enumerate(permutationOf(op.getPermutation(), to.size())))
    strides[dim] = to[i];
  int64_t from = 0;
  forEachOffset(
      cornerOf(SmallVector<int64_t>(op.getShape()), op.getDims(), sizes),
      strides, 0, [&](int64_t offset) { result[offset] = x[from++]; });
  return result;
}

Tensor fillBeyond(graph::FillBeyondOp op, const Tensor &x, int64_t size,
                  Lane value) {
  Tensor result(x);
  int64_t dim = op.getDim(), inner = product(x.shape().drop_front(dim + 1));
  int64_t first = std::max<int64_t>(size, 0);
  int64_t end =
      std::min<int64_t>(x.shape()[dim], first + int64_t(op.getReach()));
  for (int64_t i = 0; i < result.size(); ++i)
    if (int64_t index = i / inner % x.shape()[dim];
        index >= first && index < end)
      result[i] = value;
  return result;
}

} // namespace

void addIndex(Evaluators &all) {
  all.add([](graph::GatherOp op, Operands in) {
    return gather(op, *in[0], *in[1]);
  });
  all.add([](graph::GatherNdOp op, Operands in) {
    return gatherNd(op, *in[0], *in[1]);
  });
  all.add([](graph::ScatterOp op, Operands in) {
    return scatter(op, *in[0], *in[1], *in[2]);
  });
  all.add([](graph::DynamicSliceOp op, Operands in) {
    return dynamicSlice(op, *in[0], in.drop_front());
  });
  all.add([](graph::DynamicUpdateSliceOp, Operands in) {
    return dynamicUpdateSlice(*in[0], *in[1], in.drop_front(2));
  });
  all.add([](graph::OneHotOp op, Operands in) {
    return oneHot(op, *in[0], (*in[1])[0], (*in[2])[0]);
  });
  all.add([](graph::CompactOp op, Operands in) {
    return compact(op, *in[0], in.drop_front());
  });
  all.add([](graph::SpreadOp op, Operands in) {
    return spread(op, *in[0], in.drop_front());
  });
  all.add([](graph::FillBeyondOp op, Operands in) {
    return fillBeyond(op, *in[0], in[1]->integer(0), (*in[2])[0]);
  });
}

} // namespace weir::reference
