// Vectorizes loads at indices that the body of a loop computes.

#include "passes/cpu/loops/RowLoads.h"

#include "dialects/isa/Isa.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

#include <numeric>

using namespace mlir;

namespace weir::cpu {

RowLoads::RowLoads(LoopNest &nest) : nest(nest) {
  for (Operation &inner : nest.body->without_terminator())
    if (auto load = dyn_cast<memref::LoadOp>(inner))
      loads.push_back(load);
}

static bool isUsedAsIndex(Operation &inner) {
  return llvm::all_of(inner.getUsers(), [](Operation *user) {
    return isa<memref::LoadOp>(user) || RowLoads::isIndexing(*user);
  });
}

bool RowLoads::isIndexing(Operation &inner) {
  return isa<linalg::IndexOp, affine::AffineApplyOp, arith::ConstantOp,
             arith::IndexCastOp, arith::MaxSIOp, arith::MinSIOp, arith::AddIOp,
             arith::SubIOp, arith::MulIOp>(inner) &&
         inner.getResult(0).getType().isIndex() && isUsedAsIndex(inner);
}

bool RowLoads::isTable(BlockArgument argument) {
  return !argument.use_empty() &&
         llvm::all_of(argument.getUsers(), [](Operation *user) {
           return isa<arith::IndexCastOp>(user) && isIndexing(*user);
         });
}

bool RowLoads::isLoad(Operation &inner) {
  auto load = dyn_cast<memref::LoadOp>(inner);
  return load && load.getMemRefType().getRank() > 0 &&
         is32Bit(load.getMemRefType().getElementType()) &&
         isLastMemrefDimUnitStride(load.getMemRefType());
}

bool RowLoads::isInside(Value value) const {
  return value.getParentBlock() == nest.body;
}

OpOperand &RowLoads::operandOf(BlockArgument argument) const {
  return nest.op->getOpOperand(argument.getArgNumber());
}

// Whether it differs between the rounds of loop `d`.
bool RowLoads::dependsOn(Value value, unsigned d) const {
  if (!isInside(value))
    return false;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return nest.mapOf(operandOf(argument)).isFunctionOfDim(d);
  Operation *inner = value.getDefiningOp();
  if (auto index = dyn_cast<linalg::IndexOp>(inner))
    return index.getDim() == d;
  return llvm::any_of(inner->getOperands(),
                      [&](Value operand) { return dependsOn(operand, d); });
}

// Whether lanes differ in it, and whether they alone do.
bool RowLoads::varies(Value value) const {
  return dependsOn(value, nest.dimension);
}
bool RowLoads::isOfLanesAlone(Value value) const {
  return llvm::all_of(llvm::seq<unsigned>(0, nest.ranges.size()),
                      [&](unsigned d) {
                        return d == nest.dimension || nest.ranges[d] == 1 ||
                               !dependsOn(value, d);
                      });
}

bool RowLoads::isLane(Value value) const {
  auto index = value.getDefiningOp<linalg::IndexOp>();
  return index && index.getDim() == nest.dimension;
}

bool RowLoads::isOfTable(memref::LoadOp load) const {
  Value last = load.getIndices().back();
  return varies(last) && !isLane(last);
}

bool RowLoads::hasVector(Value value) const {
  if (!varies(value) || isa<BlockArgument>(value))
    return true;
  Operation *inner = value.getDefiningOp();
  return !isa<affine::AffineApplyOp>(inner) &&
         llvm::all_of(inner->getOperands(),
                      [&](Value operand) { return hasVector(operand); });
}

bool RowLoads::apply(int64_t lanes, const kernel::Target &target) {
  bool exchanges = Isa::of(target)->lookUpLanes(lanes) == lanes;
  // Tables are looked at first, which takes as long as some rows of results.
  constexpr int64_t minRows = 16;
  int64_t rows = std::accumulate(nest.ranges.begin(), nest.ranges.end(),
                                 int64_t(1), std::multiplies<>()) /
                 nest.ranges[nest.dimension];
  return llvm::all_of(loads, [&](memref::LoadOp load) {
    for (Value index : load.getIndices().drop_back())
      if (varies(index))
        return false;
    if (!isOfTable(load))
      return true;
    // Of fewer places than the row has elements, neighbours are rarely near.
    int64_t size = load.getMemRefType().getShape().back();
    return exchanges && rows >= minRows && size > 0 &&
           size <= nest.ranges[nest.dimension] &&
           isOfLanesAlone(load.getIndices().back()) &&
           hasVector(load.getIndices().back());
  });
}

// For all lanes alike, or for that whose index `at` has.
Value RowLoads::scalar(Emitter &e, Value value, ArrayRef<Value> at) {
  if (!isInside(value))
    return value;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    OpOperand &operand = operandOf(argument);
    if (!isa<MemRefType>(operand.get().getType()))
      return operand.get();
    return e.create<memref::LoadOp>(operand.get(),
                                    nest.position(e, operand, at));
  }
  Operation *inner = value.getDefiningOp();
  if (auto index = dyn_cast<linalg::IndexOp>(inner))
    return at[index.getDim()];
  IRMapping mapping;
  for (Value operand : inner->getOperands())
    mapping.map(operand, scalar(e, operand, at));
  return e.clone(*inner, mapping)->getResult(0);
}

