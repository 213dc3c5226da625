// The values of a model's nodes, for comparisons node by node.

#include "tools/reference/Nodes.h"

#include "tools/reference/ArrayFiles.h"
#include "tools/reference/Files.h"

using namespace mlir;

namespace weir::reference {

Observer NodeValues::observer() {
  return [this](StringRef node, Value value, const TensorRef &tensor) {
    if (node.empty())
      return;
    auto &results = values[node.str()];
    // The results of an op come in order.
    if (cast<OpResult>(value).getResultNumber() == 0)
      results.clear();
    results.push_back(tensor);
  };
}

Status NodeValues::write(StringRef folder, bool writesF64) const {
  ArrayFiles files;
  for (const auto &[node, results] : values)
    for (auto [i, result] : llvm::enumerate(results)) {
      std::string name = i ? node + "_" + std::to_string(i) : node;
      bool isWide = writesF64 && result->isFloat();
      Array array;
      if (Status status = copyTo(array, isWide ? result->asF64() : *result);
          status != Status::ok)
        return fail(status, "not enough memory for the nodes");
      if (Status status = files.write(pathIn(folder, name), array);
          status != Status::ok)
        return status;
    }
  return files.place(folder);
}

} // namespace weir::reference
