// Propagates dynamic sizes from op to op.

#include "dialects/graph/Sizes.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Linear.h"
#include "dialects/graph/Neural.h"
#include "dialects/graph/Shape.h"
#include "dialects/graph/packed/Packed.h"
#include "dialects/weir/Attributes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace weir::graph {

/// A dynamic value has the attribute after a few ops, so the search is short.
constexpr unsigned depthLimit = 64;

bool isDynamic(const SizeOfDim &dim) {
  return llvm::any_of(dim, [](SizeFactor f) { return f.isDynamic(); });
}

bool isDynamic(const SizesOfDims &dims) {
  return llvm::any_of(dims,
                      [](const SizeOfDim &dim) { return isDynamic(dim); });
}

ArrayAttr sizesAttr(MLIRContext *context, const SizesOfDims &dims) {
  if (!isDynamic(dims))
    return {};
  SmallVector<Attribute> all;
  for (const SizeOfDim &dim : dims) {
    SmallVector<int64_t> pairs;
    for (SizeFactor factor : dim)
      pairs.append({factor.bound, factor.symbol});
    all.push_back(DenseI64ArrayAttr::get(context, pairs));
  }
  return ArrayAttr::get(context, all);
}

SizesOfDims readSizes(Attribute attribute, ArrayRef<int64_t> shape) {
  auto all = dyn_cast_or_null<ArrayAttr>(attribute);
  if (!all || all.size() != shape.size())
    return {};
  SizesOfDims dims;
  for (auto [each, size] : llvm::zip_equal(all, shape)) {
    auto pairs = dyn_cast<DenseI64ArrayAttr>(each);
    if (!pairs || pairs.size() % 2)
      return {};
    SizeOfDim dim;
    int64_t product = 1;
    for (int64_t i = 0; i < pairs.size(); i += 2) {
      dim.push_back({pairs[i], pairs[i + 1]});
      if (llvm::MulOverflow(product, pairs[i], product))
        return {};
    }
    if (product != size)
      return {};
    dims.push_back(dim);
  }
  return dims;
}

SizesOfDims reshapeSizes(const SizesOfDims &dims, ArrayRef<int64_t> shape) {
  SmallVector<SizeFactor> left;
  for (const SizeOfDim &dim : dims)
    for (SizeFactor factor : dim)
      if (factor.bound != 1 || factor.isDynamic())
        left.push_back(factor);
  size_t at = 0;
  SizesOfDims result;
  for (int64_t size : shape) {
    SizeOfDim dim;
    int64_t product = 1;
    while (at < left.size() &&
           (product < size || (dim.empty() && left[at].bound == 1))) {
      SizeFactor &next = left[at];
      if (next.bound == 0 || size % product)
        return {};
      int64_t wanted = size / product;
      if (next.bound <= wanted) {
        product *= next.bound;
        dim.push_back(next);
        ++at;
        continue;
      }
      if (next.isDynamic() || next.bound % wanted)
        return {};
      dim.push_back({wanted, -1});
      next.bound /= wanted;
      product = size;
    }
    if (product != size)
      return {};
    if (dim.empty())
      dim.push_back({1, -1});
    result.push_back(dim);
  }
  if (at != left.size())
    return {};
  return result;
}

/// The sizes of a tensor without dynamic dimensions.
static SizesOfDims allFixed(ArrayRef<int64_t> shape) {
  SizesOfDims dims;
  for (int64_t size : shape)
    dims.push_back({{size, -1}});
  return dims;
}

SizesOfDims DynamicSizes::of(Value value) {
  auto [position, isNew] = known.try_emplace(value);
  if (!isNew || depth > depthLimit)
    return position->second;
  ++depth;
  SizesOfDims dims = compute(value);
  --depth;
  if (!isDynamic(dims))
    dims.clear();
  return known[value] = std::move(dims);
}

