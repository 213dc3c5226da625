// Folds ops with constant operands, for tensors of any size.
//
// One walk in program order visits operands before their users. A constant that
// this pass has created is freed as soon as its last user is folded.

#include "passes/graph/Passes.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Reduce.h"
#include "dialects/graph/Shape.h"
#include "dialects/graph/constants/Bytes.h"
#include "dialects/graph/elementwise/Evaluate.h"
#include "dialects/graph/sharding/Rule.h"
#include "dialects/weir/Attributes.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Debug.h"

#define DEBUG_TYPE "weir-fold-constants"

using namespace mlir;

namespace weir::graph {
#define GEN_PASS_DEF_FOLDCONSTANTS
#include "passes/graph/Passes.h.inc"

namespace {

// The result of a fold may be so many times as large as its operands, or have
// so many bytes. A larger one takes longer to load than to compute at run time.
constexpr int64_t growth = 2;
constexpr int64_t freeBytes = 64 << 10;

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// A copy of elements of one operand, with an offset and strides in the source
/// and in the result.
struct Box {
  Value source;
  SmallVector<int64_t> shape, fromStrides, toStrides;
  int64_t from = 0, to = 0;
};

Box boxOf(graph::TransposeOp op) {
  Box box{op.getX(), SmallVector<int64_t>(op.getType().getShape()), {}, {}};
  box.toStrides = byteStrides(op.getType());
  SmallVector<int64_t> strides = byteStrides(op.getX().getType());
  for (int64_t dim : op.getPermutation())
    box.fromStrides.push_back(strides[dim]);
  return box;
}

Box boxOf(graph::BroadcastOp op) {
  Box box{op.getX(), SmallVector<int64_t>(op.getType().getShape()), {}, {}};
  box.toStrides = byteStrides(op.getType());
  box.fromStrides.assign(box.shape.size(), 0);
  SmallVector<int64_t> strides = byteStrides(op.getX().getType());
  for (auto [i, dim] : llvm::enumerate(op.getDims()))
    if (op.getX().getType().getDimSize(i) != 1)
      box.fromStrides[dim] = strides[i];
  return box;
}

Box boxOf(graph::SliceOp op) {
  Box box{op.getX(), SmallVector<int64_t>(op.getType().getShape()), {}, {}};
  box.toStrides = byteStrides(op.getType());
  box.fromStrides = byteStrides(op.getX().getType());
  for (auto [i, stride] : llvm::enumerate(box.fromStrides)) {
    box.from += op.getStarts()[i] * stride;
    stride *= op.getStrides()[i];
  }
  return box;
}

Box boxOf(graph::ReverseOp op) {
  Box box{op.getX(), SmallVector<int64_t>(op.getType().getShape()), {}, {}};
  box.toStrides = byteStrides(op.getType());
  box.fromStrides = byteStrides(op.getX().getType());
  for (int64_t dim : op.getDims()) {
    box.from += (box.shape[dim] - 1) * box.fromStrides[dim];
    box.fromStrides[dim] = -box.fromStrides[dim];
  }
  return box;
}

Box boxOf(graph::PadOp op) {
  Box box{op.getX(), SmallVector<int64_t>(op.getX().getType().getShape()),
          byteStrides(op.getX().getType()), byteStrides(op.getType())};
  for (auto [i, stride] : llvm::enumerate(box.toStrides)) {
    box.to += op.getLow()[i] * stride;
    stride *= op.getInterior()[i] + 1;
  }
  return box;
}

SmallVector<Box> boxesOf(graph::ConcatOp op) {
  SmallVector<Box> boxes;
  SmallVector<int64_t> strides = byteStrides(typeOf(op.getResult()));
  int64_t at = 0;
  for (Value input : op.getInputs()) {
    RankedTensorType type = typeOf(input);
    Box box{input, SmallVector<int64_t>(type.getShape()), byteStrides(type),
            strides};
    box.to = at * strides[op.getAxis()];
    at += type.getDimSize(op.getAxis());
    boxes.push_back(std::move(box));
  }
  return boxes;
}

struct FoldConstants : impl::FoldConstantsBase<FoldConstants> {
  using FoldConstantsBase::FoldConstantsBase;

