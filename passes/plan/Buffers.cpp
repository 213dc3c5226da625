// Creates the buffers of one program and tracks their lifetimes.

#include "passes/plan/Buffers.h"

#include "dialects/graph/Graph.h"
#include "dialects/graph/state/State.h"
#include "dialects/plan/Arena.h"
#include "dialects/weir/Attributes.h"

using namespace mlir;

namespace weir::plan {

MemRefType memrefOf(Type tensor) {
  auto type = cast<RankedTensorType>(tensor);
  return MemRefType::get(type.getShape(),
                         graph::signless(type.getElementType()));
}

static int64_t bytesOfElement(MemRefType type) {
  return llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

Weights::Position Weights::positionOf(ElementsAttr value, MemRefType type) {
  Position next{end, 0};
  int64_t *after = &end;
  if (auto parts = dyn_cast<PartsAttr>(value)) {
    auto found = llvm::find_if(
        regions, [&](auto &region) { return region.axes == parts.getAxes(); });
    if (found == regions.end())
      found = regions.insert(
          found, {parts.getAxes(), 0, int64_t(parts.getElements().size())});
    next = {found->stride, found - regions.begin() + 1};
    after = &found->stride;
  }
  auto [entry, isNew] = positions.try_emplace(value, next);
  if (isNew) {
    list.push_back(
        WeightAttr::get(value.getContext(), next.offset, next.region, value));
    *after = llvm::alignTo(*after + bytesOf(type), plan::alignment);
  }
  return entry->second;
}

SmallVector<WeightRegionAttr> Weights::placeRegions(MLIRContext *context) {
  SmallVector<WeightRegionAttr> placed;
  for (const Region &region : regions) {
    placed.push_back(
        WeightRegionAttr::get(context, region.axes, end, region.stride));
    end += region.stride * region.parts;
  }
  return placed;
}

State::State(ModuleOp module) {
  for (auto variable : module.getOps<graph::VariableOp>()) {
    offsets[variable.getSymNameAttr()] = end;
    StringAttr slice = attrs::slice.of(variable);
    list.push_back(VariableAttr::get(
        module.getContext(), variable.nameInModel(), variable.keyInCheckpoint(),
        end, cast<RankedTensorType>(variable.getType()),
        slice ? slice.getValue() : StringRef(), attrs::shards.of(variable)));
    // An empty tensor has a buffer too, so that each value has an address.
    int64_t bytes = std::max<int64_t>(bytesOf(memrefOf(variable.getType())), 1);
    end = llvm::alignTo(end + bytes, plan::alignment);
  }
}

template <typename Op, typename... Args>
Op Buffers::make(Location loc, Args &&...args) {
  OpBuilder b(program.getContext());
  if (last)
    b.setInsertionPointAfter(last);
  else
    b.setInsertionPointToStart(&program.getBody().front());
  auto op = b.create<Op>(loc, std::forward<Args>(args)...);
  last = op;
  return op;
}

Value Buffers::argument(Location loc, int64_t index, Type type) {
  return make<plan::ArgumentOp>(loc, memrefOf(type), index);
}

Value Buffers::weight(Location loc, ElementsAttr value, Type type, bool host) {
  MemRefType memref = memrefOf(type);
  Weights::Position at = weights.positionOf(value, memref);
  return make<plan::WeightOp>(loc, memref, at.offset, at.region, host);
}

Value Buffers::state(Location loc, int64_t offset, Type type) {
  return make<plan::StateOp>(loc, memrefOf(type), offset);
}

// The interval is empty: the first use lowers its begin and raises its end.
Value Buffers::create(Location loc, MemRefType type, bool host) {
  auto buffer =
      make<plan::BufferOp>(loc, type, /*offset=*/0,
                           std::numeric_limits<int64_t>::max(), moment, host);
  buffers.push_back(buffer);
  return buffer;
}

Value Buffers::view(Location loc, Value source, MemRefType type,
                    int64_t start) {
  if (source.getType() == type)
    return source;
  return make<plan::ViewOp>(loc, type, source, start * bytesOfElement(type));
}

Value Buffers::root(Value memref) {
  while (auto view = memref.getDefiningOp<plan::ViewOp>())
    memref = view.getSource();
  return memref;
}

void Buffers::touch(Value memref) {
  auto buffer = root(memref).getDefiningOp<plan::BufferOp>();
  if (!buffer)
    return;
  buffer.setFirst(std::min<int64_t>(buffer.getFirst(), moment));
  buffer.setLast(std::max<int64_t>(buffer.getLast(), moment));
}

void Buffers::keep(int64_t start, ArrayRef<Value> others) {
  for (plan::BufferOp buffer : buffers) {
    bool goesOn = static_cast<int64_t>(buffer.getFirst()) < start &&
                  static_cast<int64_t>(buffer.getLast()) >= start;
    if (goesOn || llvm::is_contained(others, buffer.getResult()))
      buffer.setLast(moment);
  }
}

std::pair<int64_t, int64_t> Buffers::assignOffsets(bool host) {
  SmallVector<plan::Lifetime> lifetimes;
  SmallVector<plan::BufferOp> own;
  llvm::copy_if(buffers, std::back_inserter(own), [&](plan::BufferOp buffer) {
    return buffer.getHost() == host;
  });
  for (plan::BufferOp buffer : own)
    lifetimes.push_back({bytesOf(cast<MemRefType>(buffer.getType())),
                         static_cast<int64_t>(buffer.getFirst()),
                         static_cast<int64_t>(buffer.getLast())});
  int64_t total = plan::placeInArena(lifetimes);
  for (auto [buffer, lifetime] : llvm::zip_equal(own, lifetimes))
    buffer.setOffset(lifetime.offset);
  return {total, plan::maxLiveBytes(lifetimes)};
}

} // namespace weir::plan
