// Reads the target, and derives the sizes of tiles and panels from it.

#include "dialects/kernel/Target.h"

#include "dialects/kernel/Kernel.h"
#include "dialects/weir/Records.h"

using namespace mlir;

namespace weir::kernel {

Target Target::of(Operation *op) {
  Target result;
  // The kernels of a GPU do not depend on the host's processor.
  if (GpuAttr::of(op)) {
    result.gpu = result.roundsToBf16 = true;
    return result;
  }
  TargetAttr attr = TargetAttr::of(op);
  static_cast<Instructions &>(result) = Instructions::of(attr);
  result.vectorBits = attr.getVectorBits();
  // Kernels of bytes and of pairs of bf16 are written for whole vectors.
  result.dots &= result.vectorBits == 512;
  result.pairDots &= result.vectorBits == 512;
  result.panelBits = attr.panelWidth();
  result.sharesPanels = attr.sharesPanels();
  result.registers = attr.registers();
  result.l1 = attr.getL1();
  result.l2 = attr.getL2();
  result.fma = attr.getFma();
  result.fmaRate = attr.getFmaRate();
  result.addsBeside = attr.getAddsBeside();
  return result;
}

bool Target::linesCollide(int64_t stride, int64_t count) const {
  constexpr int64_t line = 64, ways = 8, left = 3;
  int64_t sets = std::max<int64_t>(1, l1 / line / ways);
  llvm::SmallVector<int64_t> linesOfSet(sets, 0);
  for (int64_t i = 0; i < count; ++i)
    if (++linesOfSet[i * (stride % (sets * line)) / line % sets] > ways - left)
      return true;
  return false;
}

int64_t Target::lanes(Type type) const {
  Type sum = sumType(type);
  int64_t bits = sum.isIntOrFloat() ? sum.getIntOrFloatBitWidth() : 64;
  return std::max<int64_t>(1, vectorBits / std::max<int64_t>(bits, 8));
}

int64_t Target::lanesWithin(Type type, int64_t width) const {
  int64_t some = lanes(type);
  while (width % some)
    some = some > 1 ? some / 2 : 1;
  return some;
}

int64_t Target::panelWidth(Type type, int64_t columns) const {
  int64_t width = lanes(type) * (panelBits / vectorBits);
  return columns <= width ? width : 2 * width;
}

int64_t Target::widestLowTile(Type type) const {
  return isa<FloatType>(type) && type.getIntOrFloatBitWidth() >= 32 && fma ? 4
                                                                           : 2;
}

int64_t Target::lowTileHeight(int64_t vectors) const {
  int64_t height = (registers - 1 - vectors) / vectors;
  return height < vectors ? (registers - 1) / (vectors + 1) : height;
}

bool Target::cutsToHalves(Type type, int64_t columns) const {
  int64_t line = lanes(type), past = columns % line;
  return isa<FloatType>(type) && !sharesPanels && !gpu && vectorBits >= 512 &&
         fmaRate < 2 && columns > line && columns <= 6 * line && past > 0 &&
         past * 2 <= line;
}

int64_t Target::convolutionPanelWidth(Type type, int64_t columns) const {
  return cutsToHalves(type, columns) ? lanes(type) / 2 * 3
                                     : panelWidth(type, columns);
}

int64_t Target::matrixPanelWidth(Type type, int64_t columns) const {
  int64_t width = panelWidth(type, columns), line = lanes(type);
  if (!isa<FloatType>(type) || sharesPanels)
    return width;
  if (cutsToHalves(type, columns))
    return line / 2 * 3;
  if (columns <= width)
    return width;
  if (!sumsFillRegisters()) {
    bool gains = vectorBits >= 512 && fmaRate >= 2;
    // At most one in nine columns of the panels is padding.
    int64_t wide = 3 * line;
    return gains && llvm::alignTo(columns, wide) * 8 <=
                        llvm::alignTo(columns, width) * 9
               ? wide
               : width;
  }
  // Instructions of a row and a step of the depth: the products, the load of A,
  // and the share of the loads of the columns, which serve all rows of a tile.
  // A tile of few sums takes four cycles, as thirteen instructions do: each sum
  // waits for the one before it.
  auto instructions = [&](int64_t vectors) {
    auto ofTile = [&](int64_t some) {
      double rows = lowTileHeight(vectors);
      return some ? std::max(some + 1 + some / rows, 13 / rows) : 0;
    };
    int64_t all = llvm::divideCeil(columns, line);
    return all / vectors * ofTile(vectors) + ofTile(all % vectors);
  };
  int64_t best = 2;
  for (int64_t vectors = 3; vectors <= widestLowTile(type); ++vectors)
    if (instructions(vectors) < instructions(best))
      best = vectors;
  return best * line;
}

int64_t Target::fewRowsWidth(Type type, int64_t rows) const {
  bool packsAnew = sharesPanels && rows > 1;
  if (!sumsFillRegisters() || packsAnew || rows < 1 || rows > lowTileHeight(2))
    return 0;
  int64_t alike = llvm::PowerOf2Ceil(rows);
  int64_t vectors = alike == 1 ? 8 : widestLowTile(type);
  while (vectors > 2 && lowTileHeight(vectors) < alike)
    --vectors;
  return vectors * lanes(type);
}

int64_t Target::widthOfSeveralPanels(Type type, int64_t rows, int64_t columns,
                                     int64_t bytes) const {
  // A matrix of more than 16 times L2 comes from memory.
  int64_t width = fewRowsWidth(type, rows);
  bool streams = bytes > l2 * (rows <= 2 ? 1 : 16);
  // Tiles enough for all threads.
  return streams && columns >= 8 * width ? width : 0;
}

} // namespace weir::kernel
