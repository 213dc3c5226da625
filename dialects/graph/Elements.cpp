// Helpers of ops that move elements.

#include "dialects/graph/Elements.h"

#include "dialects/graph/Graph.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace weir::graph {

std::optional<int64_t> countElements(ArrayRef<int64_t> shape) {
  constexpr int64_t limit = int64_t(1) << 58;
  int64_t count = 1;
  bool empty = false;
  for (int64_t size : shape) {
    if (size < 0)
      return std::nullopt;
    empty |= size == 0;
    if (size == 0)
      continue;
    if (llvm::MulOverflow(count, size, count) || count > limit)
      return std::nullopt;
  }
  return empty ? 0 : count;
}

int64_t saturatingAdd(int64_t a, int64_t b) {
  int64_t sum;
  return llvm::AddOverflow(a, b, sum) ? INT64_MAX : sum;
}

int64_t tensorBytes(Type tensor) {
  auto type = cast<RankedTensorType>(tensor);
  return type.getNumElements() *
         llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

bool isPermutation(ArrayRef<int64_t> permutation) {
  SmallVector<bool> seen(permutation.size());
  for (int64_t dim : permutation) {
    if (dim < 0 || dim >= static_cast<int64_t>(seen.size()) || seen[dim])
      return false;
    seen[dim] = true;
  }
  return true;
}

bool areAscendingDims(ArrayRef<int64_t> dims, int64_t rank) {
  int64_t last = -1;
  for (int64_t dim : dims) {
    if (dim <= last || dim >= rank)
      return false;
    last = dim;
  }
  return true;
}

SmallVector<int64_t> stridesOf(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;)
    strides[i - 1] = strides[i] * shape[i];
  return strides;
}

std::optional<int64_t> contiguousStart(ArrayRef<int64_t> shape,
                                       ArrayRef<int64_t> starts,
                                       ArrayRef<int64_t> limits,
                                       ArrayRef<int64_t> strides) {
  int64_t start = 0;
  bool severalRows = false;
  for (auto [size, first, limit, stride] :
       llvm::zip_equal(shape, starts, limits, strides)) {
    int64_t taken = llvm::divideCeil(limit - first, stride);
    // With several rows, each must be taken whole to be contiguous.
    if (taken == 0 || (taken > 1 && stride != 1) ||
        (severalRows && taken != size))
      return std::nullopt;
    severalRows |= taken > 1;
    start = start * size + first;
  }
  return start;
}

bool joinsContiguously(ArrayRef<int64_t> shape, int64_t axis) {
  return llvm::all_of(shape.take_front(axis),
                      [](int64_t size) { return size == 1; });
}

DenseElementsAttr
pickElements(ArrayRef<DenseElementsAttr> sources, RankedTensorType type,
             function_ref<ElementRef(ArrayRef<int64_t>)> choose) {
  std::optional<int64_t> count = countElements(type.getShape());
  if (!count || *count > foldLimit)
    return {};
  // Floats are moved as integers, so that a NaN keeps its bits.
  Type element = type.getElementType(), bits = element;
  if (isa<FloatType>(element))
    bits = IntegerType::get(type.getContext(), element.getIntOrFloatBitWidth());
  using Values = DenseElementsAttr::iterator_range<APInt>;
  SmallVector<std::optional<Values>> values(sources.size());
  for (auto [range, constant] : llvm::zip_equal(values, sources)) {
    DenseElementsAttr source = constant;
    if (element != bits)
      range.emplace(source.bitcast(bits).getValues<APInt>());
    else
      range.emplace(source.getValues<APInt>());
  }

  SmallVector<APInt> picked;
  picked.reserve(*count);
  SmallVector<int64_t> index(type.getRank());
  for (int64_t i = 0; i < *count; ++i) {
    ElementRef ref = choose(index);
    bool splat = sources[ref.source].isSplat();
    picked.push_back(
        *(values[ref.source]->begin() + (splat ? 0 : ref.position)));
    for (int64_t d = type.getRank(); d-- > 0;) {
      if (++index[d] < type.getDimSize(d))
        break;
      index[d] = 0;
    }
  }
  auto result = DenseElementsAttr::get(type.clone(bits), picked);
  return element == bits ? result : result.bitcast(element);
}

DenseElementsAttr emptyConstant(RankedTensorType type) {
  if (!llvm::is_contained(type.getShape(), 0))
    return {};
  return DenseElementsAttr::getFromRawBuffer(type, {});
}

std::optional<SmallVector<int64_t>> integersOf(Attribute value) {
  auto elements = dyn_cast_or_null<DenseIntElementsAttr>(value);
  if (!elements || elements.getNumElements() > foldLimit)
    return std::nullopt;
  bool isUnsigned = elements.getElementType().isUnsignedInteger();
  SmallVector<int64_t> integers;
  for (const APInt &integer : elements.getValues<APInt>())
    integers.push_back(isUnsigned || integer.getBitWidth() == 1
                           ? static_cast<int64_t>(integer.getZExtValue())
                           : integer.getSExtValue());
  return integers;
}

} // namespace weir::graph
