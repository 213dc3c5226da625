// Code for several kinds of processors in one library.

#include "compiler/IsaVariants.h"

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

JoinedIsaVariants::JoinedIsaVariants(ModuleOp original) {
  original.walk([&](graph::ConstantOp constant) {
    originals.insert(constant.getValue());
  });
}

int64_t JoinedIsaVariants::place(ElementsAttr elements, int64_t bytes) {
  auto [found, isNew] = offsets.try_emplace(elements, end);
  if (!isNew)
    return found->second;
  // Packed at one instruction-set variant as at another, it has two names.
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
  list.push_back(
      WeightAttr::get(elements.getContext(), end, /*region=*/0, elements));
  int64_t offset = end;
  end = llvm::alignTo(end + bytes, plan::alignment);
  return offset;
}

void JoinedIsaVariants::add(ModuleOp isaVariant) {
  llvm::DenseMap<int64_t, int64_t> moved;
  for (auto weight : attrs::weights.of(isaVariant).getAsRange<WeightAttr>()) {
    ElementsAttr elements = weight.getElements();
    int64_t bytes =
        elements.getNumElements() *
        llvm::divideCeil(elements.getElementType().getIntOrFloatBitWidth(), 8);
    moved[weight.getOffset()] = place(elements, bytes);
  }
  isaVariant.walk([&](plan::WeightOp weight) {
    weight.setOffset(moved.lookup(weight.getOffset()));
  });
  isaVariants.push_back(isaVariant);
}

bool JoinedIsaVariants::finish(ArrayRef<IsaVariant> names) {
  ModuleOp front = isaVariants.front();
  Builder b(front.getContext());
  for (const auto &bytes : {attrs::arenaBytes, attrs::maxLiveBytes}) {
    int64_t most = 0;
    for (ModuleOp isaVariant : isaVariants)
      most = std::max(most, bytes.of(isaVariant).getInt());
    bytes.set(front, most);
  }
  attrs::weights.set(front, ArrayRef(list));
  attrs::weightsBytes.set(front, end);
  SmallVector<Attribute> texts;
  for (const IsaVariant &isaVariant : names)
    texts.push_back(b.getStringAttr(isaVariant.name));
  attrs::isaVariants.set(front, b.getArrayAttr(texts));

  for (Attribute constant : originals)
    if (!offsets.contains(constant))
      drop(constant);
  return llvm::all_of(isaVariants, [&](ModuleOp isaVariant) {
    return attrs::checks.of(isaVariant) == attrs::checks.of(front) &&
           attrs::entries.of(isaVariant) == attrs::entries.of(front) &&
           attrs::variables.of(isaVariant) == attrs::variables.of(front);
  });
}

} // namespace weir
