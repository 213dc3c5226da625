// Chooses the blocking of a product by inner-product pairing: tiles of rows,
// slabs of tiles, parts of the depth, and the shares of threads.

#include "passes/cpu/pairing/PairingBlocks.h"

#include "passes/cpu/Sharing.h"

using namespace mlir;

namespace weir {

using kernel::PairingScheme;

PairingBlocks::PairingBlocks(kernel::KernelOpInterface op, Value b,
                             int64_t depth, const kernel::Target &target)
    : rows(ShapedType::getNumElements(Emitter::shape(op.getOut()).drop_back())),
      columns(Emitter::shape(op.getOut()).back()), depth(depth),
      panels(Emitter::shape(b)[0]), slots(std::max<int64_t>(1, slotsOf(op))),
      weights(4 * ShapedType::getNumElements(Emitter::shape(b))),
      sharesLoads(target.fmaRate > 1),
      maxRows(sharesLoads ? PairingTile::maxOfShared : PairingTile::most),
      tiles(rows, maxRows), slabs(tiles), toL1(target.fetchesPanelsToL1()),
      touchesMuch(4 * (1 + int64_t(op.getExtras().size())) * rows * columns >
                  target.l2 / 2),
      chains(PairingTile::chainsOf(depth)),
      depths(chains.rounds.count, chains.rounds.count), l2(target.l2) {
  slabs = EvenSplit(tiles.count, tilesOf(depth));
  splitDepth();
  fetches = fetchesWeights();
}

// Of which half of L2 holds so many elements a row.
int64_t PairingBlocks::tilesOf(int64_t elements) const {
  return std::max<int64_t>(1, l2 / 2 / (4 * maxRows * elements));
}

// Several slabs read all weights each. If the depth is divided, slabs have more
// rows, and partial sums are spilled.
void PairingBlocks::splitDepth() {
  constexpr int64_t terms = 1024;
  if (slabs.count == 1 || depth <= terms)
    return;
  int64_t perRound = llvm::divideCeil(depth, chains.rounds.count);
  // Of a tile, which has all of its depth.
  int64_t sums = maxRows * 4 * panels * PairingScheme::panelWidth;
  int64_t all = sums + maxRows * 4 * depth;
  int64_t most = std::min({tilesOf(terms), maxScratch / slots / sums - 1,
                           maxOfSlabs / slots / all - 1});
  EvenSplit larger(tiles.count, std::max<int64_t>(1, most));
  if (larger.count >= slabs.count)
    return;
  depths =
      EvenSplit(chains.rounds.count, std::max<int64_t>(1, terms / perRound));
  slabs = larger;
}

// Weights that L2 does not hold until the next run, beside those of the rest of
// the model; measured on a Zen 5, where of few tiles each would have too much
// to fetch.
bool PairingBlocks::fetchesWeights() const {
  return weights > l2 / 2 || (toL1 && weights > l2 / 20 && slabs.size >= 4);
}

bool PairingBlocks::splitSlabs() {
  constexpr int64_t minTiles = 2; // that a panel has to come for
  int64_t even = llvm::alignTo(slabs.count, slots);
  if (even * minTiles > tiles.count)
    return false;
  double most = double(even / slots) * llvm::divideCeil(tiles.count, even);
  if (most * slots > 1.1 * tiles.count)
    return false;
  slabs.setCount(tiles.count, even);
  fetches = fetchesWeights();
  return true;
}

bool PairingBlocks::holdsAllRows() const {
  int64_t sums = depths.count > 1 ? columns : 0;
  return slabs.count < slots || 4 * rows * (depth + sums) <= maxScratch;
}

bool PairingBlocks::packsPanels(int64_t threads) const {
  return slabs.count == 1 && depths.count == 1 &&
         double(llvm::alignTo(panels, threads)) <= 1.1 * double(panels);
}

int64_t PairingBlocks::maxGroups() const {
  int64_t most = 0;
  for (int64_t i = 0; i < depths.count; ++i)
    most = std::max(most, chains.beginOf(depths.beginOf(i + 1)) -
                              chains.beginOf(depths.beginOf(i)));
  return most;
}

} // namespace weir
