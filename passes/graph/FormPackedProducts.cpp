// Constant weights of few bits stay packed.

#include "passes/graph/Passes.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Neural.h"
#include "dialects/graph/Shape.h"
#include "dialects/graph/build/Expr.h"
#include "dialects/graph/gradients/Gradient.h"
#include "dialects/graph/packed/Packed.h"
#include "dialects/kernel/PackedWeights.h"
#include "passes/graph/Bytes.h"
#include "llvm/Support/Debug.h"
#include <map>

#define DEBUG_TYPE "weir-form-packed-products"

using namespace mlir;

namespace weir {
#define GEN_PASS_DEF_FORMPACKEDPRODUCTS
#include "passes/graph/Passes.h.inc"

namespace {

using graph::build::Expr;
using kernel::PackedWeights;

/// Fewer columns are dot products, and panels of 32 padding.
constexpr int64_t fewestColumns = 16;

/// Codes in memory, each in `stored` bits, rows of whole bytes.
struct CodeTable {
  ArrayRef<char> bytes;
  int64_t rowBytes, bits, stored;
  bool isSigned, isSplat;

  /// A code as an unsigned number: signed ones are moved to above 0.
  uint8_t at(int64_t row, int64_t column) const {
    int64_t place = row * rowBytes + column * stored / 8;
    int number = static_cast<uint8_t>(bytes[isSplat ? 0 : place]);
    number >>= column * stored % 8;
    return (number + (isSigned ? 1 << (bits - 1) : 0)) & ((1 << bits) - 1);
  }
};

/// The constant weights of a product: a matrix of codes, or with `turned` its
/// transpose, with blocks along the depth.
struct Weights {
  int64_t depth, columns, block;
  bool turned;
  CodeTable codes;
  std::optional<CodeTable> zeros;
  ArrayRef<char> scales;
  bool splatScales;
  int64_t scalesOfRow;
  Type scaleType;

  int64_t blocks() const { return llvm::divideCeil(depth, block); }
  uint8_t code(int64_t k, int64_t n) const {
    return turned ? codes.at(n, k) : codes.at(k, n);
  }
  uint8_t zero(int64_t block, int64_t n) const {
    if (!zeros)
      return codes.isSigned ? 1 << (codes.bits - 1) : 0;
    return turned ? zeros->at(n, block) : zeros->at(block, n);
  }
  const char *scale(int64_t block, int64_t n) const {
    int64_t place = turned ? n * scalesOfRow + block : block * scalesOfRow + n;
    return scales.data() +
           (splatScales ? 0 : place) * scaleType.getIntOrFloatBitWidth() / 8;
  }

  /// The zero point of all blocks, where that is one.
  std::optional<int64_t> sameZero() const {
    int64_t first = zero(0, 0);
    for (int64_t b = 0; b < blocks(); ++b)
      for (int64_t n = 0; n < columns; ++n)
        if (zero(b, n) != first)
          return std::nullopt;
    return first;
  }

  /// Of whole words; a block of all of the depth may be longer than that.
  PackedWeights layout(bool hasZeros) const {
    int64_t own = block;
    if (blocks() == 1)
      own = llvm::alignTo(depth, depth > 128 ? 128 : 32 / codes.bits);
    return {depth,
            columns,
            codes.bits,
            own,
            static_cast<int64_t>(scaleType.getIntOrFloatBitWidth() / 8),
            hasZeros};
  }

