// Reads arbitrary bytes as a graph, binary or text.

#include "Model.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  weir::writeFuzzFile("graph", {reinterpret_cast<const char *>(data), size});
  weir::importFuzzModel("graph");
  return 0;
}
