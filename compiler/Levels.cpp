// Code for several kinds of processors in one library.

#include "compiler/Levels.h"

#include "dialects/graph/Graph.h"
#include "dialects/plan/Arena.h"
#include "dialects/plan/Plan.h"

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
  Builder b(elements.getContext());
  list.push_back(b.getArrayAttr({b.getI64IntegerAttr(end), elements}));
  int64_t offset = end;
  end = llvm::alignTo(end + bytes, plan::alignment);
  return offset;
}

void JoinedLevels::add(ModuleOp level) {
  llvm::DenseMap<int64_t, int64_t> moved;
  for (Attribute entry : level->getAttrOfType<ArrayAttr>("weir.weights")) {
    auto pair = cast<ArrayAttr>(entry);
    auto elements = cast<ElementsAttr>(pair[1]);
    int64_t bytes =
        elements.getNumElements() *
        llvm::divideCeil(elements.getElementType().getIntOrFloatBitWidth(), 8);
    moved[cast<IntegerAttr>(pair[0]).getInt()] = place(elements, bytes);
  }
  level.walk([&](plan::WeightOp weight) {
    weight.setOffset(moved.lookup(weight.getOffset()));
  });
  levels.push_back(level);
}

bool JoinedLevels::finish(ArrayRef<Level> names) {
  ModuleOp front = levels.front();
  Builder b(front.getContext());
  for (StringRef key : {"weir.arena_bytes", "weir.max_live_bytes"}) {
    int64_t most = 0;
    for (ModuleOp level : levels)
      most = std::max(most, level->getAttrOfType<IntegerAttr>(key).getInt());
    front->setAttr(key, b.getI64IntegerAttr(most));
  }
  front->setAttr("weir.weights", b.getArrayAttr(list));
  front->setAttr("weir.weights_bytes", b.getI64IntegerAttr(end));
  SmallVector<Attribute> texts;
  for (const Level &level : names)
    texts.push_back(b.getStringAttr(level.name));
  front->setAttr("weir.levels", b.getArrayAttr(texts));

  for (Attribute constant : originals)
    if (!offsets.contains(constant))
      drop(constant);
  return llvm::all_of(levels, [&](ModuleOp level) {
    return level->getAttr("weir.checks") == front->getAttr("weir.checks") &&
           level->getAttr("weir.entries") == front->getAttr("weir.entries") &&
           level->getAttr("weir.variables") == front->getAttr("weir.variables");
  });
}

} // namespace weir
