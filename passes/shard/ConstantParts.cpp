// Cuts constants into the parts of ranks.

#include "passes/shard/ConstantParts.h"

#include "dialects/graph/constants/Bytes.h"
#include "runtime/comm/steps.h"

using namespace mlir;

namespace weir::shard {

ElementsAttr divide(MeshAttr mesh, graph::ConstantOp constant,
                    ArrayRef<int64_t> sharding) {
  std::optional<graph::Bytes> whole = graph::Bytes::of(constant);
  if (!whole)
    return {};
  RankedTensorType type = partOf(mesh, whole->type(), sharding);
  if (auto splat = dyn_cast<SplatElementsAttr>(constant.getValue()))
    return splat.resizeSplat(type);
  if (whole->isSplat())
    return {};
  int64_t axes = 0;
  for (int64_t bits : sharding)
    axes |= bits;
  SmallVector<int64_t> strides = graph::byteStrides(whole->type());
  SmallVector<uint32_t> sizes(mesh.getSizes().asArrayRef());
  auto groupOf = [&](int64_t along, int32_t rank) {
    return weir_group_of(static_cast<uint32_t>(sizes.size()), sizes.data(),
                         static_cast<uint32_t>(along), rank);
  };
  weir_group all = groupOf(axes, /*rank=*/0);
  SmallVector<Attribute> parts;
  for (uint32_t i = 0; i < all.size; ++i) {
    int32_t rank = weir_peer(&all, i);
    int64_t from = 0;
    for (auto [size, stride, bits] :
         llvm::zip_equal(type.getShape(), strides, sharding))
      from += groupOf(bits, rank).index * size * stride;
    graph::NewBytes part(type);
    graph::copyBox(type.getShape(), graph::bytesOf(type.getElementType()),
                   part.data(), graph::byteStrides(type),
                   whole->data().data() + from, strides);
    parts.push_back(std::move(part).take("part"));
  }
  return PartsAttr::get(mesh.getContext(), axes,
                        ArrayAttr::get(mesh.getContext(), parts));
}

} // namespace weir::shard
