// Constant weights of what the tiles of Intel AMX are to multiply
// (kernel.matmul and kernel.convolution with `range`), which are also for the
// dot products of AVX-512 VNNI and BF16.

#include "passes/lower/weights/TileWeights.h"

#include "passes/lower/ConvolutionCost.h"

#include "dialects/kernel/Target.h"
#include "dialects/kernel/TileWindows.h"
#include "dialects/weir/Attributes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/bit.h"

#include <cmath>

using namespace mlir;

namespace weir {

constexpr int64_t side = 32; // of a block of tiles, each way

kernel::MatmulOp productOf(Operation *packed) {
  Value panels = packed->getResult(0);
  if (!panels.hasOneUse())
    return nullptr;
  if (auto flat = dyn_cast<tensor::CollapseShapeOp>(*panels.user_begin()))
    panels = flat.getResult();
  if (!panels.hasOneUse())
    return nullptr;
  auto product = dyn_cast<kernel::MatmulOp>(*panels.user_begin());
  return product && product.getB() == panels ? product : nullptr;
}

kernel::ConvolutionOp convolutionOf(Operation *packed) {
  Value filter = packed->getResult(0);
  if (!isa<kernel::PackFilterOp>(packed) || !filter.hasOneUse())
    return nullptr;
  auto op = dyn_cast<kernel::ConvolutionOp>(*filter.user_begin());
  return op && op.getFilter() == filter ? op : nullptr;
}

// The parts that the precision asked for takes.
static int64_t partsOf(Operation *op, Type element) {
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

static int64_t partsOfFilter(kernel::ConvolutionOp op) {
  auto target = kernel::Target::of(op);
  auto filter = cast<ShapedType>(op.getFilter().getType());
  auto out = cast<ShapedType>(op.getOut().getType());
  Type element = filter.getElementType();
  Type sum = op.getEpilogue().front().getArgument(0).getType();
  if (!target.tiles || !sum.isF32() || !(element.isF32() || element.isBF16()) ||
      op.getGroups() != 1 || out.getNumElements() == 0 || op.hasColumnRuns())
    return 0;
  ArrayRef<int64_t> results = out.getShape().drop_front().drop_back();
  ArrayRef<int64_t> taps = filter.getShape().slice(1, results.size());
  auto windows = kernel::TileWindows::of(results, taps, op.getStrides(),
                                         op.getDilations());
  int64_t parts = partsOf(op, element), columns = out.getShape().back();
  int64_t inputs = filter.getShape().take_back(2)[0];
  double pixels = double(out.getNumElements()) / double(columns);
  double vectors = pixels * double(windows.taps() * inputs) *
                   llvm::divideCeil(columns, 16) / target.fmaRate;
  double fetch = farCycles(double(filter.getNumElements()) *
                           element.getIntOrFloatBitWidth() / 8);
  return tileCycles(windows, out.getDimSize(0), inputs, columns, parts) <
                 vectors + fetch
             ? parts
             : 0;
}

// Cycles of a core. Tiles of bf16 make 512 products a cycle and parts multiply
// these, but loads of tiles from L2 take longer where parts are few, sums go
// through memory to the epilogue, and A comes apart; vector registers of a core
// with AMX make 32 products of f32, half as many of i32. Dot products of a
// vector are 64 of bytes, 32 of bf16. Weights come from the last level of cache
// or memory at 8 bytes a cycle, while others are multiplied.
int64_t partsInTiles(Operation *packed) {
  if (kernel::ConvolutionOp convolution = convolutionOf(packed))
    return partsOfFilter(convolution);
  kernel::MatmulOp product = productOf(packed);
  if (!product)
    return 0;
  kernel::Target target = kernel::Target::of(packed);
  auto a = cast<ShapedType>(product.getA().getType());
  auto out = cast<ShapedType>(product.getOut().getType());
  Type element = a.getElementType();
  Type sum = product.getEpilogue().front().getArgument(0).getType();
  bool oneSide = out.getRank() == 2 || product.getShared();
  bool bytes = sum.isInteger(32);
  bool dots = bytes ? !target.byteTiles : !target.tiles;
  Type weight = getElementTypeOrSelf(packed->getResult(0).getType());
  if (product.hasColumnRuns() || !multiplies(target, element, sum) ||
      (element.isF32() && !weight.isF32()) || !oneSide ||
      product.getTransposeA() || product.getUnsignedA() ||
      out.getNumElements() == 0)
    return 0;
  int64_t parts = partsOf(packed, element);
  int64_t columns = out.getShape().back(), depth = a.getShape().back();
  double rows = double(out.getNumElements()) / columns;
  double weights = double(depth) * columns;
  double tiled = double(llvm::alignTo(depth, bytes ? 2 * side : side)) *
                 llvm::alignTo(columns, side) *
                 (dots ? rows + 1 : std::ceil(rows / side * 2) * side / 2);
  double perCycle = dots         ? (bytes ? 50. : 25.) * target.fmaRate
                    : bytes      ? 440
                    : parts == 1 ? 220
                    : parts == 2 ? 95
                                 : 64;
  double copied = rows * depth * parts / 4;
  // Vectors of bf16 are widened, each for all rows; as many come from memory.
  if (dots && !bytes)
    return tiled / perCycle + copied <
                   weights * (rows + 1) / (16. * target.fmaRate)
               ? parts
               : 0;
  double inTiles =
      std::max(tiled / perCycle, weights * parts * (bytes ? 1 : 2) / 8) +
      copied + (dots ? 0 : rows * columns / 8);
  double each = element.getIntOrFloatBitWidth() / 8;
  double inVectors =
      std::max(weights * rows / (bytes ? 16 : 32), weights * each / 8);
  return inTiles < inVectors ? parts : 0;
}

int64_t rowsOf(Value out) {
  auto type = cast<ShapedType>(out.getType());
  return type.getNumElements() / type.getShape().back();
}

// Measured on Sapphire Rapids: parts that caches hold are no slower, and of two
// threads, which have half of the blocks each, quicker; of more than four
// blocks weights come apart too often.
bool areApart(int64_t rows, int64_t weightsBytes,
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

// The parts of x are multiples of x * 2^-23 and those that matter of a product
// x y of x y * 2^-26: with x, y and x y of at least 2^-100 all are normal.
std::optional<std::pair<int32_t, int32_t>>
WeightRange::bounds(int64_t depth, Type element) const {
  if (!fits)
    return std::nullopt;
  if (element.isInteger())
    return std::make_pair(-128, 127);
  int low = std::min(std::ilogb(least), 127);
  int high = most > 0 ? std::ilogb(most) + 1 : 0;
  int least = -100 - std::min(low, 0);
  int most = std::min(125, 125 - high - int(llvm::Log2_64_Ceil(depth)));
  // Weights like these are rare, and so would be blocks that fit.
  if (low < -60 || least > -40 || most < 40)
    return std::nullopt;
  return std::make_pair((127 + least) << 23, (127 + most) << 23);
}

RankedTensorType TilePacking::type(Type element, ArrayRef<int64_t> taps) const {
  bool bytes = element.isInteger();
  int64_t step = bytes ? 2 * side : side;
  SmallVector<int64_t> shape = {int64_t(llvm::divideCeil(columns, side))};
  shape.append(taps.begin(), taps.end());
  shape.append(
      {int64_t(llvm::divideCeil(channels, step)), parts, 2, side / 2, step});
  MLIRContext *context = element.getContext();
  return RankedTensorType::get(shape, bytes ? Type(IntegerType::get(context, 8))
                                            : Type(BFloat16Type::get(context)));
}

// Cut off, but for the second of two parts.
static uint16_t topOf(float x, bool rounds) {
  return (llvm::bit_cast<uint32_t>(x) + (rounds ? 0x8000 : 0)) >> 16;
}

void TilePacking::run(const char *from, Type element, char *to) const {
  // A line of a tile has 4 bytes of each column.
  int64_t lines = element.isInteger() ? 4 : 2, step = lines * side / 2;
  int64_t stepsATap = llvm::divideCeil(channels, step);
  int64_t steps = depth / channels * stepsATap;
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  int64_t each = element.isInteger() ? 1 : 2; // the low byte of integers
  for (int64_t k = 0; k < depth; ++k)
    for (int64_t n = 0; n < columns; ++n) {
      const char *source = from + (k * depthStride + n * columnStride) * bytes;
      int64_t at = k % channels;
      int64_t block = n / side * steps + k / channels * stepsATap + at / step;
      int64_t in = n % side / 16 * 16 * step + at % step / lines * step +
                   n % 16 * lines + at % lines;
      char *target = to + (block * parts * side * step + in) * each;
      if (!element.isF32()) {
        std::memcpy(target, source, each);
        continue;
      }
      float x;
      std::memcpy(&x, source, sizeof x);
      for (int64_t part = 0; part < parts; ++part) {
        uint16_t top = topOf(x, parts == 2);
        std::memcpy(target + part * side * step * each, &top, sizeof top);
        x -= llvm::bit_cast<float>(uint32_t(top) << 16);
      }
    }
}

} // namespace weir