// For each lane.
Value RowLoads::vector(Emitter &e, Value value, ArrayRef<Value> at,
                       int64_t lanes, int64_t valid) {
  if (!varies(value))
    return e.splat(scalar(e, value, at), lanes);
  auto type = VectorType::get(lanes, value.getType());
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    OpOperand &operand = operandOf(argument);
    return e.load(operand.get(), nest.position(e, operand, at), lanes, valid);
  }
  Operation *inner = value.getDefiningOp();
  if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
    auto lane = llvm::to_vector(llvm::seq<int64_t>(0, lanes));
    Value steps = e.create<arith::ConstantOp>(
        DenseElementsAttr::get(type, ArrayRef<int64_t>(lane)));
    return e.create<arith::AddIOp>(e.splat(at[index.getDim()], lanes), steps);
  }
  IRMapping mapping;
  for (Value operand : inner->getOperands())
    mapping.map(operand, vector(e, operand, at, lanes, valid));
  return e.cloneAs(type, inner, mapping);
}

// The outermost of the loops around an op that no place depends on.
Operation *RowLoads::outermost(Operation *op) {
  SmallVector<Value> outside;
  for (Operation &inner : nest.body->without_terminator())
    for (Value operand : inner.getOperands()) {
      if (isIndexing(inner) && !isInside(operand))
        outside.push_back(operand);
      auto argument = dyn_cast<BlockArgument>(operand);
      if (argument && isInside(argument) && isTable(argument))
        outside.push_back(operandOf(argument).get());
    }
  while (auto loop = dyn_cast<scf::ForOp>(op->getParentOp())) {
    // Nothing else in the loop may know a table: it might fill it.
    if (!llvm::all_of(outside, [&](Value value) {
          return loop.isDefinedOutsideOfLoop(value) &&
                 (!isa<MemRefType>(value.getType()) ||
                  llvm::all_of(value.getUsers(), [&](Operation *user) {
                    return user == nest.op || !loop->isAncestor(user);
                  }));
        }))
      break;
    op = loop;
  }
  return op;
}

Value RowLoads::areNear(Emitter &e, int64_t lanes) {
  int64_t count = nest.ranges[nest.dimension];
  SmallVector<memref::LoadOp> some;
  llvm::copy_if(loads, std::back_inserter(some),
                [&](memref::LoadOp load) { return isOfTable(load); });
  if (some.empty())
    return nullptr;
  OpBuilder::InsertionGuard guard(e);
  e.setInsertionPoint(outermost(nest.op));
  // No place depends on other loops.
  Emitter::Values at(nest.ranges.size(), e.index(0));
  auto positionAt = [&](memref::LoadOp load, Value i) {
    at[nest.dimension] = i;
    return scalar(e, load.getIndices().back(), at);
  };
  Value yes = e.create<arith::ConstantOp>(e.getBoolAttr(true));
  Emitter::Values near = e.loop(
      e.index(0), e.index(count), 1, yes, [&](Value i, ValueRange carried) {
        Value all = carried[0];
        for (memref::LoadOp load : some) {
          Value position = positionAt(load, i);
          Value end = e.index(count - 1);
          Value next = positionAt(load, e.smaller(e.plus(i, 1), end));
          Value last = positionAt(load, e.smaller(e.plus(i, lanes - 1), end));
          Value climbs = e.create<arith::CmpIOp>(arith::CmpIPredicate::sle,
                                                 position, next);
          Value fits = e.create<arith::CmpIOp>(arith::CmpIPredicate::slt, last,
                                               e.plus(position, lanes));
          all = e.create<arith::AndIOp>(all,
                                        e.create<arith::AndIOp>(climbs, fits));
        }
        return Emitter::Values{all};
      });
  return near[0];
}

Value RowLoads::load(Emitter &e, memref::LoadOp load, ArrayRef<Value> at,
                     int64_t lanes, int64_t valid) {
  Value row = load.getMemRef(), last = load.getIndices().back();
  Emitter::Values position;
  for (Value index : load.getIndices().drop_back())
    position.push_back(scalar(e, index, at));
  if (!varies(last)) {
    position.push_back(scalar(e, last, at));
    return e.splat(e.create<memref::LoadOp>(row, position), lanes);
  }
  if (isLane(last)) {
    position.push_back(at[nest.dimension]);
    return e.load(row, position, lanes, valid);
  }
  Value positions = vector(e, last, at, lanes, valid);
  // From the place of the first lane on, or the last whole vector of the row.
  int64_t size = load.getMemRefType().getShape().back();
  Value first = size < lanes
                    ? e.index(0)
                    : e.smaller(e.create<vector::ExtractOp>(positions, 0),
                                e.index(size - lanes));
  position.push_back(first);
  Value elements = e.load(row, position, lanes, std::min(size, lanes));
  Value which = e.create<arith::IndexCastOp>(
      VectorType::get(lanes, e.getI32Type()),
      e.create<arith::SubIOp>(positions, e.splat(first, lanes)));
  auto floats = VectorType::get(lanes, e.getF32Type());
  Type type = elements.getType();
  if (type != floats)
    elements = e.create<vector::BitCastOp>(floats, elements);
  Value chosen = Isa::of(kernel::Target::of(load))->lookUp(e, elements, which);
  return type == floats ? chosen : e.create<vector::BitCastOp>(type, chosen);
}

} // namespace weir::cpu
