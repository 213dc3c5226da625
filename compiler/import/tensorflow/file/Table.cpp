// Reads tables: a footer leads to an index block, that to the data blocks.

#include "compiler/import/tensorflow/file/Table.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Endian.h"

#include "runtime/checkpoint/table.h"

#include <algorithm>

using namespace llvm;

namespace weir::tensorflow {

/// The most by which a table grows when its blocks are unpacked.
constexpr size_t expansion = 64;

static const weir_crc &crc() {
  static const weir_crc table = [] {
    weir_crc crc;
    weir_crc_init(&crc);
    return crc;
  }();
  return table;
}

uint32_t storedChecksum(StringRef bytes) {
  return weir_crc_masked(weir_crc_of(&crc(), bytes.data(), bytes.size(), 0));
}

static Error damaged(const char *what) {
  return createStringError(std::errc::invalid_argument, "%s", what);
}

static StringRef textOf(weir_span span) {
  return {reinterpret_cast<const char *>(span.at),
          static_cast<size_t>(span.end - span.at)};
}

namespace {

/// Where a block lies in the table.
struct Handle {
  uint64_t offset, size;
};

class Reader {
public:
  explicit Reader(StringRef bytes)
      : table{bytes.bytes_begin(), bytes.bytes_end()},
        budget(expansion * (bytes.size() + 1024)) {}

  Expected<std::map<std::string, std::string>> read();

private:
  using Visit = function_ref<Error(StringRef key, weir_span value)>;

  static bool take(weir_span &from, Handle &handle) {
    return weir_take_varint(&from, &handle.offset) &&
           weir_take_varint(&from, &handle.size);
  }
  /// Calls `visit` with each key and value of a block, until it fails. `room`
  /// is for the bytes of a compressed block.
  Error forEachEntry(Handle block, std::vector<uint8_t> &room, Visit visit);
  /// Accounts for bytes that are read or built: handles may lead to the same
  /// block, and prefixes that keys share cost no bytes in the file.
  bool spend(size_t bytes) {
    if (bytes > budget)
      return false;
    budget -= bytes;
    return true;
  }

  weir_span table;
  size_t budget;
};

} // namespace

Error Reader::forEachEntry(Handle block, std::vector<uint8_t> &room,
                           Visit visit) {
  room.resize(WEIR_UNPACKED_MOST);
  // The checksum costs time for all stored bytes, the restarts among them. A
  // block outside of the file costs none.
  if (!spend(std::min<uint64_t>(block.size, textOf(table).size())))
    return damaged("its blocks overlap");
  weir_span entries, value;
  if (!weir_find_block(&crc(), table, block.offset, block.size, room.data(),
                       &entries))
    return damaged("a block lies outside of the file, is malformed or does not "
                   "match its checksum");
  if (!spend(entries.end - entries.at))
    return damaged("its blocks overlap");
  uint8_t key[WEIR_KEY_MOST];
  size_t keyBytes = 0;
  while (entries.at < entries.end) {
    if (!weir_take_entry(&entries, key, &keyBytes, &value))
      return damaged("an entry lies outside of its block, or its key is longer "
                     "than 4096 bytes");
    if (!spend(keyBytes))
      return damaged("its keys are longer than the file can hold");
    if (Error error = visit(textOf({key, key + keyBytes}), value))
      return error;
  }
  return Error::success();
}

Expected<std::map<std::string, std::string>> Reader::read() {
  if (textOf(table).size() < WEIR_FOOTER_BYTES)
    return damaged("it is too short");
  weir_span footer{table.end - WEIR_FOOTER_BYTES, table.end};
  if (support::endian::read64le(footer.end - 8) != weir_table_magic)
    return damaged("it does not end as a checkpoint's index does");
  Handle meta, index;
  if (!take(footer, meta) || !take(footer, index))
    return damaged("its footer is malformed");
  std::map<std::string, std::string> result;
  std::optional<std::string> last;
  std::vector<uint8_t> indexRoom, room;
  Error error =
      forEachEntry(index, indexRoom, [&](StringRef, weir_span value) -> Error {
        Handle block;
        if (!take(value, block))
          return damaged("its index block is malformed");
        return forEachEntry(block, room,
                            [&](StringRef key, weir_span value) -> Error {
                              if (last && key <= StringRef(*last))
                                return damaged("its keys are not in order");
                              last = key.str();
                              result.emplace(key.str(), textOf(value).str());
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
