// Parts of a checkpoint's tensors: what partitioned variables are restored
// from.

#include "compiler/import/tensorflow/Tensors.h"
#include "compiler/import/tensorflow/file/Checkpoint.h"

#include <cstring>

using namespace mlir;

namespace weir::tensorflow {

namespace {
/// Where a part lies along each dimension.
struct Box {
  SmallVector<int64_t> sizes, starts, lengths;
};
} // namespace

/// Reads `10 4 0,5:-`; nothing where it is not that.
static std::optional<Box> parseBox(StringRef slice) {
  Box box;
  SmallVector<StringRef> words, extents;
  slice.split(words, ' ', -1, /*KeepEmpty=*/false);
  if (words.size() < 2)
    return std::nullopt;
  words.pop_back_val().split(extents, ':');
  if (extents.size() != words.size())
    return std::nullopt;
  for (auto [word, extent] : llvm::zip_equal(words, extents)) {
    int64_t size, start = 0, length;
    if (word.getAsInteger(10, size) || size < 0)
      return std::nullopt;
    auto [first, count] = extent.split(',');
    length = size;
    if (extent != "-" &&
        (first.getAsInteger(10, start) || count.getAsInteger(10, length)))
      return std::nullopt;
    if (start < 0 || length < 0 || start > size || length > size - start)
      return std::nullopt;
    box.sizes.push_back(size);
    box.starts.push_back(start);
    box.lengths.push_back(length);
  }
  return box;
}

/// The bytes of the box, row by row.
static std::string cut(StringRef whole, const Box &box, unsigned width) {
  int64_t rank = static_cast<int64_t>(box.sizes.size());
  int64_t row = box.lengths.back() * width, count = 1;
  for (int64_t length : ArrayRef(box.lengths).drop_back())
    count *= length;
  std::string part(row * count, 0);
  SmallVector<int64_t> at(rank, 0);
  for (int64_t i = 0; i < count && row; ++i) {
    int64_t from = 0;
    for (int64_t d = 0; d < rank; ++d)
      from = from * box.sizes[d] + box.starts[d] + at[d];
    std::memcpy(part.data() + i * row, whole.data() + from * width, row);
    for (int64_t d = rank - 1; d-- > 0;) {
      if (++at[d] < box.lengths[d])
        break;
      at[d] = 0;
    }
  }
  return part;
}

FailureOr<ElementsAttr> Checkpoint::part(StringRef key, StringRef slice,
                                         StringRef name) {
  std::optional<Box> box = parseBox(slice);
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
  return rawElements(RankedTensorType::get(box->lengths, element),
                     cut(bytes, *box, width), name);
}

} // namespace weir::tensorflow
