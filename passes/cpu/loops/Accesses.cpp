// Follows index arithmetic and views back to buffers and variables of loops.

#include "passes/cpu/loops/Accesses.h"

#include "dialects/kernel/Kernel.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace weir::cpu {

void LinearIndex::add(const LinearIndex &other, int64_t factor) {
  constant += other.constant * factor;
  isUsable &= other.isUsable;
  hasInner |= other.hasInner;
  for (auto [value, times] : other.terms) {
    auto *found = llvm::find_if(
        terms, [v = value](auto &term) { return term.first == v; });
    if (found == terms.end())
      terms.push_back({value, times * factor});
    else
      found->second += times * factor;
  }
  llvm::erase_if(terms, [](auto &term) { return term.second == 0; });
}

/// A result of an affine map, linear in its operands; nothing where it is not.
static std::optional<LinearIndex>
ofExpression(AffineExpr expression, unsigned dims, ValueRange operands) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expression)) {
    LinearIndex index;
    index.constant = constant.getValue();
    return index;
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expression))
    return LinearIndex::of(operands[dim.getPosition()]);
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expression))
    return LinearIndex::of(operands[dims + symbol.getPosition()]);
  auto binary = cast<AffineBinaryOpExpr>(expression);
  auto left = ofExpression(binary.getLHS(), dims, operands);
  if (!left)
    return std::nullopt;
  if (binary.getKind() == AffineExprKind::Mul) {
    auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
    if (!factor)
      return std::nullopt;
    LinearIndex index;
    index.add(*left, factor.getValue());
    return index;
  }
  if (binary.getKind() != AffineExprKind::Add)
    return std::nullopt;
  auto right = ofExpression(binary.getRHS(), dims, operands);
  if (!right)
    return std::nullopt;
  left->add(*right, 1);
  return left;
}

LinearIndex LinearIndex::of(Value value) {
  LinearIndex index;
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant))) {
    index.constant = constant.getSExtValue();
    return index;
  }
  Operation *op = value.getDefiningOp();
  auto factorIn = [&](unsigned operand) -> std::optional<int64_t> {
    APInt factor;
    if (matchPattern(op->getOperand(operand), m_ConstantInt(&factor)))
      return factor.getSExtValue();
    return std::nullopt;
  };
  if (isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op)) {
    index = of(op->getOperand(0));
    index.add(of(op->getOperand(1)), isa<arith::AddIOp>(op) ? 1 : -1);
    return index;
  }
  if (isa_and_nonnull<arith::MulIOp>(op))
    for (unsigned i : {0, 1})
      if (auto factor = factorIn(i)) {
        index.add(of(op->getOperand(1 - i)), *factor);
        return index;
      }
  if (auto apply = dyn_cast_or_null<affine::AffineApplyOp>(op)) {
    AffineMap map = apply.getAffineMap();
    if (auto found = ofExpression(map.getResult(0), map.getNumDims(),
                                  apply.getMapOperands()))
      return *found;
  }
  index.terms.push_back({value, 1});
  return index;
}

int64_t LinearIndex::factorOf(Value value) const {
  for (auto [other, factor] : terms)
    if (other == value)
      return factor;
  return 0;
}

LinearIndex LinearIndex::without(Value value) const {
  LinearIndex index = *this;
  llvm::erase_if(index.terms, [&](auto &term) { return term.first == value; });
  return index;
}

bool LinearIndex::isAlike(const LinearIndex &other) const {
  if (terms != other.terms || bool(quotient) != bool(other.quotient))
    return false;
  return !quotient || (divisor == other.divisor &&
                       quotient->terms == other.quotient->terms &&
                       quotient->constant == other.quotient->constant);
}

/// Of a division by a positive constant the dividend and the constant.
static std::optional<std::pair<Value, int64_t>> divisionOf(Value value) {
  Operation *op = value.getDefiningOp();
  APInt constant;
  if (!isa_and_nonnull<arith::DivUIOp, arith::DivSIOp>(op) ||
      !matchPattern(op->getOperand(1), m_ConstantInt(&constant)) ||
      constant.getSExtValue() <= 0)
    return std::nullopt;
  return std::pair(op->getOperand(0), constant.getSExtValue());
}

