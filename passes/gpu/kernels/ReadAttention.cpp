// Reads a kernel.attention as blocks of threads compute it: from the memory
// that was copied and packed for its products, to the memory that its result
// moves to.

#include "passes/gpu/kernels/Attention.h"

#include "dialects/kernel/Nests.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace weir::gpu {
namespace {

bool sumsInF32(kernel::MatmulOp op) {
  return op.getEpilogue().front().getArgument(0).getType().isF32();
}

bool isFloat(Value memory) {
  Type type = cast<MemRefType>(memory.getType()).getElementType();
  return type.isF32() || type.isF16() || type.isBF16();
}

Value beforeTruncation(Value value) {
  auto op = value.getDefiningOp<arith::TruncFOp>();
  return op ? op.getIn() : value;
}

/// Whether `value` is 0 for a NaN `x`, and else `x`. Returns `x`, or null.
Value zeroedIfNaN(Value value) {
  auto select = value.getDefiningOp<arith::SelectOp>();
  auto compare =
      select ? select.getCondition().getDefiningOp<arith::CmpFOp>() : nullptr;
  if (!compare || compare.getLhs() != select.getFalseValue() ||
      compare.getLhs() != compare.getRhs() ||
      (compare.getPredicate() != arith::CmpFPredicate::UNE &&
       compare.getPredicate() != arith::CmpFPredicate::UNO) ||
      !matchPattern(select.getTrueValue(), m_AnyZeroFloat()))
    return nullptr;
  return select.getFalseValue();
}

/// Whether the weights are those of the softmax, rounded or not. With
/// `isZeroOfNaN` a NaN among them becomes 0.
bool areOfSoftmax(Region &weights, bool &isZeroOfNaN) {
  Block &function = weights.front();
  Value weight = beforeTruncation(function.getTerminator()->getOperand(0));
  Value tested = zeroedIfNaN(weight);
  isZeroOfNaN = tested != nullptr;
  if (tested)
    weight = beforeTruncation(tested);
  return weight == function.getArgument(0);
}

/// The only op that changes the buffer, which nothing sees by another name.
Operation *writerOf(Value buffer) {
  Operation *writer = nullptr;
  if (!buffer.getDefiningOp<memref::AllocOp>())
    return nullptr;
  for (OpOperand &use : buffer.getUses()) {
    if (isa<memref::DeallocOp>(use.getOwner()))
      continue;
    auto op = dyn_cast<DestinationStyleOpInterface>(use.getOwner());
    if (!op || (op.isDpsInit(&use) && writer))
      return nullptr;
    if (op.isDpsInit(&use))
      writer = op;
  }
  return writer;
}

/// `memory` with its dimensions in the map's order.
Value turned(OpBuilder &b, Value memory, AffineMap order) {
  return order.isIdentity()
             ? memory
             : b.create<memref::TransposeOp>(memory.getLoc(), memory,
                                             AffineMapAttr::get(order));
}

} // namespace

/// What the buffer was copied from, turned and packed, as dimensions of that.
Value Attention::source(Value memory, bool isPacked) {
  OpBuilder b(product);
  auto orderOf = [&](Value memory) {
    return b.getMultiDimIdentityMap(
        cast<MemRefType>(memory.getType()).getRank());
  };
  AffineMap order = orderOf(memory);
  if (isPacked) {
    auto pack = dyn_cast_or_null<kernel::PackOp>(writerOf(memory));
    if (!pack || pack->getBlock() != product->getBlock())
      return nullptr;
    copies.push_back(pack);
    memory = pack.getB();
    order = orderOf(memory);
    if (pack.getTransposeB()) {
      SmallVector<AffineExpr> dims(order.getResults());
      std::swap(dims[dims.size() - 1], dims[dims.size() - 2]);
      order = AffineMap::get(dims.size(), 0, dims, b.getContext());
    }
  }
  while (auto copy = dyn_cast_or_null<linalg::GenericOp>(writerOf(memory))) {
    std::optional<AffineMap> from = kernel::permutationOf(copy);
    if (!from || copy->getBlock() != product->getBlock())
      break;
    copies.push_back(copy);
    memory = copy.getInputs()[0];
    order = order.compose(inversePermutation(*from));
  }
  return turned(b, memory, order);
}

