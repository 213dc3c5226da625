// Applies a kernel's epilogue to the sums of a register tile and stores them.

#include "passes/cpu/kernels/Epilogue.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <map>

using namespace mlir;

namespace weir {
namespace {

// Epilogues of more instructions than this a tile are a loop over the tile
// instead: code size, and LLVM's time, which grows faster than a block.
constexpr int64_t straightLimit = 500;

struct EpilogueEmitter {
  Emitter &e;
  kernel::KernelOpInterface op;
  const Tile &tile;
  // Extras that are read at several places of the tile are loaded once.
  std::map<SmallVector<const void *>, Value> loaded;

  int64_t cost() {
    int64_t cost = 0;
    for (Operation &inner : op.getEpilogue().front()) {
      if (isa<arith::DivFOp, arith::DivSIOp, math::SqrtOp>(inner))
        cost += 4;
      else if (isa<math::MathDialect>(inner.getDialect()) &&
               !isa<math::AbsFOp, math::FmaOp, math::CopySignOp>(inner))
        cost += 25;
      else if (!inner.hasTrait<OpTrait::ConstantLike>())
        cost += 1;
    }
    return cost;
  }

  Value read(Value extra, AffineMap map, ArrayRef<Value> outer, int64_t v) {
    SmallVector<Value> indices;
    SmallVector<const void *> key = {extra.getAsOpaquePointer()};
    bool alongColumns = false;
    for (AffineExpr result : map.getResults()) {
      auto dim = dyn_cast<AffineDimExpr>(result);
      if (!dim) {
        indices.push_back(e.index(0));
        key.push_back(nullptr);
      } else if (dim.getPosition() == outer.size()) {
        alongColumns = true;
        indices.push_back(e.plus(tile.column, v * tile.lanes));
        key.push_back(reinterpret_cast<const void *>(v + 1));
      } else {
        indices.push_back(outer[dim.getPosition()]);
        key.push_back(indices.back().getAsOpaquePointer());
      }
    }
    Value &value = loaded[key];
    if (!value)
      value = alongColumns ? e.load(extra, indices, tile.lanes, tile.valid(v))
                           : e.splat(e.create<memref::LoadOp>(extra, indices),
                                     tile.lanes);
    return value;
  }

  Value apply(Value sum, ArrayRef<Value> outer, int64_t v) {
    Block &block = op.getEpilogue().front();
    IRMapping mapping;
    mapping.map(block.getArgument(0), sum);
    for (auto [argument, extra, map] :
         llvm::zip(block.getArguments().drop_front(), op.getExtras(),
                   op.getExtraMaps()))
      if (!argument.use_empty())
        mapping.map(argument,
                    read(extra, cast<AffineMapAttr>(map).getValue(), outer, v));
    auto widened = [&](Value value) {
      if (!mapping.contains(value))
        mapping.map(value, e.splat(value, tile.lanes));
      return mapping.lookup(value);
    };
    for (Operation &inner : block.without_terminator()) {
      auto type = VectorType::get(tile.lanes, inner.getResult(0).getType());
      TypedAttr constant;
      if (matchPattern(&inner, m_Constant(&constant))) {
        mapping.map(inner.getResult(0),
                    e.create<arith::ConstantOp>(
                        DenseElementsAttr::get(type, constant)));
        continue;
      }
      for (Value operand : inner.getOperands())
        widened(operand);
      Operation *copy = inner.clone(mapping);
      copy->getResult(0).setType(type);
      e.insert(copy);
      mapping.map(inner.getResult(0), copy->getResult(0));
    }
    return widened(block.getTerminator()->getOperand(0));
  }

  void put(Value value, ArrayRef<Value> outer, int64_t v) {
    Emitter::Values at(outer);
    at.push_back(e.plus(tile.column, v * tile.lanes));
    e.store(value, op.getOut(), at, tile.valid(v));
  }

  void straight(ValueRange sums) {
    auto sum = sums.begin();
    for (int64_t y = 0; y < tile.height; ++y)
      for (int64_t x = 0; x < tile.width; ++x) {
        Emitter::Values outer = tile.position(e.index(y), e.index(x));
        for (int64_t v = 0; v < tile.vectors(); ++v)
          put(apply(*sum++, outer, v), outer, v);
      }
  }

  // The sums wait on the stack.
  void looped(ValueRange sums) {
    auto type = MemRefType::get({tile.count(), tile.lanes},
                                getElementTypeOrSelf(sums[0]));
    Value waiting;
    {
      OpBuilder::InsertionGuard guard(e);
      auto function = op->getParentOfType<FunctionOpInterface>();
      if (function)
        e.setInsertionPointToStart(&function.getFunctionBody().front());
      waiting = e.create<memref::AllocaOp>(type, e.getI64IntegerAttr(64));
    }
    for (auto [i, sum] : llvm::enumerate(sums))
      e.create<vector::StoreOp>(sum, waiting,
                                ValueRange{e.index(i), e.index(0)});
    e.loops({tile.height, tile.width}, [&](ValueRange at) {
      loaded.clear();
      Emitter::Values outer = tile.position(at[0], at[1]);
      Value first =
          e.times(e.plus(e.times(at[0], tile.width), at[1]), tile.vectors());
      for (int64_t v = 0; v < tile.vectors(); ++v) {
        Value sum = e.load(waiting, {e.plus(first, v), e.index(0)}, tile.lanes,
                           tile.lanes);
        put(apply(sum, outer, v), outer, v);
      }
      loaded.clear();
    });
  }
};

} // namespace

void storeTile(Emitter &e, Value out, const Tile &tile, ValueRange sums) {
  auto sum = sums.begin();
  for (int64_t y = 0; y < tile.height; ++y)
    for (int64_t x = 0; x < tile.width; ++x) {
      Emitter::Values at = tile.position(e.index(y), e.index(x));
      at.push_back(nullptr);
      for (int64_t v = 0; v < tile.vectors(); ++v) {
        at.back() = e.plus(tile.column, v * tile.lanes);
        e.store(*sum++, out, at, tile.valid(v));
      }
    }
}

void finishTile(Emitter &e, kernel::KernelOpInterface op, const Tile &tile,
                ValueRange sums) {
  EpilogueEmitter emitter{e, op, tile, {}};
  if (emitter.cost() * tile.count() > straightLimit &&
      tile.height * tile.width > 1)
    emitter.looped(sums);
  else
    emitter.straight(sums);
}

} // namespace weir
