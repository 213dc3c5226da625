// Reads the target's dictionary; sizes of tiles follow from it.

#include "dialects/kernel/Target.h"

#include "dialects/kernel/Kernel.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace weir::kernel {

static void read(DictionaryAttr target, StringRef key, int64_t least,
                 int64_t most, int64_t &value) {
  if (auto number = target.getAs<IntegerAttr>(key))
    if (number.getType().getIntOrFloatBitWidth() <= 64 &&
        number.getInt() >= least && number.getInt() <= most)
      value = number.getInt();
}

Target Target::of(Operation *op) {
  Target result;
  auto module = dyn_cast<ModuleOp>(op);
  if (!module)
    module = op->getParentOfType<ModuleOp>();
  while (module && !module->hasAttr("weir.target")) {
    auto outer = module->getParentOfType<ModuleOp>();
    if (!outer)
      break;
    module = outer;
  }
  auto target =
      module ? module->getAttrOfType<DictionaryAttr>("weir.target") : nullptr;
  if (!target)
    return result;
  read(target, "vector_bits", 64, 2048, result.vectorBits);
  result.panelBits = result.vectorBits;
  read(target, "panel_bits", result.vectorBits, 2048, result.panelBits);
  result.sharesPanels = target.contains("panel_bits");
  auto triple = target.getAs<StringAttr>("triple");
  bool arm = triple && triple.getValue().starts_with("aarch64");
  result.registers = result.vectorBits >= 512 || arm ? 32 : 16;
  read(target, "vector_registers", 8, 64, result.registers);
  read(target, "l1", 4 << 10, 1 << 24, result.l1);
  read(target, "l2", 32 << 10, 1 << 28, result.l2);
  read(target, "fma_rate", 1, 4, result.fmaRate);
  if (auto fma = target.getAs<BoolAttr>("fma"))
    result.fma = fma.getValue();
  if (auto adds = target.getAs<BoolAttr>("adds_beside"))
    result.addsBeside = adds.getValue();
  if (auto features = target.getAs<StringAttr>("features")) {
    SmallVector<StringRef> all;
    features.getValue().split(all, ',');
    result.avx2 = llvm::is_contained(all, "+avx2");
    result.avx512 = llvm::is_contained(all, "+avx512f");
    result.tiles = llvm::is_contained(all, "+amx-tile") &&
                   llvm::is_contained(all, "+amx-bf16");
    result.byteTiles = llvm::is_contained(all, "+amx-tile") &&
                       llvm::is_contained(all, "+amx-int8");
    result.dots =
        result.vectorBits == 512 && llvm::is_contained(all, "+avx512vnni");
    result.roundsToBf16 = llvm::is_contained(all, "+avx512bf16") ||
                          (arm && llvm::is_contained(all, "+bf16"));
    result.pairDots =
        result.vectorBits == 512 && llvm::is_contained(all, "+avx512bf16");
  }
  // What kernels are is then no matter of the host's processor.
  if (module->hasAttr("weir.gpu")) {
    Target device;
    device.gpu = device.roundsToBf16 = true;
    return device;
  }
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
  if (!fewRegisters()) {
    bool gains = vectorBits >= 512 && fmaRate >= 2;
    // Of the columns that all panels have, at most one in nine is padding.
    int64_t wide = 3 * line;
    return gains && llvm::alignTo(columns, wide) * 8 <=
                        llvm::alignTo(columns, width) * 9
               ? wide
               : width;
  }
  // Of a row and a step of the depth: the products, the loads of both operands,
  // those of the columns for all rows of a tile. A tile of few sums takes as
  // long as thirteen, four cycles, waiting for each.
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
  if (!fewRegisters() || packsAnew || rows < 1 || rows > lowTileHeight(2))
    return 0;
  int64_t alike = llvm::PowerOf2Ceil(rows);
  int64_t vectors = alike == 1 ? 8 : widestLowTile(type);
  while (vectors > 2 && lowTileHeight(vectors) < alike)
    --vectors;
  return vectors * lanes(type);
}

int64_t Target::widthOfSeveralPanels(Type type, int64_t rows, int64_t columns,
                                     int64_t bytes) const {
  // What is 16 times as large as L2 is taken to come from memory.
  int64_t width = fewRowsWidth(type, rows);
  bool streams = bytes > l2 * (rows <= 2 ? 1 : 16);
  // Tiles enough for all threads.
  return streams && columns >= 8 * width ? width : 0;
}

} // namespace weir::kernel
