// Applies a kernel's epilogue to the sums of a register tile and stores them.

#include "passes/cpu/kernels/Epilogue.h"

#include "dialects/kernel/Target.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <map>

using namespace mlir;

namespace weir::cpu {
namespace {

// Epilogues of more instructions than this a tile are a loop over the tile
// instead: code size, and LLVM's time, which grows faster than a block.
constexpr int64_t straightLimit = 500;

// Vectors of sums that go through the epilogue together: so many that the
// processor has enough to do beside them where they are long chains. Where
// registers are few, all sums are stored first, and then loaded a few at a
// time.
constexpr int64_t fewAtOnce = 4, manyAtOnce = 8, longChain = 30;
constexpr int64_t spilledAtOnce = 2;

struct EpilogueEmitter {
  Emitter &e;
  kernel::KernelOpInterface op;
  const Tile &tile;
  Value out;                           // the tile of it
  std::map<const void *, Value> tiles; // of extras of its shape
  // Extras that are read at several places of the tile are loaded once.
  std::map<SmallVector<const void *>, Value> loaded;
  int64_t atOnce = fewAtOnce;
  // Whether all sums are stored before the first goes through the epilogue.
  bool spillsSums = false;

  EpilogueEmitter(Emitter &e, kernel::KernelOpInterface op, const Tile &tile)
      : e(e), op(op), tile(tile), out(tile.in(e, op.getOut())) {
    for (auto [extra, map] : llvm::zip(op.getExtras(), op.getExtraMaps()))
      if (cast<AffineMapAttr>(map).getValue().isIdentity())
        tiles[extra.getAsOpaquePointer()] = tile.in(e, extra);
    if (cost() <= longChain)
      return;
    if (kernel::Target::of(op).sumsFillRegisters()) {
      spillsSums = tile.count() > spilledAtOnce;
      atOnce = spilledAtOnce;
    } else if (tile.count() >= 2 * manyAtOnce) {
      atOnce = manyAtOnce;
    }
  }

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

  /// Where a vector of sums goes: its position and which of the vectors there
  /// it is.
  struct Point {
    Value y, x;
    int64_t v;
    Emitter::Values outer; // the position in the result
  };

