// Which constant weights get the AMX tile layout, for tile registers or for the
// dot products that read it too.

#include "passes/lower/layouts/AmxLayouts.h"

#include "passes/lower/ConvolutionCost.h"

#include "dialects/isa/TileRegisters.h"
#include "dialects/kernel/TileWindows.h"
#include "dialects/weir/Attributes.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/bit.h"

#include <cmath>
#include <cstring>

using namespace mlir;

namespace weir::lower {

// Rows, columns and depth of a block, which is two tiles each way.
constexpr int64_t side = 2 * TileRegisters::rows;
// A vector has as many sums as a row of a tile.
constexpr int64_t vector = TileRegisters::columns;

// The split of the requested precision.
static int64_t splitOf(Operation *op, Type element) {
  if (!element.isF32())
    return 1;
  auto module = op->getParentOfType<ModuleOp>();
  auto precision = module ? attrs::precision.of(module) : nullptr;
  return precision && precision.getValue() == "bf16x3" ? 2 : 3;
}

// Whether the target has instructions for tiles of these types.
static bool multiplies(const kernel::Target &target, Type element, Type sum) {
  if (sum.isInteger(32))
    return (target.byteTiles || target.dots) &&
           (element.isInteger(32) || element.isInteger(8));
  if (!sum.isF32())
    return false;
  return (target.tiles && (element.isF32() || element.isBF16())) ||
         (target.pairDots && element.isBF16());
}

static int64_t splitOfFilter(kernel::ConvolutionOp op) {
  auto target = kernel::Target::of(op);
  auto filter = cast<ShapedType>(op.getFilter().getType());
  auto out = cast<ShapedType>(op.getOut().getType());
  Type element = filter.getElementType();
  Type sum = sumOf(op);
  if (!target.tiles || !sum.isF32() || !(element.isF32() || element.isBF16()) ||
      op.getGroups() != 1 || out.getNumElements() == 0 ||
      op.getLayout().isKMajor())
    return 0;
  ArrayRef<int64_t> results = out.getShape().drop_front().drop_back();
  ArrayRef<int64_t> taps = filter.getShape().slice(1, results.size());
  auto windows = kernel::TileWindows::of(results, taps, op.getStrides(),
                                         op.getDilations());
  int64_t split = splitOf(op, element), columns = out.getShape().back();
  int64_t inputs = filter.getShape().take_back(2)[0];
  double pixels = double(out.getNumElements()) / double(columns);
  double vectors = pixels * double(windows.taps() * inputs) *
                   llvm::divideCeil(columns, vector) / target.fmaRate;
  double fetch = farCycles(double(filter.getNumElements()) *
                           element.getIntOrFloatBitWidth() / 8);
  return tileCycles(windows, out.getDimSize(0), inputs, columns, split) <
                 vectors + fetch
             ? split
             : 0;
}

// Cycles of a core. Tiles of bf16 compute 512 products a cycle, and a split
// multiplies the number of products. But loads of tiles from L2 take longer if
// the split is small, sums go through memory to the epilogue, and the kernel
// splits A. A core with tile registers begins two vectors of products of f32,
// and one of i32. Dot products of a vector are 64 of bytes, 32 of bf16.
// Weights come from memory, or from a last level of cache as slow, while others
// are multiplied.
int64_t splitForTiles(kernel::PackOpInterface pack) {
  if (kernel::ConvolutionOp convolution = convolutionOf(pack))
    return splitOfFilter(convolution);
  kernel::MatmulOp product = productOf(pack);
  if (!product)
    return 0;
  kernel::Target target = kernel::Target::of(pack);
  auto a = cast<ShapedType>(product.getA().getType());
  auto out = cast<ShapedType>(product.getOut().getType());
  Type element = a.getElementType();
  Type sum = sumOf(product);
  bool oneSide = out.getRank() == 2 || product.getShared();
  bool bytes = sum.isInteger(32);
  bool dots = bytes ? !target.byteTiles : !target.tiles;
  Type weight = getElementTypeOrSelf(pack->getResult(0).getType());
  if (product.getLayout().isKMajor() || !multiplies(target, element, sum) ||
      (element.isF32() && !weight.isF32()) || !oneSide ||
      product.getTransposeA() || product.getUnsignedA() ||
      out.getNumElements() == 0)
    return 0;
  int64_t split = splitOf(pack, element);
  int64_t columns = out.getShape().back(), depth = a.getShape().back();
  double rows = double(out.getNumElements()) / columns;
  double weights = double(depth) * columns;
  double tiled = double(llvm::alignTo(depth, bytes ? 2 * side : side)) *
                 llvm::alignTo(columns, side) *
                 (dots ? rows + 1 : std::ceil(rows / side * 2) * side / 2);
  double perCycle = dots         ? (bytes ? 50. : 25.) * target.fmaRate
                    : bytes      ? 440
                    : split == 1 ? 220
                    : split == 2 ? 95
                                 : 64;
  double copied = rows * depth * split / 4;
  // Vectors of bf16 are widened, each for all rows; as many come from memory.
  if (dots && !bytes)
    return tiled / perCycle + copied <
                   weights * (rows + 1) / double(vector * target.fmaRate)
               ? split
               : 0;
  double inTiles = std::max(tiled / perCycle,
                            memoryCycles(weights * split * (bytes ? 1 : 2))) +
                   copied + (dots ? 0 : rows * columns / 8);
  double each = element.getIntOrFloatBitWidth() / 8;
  double inVectors =
      std::max(weights * rows / double(bytes ? vector : 2 * vector),
               memoryCycles(weights * each));
  return inTiles < inVectors ? split : 0;
}

// Measured on Sapphire Rapids: split weights that caches hold are no slower,
// and faster with two threads, which have half of the blocks each. With more
// than four blocks the kernel would split the weights too often.
bool splitsBefore(int64_t rows, int64_t weightsBytes,
                  const kernel::Target &target) {
  constexpr int64_t most = 4;  // blocks
  constexpr int64_t held = 16; // by caches, times L2
  return rows > most * side || weightsBytes <= held * target.l2;
}

void WeightRange::add(ArrayRef<char> weights, Type element) {
  size_t bytes = element.getIntOrFloatBitWidth() / 8;
  if (element.isInteger(8))
    return;
  for (size_t i = 0; i + bytes <= weights.size(); i += bytes) {
    uint32_t bits = 0;
    std::memcpy(reinterpret_cast<char *>(&bits) + 4 - bytes, &weights[i],
                bytes);
    if (element.isInteger(32)) {
      fits &= llvm::isInt<8>(int32_t(bits));
      continue;
    }
    float size = std::fabs(llvm::bit_cast<float>(bits));
    fits &= std::isfinite(size);
    most = std::max(most, size);
    if (size > 0)
      least = std::min(least, size);
  }
}

// The terms of x are multiples of x * 2^-23, and those of a product x y that
// matter are multiples of x y * 2^-26: with x, y and x y of at least 2^-100 all
// are normal.
std::optional<SmallVector<int64_t>>
WeightRange::numbers(int64_t depth, Type element, int64_t split) const {
  if (!fits)
    return std::nullopt;
  if (element.isInteger())
    return SmallVector<int64_t>();
  int low = std::min(std::ilogb(least), 127);
  int high = most > 0 ? std::ilogb(most) + 1 : 0;
  int least = -100 - std::min(low, 0);
  int most = std::min(125, 125 - high - int(llvm::Log2_64_Ceil(depth)));
  // Weights like these are rare, and so would be blocks that fit.
  if (low < -60 || least > -40 || most < 40)
    return std::nullopt;
  return SmallVector<int64_t>{split, least, most};
}

} // namespace weir::lower
