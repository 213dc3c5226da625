// Slices as graphs name them, and their keys in checkpoints.

#include "compiler/Slice.h"

#include "runtime/checkpoint/keys.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/LEB128.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace weir {

SmallVector<int64_t> Slice::shape() const {
  SmallVector<int64_t> result(lengths);
  for (auto [length, size] : zip_equal(result, sizes))
    if (length == uncut)
      length = size;
  return result;
}

bool Slice::isWhole() const { return shape() == sizes; }

bool Slice::overlaps(const Slice &other) const {
  SmallVector<int64_t> own = shape(), others = other.shape();
  for (size_t i = 0; i < own.size(); ++i)
    if (std::max(starts[i], other.starts[i]) >=
        std::min(starts[i] + own[i], other.starts[i] + others[i]))
      return false;
  return true;
}

std::optional<Slice> parseSlice(StringRef text) {
  Slice slice;
  SmallVector<StringRef> words, extents;
  text.split(words, ' ', -1, /*KeepEmpty=*/false);
  if (words.size() < 2)
    return std::nullopt;
  words.pop_back_val().split(extents, ':');
  if (extents.size() != words.size())
    return std::nullopt;
  for (auto [word, extent] : zip_equal(words, extents)) {
    int64_t size, start = 0, length = Slice::uncut;
    if (word.getAsInteger(10, size) || size < 0)
      return std::nullopt;
    auto [first, count] = extent.split(',');
    if (extent != "-" &&
        (first.getAsInteger(10, start) || count.getAsInteger(10, length) ||
         start < 0 || length < 0 || start > size || length > size - start))
      return std::nullopt;
    slice.sizes.push_back(size);
    slice.starts.push_back(start);
    slice.lengths.push_back(length);
  }
  return slice;
}

/// Appends a field of a message: a number, left out where it is 0, and a
/// message.
static void appendField(std::string &to, unsigned field, uint64_t value) {
  if (!value)
    return;
  raw_string_ostream os(to);
  encodeULEB128(field << 3, os);
  encodeULEB128(value, os);
}

static void appendField(std::string &to, unsigned field, StringRef message) {
  raw_string_ostream os(to);
  encodeULEB128(field << 3 | 2, os);
  encodeULEB128(message.size(), os);
  os << message;
}

std::string sliceEntry(ArrayRef<Slice> slices) {
  std::string shape, entry;
  for (int64_t size : slices.front().sizes) {
    std::string dim;
    appendField(dim, 1, size);
    appendField(shape, 2, dim);
  }
  appendField(entry, 2, shape);
  for (const Slice &slice : slices) {
    std::string extents;
    for (auto [start, length] : zip_equal(slice.starts, slice.lengths)) {
      std::string extent;
      appendField(extent, 1, start);
      // A length of 0 is told from none.
      if (length == 0)
        extent += StringRef("\x10\0", 2);
      else if (length != Slice::uncut)
        appendField(extent, 2, length);
      appendField(extents, 1, extent);
    }
    appendField(entry, 7, extents);
  }
  return entry;
}

std::string sliceKey(StringRef name, ArrayRef<int64_t> starts,
                     ArrayRef<int64_t> lengths) {
  std::string text(WEIR_KEY_MOST, 0);
  text.resize(weir_put_slice_key(
      reinterpret_cast<uint8_t *>(text.data()), name.data(), name.size(),
      static_cast<int32_t>(starts.size()), starts.data(), lengths.data()));
  return text;
}

} // namespace weir
