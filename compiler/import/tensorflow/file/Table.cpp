// Reads tables: a footer leads to an index block, that to the data blocks.

#include "compiler/import/tensorflow/file/Table.h"

#include "compiler/import/tensorflow/file/Crc32c.h"

#include "llvm/Support/Endian.h"

using namespace llvm;

namespace weir::tensorflow {

constexpr size_t footerSize = 48;
constexpr size_t trailerSize = 5;
/// A compressed block becomes at most this much larger.
constexpr size_t expansion = 64;

static Error damaged(const Twine &what) {
  return createStringError(std::errc::invalid_argument, "%s",
                           what.str().c_str());
}

/// Takes a number of at most `bits` bits off the front.
static bool takeVarint(StringRef &bytes, uint64_t &value, unsigned bits = 64) {
  value = 0;
  for (unsigned shift = 0; shift < bits && !bytes.empty(); shift += 7) {
    uint8_t byte = bytes.front();
    bytes = bytes.drop_front();
    uint64_t part = byte & 0x7f;
    if (shift + 7 > bits && part >> (bits - shift))
      return false;
    value |= part << shift;
    if (!(byte & 0x80))
      return true;
  }
  return false;
}

std::optional<std::string> unsnap(StringRef bytes, size_t limit) {
  uint64_t size;
  if (!takeVarint(bytes, size, 32) || size > limit)
    return std::nullopt;
  std::string out;
  out.reserve(size);
  while (!bytes.empty()) {
    uint8_t tag = bytes.front();
    bytes = bytes.drop_front();
    // Numbers that follow a tag are little-endian, of one to four bytes.
    auto take = [&](unsigned count, uint64_t &value) {
      value = 0;
      if (bytes.size() < count)
        return false;
      for (unsigned i = 0; i < count; ++i)
        value |= uint64_t(uint8_t(bytes[i])) << (8 * i);
      bytes = bytes.drop_front(count);
      return true;
    };
    uint64_t length = tag >> 2, offset = 0;
    if ((tag & 3) == 0) {
      if (length >= 60 && !take(length - 59, length))
        return std::nullopt;
      ++length;
      if (length > bytes.size() || length > size - out.size())
        return std::nullopt;
      out.append(bytes.data(), length);
      bytes = bytes.drop_front(length);
      continue;
    }
    if ((tag & 3) == 1) {
      if (!take(1, offset))
        return std::nullopt;
      offset |= uint64_t(tag >> 5) << 8;
      length = ((tag >> 2) & 7) + 4;
    } else {
      if (!take((tag & 3) == 2 ? 2 : 4, offset))
        return std::nullopt;
      ++length;
    }
    if (!offset || offset > out.size() || length > size - out.size())
      return std::nullopt;
    for (uint64_t i = 0; i < length; ++i)
      out.push_back(out[out.size() - offset]);
  }
  if (out.size() != size)
    return std::nullopt;
  return out;
}

namespace {

class Reader {
public:
  explicit Reader(StringRef bytes)
      : bytes(bytes), budget(expansion * (bytes.size() + 1024)) {}

  Expected<std::map<std::string, std::string>> read();

private:
  struct Handle {
    uint64_t offset, size;
  };

  static bool takeHandle(StringRef &from, Handle &handle) {
    return takeVarint(from, handle.offset) && takeVarint(from, handle.size);
  }
  Expected<std::string> block(Handle handle);
  /// Calls `visit` with each key and value of a block, until it gives false.
  Error entries(StringRef block,
                function_ref<Error(StringRef, StringRef)> visit);

  StringRef bytes;
  /// What all blocks together may hold: blocks may overlap.
  size_t budget;
};

} // namespace

Expected<std::string> Reader::block(Handle handle) {
  if (handle.size > bytes.size() ||
      handle.offset > bytes.size() - handle.size ||
      bytes.size() - handle.size - handle.offset < trailerSize)
    return damaged("a block lies outside of the file");
  StringRef whole = bytes.substr(handle.offset, handle.size + 1);
  StringRef contents = whole.drop_back(1);
  uint32_t stored =
      support::endian::read32le(bytes.data() + handle.offset + whole.size());
  if (stored != masked(crc32c(whole)))
    return damaged("a block's checksum does not match");
  std::string result;
  if (whole.back() == 0) {
    result = contents.str();
  } else if (whole.back() == 1) {
    std::optional<std::string> unpacked = unsnap(contents, budget);
    if (!unpacked)
      return damaged("a compressed block is malformed");
    result = std::move(*unpacked);
  } else {
    return damaged("a block is compressed in an unknown way");
  }
  if (result.size() > budget)
    return damaged("its blocks overlap");
  budget -= result.size();
  return result;
}

Error Reader::entries(StringRef block,
                      function_ref<Error(StringRef, StringRef)> visit) {
  if (block.size() < 4)
    return damaged("a block is too short");
  uint64_t restarts =
      support::endian::read32le(block.data() + block.size() - 4);
  if (restarts > (block.size() - 4) / 4)
    return damaged("a block has more restarts than bytes");
  StringRef rest = block.drop_back(4 + 4 * restarts);
  for (uint64_t i = 0; i < restarts; ++i)
    if (support::endian::read32le(block.data() + rest.size() + 4 * i) >
        rest.size())
      return damaged("a restart lies outside of its block");
  std::string key;
  while (!rest.empty()) {
    uint64_t shared, fresh, size;
    if (!takeVarint(rest, shared, 32) || !takeVarint(rest, fresh, 32) ||
        !takeVarint(rest, size, 32) || shared > key.size() ||
        fresh > rest.size() || size > rest.size() - fresh)
      return damaged("an entry lies outside of its block");
    key.resize(shared);
    key.append(rest.data(), fresh);
    // Prefixes that keys share cost no bytes in the file.
    if (key.size() > budget)
      return damaged("its keys are longer than the file can hold");
    budget -= key.size();
    StringRef value = rest.substr(fresh, size);
    rest = rest.drop_front(fresh + size);
    if (Error error = visit(key, value))
      return error;
  }
  return Error::success();
}

Expected<std::map<std::string, std::string>> Reader::read() {
  if (bytes.size() < footerSize)
    return damaged("it is too short");
  StringRef footer = bytes.take_back(footerSize);
  if (support::endian::read64le(footer.data() + footerSize - 8) != tableMagic)
    return damaged("it does not end as a checkpoint's index does");
  Handle meta, index;
  if (!takeHandle(footer, meta) || !takeHandle(footer, index))
    return damaged("its footer is malformed");
  bytes = bytes.drop_back(footerSize);
  Expected<std::string> top = block(index);
  if (!top)
    return top.takeError();
  std::map<std::string, std::string> result;
  std::optional<std::string> last;
  Error error = entries(*top, [&](StringRef, StringRef value) -> Error {
    Handle handle;
    if (!takeHandle(value, handle))
      return damaged("its index block is malformed");
    Expected<std::string> data = block(handle);
    if (!data)
      return data.takeError();
    return entries(*data, [&](StringRef key, StringRef value) -> Error {
      if (last && key <= StringRef(*last))
        return damaged("its keys are not in order");
      last = key.str();
      result.emplace(key.str(), value.str());
      return Error::success();
    });
  });
  if (error)
    return std::move(error);
  return result;
}

Expected<std::map<std::string, std::string>> readTable(StringRef bytes) {
  return Reader(bytes).read();
}

} // namespace weir::tensorflow
