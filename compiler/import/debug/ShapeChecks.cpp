// Checks that results have the sizes that the model declares.

#include "compiler/import/debug/ShapeChecks.h"

#include "compiler/import/Build.h"
#include "compiler/import/TracedNode.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"

using namespace mlir;

namespace weir {
namespace {

/// Ends the run unless `holds`, with the size behind the message.
void check(ImplicitLocOpBuilder &b, Expr holds, const Size &size,
           const Twine &message) {
  b.create<graph::CheckOp>(holds.value, b.getStringAttr(message),
                           ValueRange(exactly(b, size).value));
}

/// Ends each run: the import knows that a size is wrong.
void fail(ImplicitLocOpBuilder &b, const Twine &message) {
  auto type = RankedTensorType::get({}, b.getI1Type());
  Value never =
      b.create<graph::ConstantOp>(DenseElementsAttr::get(type, false));
  b.create<graph::CheckOp>(never, message.str());
}

void checkDim(ImplicitLocOpBuilder &b, const Size &size, const Size &declared,
              const Twine &which, const Twine &what) {
  if (size.isKnown() && declared.isKnown()) {
    if (size.bound != declared.bound)
      fail(b, which + " is " + Twine(size.bound) + ", and the model declares " +
                  what);
    return;
  }
  if (size == declared)
    return;
  Expr holds = apply<graph::EqualOp>(exactly(b, size), exactly(b, declared));
  if (knownBoolean(holds.value) != true)
    check(b, holds, size,
          which + " is not " + what + ", as the model declares, but");
}

void checkResult(ImplicitLocOpBuilder &b, const Twine &which,
                 const NodeResult &result, NamedSizes &named) {
  Sizes sizes = sizesOf(*result.traced);
  const std::vector<DeclaredDim> &declared = *result.declared;
  if (sizes.size() != declared.size())
    return fail(b, which + " has " + Twine(sizes.size()) +
                       " dimensions, and the model declares " +
                       Twine(declared.size()));
  for (auto [d, dim] : llvm::enumerate(declared)) {
    std::string dimension = (which + ": dimension " + Twine(d)).str();
    if (!ShapedType::isDynamic(dim.size)) {
      checkDim(b, sizes[d], {dim.size, {}}, dimension, Twine(dim.size));
    } else if (!dim.name.empty()) {
      auto [known, isFirst] = named.try_emplace(dim.name, sizes[d]);
      if (!isFirst)
        checkDim(b, sizes[d], known->second, dimension,
                 "the size of '" + escaped(dim.name) + "'");
    }
  }
}

} // namespace

void checkShapes(TracedNode &node, StringRef name, ArrayRef<NodeResult> results,
                 NamedSizes &named) {
  for (const NodeResult &result : results)
    if (result.declared && result.traced->value && !result.traced->object)
      checkResult(node.b,
                  "node '" + escaped(name) + "' (" + escaped(node.op(), 60) +
                      "): its result '" + escaped(result.tensor) + "'",
                  result, named);
}

} // namespace weir
