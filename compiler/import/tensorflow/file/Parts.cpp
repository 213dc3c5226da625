// Parts of a checkpoint's tensors: what partitioned variables are restored
// from.

#include "compiler/Slice.h"
#include "compiler/import/tensorflow/Tensors.h"
#include "compiler/import/tensorflow/file/Checkpoint.h"

#include <cstring>

using namespace mlir;

namespace weir::tensorflow {

/// The bytes of the box, row by row.
static std::string cut(StringRef whole, const Slice &box, unsigned width) {
  int64_t rank = static_cast<int64_t>(box.sizes.size());
  SmallVector<int64_t> shape = box.shape();
  int64_t row = shape.back() * width, count = 1;
  for (int64_t length : ArrayRef(shape).drop_back())
    count *= length;
  std::string part(row * count, 0);
  SmallVector<int64_t> at(rank, 0);
  for (int64_t i = 0; i < count && row; ++i) {
    int64_t from = 0;
    for (int64_t d = 0; d < rank; ++d)
      from = from * box.sizes[d] + box.starts[d] + at[d];
    std::memcpy(part.data() + i * row, whole.data() + from * width, row);
    for (int64_t d = rank - 1; d-- > 0;) {
      if (++at[d] < shape[d])
        break;
      at[d] = 0;
    }
  }
  return part;
}

FailureOr<ElementsAttr> Checkpoint::part(StringRef key, StringRef slice,
                                         StringRef name) {
  std::optional<Slice> box = parseSlice(slice);
  if (!box)
    return error(key) << "'" << escaped(slice, 100) << "' names no part of it";
  auto known = wholes.find(key.str());
  if (known == wholes.end()) {
    FailureOr<Raw> raw = read(key);
    if (failed(raw))
      return failure();
    known = wholes.emplace(key.str(), std::move(*raw)).first;
  }
  const auto &[type, bytes] = known->second;
  if (type.getShape() != ArrayRef<int64_t>(box->sizes))
    return error(key) << "has another shape than '" << escaped(slice, 100)
                      << "' says";
  Type element = type.getElementType();
  unsigned width = llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
  return rawElements(RankedTensorType::get(box->shape(), element),
                     cut(bytes, *box, width), name);
}

} // namespace weir::tensorflow
