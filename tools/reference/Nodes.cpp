// The values of a model's nodes, for comparisons node by node.

#include "tools/reference/Nodes.h"

#include "tools/reference/FileNames.h"
#include "tools/reference/Files.h"
#include "tools/reference/StagedFiles.h"

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
  auto nameOf = [](const std::string &node, size_t result) {
    return result ? node + "_" + std::to_string(result) : node;
  };
  FileNames names;
  for (const auto &[node, results] : values)
    for (size_t i = 0; i < results.size(); ++i)
      names.add(nameOf(node, i));
  if (Status status = createFolders(folder); status != Status::ok)
    return status;
  StagedFiles files(folder.str());
  for (const auto &[node, results] : values)
    for (auto [i, result] : llvm::enumerate(results)) {
      bool isWide = writesF64 && result->isFloat();
      Array array;
      if (Status status = copyTo(array, isWide ? result->asF64() : *result);
          status != Status::ok)
        return fail(status, "not enough memory for the nodes");
      std::string path;
      if (Status status = names.pathOf(folder, nameOf(node, i), path);
          status != Status::ok)
        return status;
      if (Status status = files.write(path, array); status != Status::ok)
        return status;
    }
  return files.place();
}

} // namespace weir::reference
