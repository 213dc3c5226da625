// Reads tensors out of a checkpoint's shards.

#include "compiler/import/tensorflow/file/Checkpoint.h"

#include "compiler/import/tensorflow/Tensors.h"
#include "compiler/import/tensorflow/file/Crc32c.h"
#include "compiler/import/tensorflow/file/Load.h"
#include "compiler/import/tensorflow/file/Table.h"

#include "llvm/Support/Endian.h"

using namespace mlir;
using ::tensorflow::BundleEntryProto;

namespace weir::tensorflow {

/// An index is a small part of a checkpoint.
constexpr uint64_t indexLimit = uint64_t(256) << 20;
/// So much may be claimed beside four times what the shards hold.
constexpr uint64_t sharedLimit = uint64_t(1) << 20;
constexpr StringRef objectGraphKey = "_CHECKPOINTABLE_OBJECT_GRAPH";

std::unique_ptr<Checkpoint>
Checkpoint::open(Report &report, const File &directory, StringRef prefix) {
  std::string name = prefix.str() + ".index";
  FailureOr<File> file = directory.openBelow(report, name);
  if (failed(file))
    return nullptr;
  std::unique_ptr<Checkpoint> result(new Checkpoint(report));
  result->directory = &directory;
  result->prefix = prefix.str();
  if (file->size() > indexLimit) {
    report.error(Status::limit) << "'" << escaped(name) << "' is too large";
    return nullptr;
  }
  std::string bytes(file->size(), 0);
  if (!file->read(0, {bytes.data(), bytes.size()})) {
    report.error(Status::io) << "cannot read '" << escaped(name) << "'";
    return nullptr;
  }
  auto entries = readTable(bytes);
  if (!entries) {
    report.error() << "'" << escaped(name)
                   << "' is damaged: " << llvm::toString(entries.takeError());
    return nullptr;
  }
  result->entries = std::move(*entries);
  auto header = result->entries.find("");
  ::tensorflow::BundleHeaderProto proto;
  if (header == result->entries.end() || !parseMessage(header->second, proto)) {
    report.error() << "'" << escaped(name) << "' is damaged: it has no header";
    return nullptr;
  }
  if (proto.num_shards() < 1 || proto.num_shards() > 99999 ||
      (proto.endianness() != ::tensorflow::BundleHeaderProto::LITTLE &&
       proto.endianness() != ::tensorflow::BundleHeaderProto::BIG) ||
      proto.version().min_consumer() > 1) {
    report.error() << "'" << escaped(name)
                   << "' is damaged or newer than weir: its header says "
                   << proto.num_shards() << " shards and version "
                   << proto.version().min_consumer();
    return nullptr;
  }
  result->shardCount = proto.num_shards();
  result->bigEndian =
      proto.endianness() == ::tensorflow::BundleHeaderProto::BIG;
  result->entries.erase(header);
  return result;
}

SmallVector<StringRef> Checkpoint::keys() const {
  SmallVector<StringRef> result;
  for (const auto &[key, value] : entries)
    result.push_back(key);
  return result;
}

InFlightDiagnostic Checkpoint::error(StringRef key) {
  InFlightDiagnostic diagnostic = report.error();
  diagnostic << "checkpoint '" << escaped(prefix) << "', tensor '"
             << escaped(key, 100) << "': ";
  return diagnostic;
}

LogicalResult Checkpoint::readEntry(StringRef key, BundleEntryProto &entry) {
  auto found = entries.find(key.str());
  if (found == entries.end())
    return error(key) << "is not in the checkpoint";
  if (!parseMessage(found->second, entry))
    return error(key) << "its entry is malformed";
  return success();
}

FailureOr<File *> Checkpoint::shard(int number) {
  File &file = shards[number];
  if (file.handle() >= 0)
    return &file;
  char digits[64];
  std::snprintf(digits, sizeof digits, ".data-%05d-of-%05d", number,
                shardCount);
  FailureOr<File> opened = directory->openBelow(report, prefix + digits);
  if (failed(opened))
    return failure();
  file = std::move(*opened);
  return &file;
}

FailureOr<File *> Checkpoint::claim(StringRef key,
                                    const BundleEntryProto &entry) {
  if (entry.shard_id() < 0 || entry.shard_id() >= shardCount)
    return error(key) << "is in shard " << entry.shard_id() << " of "
                      << shardCount;
  bool isNew = !shards.count(entry.shard_id());
  FailureOr<File *> file = shard(entry.shard_id());
  if (failed(file))
    return failure();
  uint64_t size = (*file)->size();
  if (entry.offset() < 0 || entry.size() < 0 ||
      static_cast<uint64_t>(entry.size()) > size ||
      static_cast<uint64_t>(entry.offset()) > size - entry.size())
    return error(key) << "lies outside of its shard: " << entry.size()
                      << " bytes at " << entry.offset() << " of " << size;
  openBytes += isNew ? size : 0;
  claimedBytes += entry.size();
  if (claimedBytes > sharedLimit &&
      (claimedBytes - sharedLimit) / 4 > openBytes)
    return error(key) << "its bytes are those of many others, too";
  return file;
}

FailureOr<std::string> Checkpoint::readBytes(StringRef key,
                                             const BundleEntryProto &entry) {
  std::string bytes(entry.size(), 0);
  if (!shards[entry.shard_id()].read(entry.offset(),
                                     {bytes.data(), bytes.size()})) {
    report.error(Status::io) << "cannot read shard " << entry.shard_id()
                             << " of '" << escaped(prefix) << "'";
    return failure();
  }
  return bytes;
}

/// A part's key: TensorFlow's ordered code of its name and extents.
namespace {
class SliceKey {
public:
  SliceKey(StringRef name, const ::tensorflow::TensorSliceProto &slice) {
    number(0);
    for (char c : name) {
      text += c;
      if (c == '\0')
        text += '\xff';
      else if (c == '\xff')
        text += '\0';
    }
    text += StringRef("\0\1", 2);
    number(slice.extent_size());
    for (const auto &extent : slice.extent()) {
      signedNumber(extent.start());
      signedNumber(extent.has_length() ? extent.length() : -1);
    }
  }
  std::string text;

private:
  /// The count of its bytes, and these, highest first.
  void number(uint64_t value) {
    std::string bytes;
    for (; value; value >>= 8)
      bytes.insert(bytes.begin(), static_cast<char>(value));
    text += static_cast<char>(bytes.size());
    text += bytes;
  }
  /// As many high bits set as there are bytes, then the number.
  void signedNumber(int64_t value) {
    uint64_t magnitude = value < 0 ? ~value : value;
    unsigned length = 1;
    while (length < 10 && magnitude >> std::min(63u, 7 * length - 1))
      ++length;
    char buffer[10];
    buffer[0] = buffer[1] = value < 0 ? '\xff' : '\0';
    llvm::support::endian::write64be(buffer + 2, value);
    char *begin = buffer + sizeof buffer - length;
    uint32_t header = 0xffff & ~(0xffffu >> length);
    begin[0] ^= static_cast<char>(header >> 8);
    if (length > 1)
      begin[1] ^= static_cast<char>(header);
    text.append(begin, length);
  }
};
} // namespace

namespace {
/// Where a part of a tensor lies in it, and how much it is.
struct Slice {
  SmallVector<int64_t> starts, lengths;
  int64_t bytes;
  BundleEntryProto entry;