bool LinearIndex::enterQuotient(scf::ForOp loop, Value value) {
  auto division = divisionOf(value);
  if (quotient || !division)
    return false;
  int64_t by = division->second;
  LinearIndex inside = of(division->first);
  // One division after another is one by the product.
  while (inside.terms.size() == 1 && inside.constant == 0 &&
         inside.terms.front().second == 1) {
    auto before = divisionOf(inside.terms.front().first);
    if (!before || llvm::MulOverflow(by, before->second, by))
      break;
    inside = of(before->first);
  }
  LinearIndex rest = inside.without(loop.getInductionVar());
  bool isKnownBefore = llvm::none_of(rest.terms, [&](auto &term) {
    return loop.getRegion().isAncestor(term.first.getParentRegion());
  });
  LinearIndex others = without(value);
  if (inside.factorOf(loop.getInductionVar()) != 1 || !isKnownBefore ||
      others.factorOf(loop.getInductionVar()))
    return false;
  *this = others;
  quotient = std::make_shared<LinearIndex>(rest);
  divisor = by;
  return true;
}

/// The variable of a loop becomes its least value; false where it is none.
bool LinearIndex::replaceInner(Value value, int64_t factor) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto inner = argument
                   ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp())
                   : scf::ForOp();
  if (!inner || inner.getInductionVar() != value || factor < 0)
    return false;
  LinearIndex least = of(inner.getLowerBound());
  *this = without(value);
  add(least, factor);
  hasInner = true;
  return true;
}

void LinearIndex::enter(scf::ForOp loop) {
  // Each round replaces the variable of one loop.
  for (bool changes = true; changes && isUsable;) {
    changes = false;
    for (auto [value, factor] : terms) {
      if (value == loop.getInductionVar() ||
          !loop.getRegion().isAncestor(value.getParentRegion()))
        continue;
      isUsable = replaceInner(value, factor) ||
                 (factor == 1 && enterQuotient(loop, value));
      changes = isUsable;
      break;
    }
  }
}

void LinearIndex::enterBody(scf::ForOp loop) {
  for (bool changes = true; changes && isUsable;) {
    changes = false;
    for (auto [value, factor] : terms) {
      if (!loop.getRegion().isProperAncestor(value.getParentRegion()))
        continue;
      changes = isUsable = replaceInner(value, factor);
      break;
    }
  }
}

Value LinearIndex::build(OpBuilder &b, Location loc) const {
  Value sum;
  auto addTerm = [&](Value term) {
    sum = sum ? b.create<arith::AddIOp>(loc, sum, term) : term;
  };
  for (auto [value, factor] : terms)
    addTerm(factor == 1 ? value
                        : b.create<arith::MulIOp>(
                              loc, value,
                              b.create<arith::ConstantIndexOp>(loc, factor)));
  if (constant || !sum)
    addTerm(b.create<arith::ConstantIndexOp>(loc, constant));
  return sum;
}

/// The same where the view has the dimensions in another order.
static bool enterTranspose(Access &access, memref::ReinterpretCastOp view) {
  auto from = dyn_cast<MemRefType>(view.getSource().getType());
  MemRefType to = view.getType();
  int64_t fromOffset, toOffset;
  SmallVector<int64_t> fromStrides, toStrides;
  if (!from || failed(getStridesAndOffset(from, fromStrides, fromOffset)) ||
      failed(getStridesAndOffset(to, toStrides, toOffset)) ||
      fromOffset != toOffset || ShapedType::isDynamic(fromOffset) ||
      from.getRank() != to.getRank())
    return false;
  SmallVector<LinearIndex> indices(from.getRank());
  SmallVector<bool> isTaken(from.getRank(), false);
  for (int64_t i = 0; i < to.getRank(); ++i) {
    int64_t d = 0;
    while (d < from.getRank() &&
           (isTaken[d] || fromStrides[d] != toStrides[i] ||
            from.getDimSize(d) != to.getDimSize(i)))
      ++d;
    if (d == from.getRank())
      return false;
    isTaken[d] = true;
    indices[d] = access.indices[i];
  }
  access.root = view.getSource();
  access.indices = std::move(indices);
  return true;
}

