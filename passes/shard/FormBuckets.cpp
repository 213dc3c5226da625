// Joins gradients that ranks add into buckets.

#include "passes/shard/Passes.h"

#include "dialects/graph/Elements.h"
#include "dialects/graph/Shape.h"
#include "dialects/graph/collective/Collective.h"
#include "dialects/weir/Attributes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/Debug.h"

#define DEBUG_TYPE "weir-form-buckets"

using namespace mlir;

namespace weir::shard {
#define GEN_PASS_DEF_FORMBUCKETS
#include "passes/shard/Passes.h.inc"

namespace {

/// On 256 ranks an all-reduce has 16 messages, which take some 50 us at 3 us
/// each. So many bytes take 640 us at 100 Gb/s. So messages cost less than a
/// tenth, and what is left to wait for after the last kernel is short.
constexpr int64_t usualBytes = 4 << 20;

/// A part of a bucket that begins here is aligned as a buffer of its own.
constexpr int64_t alignment = 64;

int64_t bytesOf(graph::AllReduceOp op) {
  return graph::tensorBytes(op.getType());
}

/// Whether the part after this one in a bucket is not aligned.
bool isOdd(graph::AllReduceOp op) { return bytesOf(op) % alignment != 0; }

/// All-reduces that can be one.
struct Kind {
  graph::Combine combine;
  Attribute axes;
  Type element;

  explicit Kind(graph::AllReduceOp op)
      : combine(op.getCombine()), axes(op.getAxes()),
        element(getElementTypeOrSelf(op.getType())) {}
  bool operator==(const Kind &other) const {
    return combine == other.combine && axes == other.axes &&
           element == other.element;
  }
};

struct Bucket {
  Kind kind;
  SmallVector<graph::AllReduceOp> members = {};
  int64_t bytes = 0;
};

class Buckets {
public:
  Buckets(Block &block, int64_t fullBytes) : block(block), full(fullBytes) {
    for (auto [i, op] : llvm::enumerate(block))
      positions[&op] = i;
    for (Operation &op : llvm::reverse(block)) {
      size_t &own = effects.try_emplace(&op, SIZE_MAX).first->second;
      if (!isMemoryEffectFree(&op))
        own = std::min(own, positions.lookup(&op));
      size_t first = own;
      graph::forEachMaker(&op, [&](Operation *maker) {
        size_t &at = effects.try_emplace(maker, SIZE_MAX).first->second;
        at = std::min(at, first);
      });
    }
  }

  void form() {
    for (graph::AllReduceOp op : graph::finalReductions(block))
      if (bytesOf(op) < full)
        add(op);
    for (Bucket &bucket : open)
      join(bucket);
  }

private:
  void add(graph::AllReduceOp op) {
    Kind kind(op);
    auto *bucket = llvm::find_if(
        open, [&](const Bucket &each) { return each.kind == kind; });
    if (bucket == open.end())
      bucket = &open.emplace_back(Bucket{kind});
    // Nothing with an effect moves.
    if (llvm::any_of(bucket->members, [&](graph::AllReduceOp member) {
          return effects.lookup(member) < positions.lookup(op);
        }))
      join(*bucket);
    bucket->members.push_back(op);
    bucket->bytes += bytesOf(op);
    if (bucket->bytes >= full)
      join(*bucket);
  }

  /// Makes one all-reduce of the members and empties the bucket.
  void join(Bucket &bucket) {
    SmallVector<graph::AllReduceOp> members = std::move(bucket.members);
    bucket.members.clear();
    bucket.bytes = 0;
    if (members.size() < 2)
      return;
    LLVM_DEBUG(llvm::dbgs()
               << "a bucket of " << members.size() << " tensors\n");
    graph::AllReduceOp last = members.back();
    SmallVector<Operation *> users = usersBefore(last, members);
    // Kernels write to parts of the bucket. Those whose sizes are odd go last,
    // so that the others are aligned.
    SmallVector<graph::AllReduceOp> odd;
    llvm::copy_if(members, std::back_inserter(odd), isOdd);
    llvm::erase_if(members, isOdd);
    llvm::append_range(members, odd);
    SmallVector<Location> locations;
    for (graph::AllReduceOp member : members)
      locations.push_back(member.getLoc());
    ImplicitLocOpBuilder b(FusedLoc::get(context(), locations), last);
    SmallVector<Value> parts;
    for (graph::AllReduceOp member : members)
      parts.push_back(
          reshaped(b, member.getX(), {member.getType().getNumElements()}));
    Value all = b.create<graph::ConcatOp>(parts, 0);
    all = b.create<graph::AllReduceOp>(last.getCombine(), all, last.getAxes());
    int64_t start = 0;
    for (graph::AllReduceOp member : members) {
      b.setLoc(member.getLoc());
      int64_t end = start + member.getType().getNumElements();
      Value part = b.create<graph::SliceOp>(all, ArrayRef<int64_t>{start},
                                            ArrayRef<int64_t>{end},
                                            ArrayRef<int64_t>{1});
      member.replaceAllUsesWith(reshaped(b, part, member.getType().getShape()));
      start = end;
    }
    for (Operation *user : users)
      user->moveBefore(last);
    for (graph::AllReduceOp member : members)
      member.erase();
  }

  MLIRContext *context() { return block.getParentOp()->getContext(); }

  static Value reshaped(ImplicitLocOpBuilder &b, Value x,
                        ArrayRef<int64_t> shape) {
    auto type = cast<RankedTensorType>(x.getType());
    if (type.getShape() == shape)
      return x;
    return b.create<graph::ReshapeOp>(type.clone(shape), x);
  }

  /// The ops before `last` that need one of the members.
  SmallVector<Operation *> usersBefore(graph::AllReduceOp last,
                                       ArrayRef<graph::AllReduceOp> members) {
    DenseSet<Operation *> late;
    for (graph::AllReduceOp member : members)
      late.insert(member);
    SmallVector<Operation *> users;
    for (Operation *op = members.front(); op != last; op = op->getNextNode()) {
      bool needs = false;
      if (!late.contains(op))
        graph::forEachMaker(
            op, [&](Operation *maker) { needs |= late.contains(maker); });
      if (needs) {
        late.insert(op);
        users.push_back(op);
      }
    }
    return users;
  }

  Block &block;
  int64_t full;
  DenseMap<Operation *, size_t> positions;
  // The first op with an effect that needs the result of an op.
  DenseMap<Operation *, size_t> effects;
  SmallVector<Bucket> open;
};

struct FormBuckets : impl::FormBucketsBase<FormBuckets> {
  void runOnOperation() override {
    // Sums of a cluster go to the tasks that have the variables.
    if (!attrs::mesh.isOn(getOperation()) ||
        attrs::cluster.isOn(getOperation()))
      return;
    IntegerAttr given = attrs::bucketBytes.of(getOperation());
    int64_t full = given ? given.getInt() : usualBytes;
    for (auto entry : getOperation().getOps<func::FuncOp>())
      if (full && attrs::entry.isOn(entry))
        Buckets(entry.getBody().front(), full).form();
  }
};

} // namespace
} // namespace weir::shard