  /// Copies the part's rows, one after the other, to their places.
  void copyTo(char *whole, ArrayRef<int64_t> shape, unsigned width,
              StringRef part) const;
};
} // namespace

void Slice::copyTo(char *whole, ArrayRef<int64_t> shape, unsigned width,
                   StringRef part) const {
  if (!bytes)
    return;
  int64_t row = shape.empty() ? width : lengths.back() * width;
  SmallVector<int64_t> at(shape.size(), 0);
  for (int64_t from = 0; from < bytes; from += row) {
    int64_t to = 0;
    for (size_t d = 0; d < shape.size(); ++d)
      to = to * shape[d] + starts[d] + at[d];
    std::memcpy(whole + to * width, part.data() + from, row);
    for (size_t d = shape.size(); d-- > 1;) {
      if (++at[d - 1] < lengths[d - 1])
        break;
      at[d - 1] = 0;
    }
  }
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
  std::vector<Slice> parts;
  int64_t filled = 0;
  for (const auto &slice : entry.slices()) {
    Slice part;
    for (auto [d, extent] : llvm::enumerate(slice.extent())) {
      int64_t all = d < shape.size() ? shape[d] : -1;
      int64_t length = extent.has_length() ? extent.length() : all;
      if (extent.start() < 0 || length < 0 || extent.start() > all ||
          length > all - extent.start())
        return error(key) << "a slice lies outside of it";
      part.starts.push_back(extent.start());
      part.lengths.push_back(length);
    }
    if (part.starts.size() != shape.size())
      return error(key) << "a slice has another rank";
    if (failed(readEntry(SliceKey(key, slice).text, part.entry)))
      return failure();
    std::optional<int64_t> bytes = byteSize(part.lengths, width);
    if (!bytes || part.entry.size() != *bytes ||
        part.entry.dtype() != entry.dtype() || part.entry.slices_size())
      return error(key) << "a slice has another size than its shape";
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
  std::string whole(*size, 0);
  for (const Slice &part : parts) {
    FailureOr<std::string> bytes = readBytes(key, part.entry);
    if (failed(bytes))
      return failure();
    if (part.entry.crc32c() != masked(crc32c(*bytes)))
      return error(key) << "a slice's checksum does not match";
    part.copyTo(whole.data(), shape, width, *bytes);
  }
  return whole;
}

FailureOr<ElementsAttr> Checkpoint::tensor(StringRef key, StringRef name) {
  FailureOr<Raw> raw = read(key);
  if (failed(raw))
    return failure();
  return rawElements(raw->type, std::move(raw->bytes), name);
}

FailureOr<Checkpoint::Raw> Checkpoint::read(StringRef key) {
  BundleEntryProto entry;
  if (failed(readEntry(key, entry)))
    return failure();
  auto shape = shapeOf(entry.shape());
  if (failed(shape) || !*shape || ShapedType::isDynamicShape(**shape))
    return error(key) << "has no valid shape";
  Type element = elementType(report.context, entry.dtype());
  if (!element || entry.dtype() >= ::tensorflow::DT_FLOAT_REF) {
    report.error(Status::unsupported)
        << "checkpoint '" << escaped(prefix) << "', tensor '"
        << escaped(key, 100) << "': is of " << dataTypeName(entry.dtype())
        << ", which weir has no tensors of";
    return failure();
  }
  unsigned width = llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
  FailureOr<std::string> bytes;
  if (entry.slices_size()) {
    bytes = readSlices(key, entry, **shape, width);
  } else {
    std::optional<int64_t> size = byteSize(**shape, width);
    if (!size || *size != entry.size())
      return error(key) << "has " << entry.size()
                        << " bytes, which is not what its shape says";
    if (failed(claim(key, entry)))
      return failure();
    bytes = readBytes(key, entry);
    if (succeeded(bytes) && entry.crc32c() != masked(crc32c(*bytes)))
      return error(key) << "its checksum does not match";
  }
  if (failed(bytes))
    return failure();
  if (bigEndian && width > 1)
    for (size_t i = 0; i + width <= bytes->size(); i += width)
      std::reverse(&(*bytes)[i], &(*bytes)[i] + width);
  return Raw{RankedTensorType::get(**shape, element), std::move(*bytes)};
}

void Checkpoint::readObjectGraph() {
  objectsRead = true;
  auto found = entries.find(objectGraphKey.str());
  BundleEntryProto entry;
  if (found == entries.end() || !parseMessage(found->second, entry) ||
      entry.dtype() != ::tensorflow::DT_STRING)
    return;
  if (failed(claim(objectGraphKey, entry)))
    return;
  FailureOr<std::string> bytes = readBytes(objectGraphKey, entry);
  if (failed(bytes))
    return;
  // A string tensor: the strings' lengths, a checksum of these, the strings.
  StringRef rest = *bytes;
  while (!rest.empty() && (rest.front() & 0x80))
    rest = rest.drop_front();
  rest = rest.drop_front(std::min<size_t>(rest.size(), 5));
  ::tensorflow::TrackableObjectGraph objects;
  if (!parseMessage(rest, objects))
    return;
  for (const auto &node : objects.nodes())
    for (const auto &attribute : node.attributes())
      if (!attribute.full_name().empty())
        keysByName.emplace(attribute.full_name(), attribute.checkpoint_key());
}

std::string Checkpoint::keyOfVariable(StringRef fullName) {
  if (!objectsRead)
    readObjectGraph();
  auto found = keysByName.find(fullName.str());
  return found == keysByName.end() ? "" : found->second;
}

} // namespace weir::tensorflow