  /// `to` is zero before.
  void pack(const PackedWeights &layout, char *to) const {
    constexpr int64_t width = PackedWeights::panel;
    for (int64_t p = 0; p < layout.panels(); ++p)
      for (int64_t b = 0; b < layout.blocks(); ++b, to += layout.recordBytes())
        for (int64_t c = 0; c < std::min(width, columns - p * width); ++c)
          packBlock(layout, b, p * width + c, c, to);
  }

private:
  void packBlock(const PackedWeights &layout, int64_t b, int64_t n, int64_t c,
                 char *record) const {
    std::memcpy(record + c * layout.scaleBytes, scale(b, n), layout.scaleBytes);
    if (layout.hasZeros)
      record[layout.zerosOffset() + c] = static_cast<char>(zero(b, n));
    int64_t first = b * layout.block, perWord = layout.perWord();
    int64_t count = std::min(layout.block, depth - first);
    char *words = record + layout.wordsOffset();
    for (int64_t k = 0; k < count; ++k) {
      int64_t word = k / perWord * PackedWeights::panel + c;
      int64_t bit = k % perWord * codes.bits;
      words[word * PackedWeights::wordBytes + bit / 8] |=
          static_cast<char>(code(first + k, n) << bit % 8);
    }
  }
};

/// What `value` is but for casts between floats, transposes, and slices from
/// the first element on; `turned` says whether rows and columns have changed
/// places.
Value unmoved(Value value, bool &turned) {
  auto isFloat = [](Value value) {
    return isa<FloatType>(getElementTypeOrSelf(value.getType()));
  };
  while (Operation *op = value.getDefiningOp()) {
    auto transpose = dyn_cast<graph::TransposeOp>(op);
    auto slice = dyn_cast<graph::SliceOp>(op);
    bool isCast = isa<graph::CastOp>(op) && isFloat(op->getOperand(0));
    bool isTurn =
        transpose && transpose.getPermutation() == ArrayRef<int64_t>{1, 0};
    bool isCorner =
        slice &&
        llvm::all_of(slice.getStarts(), [](auto n) { return n == 0; }) &&
        llvm::all_of(slice.getStrides(), [](auto n) { return n == 1; });
    if (!isFloat(value) || (!isCast && !isTurn && !isCorner))
      break;
    turned ^= isTurn;
    value = op->getOperand(0);
  }
  return value;
}

/// The bytes of a constant, whatever shape it is given.
std::optional<Bytes> bytesOfShaped(Value value) {
  while (auto reshape = value.getDefiningOp<graph::ReshapeOp>())
    value = reshape.getX();
  return Bytes::of(value);
}

/// The right side of a product of such a type. Nothing where its blocks are not
/// along the depth or its operands no constants.
std::optional<Weights> weightsOf(graph::DequantizeOp op, int64_t depth,
                                 int64_t columns, bool turned) {
  auto codes = bytesOfShaped(op.getCodes()),
       scales = bytesOfShaped(op.getScales());
  auto zeros = op.getZeros() ? bytesOfShaped(op.getZeros()) : std::nullopt;
  if (!codes || !scales || (op.getZeros() && !zeros) ||
      op.getType().getRank() != 2)
    return std::nullopt;
  // Blocks of columns are no blocks of the depth, unless all are alike.
  bool areAlike = scales->isSplat() && (!zeros || zeros->isSplat());
  if (op.getAxis() != turned && !areAlike)
    return std::nullopt;
  int64_t block = op.getAxis() == turned ? op.getBlock() : depth;
  auto bits = static_cast<int64_t>(op.getBits());
  auto table = [&](const Bytes &bytes, Value value, int64_t codesOfRow) {
    int64_t row = cast<RankedTensorType>(value.getType()).getDimSize(1);
    return CodeTable{bytes.data(),
                     row,
                     bits,
                     row == codesOfRow ? 8 : bits,
                     op.getIsSigned(),
                     bytes.isSplat()};
  };
  RankedTensorType scaleType = op.getScales().getType();
  Weights weights = {depth,
                     columns,
                     block,
                     turned,
                     table(*codes, op.getCodes(), op.getType().getDimSize(1)),
                     std::nullopt,
                     scales->data(),
                     scales->isSplat(),
                     scaleType.getDimSize(1),
                     scaleType.getElementType()};
  if (zeros)
    weights.zeros = table(*zeros, op.getZeros(), scaleType.getDimSize(1));
  return weights;
}

struct FormPackedProducts : impl::FormPackedProductsBase<FormPackedProducts> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    bool packs = !module->hasAttr("weir.gpu");
    SmallVector<graph::MatmulOp> products;
    module.walk([&](Operation *op) {
      packs &= !isa<graph::GradientOp>(op);
      if (auto product = dyn_cast<graph::MatmulOp>(op))
        products.push_back(product);
    });
    if (packs)
      for (graph::MatmulOp product : products)
        form(product);
    SmallVector<graph::DequantizeOp> rest;
    module.walk([&](graph::DequantizeOp op) { rest.push_back(op); });
    for (graph::DequantizeOp op : rest) {
      if (op->use_empty())
        op.erase();
      else
        expand(op);
    }
  }

private:
  void form(graph::MatmulOp op) {
    auto left = cast<RankedTensorType>(op.getA().getType());
    RankedTensorType type = op.getType();
    bool turned = op.getTransposeB();
    auto dequantize =
        unmoved(op.getB(), turned).getDefiningOp<graph::DequantizeOp>();
    if (!dequantize || left.getRank() != 2 || op.getTransposeA() ||
        !isa<FloatType>(left.getElementType()) ||
        left.getElementType().isF64() || type.getDimSize(1) < fewestColumns)
      return;
    std::optional<Weights> weights =
        weightsOf(dequantize, left.getDimSize(1), type.getDimSize(1), turned);
    if (!weights)
      return;
    std::optional<int64_t> zero = weights->sameZero();
    PackedWeights layout = weights->layout(/*hasZeros=*/!zero);
    if (!layout.isValid())
      return;
    ImplicitLocOpBuilder b(op.getLoc(), op);
    Attribute &bytes = packed[{dequantize, layout.depth, layout.columns}];
    if (!bytes) {
      NewBytes made(RankedTensorType::get(
          {layout.panels(), layout.panelBytes()}, b.getI8Type()));
      std::memset(made.data(), 0, layout.panels() * layout.panelBytes());
      weights->pack(layout, made.data());
      bytes = std::move(made).take("packed");
    }
    Value constant = b.create<graph::ConstantOp>(cast<ElementsAttr>(bytes));
    Expr x = cast(Expr(b, op.getA()), b.getF32Type());
    auto product = b.create<graph::PackedMatmulOp>(
        x.value, constant, layout.columns, layout.bits, layout.block,
        weights->scaleType, zero ? b.getI64IntegerAttr(*zero) : IntegerAttr(),
        dequantize.getQuantized());
    Value y = cast(Expr(b, product), type.getElementType()).value;
    for (Operation *made : {product.getOperation(), y.getDefiningOp()})
      made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    LLVM_DEBUG(llvm::dbgs() << "packs the weights at " << op.getLoc() << "\n");
    op.replaceAllUsesWith(y);
    Operation *unused = op.getB().getDefiningOp();
    op.erase();
    while (unused->use_empty() && unused != dequantize) {
      Operation *next = unused->getOperand(0).getDefiningOp();
      unused->erase();
      unused = next;
    }
  }

