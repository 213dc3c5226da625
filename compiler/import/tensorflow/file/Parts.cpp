// Parts of a checkpoint's tensors: the slices that it has of them, and the
// parts that partitioned variables are restored from.

#include "compiler/Slice.h"
#include "compiler/import/tensorflow/Tensors.h"
#include "compiler/import/tensorflow/Types.h"
#include "compiler/import/tensorflow/file/Checkpoint.h"
#include "compiler/import/tensorflow/file/Table.h"

#include "llvm/ADT/BitVector.h"
#include <cstring>

using namespace mlir;
using ::tensorflow::BundleEntryProto;

namespace weir::tensorflow {

namespace {
/// Where a part of a tensor lies in it, and how much it is.
struct StoredSlice {
  SmallVector<int64_t> starts, lengths;
  int64_t bytes;
  BundleEntryProto entry;
  std::string text;

  /// Copies the part's rows, one after the other, and sets the bits of their
  /// rows. Returns false if a bit was set before.
  bool copyTo(char *whole, llvm::BitVector &filled, ArrayRef<int64_t> shape,
              unsigned width, StringRef part) const;
};
} // namespace

bool StoredSlice::copyTo(char *whole, llvm::BitVector &filled,
                         ArrayRef<int64_t> shape, unsigned width,
                         StringRef part) const {
  if (!bytes)
    return true;
  int64_t count = shape.empty() ? 1 : lengths.back(), row = count * width;
  SmallVector<int64_t> at(shape.size(), 0);
  for (int64_t from = 0; from < bytes; from += row) {
    int64_t to = 0;
    for (size_t d = 0; d < shape.size(); ++d)
      to = to * shape[d] + starts[d] + at[d];
    std::memcpy(whole + to * width, part.data() + from, row);
    // An index of 2^31 or more comes as a negative number.
    if (filled.find_first_in(to, to + count) != -1)
      return false;
    filled.set(to, to + count);
    for (size_t d = shape.size(); d-- > 1;) {
      if (++at[d - 1] < lengths[d - 1])
        break;
      at[d - 1] = 0;
    }
  }
  return true;
}

/// The slice as graphs name it: `0,3:-`.
static std::string textOf(const ::tensorflow::TensorSliceProto &slice) {
  std::string text;
  for (const auto &extent : slice.extent()) {
    text += text.empty() ? "" : ":";
    text += extent.has_length() ? std::to_string(extent.start()) + "," +
                                      std::to_string(extent.length())
                                : "-";
    if (text.size() > 100)
      return text + "...";
  }
  return text;
}

FailureOr<std::string> Checkpoint::readSlices(StringRef key,
                                              const BundleEntryProto &entry,
                                              ArrayRef<int64_t> shape,
                                              unsigned width) {
  std::optional<int64_t> size = byteSize(shape, width);
  if (!size)
    return error(key) << "is larger than a tensor may be";
  // Its parts must fill it, which is known before there is memory for it: it
  // cannot be much larger than the shards.
  std::vector<StoredSlice> parts;
  int64_t filled = 0;
  for (const auto &slice : entry.slices()) {
    StoredSlice part;
    SmallVector<int64_t> said;
    part.text = textOf(slice);
    for (auto [d, extent] : llvm::enumerate(slice.extent())) {
      int64_t all = d < shape.size() ? shape[d] : -1;
      int64_t length = extent.has_length() ? extent.length() : all;
      if (extent.start() < 0 || length < 0 || extent.start() > all ||
          length > all - extent.start())
        return error(key) << "its slice '" << part.text
                          << "' lies outside of it";
      part.starts.push_back(extent.start());
      part.lengths.push_back(length);
      said.push_back(extent.has_length() ? length : weir::Slice::uncut);
    }
    if (part.starts.size() != shape.size())
      return error(key) << "its slice '" << part.text << "' has another rank";
    std::string keyOfSlice = sliceKey(key, part.starts, said);
    if (!has(keyOfSlice))
      return error(key) << "its slice '" << part.text << "' is missing";
    if (failed(readEntry(keyOfSlice, part.entry)))
      return failure();
    std::optional<int64_t> bytes = byteSize(part.lengths, width);
    auto stored = shapeOf(part.entry.shape());
    if (failed(stored) || !*stored || **stored != ArrayRef(part.lengths) ||
        !bytes || part.entry.size() != *bytes ||
        part.entry.dtype() != entry.dtype() || part.entry.slices_size())
      return error(key) << "its slice '" << part.text
                        << "' has another size than its shape";
    if (failed(claim(key, part.entry)))
      return failure();
    part.bytes = *bytes;
    filled += *bytes;
    if (filled > *size)
      return error(key) << "its slices overlap";
    parts.push_back(std::move(part));
  }
  if (filled != *size)
    return error(key) << "its slices do not fill it";
  if (!llvm::isUInt<32>(*size / width))
    return error(key) << "has too many elements for slices";
  std::string whole(*size, 0);
  llvm::BitVector positions(static_cast<unsigned>(*size / width));
  for (const StoredSlice &part : parts) {
    FailureOr<std::string> bytes = readBytes(key, part.entry);
    if (failed(bytes))
      return failure();
    if (part.entry.crc32c() != storedChecksum(*bytes))
      return error(key) << "the checksum of its slice '" << part.text
                        << "' does not match";
    if (!part.copyTo(whole.data(), positions, shape, width, *bytes))
      return error(key) << "its slices overlap";
  }
  return whole;
}

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
