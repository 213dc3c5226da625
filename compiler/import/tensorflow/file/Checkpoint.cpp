// Reads tensors out of a checkpoint's shards.

#include "compiler/import/tensorflow/file/Checkpoint.h"

#include "compiler/import/FileKind.h"
#include "compiler/import/tensorflow/Tensors.h"
#include "compiler/import/tensorflow/Types.h"
#include "compiler/import/tensorflow/file/Load.h"
#include "compiler/import/tensorflow/file/Table.h"

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
  std::unique_ptr<Checkpoint> result(new Checkpoint(report));
  result->directory = &directory;
  result->prefix = prefix.str();
  for (unsigned i = 0, count = checkpointParts(prefix); i < count; ++i)
    if (failed(result->addPart(checkpointPart(prefix, i))))
      return nullptr;
  return result;
}

LogicalResult Checkpoint::addPart(const std::string &part) {
  std::string name = part + ".index";
  FailureOr<File> file = directory->openBelow(report, name);
  if (failed(file))
    return failure();
  if (file->size() > indexLimit)
    return report.error(Status::limit)
           << "'" << escaped(name) << "' is too large";
  std::string bytes(file->size(), 0);
  if (!file->read(0, {bytes.data(), bytes.size()}))
    return report.error(Status::io) << "cannot read '" << escaped(name) << "'";
  auto added = readTable(bytes);
  if (!added)
    return report.error() << "'" << escaped(name) << "' is damaged: "
                          << llvm::toString(added.takeError());
  auto header = added->find("");
  ::tensorflow::BundleHeaderProto proto;
  if (header == added->end() || !parseMessage(header->second, proto))
    return report.error() << "'" << escaped(name)
                          << "' is damaged: it has no header";
  if (proto.num_shards() < 1 || proto.num_shards() > 99999 - shardCount ||
      (proto.endianness() != ::tensorflow::BundleHeaderProto::LITTLE &&
       proto.endianness() != ::tensorflow::BundleHeaderProto::BIG) ||
      proto.version().min_consumer() > 1)
    return report.error() << "'" << escaped(name)
                          << "' is damaged or newer than weir: its header says "
                          << proto.num_shards() << " shards and version "
                          << proto.version().min_consumer();
  bool isBig = proto.endianness() == ::tensorflow::BundleHeaderProto::BIG;
  if (!parts.empty() && isBig != bigEndian)
    return report.error() << "'" << escaped(name)
                          << "' has another byte order than the parts before";
  bigEndian = isBig;
  added->erase(header);
  bool isFirst = parts.empty();
  parts.push_back({shardCount, part});
  if (isFirst) {
    entries = std::move(*added);
  } else {
    for (auto &[key, value] : *added) {
      BundleEntryProto entry;
      if (!parseMessage(value, entry))
        return error(key) << "its entry is malformed";
      if (failed(addEntry(key, std::move(entry))))
        return failure();
    }
  }
  shardCount += proto.num_shards();
  return success();
}

/// Whether both entries say that a tensor has the same elements.
static bool areAlike(const BundleEntryProto &a, const BundleEntryProto &b) {
  return a.dtype() == b.dtype() && a.size() == b.size() &&
         a.crc32c() == b.crc32c() &&
         a.shape().SerializeAsString() == b.shape().SerializeAsString();
}

LogicalResult Checkpoint::addEntry(StringRef key, BundleEntryProto entry) {
  bool isWhole = !entry.slices_size();
  if (isWhole && entry.shard_id() >= 0)
    entry.set_shard_id(entry.shard_id() + shardCount);
  auto known = entries.find(key.str());
  if (known == entries.end()) {
    entries[key.str()] = entry.SerializeAsString();
    return success();
  }
  BundleEntryProto before;
  if (failed(readEntry(key, before)))
    return failure();
  // What each process has a copy of, all of them save.
  if (areAlike(before, entry) && isWhole && !before.slices_size())
    return success();
  if (isWhole || !before.slices_size() || !areAlike(before, entry))
    return error(key) << "is in several parts, which differ";
  before.mutable_slices()->MergeFrom(entry.slices());
  known->second = before.SerializeAsString();
  return success();
}

LogicalResult Checkpoint::check() {
  for (const auto &[key, value] : entries) {
    BundleEntryProto entry;
    if (failed(readEntry(key, entry)))
      return failure();
    // Slices are checked with their tensor, which they must fill.
    bool isSlice = StringRef(key).starts_with(StringRef("\0", 1));
    if (entry.slices_size() && failed(read(key)))
      return failure();
    if (isSlice || entry.slices_size())
      continue;
    if (failed(claim(key, entry)))
      return failure();
    FailureOr<std::string> bytes = readBytes(key, entry);
    if (failed(bytes))
      return failure();
    // That of strings is of their lengths in another form.
    if (elementType(report.context, entry.dtype()) &&
        entry.crc32c() != storedChecksum(*bytes))
      return error(key) << "its checksum does not match";
  }
  return success();
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

std::string shardEnding(int shard, int count) {
  char text[64];
  std::snprintf(text, sizeof text, ".data-%05d-of-%05d", shard, count);
  return text;
}

FailureOr<File *> Checkpoint::shard(int number) {
  File &file = shards[number];
  if (file.handle() >= 0)
    return &file;
  auto part = llvm::partition_point(
      parts, [&](const auto &one) { return one.first <= number; });
  int end = part == parts.end() ? shardCount : part->first;
  const auto &[first, name] = *std::prev(part);
  FailureOr<File> opened = directory->openBelow(
      report, name + shardEnding(number - first, end - first));
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
    if (succeeded(bytes) && entry.crc32c() != storedChecksum(*bytes))
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
