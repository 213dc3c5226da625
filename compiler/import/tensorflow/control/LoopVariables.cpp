// Which tensors a loop carries for its variables.

#include "compiler/import/tensorflow/control/LoopVariables.h"

#include "compiler/import/bounded/PaddedBuffers.h"
#include "compiler/import/bounded/Polynomial.h"
#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/tensorflow/control/List.h"

#include "dialects/graph/Graph.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include <cmath>

using namespace mlir;

namespace weir::tensorflow {

/// How often the place of a loop's variable grows with what the body makes of
/// it, before it gets what a tensor has that nothing bounds.
constexpr unsigned growthLimit = 1;

bool LoopVariables::begin(size_t i) {
  wider[i].reset();
  carried[i].clear();
  varying[i].resize(tensorOf(inits[i]).extents.size(), false);
  if (flattenCarried(i, inits[i], carried[i]))
    return true;
  carried[i].clear();
  return false;
}

bool LoopVariables::flattenCarried(size_t i, const Traced &traced,
                                   SmallVectorImpl<Value> &values) const {
  Traced tensor = tensorOf(traced);
  if (!tensor.value)
    return flatten(traced, values);
  for (size_t d = 0; d < tensor.extents.size(); ++d)
    if (d >= varying[i].size() || !varying[i][d])
      tensor.extents[d] = {};
  return flatten(tensor, values);
}

Traced LoopVariables::rebuildCarried(size_t i, ArrayRef<Value> &values) const {
  const Traced &init = inits[i];
  if (carried[i].empty())
    return init;
  Traced like = tensorOf(init);
  if (!like.value)
    return rebuild(init, values);
  SmallVector<Value, 0> sizes = like.extents;
  for (size_t d = 0; d < sizes.size(); ++d)
    if (!varying[i][d])
      like.extents[d] = {};
  Traced tensor = rebuild(like, values);
  for (size_t d = 0; d < sizes.size(); ++d)
    if (!varying[i][d])
      tensor.extents[d] = sizes[d];
  return withTensor(init, tensor);
}

SmallVector<Traced> LoopVariables::bind(Block *block) const {
  SmallVector<Traced> values;
  SmallVector<Value> arguments(block->getArguments());
  ArrayRef<Value> rest = arguments;
  for (size_t i = 0; i < inits.size(); ++i)
    values.push_back(rebuildCarried(i, rest));
  return values;
}

/// Moves the ops that compute a scalar out of a region; false where something
/// in it decides.
static bool moveOut(Value scalar, Region &region, OpBuilder &before) {
  SmallVector<Value> open{scalar};
  SmallVector<Operation *> order;
  while (!open.empty()) {
    Value value = open.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!region.isAncestor(value.getParentRegion()))
      continue;
    if (!op || op->getNumRegions() || !isMemoryEffectFree(op) ||
        order.size() > 256)
      return false;
    order.push_back(op);
    llvm::append_range(open, op->getOperands());
  }
  // Each before those that use it: the last place of an op counts.
  llvm::SmallPtrSet<Operation *, 16> moved;
  for (Operation *op : llvm::reverse(order))
    if (moved.insert(op).second)
      op->moveBefore(before.getInsertionBlock(), before.getInsertionPoint());
  return true;
}

std::shared_ptr<Object> LoopVariables::settled(size_t i, const Traced &next,
                                               Region &body) {
  const Traced &init = inits[i];
  const List *list = listOf(init), *like = listOf(next);
  if (!init.object || !next.object)
    return nullptr;
  if (!list || !like)
    return init.object->settle(node.b, *next.object);
  if (!like->isFilled())
    return nullptr;
  for (Value size : ArrayRef<Value>(like->elements.extents)
                        .drop_front(like->elements.isBounded()))
    if (size && !moveOut(size, body, node.b))
      return nullptr;
  auto copy = std::make_shared<List>(*list);
  copy->element = like->element;
  copy->shape = rowShape(like->elements);
  return copy->fill(node, std::nullopt) ? copy : nullptr;
}

