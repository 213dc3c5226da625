// Code for several kinds of processors in one library.

#include "compiler/Levels.h"

#include "dialects/graph/Graph.h"
#include "dialects/plan/Arena.h"
#include "dialects/plan/Plan.h"
#include "dialects/weir/Attributes.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;

namespace weir {

static ArrayRef<char> contentOf(Attribute elements) {
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements))
    if (AsmResourceBlob *blob = resource.getRawHandle().getBlob())
      return blob->getData();
  return {};
}

static void drop(Attribute elements) {
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements))
    resource.getRawHandle().getResource()->setBlob(AsmResourceBlob());
}

JoinedLevels::JoinedLevels(ModuleOp original) {
  original.walk([&](graph::ConstantOp constant) {
    originals.insert(constant.getValue());
  });
}

int64_t JoinedLevels::place(ElementsAttr elements, int64_t bytes) {
  auto [found, isNew] = offsets.try_emplace(elements, end);
  if (!isNew)
    return found->second;
  // Packed at one level as at another, it has two names.
  if (ArrayRef<char> content = contentOf(elements); !content.empty()) {
    uint64_t hash =
        llvm::xxh3_64bits(StringRef(content.data(), content.size()));
    auto [first, last] = byContent.equal_range(hash);
    for (auto at = first; at != last; ++at)
      if (at->second.first == content) {
        if (!originals.contains(elements))
          drop(elements);
        return found->second = at->second.second;
      }
    byContent.insert({hash, {content, end}});
  }
  list.push_back(WeightAttr::get(elements.getContext(), end, elements));
  int64_t offset = end;
  end = llvm::alignTo(end + bytes, plan::alignment);
  return offset;
}

void JoinedLevels::add(ModuleOp level) {
  llvm::DenseMap<int64_t, int64_t> moved;
  for (auto weight : attrs::weights.of(level).getAsRange<WeightAttr>()) {
    ElementsAttr elements = weight.getElements();
    int64_t bytes =
        elements.getNumElements() *
        llvm::divideCeil(elements.getElementType().getIntOrFloatBitWidth(), 8);
    moved[weight.getOffset()] = place(elements, bytes);
  }
  level.walk([&](plan::WeightOp weight) {
    weight.setOffset(moved.lookup(weight.getOffset()));
  });
  levels.push_back(level);
}

bool JoinedLevels::finish(ArrayRef<Level> names) {
  ModuleOp front = levels.front();
  Builder b(front.getContext());
  for (const auto &bytes : {attrs::arenaBytes, attrs::maxLiveBytes}) {
    int64_t most = 0;
    for (ModuleOp level : levels)
      most = std::max(most, bytes.of(level).getInt());
    bytes.set(front, most);
  }
  attrs::weights.set(front, ArrayRef(list));
  attrs::weightsBytes.set(front, end);
  SmallVector<Attribute> texts;
  for (const Level &level : names)
    texts.push_back(b.getStringAttr(level.name));
  attrs::levels.set(front, b.getArrayAttr(texts));

  for (Attribute constant : originals)
    if (!offsets.contains(constant))
      drop(constant);
  return llvm::all_of(levels, [&](ModuleOp level) {
    return attrs::checks.of(level) == attrs::checks.of(front) &&
           attrs::entries.of(level) == attrs::entries.of(front) &&
           attrs::variables.of(level) == attrs::variables.of(front);
  });
}

} // namespace weir