  Value read(Value extra, AffineMap map, const Point &point) {
    const auto &[y, x, v, outer] = point;
    if (map.isIdentity()) {
      Value part = tiles.at(extra.getAsOpaquePointer());
      return e.load(part, tile.at(e, part, y, x, v), tile.lanes, tile.valid(v));
    }
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

  /// The sums take turns at each op, so that none waits for its own last
  /// result.
  Emitter::Values apply(ValueRange sums, ArrayRef<Point> points) {
    Block &block = op.getEpilogue().front();
    SmallVector<IRMapping> mappings(sums.size());
    for (auto [mapping, sum, point] : llvm::zip_equal(mappings, sums, points)) {
      mapping.map(block.getArgument(0), sum);
      for (auto [argument, extra, map] :
           llvm::zip(block.getArguments().drop_front(), op.getExtras(),
                     op.getExtraMaps()))
        if (!argument.use_empty())
          mapping.map(argument,
                      read(extra, cast<AffineMapAttr>(map).getValue(), point));
    }
    Emitter::Values results;
    for (Emitter::Values &made : e.vectorize(block, tile.lanes, mappings))
      results.push_back(made[0]);
    return results;
  }

  void finish(ValueRange sums, ArrayRef<Point> points) {
    for (auto [value, point] : llvm::zip_equal(apply(sums, points), points))
      e.store(value, out, tile.at(e, out, point.y, point.x, point.v),
              tile.valid(point.v));
  }

  Point pointAt(Value y, Value x, int64_t v) {
    return {y, x, v, tile.position(y, x)};
  }

  void straight(ValueRange sums) {
    SmallVector<Point> points;
    for (int64_t y = 0; y < tile.height; ++y)
      for (int64_t x = 0; x < tile.width; ++x)
        for (int64_t v = 0; v < tile.vectors(); ++v)
          points.push_back(pointAt(e.index(y), e.index(x), v));
    Value spilled = spillsSums ? keep(sums) : Value();
    for (size_t first = 0; first < points.size(); first += atOnce) {
      auto count = std::min<size_t>(atOnce, points.size() - first);
      Emitter::Values some(sums.slice(first, count));
      for (size_t i = 0; spilled && i < count; ++i)
        some[i] = kept(spilled, e.index(first + i));
      finish(some, ArrayRef<Point>(points).slice(first, count));
      if (spilled)
        e.compilerFence();
    }
  }

  // On the stack.
  Value keep(ValueRange sums) {
    Value spilled =
        e.stack({tile.count(), tile.lanes}, getElementTypeOrSelf(sums[0]));
    for (auto [i, sum] : llvm::enumerate(sums))
      e.create<vector::StoreOp>(sum, spilled,
                                ValueRange{e.index(i), e.index(0)});
    if (spillsSums)
      e.compilerFence(spilled);
    return spilled;
  }

  Value kept(Value spilled, Value which) {
    return e.load(spilled, {which, e.index(0)}, tile.lanes, tile.lanes);
  }

  void looped(ValueRange sums) {
    Value spilled = keep(sums);
    int64_t positions =
        std::clamp<int64_t>(atOnce / tile.vectors(), 1, tile.width);
    auto some = [&](Value y, Value x, int64_t count) {
      loaded.clear();
      Emitter::Values reloaded;
      SmallVector<Point> points;
      for (int64_t i = 0; i < count; ++i) {
        Value here = e.plus(x, i);
        Value first =
            e.times(e.plus(e.times(y, tile.width), here), tile.vectors());
        for (int64_t v = 0; v < tile.vectors(); ++v) {
          reloaded.push_back(kept(spilled, e.plus(first, v)));
          points.push_back(pointAt(y, here, v));
        }
      }
      finish(reloaded, points);
      loaded.clear();
    };
    int64_t whole = tile.width / positions * positions;
    e.loop(tile.height, [&](Value y) {
      e.loop(e.index(0), e.index(whole), positions,
             [&](Value x) { some(y, x, positions); });
      if (whole < tile.width)
        some(y, e.index(whole), tile.width - whole);
    });
  }
};

} // namespace

Value Tile::in(Emitter &e, Value buffer) const {
  Emitter::Values first = position(e.index(0), e.index(0));
  first.push_back(column);
  int64_t rank = first.size();
  SmallVector<OpFoldResult> sizes(rank, e.getIndexAttr(1));
  SmallVector<OpFoldResult> steps(sizes);
  sizes[rank - 1] = e.getIndexAttr(columns);
  if (rank > 1) {
    sizes[rank - 2] = e.getIndexAttr(width);
    steps[rank - 2] = e.getIndexAttr(step);
  }
  if (rank > 2)
    sizes[rank - 3] = e.getIndexAttr(height);
  return e.create<memref::SubViewOp>(buffer, getAsOpFoldResult(first), sizes,
                                     steps);
}

Emitter::Values Tile::at(Emitter &e, Value buffer, Value y, Value x,
                         int64_t v) const {
  int64_t rank = Emitter::shape(buffer).size();
  Emitter::Values at(rank, e.index(0));
  at[rank - 1] = e.index(v * lanes);
  if (rank > 1)
    at[rank - 2] = x;
  if (rank > 2)
    at[rank - 3] = y;
  return at;
}

Value takeAddend(kernel::KernelOpInterface op) {
  Block &block = op.getEpilogue().front();
  Value sum = block.getArgument(0);
  auto add = sum.hasOneUse() ? dyn_cast<arith::AddIOp>(*sum.user_begin())
                             : arith::AddIOp();
  if (!add)
    return {};
  auto other = dyn_cast<BlockArgument>(add.getLhs() == sum ? add.getRhs()
                                                           : add.getLhs());
  if (!other || other.getOwner() != &block || other == sum)
    return {};
  size_t extra = other.getArgNumber() - 1;
  AffineMap map = cast<AffineMapAttr>(op.getExtraMaps()[extra]).getValue();
  if (map.getNumResults() != 1 ||
      map.getResult(0) !=
          getAffineDimExpr(map.getNumDims() - 1, op->getContext()))
    return {};
  add.getResult().replaceAllUsesWith(sum);
  add->erase();
  return op.getExtras()[extra];
}

Emitter::Values firstSums(Emitter &e, Value addend, const Tile &tile,
                          Type element) {
  if (!addend)
    return Emitter::Values(tile.count(), e.zeros(element, tile.lanes));
  Emitter::Values columns, sums;
  for (int64_t v = 0; v < tile.vectors(); ++v)
    columns.push_back(e.load(addend, {e.plus(tile.column, v * tile.lanes)},
                             tile.lanes, tile.valid(v)));
  for (int64_t i = 0; i < tile.height * tile.width; ++i)
    sums.append(columns);
  return sums;
}

void storeTile(Emitter &e, Value out, const Tile &tile, ValueRange sums) {
  auto sum = sums.begin();
  Value part = tile.in(e, out);
  for (int64_t y = 0; y < tile.height; ++y)
    for (int64_t x = 0; x < tile.width; ++x)
      for (int64_t v = 0; v < tile.vectors(); ++v)
        e.store(*sum++, part, tile.at(e, part, e.index(y), e.index(x), v),
                tile.valid(v));
}

void addStored(Emitter &e, Value out, const Tile &tile, Value begins,
               Emitter::Values &sums) {
  auto choice = e.create<scf::IfOp>(ValueRange(sums).getTypes(), begins);
  OpBuilder::InsertionGuard guard(e);
  e.createBlock(&choice.getThenRegion());
  e.create<scf::YieldOp>(sums);
  e.createBlock(&choice.getElseRegion());
  Emitter::Values total;
  Value part = tile.in(e, out);
  for (int64_t y = 0; y < tile.height; ++y)
    for (int64_t x = 0; x < tile.width; ++x)
      for (int64_t v = 0; v < tile.vectors(); ++v) {
        Value before = e.load(part, tile.at(e, part, e.index(y), e.index(x), v),
                              tile.lanes, tile.valid(v));
        total.push_back(e.sum(before, sums[total.size()]));
      }
  e.create<scf::YieldOp>(total);
  sums.assign(choice.result_begin(), choice.result_end());
}

void prefetchTile(Emitter &e, kernel::KernelOpInterface op, const Tile &tile,
                  bool finishes) {
  auto fetch = [&](Value buffer, bool isWrite) {
    int64_t line = Emitter::elementsOfLine(Emitter::element(buffer));
    Value part = tile.in(e, buffer);
    for (int64_t y = 0; y < tile.height; ++y)
      for (int64_t x = 0; x < tile.width; ++x) {
        Emitter::Values at = tile.at(e, part, e.index(y), e.index(x), 0);
        for (int64_t c = 0; c < tile.columns; c += line) {
          at.back() = e.index(c);
          e.create<memref::PrefetchOp>(part, at, isWrite,
                                       /*localityHint=*/3,
                                       /*isDataCache=*/true);
        }
      }
  };
  for (auto [extra, map] : llvm::zip(op.getExtras(), op.getExtraMaps()))
    if (finishes && cast<AffineMapAttr>(map).getValue().isIdentity())
      fetch(extra, /*isWrite=*/false);
  fetch(op.getOut(), /*isWrite=*/true);
}

void finishTile(Emitter &e, kernel::KernelOpInterface op, const Tile &tile,
                ValueRange sums) {
  EpilogueEmitter emitter(e, op, tile);
  if (emitter.cost() * tile.count() > straightLimit &&
      tile.height * tile.width > 1)
    emitter.looped(sums);
  else
    emitter.straight(sums);
}

} // namespace weir::cpu