  void runOnOperation() override {
    made.clear();
    replaced.clear();
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op->getNumResults() != 1 || op->getNumOperands() == 0 ||
          !isa<RankedTensorType>(op->getResult(0).getType()))
        return;
      if (ElementsAttr value = fold(op))
        replace(op, value);
    });
    for (Operation *op : replaced)
      op->erase();
  }

private:
  ElementsAttr fold(Operation *op) {
    for (Value operand : op->getOperands())
      if (!isConstant(operand))
        return {};
    if (auto reshape = dyn_cast<graph::ReshapeOp>(op))
      return relabel(reshape.getX(), reshape.getType());
    if (!fits(op))
      return {};
    if (auto concat = dyn_cast<graph::ConcatOp>(op))
      return move(typeOf(concat.getResult()), boxesOf(concat), {});
    if (auto pad = dyn_cast<graph::PadOp>(op))
      return move(typeOf(pad.getResult()), boxOf(pad), pad.getValue());
    auto box = llvm::TypeSwitch<Operation *, std::optional<Box>>(op)
                   .Case<graph::TransposeOp, graph::SliceOp, graph::ReverseOp,
                         graph::BroadcastOp>([](auto op) { return boxOf(op); })
                   .Default([](Operation *) { return std::nullopt; });
    if (box)
      return move(typeOf(op->getResult(0)), *box, {});
    if (isa<graph::ScalarOpInterface>(op))
      return compute(op);
    if (auto all = dyn_cast<graph::ReduceAndOp>(op))
      return booleanOf(all.getX(), all.getType(), /*sought=*/false);
    if (auto any = dyn_cast<graph::ReduceOrOp>(op))
      return booleanOf(any.getX(), any.getType(), /*sought=*/true);
    return {};
  }

  /// An i1 constant: whether each element of the result equals `sought`.
  static ElementsAttr booleanOf(Value value, RankedTensorType type,
                                bool sought) {
    std::optional<Bytes> bytes = Bytes::of(value);
    if (!bytes || type.getNumElements() != 1)
      return {};
    bool found = llvm::any_of(bytes->data(),
                              [&](char byte) { return (byte != 0) == sought; });
    return DenseElementsAttr::get(type, found == sought);
  }

  /// Whether the value is a constant or a broadcast of one.
  static bool isConstant(Value value) {
    if (auto broadcast = value.getDefiningOp<graph::BroadcastOp>())
      value = broadcast.getX();
    return value.getDefiningOp<graph::ConstantOp>() != nullptr;
  }

  bool fits(Operation *op) const {
    std::optional<int64_t> bytes = bytesOf(typeOf(op->getResult(0)));
    if (!bytes || *bytes == 0 || *bytes > maxBytes)
      return false;
    if (*bytes <= freeBytes)
      return !isa<graph::BroadcastOp>(op);
    int64_t from = 0;
    for (Value operand : op->getOperands()) {
      if (auto broadcast = operand.getDefiningOp<graph::BroadcastOp>())
        operand = broadcast.getX();
      if (std::optional<Bytes> constant = Bytes::of(operand))
        from += constant->data().size();
    }
    return *bytes / growth <= from;
  }

  /// A constant with the same bytes and another type.
  static ElementsAttr relabel(Value value, RankedTensorType type) {
    auto constant = value.getDefiningOp<graph::ConstantOp>();
    if (!constant)
      return {};
    if (auto resource =
            dyn_cast<DenseResourceElementsAttr>(constant.getValue()))
      return DenseResourceElementsAttr::get(type, resource.getRawHandle());
    if (auto dense = dyn_cast<DenseElementsAttr>(constant.getValue()))
      return dense.reshape(type);
    return {};
  }

  static ElementsAttr move(RankedTensorType type, ArrayRef<Box> boxes,
                           Value filling) {
    NewBytes result(type);
    int64_t width = bytesOf(type.getElementType());
    if (filling) {
      std::optional<Bytes> value = Bytes::of(filling);
      if (!value)
        return {};
      SmallVector<int64_t> still(type.getRank(), 0);
      copyBox(type.getShape(), width, result.data(), byteStrides(type),
              value->data().data(), still);
    }
    for (const Box &box : boxes) {
      std::optional<Bytes> from = Bytes::of(box.source);
      if (!from)
        return {};
      if (from->isSplat()) {
        SmallVector<int64_t> still(box.shape.size(), 0);
        copyBox(box.shape, width, result.data() + box.to, box.toStrides,
                from->data().data(), still);
      } else {
        copyBox(box.shape, width, result.data() + box.to, box.toStrides,
                from->data().data() + box.from, box.fromStrides);
      }
    }
    return std::move(result).take("folded");
  }

  static ElementsAttr compute(Operation *op) {
    // Operands are read in their own memory; only broadcasts are expanded.
    SmallVector<Bytes> constants;
    SmallVector<std::unique_ptr<SmallVector<char, 0>>> spread;
    SmallVector<Elements> operands;
    for (Value operand : op->getOperands()) {
      auto broadcast = operand.getDefiningOp<graph::BroadcastOp>();
      std::optional<Bytes> bytes =
          Bytes::of(broadcast ? broadcast.getX() : operand);
      if (!bytes)
        return {};
      constants.push_back(std::move(*bytes));
      if (!broadcast || constants.back().isSplat())
        continue;
      Box box = boxOf(broadcast);
      auto &into =
          spread.emplace_back(std::make_unique<SmallVector<char, 0>>());
      into->resize(*bytesOf(broadcast.getType()));
      copyBox(box.shape, bytesOf(broadcast.getType().getElementType()),
              into->data(), box.toStrides, constants.back().data().data(),
              box.fromStrides);
    }
    auto next = spread.begin();
    for (auto [operand, bytes] :
         llvm::zip_equal(op->getOperands(), constants)) {
      bool isSpread =
          operand.getDefiningOp<graph::BroadcastOp>() && !bytes.isSplat();
      operands.push_back({bytes.type().getElementType(),
                          isSpread ? ArrayRef<char>(**next++) : bytes.data(),
                          bytes.isSplat()});
    }
    RankedTensorType type = typeOf(op->getResult(0));
    NewBytes result(type);
    if (failed(evaluate(op, operands, type.getNumElements(), result.data())))
      return {};
    return std::move(result).take("folded");
  }

  void replace(Operation *op, ElementsAttr value) {
    LLVM_DEBUG(llvm::dbgs()
               << "folds " << op->getName() << " at " << op->getLoc() << "\n");
    OpBuilder b(op);
    auto constant = b.create<graph::ConstantOp>(op->getLoc(), value);
    if (DenseI64ArrayAttr shards = graph::inheritedShards(op))
      attrs::shards.set(constant, shards);
    op->getResult(0).replaceAllUsesWith(constant.getResult());
    SmallVector<Value> operands(op->getOperands());
    op->dropAllReferences();
    replaced.push_back(op);
    if (isa<graph::ReshapeOp>(op))
      return share(operands[0].getDefiningOp(), constant);
    made.insert(constant);
    for (Value operand : operands)
      release(operand);
  }

  /// Records that `to` now uses the bytes of `from`, which is erased. They are
  /// freed with `to` if this pass owns them.
  void share(Operation *from, Operation *to) {
    if (!made.erase(from) || !from->use_empty())
      return;
    replaced.push_back(from);
    made.insert(to);
  }

  /// Frees the bytes of a constant without users that this pass has created.
  void release(Value value) {
    auto constant = value.getDefiningOp<graph::ConstantOp>();
    if (!constant || !constant->use_empty() || !made.erase(constant))
      return;
    if (auto resource =
            dyn_cast<DenseResourceElementsAttr>(constant.getValue()))
      resource.getRawHandle().getResource()->setBlob(AsmResourceBlob());
    replaced.push_back(constant);
  }

  SmallVector<Operation *> replaced;
  DenseSet<Operation *> made;
};

} // namespace
} // namespace weir::graph
