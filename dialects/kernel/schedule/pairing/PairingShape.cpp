// Reads the sizes of a kernel by inner-product pairing off its op.

#include "dialects/kernel/schedule/pairing/PairingShape.h"

#include "dialects/kernel/PairingScheme.h"

using namespace mlir;

namespace weir::kernel {

static ShapedType shaped(Value value) {
  return cast<ShapedType>(value.getType());
}

static LayoutAttr layoutOf(Operation *op) {
  if (auto matmul = dyn_cast<MatmulOp>(op))
    return matmul.getLayout();
  auto convolution = dyn_cast<ConvolutionOp>(op);
  return convolution ? convolution.getLayout() : LayoutAttr();
}

bool hasPairingSchedule(Operation *op) {
  LayoutAttr layout = layoutOf(op);
  return layout && layout.isPairing();
}

static Value rightOf(Operation *op) {
  if (auto matmul = dyn_cast<MatmulOp>(op))
    return matmul.getB();
  return cast<ConvolutionOp>(op).getFilter();
}

PairingShape::PairingShape(KernelOpInterface op, const Target &target) {
  ArrayRef<int64_t> out = shaped(op.getOut()).getShape();
  ShapedType right = shaped(rightOf(op));
  rows = ShapedType::getNumElements(out.drop_back());
  columns = out.back();
  panels = right.getDimSize(0);
  depth = right.getDimSize(1) - PairingScheme::trailerRows;
  lanes = target.lanes(right.getElementType());
  extras = static_cast<int64_t>(op.getExtras().size());
  weights = 4 * right.getNumElements();
}

// As few parts as there may be of half as much again, or of about `most`.
static EvenSplit partsOf(int64_t count, int64_t most) {
  EvenSplit parts(count, most + most / 2);
  if (parts.count > 1)
    parts.setCount(count, (count + most / 2) / most);
  return parts;
}

PairingChains::PairingChains(int64_t count, int64_t most, int64_t ofRound)
    : parts(partsOf(count, most)), rounds(partsOf(parts.count, ofRound)) {}

// A fixed chain may be less than a group; the verifier refuses it later.
PairingChains PairingChains::of(const PairingShape &shape,
                                const PairingSchedule &s) {
  constexpr int64_t group = PairingScheme::group;
  return PairingChains(shape.depth / group,
                       std::max<int64_t>(1, s.chain / group), s.roundChains);
}

// Fixed numbers of groups may be too large; the verifier refuses them later.
static EvenSplit split(int64_t total, int64_t count) {
  EvenSplit groups(total, total);
  groups.setCount(total,
                  std::clamp<int64_t>(count, 1, std::max<int64_t>(1, total)));
  return groups;
}

PairingSplits::PairingSplits(const PairingShape &shape,
                             const PairingSchedule &s)
    : tiles(shape.rows, s.tileRows), slabs(split(tiles.count, s.rowSlabs)),
      chains(PairingChains::of(shape, s)),
      depths(split(chains.rounds.count, s.depthParts)) {}

int64_t PairingSplits::maxGroups() const {
  int64_t most = 0;
  for (int64_t i = 0; i < depths.count; ++i)
    most = std::max(most, chains.beginOf(depths.beginOf(i + 1)) -
                              chains.beginOf(depths.beginOf(i)));
  return most;
}

int64_t PairingSplits::spilledBytes(const PairingShape &shape) const {
  if (depths.count == 1)
    return 0;
  int64_t ofTile = tiles.most() * shape.panels * PairingScheme::panelWidth * 4;
  return slabs.most() * ofTile;
}

// Lines of the cache with the weights of a group of terms.
static constexpr int64_t linesOfTerms =
    PairingScheme::group * PairingScheme::panelWidth * 4 / 64;

int64_t PairingSplits::linesOfTile() const {
  return llvm::divideCeil(maxGroups() * linesOfTerms, slabs.most());
}

int64_t PairingSplits::linesOfGroup() const {
  return llvm::divideCeil(linesOfTerms, slabs.most());
}

} // namespace weir::kernel
