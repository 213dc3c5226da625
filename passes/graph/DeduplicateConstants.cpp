// Merges constants of equal type and bytes.

#include "passes/graph/Passes.h"

#include "dialects/graph/Graph.h"
#include "dialects/graph/constants/Bytes.h"
#include "dialects/weir/Attributes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/xxhash.h"

#define DEBUG_TYPE "weir-deduplicate-constants"

using namespace mlir;

namespace weir::graph {
#define GEN_PASS_DEF_DEDUPLICATECONSTANTS
#include "passes/graph/Passes.h.inc"

namespace {

struct DeduplicateConstants
    : impl::DeduplicateConstantsBase<DeduplicateConstants> {
  void runOnOperation() override {
    byHash.clear();
    uses.clear();
    getOperation()->walk([&](graph::ConstantOp constant) {
      if (auto resource =
              dyn_cast<DenseResourceElementsAttr>(constant.getValue()))
        ++uses[resource.getRawHandle().getResource()];
    });
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      shareResources(function);
      shareOps(function);
    }
  }

private:
  /// Merges resources with equal bytes in all functions.
  void shareResources(func::FuncOp function) {
    function.walk([&](graph::ConstantOp constant) {
      auto resource = dyn_cast<DenseResourceElementsAttr>(constant.getValue());
      std::optional<Bytes> bytes = Bytes::of(constant);
      if (!resource || !bytes)
        return;
      uint64_t hash = llvm::xxh3_64bits(llvm::arrayRefFromStringRef(
          StringRef(bytes->data().data(), bytes->data().size())));
      for (DenseResourceElementsAttr other : byHash[hash]) {
        if (other.getRawHandle() == resource.getRawHandle())
          return;
        if (other.getRawHandle().getBlob()->getData() != bytes->data())
          continue;
        // Uses the bytes of the other constant with this one's type.
        constant.setValueAttr(DenseResourceElementsAttr::get(
            bytes->type(), other.getRawHandle()));
        if (--uses[resource.getRawHandle().getResource()] == 0)
          resource.getRawHandle().getResource()->setBlob(AsmResourceBlob());
        return;
      }
      byHash[hash].push_back(resource);
    });
  }

  /// Merges equal constants of a function to one op that dominates the others.
  void shareOps(func::FuncOp function) {
    if (function.isExternal())
      return;
    // Constants that --shard divides in different ways are not one.
    DenseMap<std::pair<Attribute, Attribute>, graph::ConstantOp> byValue;
    Block &entry = function.getBody().front();
    SmallVector<graph::ConstantOp> constants;
    function.walk<WalkOrder::PreOrder>(
        [&](graph::ConstantOp constant) { constants.push_back(constant); });
    for (graph::ConstantOp constant : constants) {
      if (constant->getParentOfType<graph::GroupOp>())
        continue;
      auto [found, isNew] = byValue.insert(
          {{constant.getValue(), attrs::shards.of(constant)}, constant});
      if (isNew)
        continue;
      graph::ConstantOp first = found->second;
      if (first->getBlock() != constant->getBlock())
        first->moveBefore(&entry, entry.begin());
      constant.replaceAllUsesWith(first.getResult());
      constant.erase();
    }
  }

  DenseMap<uint64_t, SmallVector<DenseResourceElementsAttr, 1>> byHash;
  /// The number of constants that use a resource.
  DenseMap<void *, int64_t> uses;
};

} // namespace
} // namespace weir::graph
