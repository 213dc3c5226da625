// Steps of a loop that are traced one after the other.

#include "compiler/import/onnx/control/Unrolled.h"

#include "compiler/import/bounded/PaddedBuffers.h"
#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/rules/Joins.h"

using namespace mlir;

namespace weir::onnx {

StringRef Unrolled::take(Node &node, ArrayRef<Traced> given) {
  goesOn = {node.b, given[0].value};
  llvm::copy(given.slice(1, variables.size()), variables.begin());
  for (auto [parts, part] :
       llvm::zip_equal(collected, given.drop_front(1 + variables.size()))) {
    if (!part.value)
      return "collects what is no tensor";
    parts.push_back(withFront(node.b, part));
    bool isDynamic = parts.back().isBounded() || parts.front().isBounded();
    Type own = parts.back().value.getType(),
         first = parts.front().value.getType();
    if (isDynamic ? !joinSizes(parts.front(), parts.back()) : own != first)
      return "collects tensors of different types";
  }
  return {};
}

FailureOr<std::optional<SmallVector<Traced>>>
Unrolled::results(Node &node) const {
  SmallVector<Traced> all = variables;
  for (const auto &parts : collected) {
    if (parts.empty())
      return std::optional<SmallVector<Traced>>();
    FailureOr<Traced> whole = joined(node, parts, 0);
    if (failed(whole))
      return failure();
    all.push_back(*whole);
  }
  return std::optional(std::move(all));
}

} // namespace weir::onnx
