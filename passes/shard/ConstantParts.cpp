// Cuts constants into the parts of ranks.

#include "passes/shard/ConstantParts.h"

#include "dialects/graph/constants/Bytes.h"

using namespace mlir;

namespace weir::shard {

namespace {

/// The indices of a rank along the axes of a mesh.
class Position {
public:
  /// The rank with index `number` among those that differ along `axes`.
  Position(MeshAttr mesh, int64_t axes, int64_t number) : mesh(mesh) {
    ArrayRef<int64_t> sizes = mesh.getSizes().asArrayRef();
    indices.assign(sizes.size(), 0);
    // The last axis varies fastest.
    for (size_t i = sizes.size(); i-- > 0;)
      if (axes >> i & 1) {
        indices[i] = number % sizes[i];
        number /= sizes[i];
      }
  }

  /// Its index among the ranks that differ along `axes`.
  int64_t along(int64_t axes) const {
    int64_t index = 0;
    for (auto [i, size] : llvm::enumerate(mesh.getSizes().asArrayRef()))
      if (axes >> i & 1)
        index = index * size + indices[i];
    return index;
  }

private:
  MeshAttr mesh;
  SmallVector<int64_t> indices;
};

} // namespace

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
  SmallVector<Attribute> parts;
  for (int64_t i = 0; i < ranksOf(mesh, axes); ++i) {
    Position rank(mesh, axes, i);
    int64_t from = 0;
    for (auto [size, stride, bits] :
         llvm::zip_equal(type.getShape(), strides, sharding))
      from += rank.along(bits) * size * stride;
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
