// Any bytes as the index of a checkpoint, or as snappy's data.

#include "compiler/import/tensorflow/file/Table.h"

using namespace llvm;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  StringRef bytes(reinterpret_cast<const char *>(data), size);
  if (auto table = weir::tensorflow::readTable(bytes); !table)
    consumeError(table.takeError());
  constexpr size_t limit = 1 << 20;
  if (auto plain = weir::tensorflow::unsnap(bytes, limit);
      plain && plain->size() > limit)
    abort();
  return 0;
}