SizesOfDims DynamicSizes::compute(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return {};
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (auto function = dyn_cast<FunctionOpInterface>(parent))
      return readSizes(
          attrs::sizes.ofArgument(function, argument.getArgNumber()),
          type.getShape());
    auto group = dyn_cast<GroupOp>(parent);
    return group ? of(group.getInputs()[argument.getArgNumber()])
                 : SizesOfDims();
  }
  Operation *op = value.getDefiningOp();
  if (auto group = dyn_cast<GroupOp>(op)) {
    unsigned number = cast<OpResult>(value).getResultNumber();
    Operation *yield = group.getBody().front().getTerminator();
    return of(yield->getOperand(number));
  }
  if (SizesOfDims dims = readSizes(attrs::sizes.of(op), type.getShape());
      !dims.empty())
    return dims;
  return op->getNumResults() == 1 ? ofOp(op, type.getShape()) : SizesOfDims();
}

SizesOfDims DynamicSizes::joined(Operation *op) {
  SizesOfDims dims;
  for (Value operand : op->getOperands()) {
    SizesOfDims other = of(operand);
    if (other.empty())
      continue;
    if (!dims.empty() && dims != other)
      return {};
    dims = other;
  }
  return dims;
}

SizesOfDims DynamicSizes::ofOp(Operation *op, ArrayRef<int64_t> shape) {
  using Dims = SizesOfDims;
  auto isFloat = [](Value value) {
    return isa<FloatType>(getElementTypeOrSelf(value.getType()));
  };
  return llvm::TypeSwitch<Operation *, Dims>(op)
      .Case([&](ReshapeOp reshape) {
        Dims dims = of(reshape.getX());
        return dims.empty() ? Dims() : reshapeSizes(dims, shape);
      })
      .Case([&](TransposeOp transpose) {
        Dims dims = of(transpose.getX());
        Dims result;
        if (!dims.empty())
          for (int64_t from : transpose.getPermutation())
            result.push_back(dims[from]);
        return result;
      })
      .Case([&](BroadcastOp broadcast) {
        Dims dims = of(broadcast.getX());
        if (dims.empty())
          return Dims();
        Dims result = allFixed(shape);
        for (auto [i, at] : llvm::enumerate(broadcast.getDims()))
          if (cast<RankedTensorType>(broadcast.getX().getType())
                  .getDimSize(i) == shape[at])
            result[at] = dims[i];
        return result;
      })
      .Case([&](SliceOp slice) {
        Dims dims = of(slice.getX());
        auto from = cast<RankedTensorType>(slice.getX().getType()).getShape();
        for (size_t i = 0; i < dims.size(); ++i) {
          if (shape[i] == from[i] && slice.getStrides()[i] == 1)
            continue;
          if (isDynamic(dims[i]))
            return Dims();
          dims[i] = {{shape[i], -1}};
        }
        return dims;
      })
      .Case([&](MatmulOp product) {
        Dims a = of(product.getA()), b = of(product.getB());
        size_t rank = shape.size();
        Dims result = allFixed(shape);
        for (const Dims *dims : {&a, &b})
          for (size_t i = 0; !dims->empty() && i + 2 < rank; ++i)
            if (isDynamic((*dims)[i]))
              result[i] = (*dims)[i];
        if (!a.empty())
          result[rank - 2] = a[product.getTransposeA() ? rank - 1 : rank - 2];
        if (!b.empty())
          result[rank - 1] = b[product.getTransposeB() ? rank - 2 : rank - 1];
        return result;
      })
      .Case([&](PackedMatmulOp product) {
        Dims dims = of(product.getX());
        if (!dims.empty())
          dims.back() = {{shape.back(), -1}};
        return dims;
      })
      .Case([&](SoftmaxOp softmax) { return of(softmax.getX()); })
      // These may compute nonzero elements from padding.
      .Case<MulNoNanOp, DivNoNanOp>([](Operation *) { return Dims(); })
      // The padding of the operands maps to that of the result. Selects and
      // Booleans are excluded, since they may remove the padding.
      .Case([&](ScalarOpInterface) {
        bool areFloats = llvm::all_of(op->getOperands(), isFloat) &&
                         isFloat(op->getResult(0));
        return areFloats ? joined(op) : Dims();
      })
      .Default([](Operation *) { return Dims(); });
}

} // namespace weir::graph