/// Whether what is read, now where the product is, is there what it was.
bool Attention::readsWhatStays() const {
  llvm::SmallDenseSet<Value> read;
  for (Value memory : {q, k, v})
    read.insert(kernel::baseOf(memory));
  for (Value extra : kernel::MatmulOp(scores).getExtras())
    read.insert(kernel::baseOf(extra));
  SmallVector<Operation *> own(ops);
  llvm::append_range(own, copies);
  Operation *first = *llvm::min_element(
      own, [](Operation *x, Operation *y) { return x->isBeforeInBlock(y); });
  for (Operation *op = first; op != ops.front(); op = op->getNextNode()) {
    if (llvm::is_contained(own, op) || isMemoryEffectFree(op) ||
        isa<memref::AllocOp>(op))
      continue;
    auto writer = dyn_cast<DestinationStyleOpInterface>(op);
    if (!writer || llvm::any_of(writer.getDpsInits(), [&](Value init) {
          return read.contains(kernel::baseOf(init));
        }))
      return false;
  }
  return true;
}

/// Where the result is only moved to, it is written there.
void Attention::writeInPlace() {
  Value out = product.getOut();
  linalg::GenericOp move;
  for (Operation *user : out.getUsers()) {
    if (user == product || isa<memref::DeallocOp>(user))
      continue;
    auto copy = dyn_cast<linalg::GenericOp>(user);
    if (move || !copy || copy->getBlock() != product->getBlock())
      return;
    move = copy;
  }
  std::optional<AffineMap> from =
      move ? kernel::permutationOf(move) : std::nullopt;
  if (!from || writerOf(out) != product)
    return;
  Value to = move.getOutputs()[0];
  if (!isa<BlockArgument>(to) || !to.hasOneUse())
    return;
  OpBuilder b(product);
  product.getOutMutable().assign(turned(b, to, *from));
  move.erase();
}

/// Erases the ops, and buffers and copies that are then not read any more.
void Attention::erase() {
  llvm::SetVector<Value> buffers;
  for (Operation *op : ops)
    for (Value operand : op->getOperands())
      if (operand.getDefiningOp<memref::AllocOp>())
        buffers.insert(operand);
  for (Operation *op : ops)
    op->erase();
  for (Operation *copy : copies) {
    Value target = copy->getOperands().back();
    bool isRead = llvm::any_of(target.getUsers(), [&](Operation *user) {
      return user != copy && !isa<memref::DeallocOp>(user);
    });
    buffers.insert(target);
    if (!isRead)
      copy->erase();
  }
  for (Value buffer : buffers) {
    SmallVector<Operation *> users(buffer.getUsers());
    if (!llvm::all_of(users,
                      [](Operation *op) { return isa<memref::DeallocOp>(op); }))
      continue;
    for (Operation *user : users)
      user->erase();
    buffer.getDefiningOp()->erase();
  }
}

Attention::Attention(kernel::AttentionOp op) : isMasked(op.getMasked()) {
  bool isSoftmax = areOfSoftmax(op.getWeights(), isZeroOfNaN);
  kernel::ExpandedAttention all = kernel::expandAttention(op);
  scores = all.scores;
  product = all.product;
  ops = {product};
  ops.append(all.softmax.rbegin(), all.softmax.rend());
  ops.push_back(scores);
  if (!isSoftmax || !sumsInF32(scores) || !sumsInF32(product) ||
      !isFloat(scores.getOut()) || !isFloat(product.getOut()))
    return;
  q = source(scores.getA(), /*isPacked=*/false);
  k = source(scores.getB(), !scores.getLayout().isPlain());
  v = source(product.getB(), !product.getLayout().isPlain());
  isReadable = k && v && areOfOneType() && readsWhatStays();
}

bool Attention::areOfOneType() const {
  Type element = cast<MemRefType>(q.getType()).getElementType();
  return llvm::all_of(ArrayRef<Value>{q, k, v}, [&](Value side) {
    return isFloat(side) &&
           cast<MemRefType>(side.getType()).getElementType() == element;
  });
}

} // namespace weir::gpu