/// The same where the view has groups of dimensions as one, or parts one into
/// such a group: an index is followed where a group has one dimension of more
/// than one element.
static bool enterReshape(Access &access, Value source,
                         ArrayRef<ReassociationIndices> groups,
                         bool isCollapsed) {
  auto apart = cast<MemRefType>(
      (isCollapsed ? source : access.root).getType()); // groups' dimensions
  SmallVector<LinearIndex> indices(
      cast<MemRefType>(source.getType()).getRank());
  for (auto [i, group] : llvm::enumerate(groups)) {
    SmallVector<int64_t> wide;
    for (int64_t d : group)
      if (apart.getDimSize(d) != 1)
        wide.push_back(d);
    if (wide.size() == 1 && isCollapsed) {
      indices[wide[0]] = access.indices[i];
    } else if (wide.size() == 1) {
      indices[i] = access.indices[wide[0]];
    } else if (isCollapsed) {
      for (int64_t d : group)
        indices[d].isUsable = wide.empty();
    } else {
      indices[i].isUsable = wide.empty();
    }
  }
  access.root = source;
  access.indices = std::move(indices);
  return true;
}

/// Moves an access to a view to what it is a view of; false where it is not
/// understood.
static bool enterSource(Access &access) {
  Operation *view = access.root.getDefiningOp();
  if (auto cast = dyn_cast_or_null<memref::CastOp>(view)) {
    access.root = cast.getSource();
    return true;
  }
  if (auto cast = dyn_cast_or_null<memref::ReinterpretCastOp>(view))
    return enterTranspose(access, cast);
  if (auto shape = dyn_cast_or_null<memref::CollapseShapeOp>(view))
    return enterReshape(access, shape.getSrc(), shape.getReassociationIndices(),
                        true);
  if (auto shape = dyn_cast_or_null<memref::ExpandShapeOp>(view))
    return enterReshape(access, shape.getSrc(), shape.getReassociationIndices(),
                        false);
  auto slice = dyn_cast_or_null<memref::SubViewOp>(view);
  if (!slice)
    return false;
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  SmallVector<OpFoldResult> offsets = slice.getMixedOffsets(),
                            strides = slice.getMixedStrides();
  SmallVector<LinearIndex> indices;
  size_t next = 0;
  for (auto [dim, offset] : llvm::enumerate(offsets)) {
    LinearIndex index;
    if (auto value = dyn_cast<Value>(offset))
      index = LinearIndex::of(value);
    else
      index.constant = cast<IntegerAttr>(cast<Attribute>(offset)).getInt();
    auto stride = getConstantIntValue(strides[dim]);
    if (!stride)
      return false;
    if (!dropped[dim])
      index.add(access.indices[next++], *stride);
    indices.push_back(index);
  }
  access.root = slice.getSource();
  access.indices = std::move(indices);
  return true;
}

std::optional<Access> storeOf(Operation *op, function_ref<bool(Value)> isRoot) {
  Value memory;
  ValueRange indices;
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](memref::StoreOp store) {
        memory = store.getMemRef();
        indices = store.getIndices();
      })
      .Case([&](vector::StoreOp store) {
        memory = store.getBase();
        indices = store.getIndices();
      })
      .Case([&](vector::MaskedStoreOp store) {
        memory = store.getBase();
        indices = store.getIndices();
      })
      .Case([&](vector::TransferWriteOp store) {
        if (!isa<MemRefType>(store.getSource().getType()))
          return;
        memory = store.getSource();
        indices = store.getIndices();
      });
  if (!memory)
    return std::nullopt;
  Access access{memory, {}};
  for (Value index : indices)
    access.indices.push_back(LinearIndex::of(index));
  while (
      !(isRoot && isRoot(access.root)) &&
      isa_and_nonnull<memref::SubViewOp, memref::CastOp,
                      memref::CollapseShapeOp, memref::ExpandShapeOp,
                      memref::ReinterpretCastOp>(access.root.getDefiningOp()))
    if (!enterSource(access))
      return std::nullopt;
  return access;
}

bool isHarmless(Operation *op) {
  if (op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
      isa<memref::PrefetchOp, LLVM::InlineAsmOp, memref::AllocaOp>(op))
    return true;
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  return isMemoryEffectFree(op) ||
         (effects && effects.onlyHasEffect<MemoryEffects::Read>());
}

} // namespace weir::cpu
