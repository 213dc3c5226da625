// Reads arbitrary bytes as the index of a checkpoint, by the common reader of
// compiler and runtime. Checksums are those of checksum.c, so mutations reach
// the entries and the compressed blocks.

#include "compiler/import/tensorflow/file/Table.h"

using namespace llvm;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  StringRef bytes(reinterpret_cast<const char *>(data), size);
  if (auto table = weir::tensorflow::readTable(bytes); !table)
    consumeError(table.takeError());
  return 0;
}