  static void expand(graph::DequantizeOp op) {
    ImplicitLocOpBuilder b(op.getLoc(), op);
    RankedTensorType type = op.getType();
    auto axis = static_cast<int64_t>(op.getAxis()),
         block = static_cast<int64_t>(op.getBlock()),
         bits = static_cast<int64_t>(op.getBits());
    // Codes of `shape` as numbers.
    auto numbers = [&](Value value, SmallVector<int64_t> shape) {
      auto bytes = Expr(b, value);
      Type ui8 = b.getIntegerType(8, /*isSigned=*/false);
      if (bits == 8)
        return cast(op.getIsSigned() ? bitcast(bytes, b.getI8Type())
                                     : bitcast(bytes, ui8),
                    b.getF32Type());
      bytes = bitcast(bytes, ui8);
      Expr x = bytes.shape() == ArrayRef<int64_t>(shape)
                   ? bitAnd(bytes, bits)
                   : unpacked(bytes, bits, shape.back());
      x = cast(x, b.getF32Type());
      if (!op.getIsSigned())
        return x;
      // Those from half on are that much less.
      double half = 1 << (bits - 1);
      return select(graph::build::apply<graph::LessOp>(x, x.like(half)), x,
                    x - 2 * half);
    };
    SmallVector<int64_t> blocks(op.getScales().getType().getShape());
    // Each element along the axis `block` times in a row.
    auto wide = [&](Expr x) {
      x = cast(x, b.getF32Type());
      SmallVector<int64_t> split(blocks), whole(blocks);
      split.insert(split.begin() + axis + 1, 1);
      x = reshape(x, split);
      split[axis + 1] = block;
      whole[axis] *= block;
      return slice(reshape(broadcast(x, split), whole), axis, 0,
                   type.getDimSize(axis));
    };
    Expr w = numbers(op.getCodes(), SmallVector<int64_t>(type.getShape()));
    if (op.getZeros())
      w = w - wide(numbers(op.getZeros(), blocks));
    w = w * wide(Expr(b, op.getScales()));
    op.replaceAllUsesWith(w.value);
    op.erase();
  }

  /// The first `count` codes of each row.
  static Expr unpacked(Expr bytes, int64_t bits, int64_t count) {
    SmallVector<int64_t> apart(bytes.shape()), joined(bytes.shape());
    apart.push_back(1);
    SmallVector<Expr> parts;
    for (int64_t bit = 0; bit < 8; bit += bits)
      parts.push_back(reshape(bitAnd(shiftedRight(bytes, bit), bits), apart));
    joined.back() *= 8 / bits;
    Expr codes = reshape(concat(parts, bytes.rank()), joined);
    return slice(codes, bytes.rank() - 1, 0, count);
  }

  static Expr bitcast(Expr x, Type element) {
    if (x.elementType() == element)
      return x;
    return Expr(
        *x.b, x.b->create<graph::BitcastOp>(x.type().clone(element), x.value));
  }
  static Expr filled(Expr x, int64_t number) {
    return Expr(*x.b, graph::build::splat(*x.b, x.type(), number));
  }
  static Expr shiftedRight(Expr x, int64_t bits) {
    return bits ? graph::build::apply<graph::ShiftRightOp>(x, filled(x, bits))
                : x;
  }
  static Expr bitAnd(Expr x, int64_t bits) {
    return graph::build::apply<graph::BitwiseAndOp>(x,
                                                    filled(x, (1 << bits) - 1));
  }

  using Key = std::tuple<Operation *, int64_t, int64_t>;
  std::map<Key, Attribute> packed;
};

} // namespace
} // namespace weir
