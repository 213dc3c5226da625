// Finds the nodes that --keep names, and keeps their results.

#include "compiler/import/debug/Instruments.h"

#include "compiler/Place.h"
#include "compiler/import/Build.h"
#include "compiler/import/TracedNode.h"
#include "compiler/import/bounded/Reshape.h"
#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/debug/NumberChecks.h"
#include "compiler/import/debug/ShapeChecks.h"

#include "dialects/graph/Graph.h"

using namespace mlir;

namespace weir {

/// The names of the calls around a node, with a slash behind them.
static std::string prefixOf(LocationAttr callers) {
  std::string path = pathOf(callers);
  return path.empty() ? "" : path + "/";
}

Instruments::Instruments() = default;
Instruments::~Instruments() = default;

/// Constants and inputs are known without a run.
static bool isSource(StringRef op) {
  return llvm::is_contained(
      ArrayRef<StringRef>{"Const", "Constant", "Placeholder", "PlaceholderV2",
                          "PlaceholderWithDefault", "_Arg"},
      op);
}

void Instruments::setKeep(StringRef regex) {
  text = regex.str();
  pattern = NamePattern::whole(regex);
}

std::string Instruments::claim(StringRef tensor, const void *source) {
  std::pair<const void *, std::string> self = {source, tensor.str()};
  size_t end = std::min(tensor.rfind(':'), tensor.size());
  std::string name = tensor.str();
  for (unsigned i = 1; owners.try_emplace(name, self).first->second != self;
       ++i)
    name = (tensor.take_front(end) + "_" + Twine(i) + tensor.drop_front(end))
               .str();
  return name;
}

void Instruments::keep(ImplicitLocOpBuilder &b, const NodeResult &result,
                       const std::string &path) {
  const Traced &traced = *result.traced;
  if (!traced.value || traced.imaginary)
    return;
  std::string node = path + result.node, tensor = path + result.tensor;
  names.insert(node);
  if (!pattern->matches(node) && !pattern->matches(tensor))
    return;
  tensor = claim(tensor, result.source);
  if (!traced.isBounded()) {
    b.create<graph::KeepOp>(traced.value, b.getStringAttr(tensor), Value(),
                            DenseI64ArrayAttr());
    return;
  }
  SmallVector<int64_t> least;
  for (const Size &size : sizesOf(traced))
    least.push_back(size.isKnown() ? size.bound : 0);
  Value dense = compact(b, traced);
  Value shape = listOf(b, sizesOf(traced), b.getI64Type());
  b.create<graph::KeepOp>(dense, b.getStringAttr(tensor), shape,
                          b.getDenseI64ArrayAttr(least));
}

void Instruments::keep(OpBuilder &builder, Location at, LocationAttr callers,
                       ArrayRef<NodeResult> results) {
  if (!pattern)
    return;
  ImplicitLocOpBuilder b(at, builder);
  std::string path = prefixOf(callers);
  for (const NodeResult &result : results)
    keep(b, result, path);
}

void Instruments::enter() { named.clear(); }

void Instruments::addInput(const Traced &traced,
                           ArrayRef<DeclaredDim> declared) {
  if (!checksShapes || !traced.value)
    return;
  Sizes sizes = sizesOf(traced);
  for (auto [size, dim] : llvm::zip(sizes, declared))
    if (!dim.name.empty())
      named.try_emplace(dim.name, size);
}

void Instruments::add(TracedNode &node, LocationAttr callers,
                      ArrayRef<NodeResult> results) {
  if (isSource(node.op()))
    return;
  std::string name = prefixOf(callers) + node.name().str();
  if (checksShapes)
    checkShapes(node, name, results, named);
  if (checksNumbers)
    checkNumbers(node, name, results);
  keep(node.b, node.b.getLoc(), callers, results);
}

LogicalResult Instruments::finish(Report &report, Operation *module) const {
  if (!pattern)
    return success();
  bool isKept =
      module->walk([](graph::KeepOp) { return WalkResult::interrupt(); })
          .wasInterrupted();
  if (isKept)
    return success();
  SmallVector<StringRef> all(names.begin(), names.end());
  return report.error(Status::badUsage)
         << "--keep=" << escaped(text)
         << ": no node that computes a tensor has a name that matches as a "
            "whole"
         << didYouMean(text, all);
}

} // namespace weir
