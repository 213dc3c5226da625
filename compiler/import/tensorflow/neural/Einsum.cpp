// Einsum.

#include "compiler/import/build/Einsum.h"
#include "compiler/import/bounded/Agreement.h"
#include "compiler/import/bounded/PaddedBuffers.h"
#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/tensorflow/bounded/Bounds.h"
#include "compiler/import/tensorflow/neural/Windows.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace weir::tensorflow {
namespace {

FailureOr<Equation> equationOf(Node &node) {
  SmallVector<Expr> operands;
  for (unsigned i = 0; i < node.size(); ++i)
    operands.push_back(operand(node, i));
  StringRef text = node.stringAttr("equation");
  std::optional<Equation> equation;
  if (text.contains("->"))
    equation = readEquation(text, operands);
  if (equation)
    return *equation;
  if (node.size() != static_cast<size_t>(text.count(',')) + 1)
    return node.error() << "equation '" << text << "' has "
                        << text.count(',') + 1 << " operands";
  (void)node.unsupported("equation '" + text + "'");
  return failure();
}

LogicalResult importEinsum(Node &node) {
  auto equation = equationOf(node);
  return failed(equation) ? failure() : give(node, einsum(*equation));
}

/// What is summed ends where it ends in every operand.
LogicalResult boundedEinsum(Node &node) {
  auto equation = equationOf(node);
  if (failed(equation))
    return failure();
  for (auto [i, operand] : llvm::enumerate(equation->operands))
    if (static_cast<int64_t>(operand.labels.size()) !=
        node.rank(static_cast<unsigned>(i)))
      return node.unsupported("equation '" + node.stringAttr("equation") +
                              "' of sizes that only the run knows");
  llvm::MapVector<int64_t, Size> sizes;
  for (auto [i, operand] : llvm::enumerate(equation->operands))
    for (auto [label, size] :
         llvm::zip_equal(operand.labels, sizesOf(node.traced(i)))) {
      Size &common = sizes.try_emplace(label, size).first->second;
      if (common.isKnown() && common.bound == 1)
        common = size;
      if (size.isKnown() && size.bound == 1)
        continue;
      auto agreed = agreedSize(node, common, size, "operands");
      if (failed(agreed))
        return failure();
      common = *agreed;
    }
  SmallVector<Value> positions;
  for (auto [i, operand] : llvm::enumerate(equation->operands)) {
    Sizes common;
    SmallVector<int64_t> summed;
    for (auto [dim, label] : llvm::enumerate(operand.labels)) {
      common.push_back(sizes[label]);
      if (!llvm::is_contained(equation->results, label))
        summed.push_back(static_cast<int64_t>(dim));
    }
    const Traced &traced = node.traced(i);
    Expr x = masked(node.b, traced, operand.x.like(0), summed);
    positions.push_back(
        paddedTo(node.b, x.value, commonBounds(sizesOf(traced), common)));
  }
  if (failed(runOnPaddedBuffers(node, positions)))
    return failure();
  Sizes result;
  for (int64_t label : equation->results)
    result.push_back(sizes[label]);
  return giveSizes(node, 0, result);
}

} // namespace

void addEinsumHandlers(Handlers &handlers) {
  handlers["Einsum"] = importEinsum;
}

void addBoundedEinsumHandlers(BoundedHandlers &handlers) {
  handlers["Einsum"] = boundedEinsum;
}

} // namespace weir::tensorflow