std::optional<SmallVector<Value>> LoopVariables::carry(size_t i,
                                                       const Traced &next) {
  const Traced &init = inits[i], &from = tensorOf(init);
  Traced to = tensorOf(next);
  SmallVector<Value> tensors;
  bool isDynamic = from.isBounded() || to.isBounded();
  if (!isDynamic && flatten(next, tensors) &&
      TypeRange(tensors) == TypeRange(ValueRange(carried[i])))
    return tensors;
  if (auto joined = joinSizes(from, to)) {
    Sizes sizes = sizesOf(to);
    SmallVector<Room> rooms;
    SmallVector<bool> varies = varying[i];
    varies.resize(sizes.size(), false);
    bool opens = false, grows = false;
    for (auto [d, before] : llvm::enumerate(sizesOf(from))) {
      bool stays = before.isKnown()
                       ? sizes[d] == before
                       : !varies[d] && isSame(before.exact, sizes[d].exact);
      rooms.push_back({before.bound, !before.isKnown() && !stays});
      if (stays) {
        sizes[d] = before;
        (*joined)[d].bound = before.bound;
        continue;
      }
      opens |= before.isKnown();
      grows |= before.bound < sizes[d].bound;
      varies[d] = true;
    }
    if (!opens && (!grows || growths[i] > growthLimit)) {
      if (varies != varying[i]) {
        varying[i] = varies;
        variesMore = true;
        return std::nullopt;
      }
      ImplicitLocOpBuilder b(node.b.getLoc(), node.tracing.builder);
      to = withSizes(paddedTo(b, to.value, boundsOf(sizes)), sizes);
      flattenCarried(i, fitTo(b, node, to, rooms), tensors);
      return tensors;
    }
    varying[i] = varies;
    wider[i] = joined;
  }
  llvm::raw_string_ostream os(why = "");
  os << "variable " << i << " changes its type from "
     << carried[i].front().getType() << " to "
     << (to.value ? to.value.getType() : Type());
  return std::nullopt;
}

bool LoopVariables::canWiden() const {
  return llvm::any_of(wider,
                      [](const auto &rooms) { return rooms.has_value(); });
}

void LoopVariables::shareRoom(size_t i, MutableArrayRef<Room> rooms) const {
  const Traced &init = inits[i];
  int64_t most = init.value ? -1 : listOf(init)->most;
  auto isShared = [&](size_t d) {
    return varying[i][d] && !(d == 0 && most >= 0);
  };
  if (varying[i][0] && most >= 0)
    rooms[0].bound = most;
  int64_t known = 1, open = 0;
  for (auto [d, room] : llvm::enumerate(rooms)) {
    known *= isShared(d) ? 1 : std::max<int64_t>(room.bound, 1);
    open += isShared(d);
  }
  if (!open)
    return;
  double left = static_cast<double>(node.tracing.boundedElements) / known;
  auto share = static_cast<int64_t>(
      std::max(std::pow(std::max(left, 1.0), 1.0 / open), 1.0));
  for (auto [d, room, size] : llvm::enumerate(rooms, sizesOf(tensorOf(init))))
    if (isShared(d))
      room.bound = std::max(share, size.bound);
}

void LoopVariables::widen() {
  ImplicitLocOpBuilder outside(node.b.getLoc(), node.b);
  for (auto [i, rooms] : llvm::enumerate(wider)) {
    if (!rooms)
      continue;
    // A list is given all the room that it may need at once.
    Traced &init = inits[i];
    bool isList = !init.value && varying[i][0];
    growths[i] += isList ? growthLimit + 1 : 1;
    if (growths[i] > growthLimit)
      shareRoom(i, *rooms);
    init = withTensor(init, fitTo(outside, node, tensorOf(init), *rooms));
    if (isList) {
      auto list = std::make_shared<List>(*listOf(init));
      list->most = (*rooms)[0].bound;
      init.object = list;
    }
  }
}

} // namespace weir::tensorflow
