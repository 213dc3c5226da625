// Finds attentions in a kernel on buffers.
//
// The loops between the products are known by what they compute: the maximum of
// a row, exponentials of the distances from it and their sum, and these divided
// by the sum, as softmax is lowered. A mark at these loops would be gone where
// other passes put loops together, and would still be there where they changed
// what the loops compute.

#include "passes/gpu/kernels/Attention.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace weir::gpu {
namespace {

Value baseOf(Value memory) {
  while (auto view = memory.getDefiningOp<ViewLikeOpInterface>())
    memory = view.getViewSource();
  return memory;
}

bool isPlain(kernel::MatmulOp op) {
  kernel::LayoutAttr layout = op.getLayout();
  return op.hasPureBufferSemantics() && !op.getUnsignedA() &&
         (layout.isPlain() || layout.isPanels() || layout.isKMajor()) &&
         op.getEpilogue().front().getArgument(0).getType().isF32();
}

bool isFloat(Value memory) {
  Type type = cast<MemRefType>(memory.getType()).getElementType();
  return type.isF32() || type.isF16() || type.isBF16();
}

template <typename Op>
Value skip(Value value) {
  auto op = value.getDefiningOp<Op>();
  return op ? op->getOperand(0) : value;
}

/// Whether `value` is an `Op` of these, in any order; the first may be widened.
template <typename Op>
bool isOf(Value value, Value x, Value y) {
  auto op = value.getDefiningOp<Op>();
  if (!op)
    return false;
  auto is = [](Value value, Value wanted) {
    return value == wanted || skip<arith::ExtFOp>(value) == wanted;
  };
  return (is(op.getLhs(), x) && op.getRhs() == y) ||
         (is(op.getRhs(), x) && op.getLhs() == y);
}

/// A loop nest over elements of rows, and along its operands, inputs first:
/// whether each has an element for an element of a row ('e'), or for a row
/// ('r').
bool isOverRows(linalg::GenericOp op, StringRef extents, bool reduces) {
  if (!op || !op.hasPureBufferSemantics() || op.getNumLoops() == 0 ||
      op->getNumOperands() != extents.size())
    return false;
  unsigned rank = op.getNumLoops();
  AffineMap element = AffineMap::getMultiDimIdentityMap(rank, op.getContext());
  for (auto [map, extent] : llvm::zip_equal(op.getIndexingMapsArray(), extents))
    if (map != (extent == 'e' ? element : element.dropResult(rank - 1)))
      return false;
  auto loops = op.getIteratorTypesArray();
  return op.getNumReductionLoops() == (reduces ? 1 : 0) &&
         (!reduces || loops.back() == utils::IteratorType::reduction);
}

bool isMaximum(linalg::GenericOp op) {
  if (!isOverRows(op, "er", /*reduces=*/true))
    return false;
  Block &body = *op.getBody();
  return isOf<arith::MaxNumFOp>(body.getTerminator()->getOperand(0),
                                body.getArgument(0), body.getArgument(1));
}

/// exp(x - maximum), and the sum of these.
bool isExponential(linalg::GenericOp op) {
  if (!isOverRows(op, "erer", /*reduces=*/true))
    return false;
  Block &body = *op.getBody();
  Value power = body.getTerminator()->getOperand(0);
  auto exponential = power.getDefiningOp<math::ExpOp>();
  auto distance = exponential
                      ? exponential.getOperand().getDefiningOp<arith::SubFOp>()
                      : nullptr;
  return distance &&
         skip<arith::ExtFOp>(distance.getLhs()) == body.getArgument(0) &&
         distance.getRhs() == body.getArgument(1) &&
         isOf<arith::AddFOp>(body.getTerminator()->getOperand(1), power,
                             body.getArgument(3));
}

/// Of "x compared ? replacement : x" x where the comparison and the replacement
/// are what is looked for, else null.
Value guarded(Value value,
              function_ref<bool(arith::CmpFOp, Value)> isLookedFor) {
  auto select = value.getDefiningOp<arith::SelectOp>();
  auto compare =
      select ? select.getCondition().getDefiningOp<arith::CmpFOp>() : nullptr;
  bool isTest = compare && compare.getLhs() == select.getFalseValue() &&
                isLookedFor(compare, select.getTrueValue());
  return isTest ? select.getFalseValue() : nullptr;
}

bool isZeroIfNaN(arith::CmpFOp compare, Value replacement) {
  return compare.getLhs() == compare.getRhs() &&
         (compare.getPredicate() == arith::CmpFPredicate::UNE ||
          compare.getPredicate() == arith::CmpFPredicate::UNO) &&
         matchPattern(replacement, m_AnyZeroFloat());
}

bool isOneIfZero(arith::CmpFOp compare, Value replacement) {
  return compare.getPredicate() == arith::CmpFPredicate::OEQ &&
         matchPattern(compare.getRhs(), m_AnyZeroFloat()) &&
         matchPattern(replacement, m_OneFloat());
}

/// x * (1 / sum), or where `isZeroOfNaN` is set, 0 for what is no number. With
/// `isMasked`, a sum of 0 leaves the zeros that it is of.
bool isQuotient(linalg::GenericOp op, bool &isZeroOfNaN, bool &isMasked) {
  if (!isOverRows(op, "ere", /*reduces=*/false))
    return false;
  Block &body = *op.getBody();
  Value weight = skip<arith::TruncFOp>(body.getTerminator()->getOperand(0));
  isZeroOfNaN = false;
  if (Value tested = guarded(weight, isZeroIfNaN)) {
    isZeroOfNaN = true;
    weight = skip<arith::TruncFOp>(tested);
  }
  auto product = weight.getDefiningOp<arith::MulFOp>();
  if (!product)
    return false;
  Value x = body.getArgument(0), scale = product.getRhs();
  if (scale == x)
    scale = product.getLhs();
  else if (product.getLhs() != x)
    return false;
  auto quotient = scale.getDefiningOp<arith::DivFOp>();
  Value sum = quotient ? quotient.getRhs() : Value();
  Value tested = sum ? guarded(sum, isOneIfZero) : Value();
  isMasked = tested != nullptr;
  return quotient && (isMasked ? tested : sum) == body.getArgument(1) &&
         matchPattern(quotient.getLhs(), m_OneFloat());
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

/// A loop nest that only moves elements: where that at the indices of its
/// result comes from.
std::optional<AffineMap> movedFrom(linalg::GenericOp op) {
  if (!op || op->getNumOperands() != 2 || op.getNumReductionLoops() > 0 ||
      !op.hasPureBufferSemantics() ||
      op.getBody()->getTerminator()->getOperand(0) !=
          op.getBody()->getArgument(0) ||
      op.getBody()->getOperations().size() != 1)
    return std::nullopt;
  AffineMap from = op.getIndexingMapsArray()[0];
  if (!from.isPermutation() || !op.getIndexingMapsArray()[1].isIdentity())
    return std::nullopt;
  return from;
}

/// `memory` with its dimensions in the map's order.
Value turned(OpBuilder &b, Value memory, AffineMap order) {
  return order.isIdentity()
             ? memory
             : b.create<memref::TransposeOp>(memory.getLoc(), memory,
                                             AffineMapAttr::get(order));
}

/// What makes all of a buffer that nothing but these and `readers` needs.
struct Made {
  Operation *maker = nullptr; // null: something else
  linalg::FillOp fill;        // before the maker, if it adds to what was there

  Made(Value buffer, ArrayRef<Operation *> readers) {
    if (!buffer.getDefiningOp<memref::AllocOp>())
      return;
    Operation *found = nullptr;
    for (OpOperand &use : buffer.getUses()) {
      Operation *user = use.getOwner();
      if (llvm::is_contained(readers, user) || isa<memref::DeallocOp>(user))
        continue;
      auto op = dyn_cast<DestinationStyleOpInterface>(user);
      auto fills = dyn_cast<linalg::FillOp>(user);
      if (!op || !op.isDpsInit(&use) ||
          user->getBlock() != readers.front()->getBlock() ||
          (fills ? fill != nullptr : found != nullptr))
        return;
      if (fills)
        fill = fills;
      else
        found = user;
    }
    auto isBefore = [&](Operation *reader) {
      return found->isBeforeInBlock(reader);
    };
    if (found && llvm::all_of(readers, isBefore) &&
        (!fill || fill->isBeforeInBlock(found)))
      maker = found;
  }

  bool isFilledWith(function_ref<bool(const APFloat &)> wanted) {
    FloatAttr value;
    return fill && matchPattern(fill.getInputs()[0], m_Constant(&value)) &&
           wanted(value.getValue());
  }
};

} // namespace

bool Attention::findSoftmax() {
  Value weights = product.getA();
  if (product.getB() == weights ||
      llvm::is_contained(product.getExtras(), weights))
    return false;
  Made quotients(weights, {product});
  auto quotient = dyn_cast_or_null<linalg::GenericOp>(quotients.maker);
  if (!quotient || quotients.fill ||
      !isQuotient(quotient, isZeroOfNaN, isMasked))
    return false;
  Value powers = quotient.getInputs()[0], sum = quotient.getInputs()[1];
  Made ofPowers(powers, {quotient}), ofSum(sum, {quotient});
  auto power = dyn_cast_or_null<linalg::GenericOp>(ofPowers.maker);
  if (!power || ofSum.maker != power || ofPowers.fill ||
      !isExponential(power) || power.getOutputs()[0] != powers ||
      !ofSum.isFilledWith([](const APFloat &x) { return x.isZero(); }))
    return false;
  Value inner = power.getInputs()[0], largest = power.getInputs()[1];
  Made ofLargest(largest, {power});
  auto maximum = dyn_cast_or_null<linalg::GenericOp>(ofLargest.maker);
  if (!maximum || !isMaximum(maximum) || maximum.getInputs()[0] != inner ||
      !ofLargest.isFilledWith([&](const APFloat &x) {
        return x.isNegative() && (isMasked ? x.isLargest() : x.isInfinity());
      }))
    return false;
  Made ofScores(inner, {maximum, power});
  scores = dyn_cast_or_null<kernel::MatmulOp>(ofScores.maker);
  if (!scores || ofScores.fill)
    return false;
  ops = {product, quotient, power, ofSum.fill, maximum, ofLargest.fill, scores};
  return true;
}

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
    std::optional<AffineMap> from = movedFrom(copy);
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
    read.insert(baseOf(memory));
  for (Value extra : kernel::MatmulOp(scores).getExtras())
    read.insert(baseOf(extra));
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
          return read.contains(baseOf(init));
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
  std::optional<AffineMap> from = movedFrom(move);
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

std::optional<Attention> Attention::endingIn(kernel::MatmulOp product) {
  Attention found;
  found.product = product;
  if (!isPlain(product) || product.getTransposeA() || !found.findSoftmax())
    return std::nullopt;
  kernel::MatmulOp scores = found.scores;
  if (!isPlain(scores) || !isFloat(scores.getOut()) ||
      !isFloat(product.getOut()))
    return std::nullopt;
  found.q = found.source(scores.getA(), /*isPacked=*/false);
  found.k = found.source(scores.getB(), !scores.getLayout().isPlain());
  found.v = found.source(product.getB(), !product.getLayout().isPlain());
  if (!found.k || !found.v || !found.readsWhatStays())
    return std::nullopt;
  Type element = cast<MemRefType>(found.q.getType()).getElementType();
  for (Value side : {found.q, found.k, found.v})
    if (!isFloat(side) ||
        cast<MemRefType>(side.getType()).getElementType() != element)
      return std::nullopt;
  return found;
}

} // namespace weir::gpu
