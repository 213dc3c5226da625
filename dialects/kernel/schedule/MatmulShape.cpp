// Reads the sizes of a product off its op.

#include "dialects/kernel/schedule/MatmulShape.h"

using namespace mlir;

namespace weir::kernel {

static ShapedType shaped(Value value) {
  return cast<ShapedType>(value.getType());
}

// Tensors have no layout yet.
static bool isOneRun(Value buffer) {
  auto type = dyn_cast<MemRefType>(buffer.getType());
  return !type || type.getLayout().isIdentity();
}

// An extra that is not read whole follows if it does not depend on the batch
// or the row.
static bool followsRows(Value extra, AffineMap map, ShapedType out) {
  if (map.isIdentity())
    return isOneRun(extra);
  return llvm::none_of(map.getResults(), [&](AffineExpr result) {
    auto dim = dyn_cast<AffineDimExpr>(result);
    return dim && dim.getPosition() + 1 != out.getRank() &&
           out.getDimSize(dim.getPosition()) != 1;
  });
}

bool joinsBatches(MatmulOp op) {
  ShapedType out = shaped(op.getOut());
  int64_t rank = out.getRank();
  // Rows apart, as those of every other pixel, are copied side by side if one
  // batch has few: each would read all of B. Kernels of tiles and of pairs copy
  // all rows anyway.
  constexpr int64_t fewRows = 64;
  bool apart = !isOneRun(op.getA());
  if (rank == 2 || !op.getShared() || op.getTransposeA() ||
      !isOneRun(op.getOut()) ||
      (apart && (op.getLayout().isAmx() || op.getLayout().isPairing() ||
                 out.getDimSize(rank - 2) >= fewRows)))
    return false;
  return llvm::all_of(
      llvm::zip(op.getExtras(), op.getExtraMaps()), [&](auto pair) {
        auto [extra, map] = pair;
        return followsRows(extra, cast<AffineMapAttr>(map).getValue(), out);
      });
}

// Vector code computes it.
bool hasMatmulSchedule(Operation *op) {
  auto matmul = dyn_cast<MatmulOp>(op);
  if (!matmul)
    return false;
  LayoutAttr layout = matmul.getLayout();
  return layout.isPlain() || layout.isPanels() || layout.isVnni();
}

static std::optional<int64_t> rowStrideOf(Value a) {
  auto type = dyn_cast<MemRefType>(a.getType());
  if (!type)
    return shaped(a).getShape().back();
  int64_t offset;
  SmallVector<int64_t> strides;
  if (failed(getStridesAndOffset(type, strides, offset)))
    return std::nullopt;
  int64_t stride = strides[strides.size() - 2];
  return ShapedType::isDynamic(stride) ? std::nullopt : std::optional(stride);
}

MatmulShape MatmulShape::of(Operation *kernel, const Target &target) {
  auto op = cast<MatmulOp>(kernel);
  MatmulShape s;
  ShapedType a = shaped(op.getA()), b = shaped(op.getB()),
             out = shaped(op.getOut());
  bool joins = joinsBatches(op);
  s.batches = ShapedType::getNumElements(out.getShape().drop_back(2));
  s.rows = out.getShape().take_back(2).front();
  s.columns = out.getShape().back();
  s.transposesA = op.getTransposeA();
  s.depth = a.getShape().take_back(2)[!s.transposesA];
  s.rowStride = joins ? s.depth : rowStrideOf(op.getA());
  if (joins)
    s.rows *= std::exchange(s.batches, 1);
  s.sharesB = op.getShared() && !joins;
  LayoutAttr layout = op.getLayout();
  s.isVnni = layout.isVnni();
  s.hasPartialGroup = s.isVnni && s.depth % 4;
  if (s.isVnni)
    s.depth = llvm::divideCeil(s.depth, 4);
  s.panel = layout.isPlain() ? 0 : layout.getWidth();
  s.sumElement = op.getEpilogue().front().getArgument(0).getType();
  s.aElement = a.getElementType();
  s.bElement = b.getElementType();
  s.outElement = out.getElementType();
  // A panel that was packed for another vector width is read in parts.
  s.panelOrWidth = s.panel ? s.panel
                   : target.sumsFillRegisters()
                       ? target.panelWidth(s.sumElement, s.columns)
                       : target.matrixPanelWidth(s.sumElement, s.columns);
  s.lanes = target.lanesWithin(s.sumElement, s.panelOrWidth);
  s.extras = op.getExtras().size();
  s.weights = b.getNumElements() * s.bBytes();
  return s;
}

} // namespace weir::kernel
