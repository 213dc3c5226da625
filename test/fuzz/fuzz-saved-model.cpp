// Reads arbitrary bytes as the files of a SavedModel: two lengths of three
// bytes, then the graph, the index of the variables, and their data.

#include "Model.h"

#include "llvm/ADT/StringRef.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef rest(reinterpret_cast<const char *>(data), size);
  if (rest.size() < 6)
    return 0;
  auto length = [&] {
    size_t value = 0;
    for (int i = 0; i < 3; ++i)
      value = value << 8 | static_cast<uint8_t>(rest[i]);
    rest = rest.drop_front(3);
    return value;
  };
  size_t graph = length(), index = length();
  auto take = [&](size_t count) {
    llvm::StringRef part = rest.take_front(count);
    rest = rest.drop_front(part.size());
    return part;
  };
  weir::writeFuzzFile("model/saved_model.pb", take(graph));
  weir::writeFuzzFile("model/variables/variables.index", take(index));
  weir::writeFuzzFile("model/variables/variables.data-00000-of-00001", rest);
  weir::importFuzzModel("model");
  return 0;
}
