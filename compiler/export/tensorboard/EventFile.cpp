// Event files: records with checksums (TFRecord), each an Event of
// tensorflow/core/util/event.proto in protobuf's wire format.

#include "compiler/export/tensorboard/EventFile.h"

#include "runtime/checkpoint/table.h"

#include "llvm/Support/Endian.h"

using namespace llvm;

namespace weir {
namespace {

// Fields of Event, of variable length.
constexpr unsigned fileVersionField = 3, graphDefField = 4;

template <typename Number>
void append(std::string &to, Number number) {
  char bytes[sizeof number];
  support::endian::write(bytes, number, endianness::little);
  to.append(bytes, sizeof bytes);
}

class Records {
public:
  Records() { weir_crc_init(&crc); }

  /// The length, its checksum, the event and the event's checksum.
  void add(unsigned field, StringRef bytes) {
    std::string event(1, static_cast<char>(field << 3 | 2));
    for (uint64_t size = bytes.size();; size >>= 7) {
      event.push_back(static_cast<char>(size < 128 ? size : size | 128));
      if (size < 128)
        break;
    }
    event += bytes;
    std::string length;
    append<uint64_t>(length, event.size());
    file += length;
    append<uint32_t>(file, checksum(length));
    file += event;
    append<uint32_t>(file, checksum(event));
  }

  std::string take() { return std::move(file); }

private:
  uint32_t checksum(StringRef bytes) const {
    return weir_crc_masked(weir_crc_of(&crc, bytes.data(), bytes.size(), 0));
  }

  weir_crc crc;
  std::string file;
};

} // namespace

std::string eventFileOf(StringRef graphDef) {
  Records records;
  records.add(fileVersionField, "brain.Event:2");
  records.add(graphDefField, graphDef);
  return records.take();
}

} // namespace weir
