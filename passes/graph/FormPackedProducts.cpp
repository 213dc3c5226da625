// Forms products that read constant weights of few bits in packed form.

#include "passes/graph/Passes.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Neural.h"
#include "dialects/graph/Shape.h"
#include "dialects/graph/build/Expr.h"
#include "dialects/graph/constants/Bytes.h"
#include "dialects/graph/gradients/Gradient.h"
#include "dialects/graph/packed/Packed.h"
#include "dialects/kernel/PackedWeights.h"
#include "dialects/weir/Attributes.h"
#include "passes/graph/CodedWeights.h"
#include "llvm/Support/Debug.h"
#include <map>

#define DEBUG_TYPE "weir-form-packed-products"

using namespace mlir;

namespace weir::graph {
#define GEN_PASS_DEF_FORMPACKEDPRODUCTS
#include "passes/graph/Passes.h.inc"

namespace {

using graph::build::Expr;
using kernel::PackedWeights;

/// With fewer columns a product is a set of dot products, and panels of 32
/// columns would be mostly padding.
constexpr int64_t minColumns = 16;

/// The source of `value` behind float casts, transposes, and slices that start
/// at the first element. `turned` toggles with each transpose.
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

struct FormPackedProducts : impl::FormPackedProductsBase<FormPackedProducts> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    bool packs = !attrs::gpu.isOn(module);
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
    Value right = unmoved(op.getB(), turned);
    if (left.getRank() != 2 || op.getTransposeA() ||
        !isa<FloatType>(left.getElementType()) ||
        left.getElementType().isF64() || type.getDimSize(1) < minColumns)
      return;
    OwnNumbers own;
    auto weights = codedWeights(right, left.getDimSize(1), type.getDimSize(1),
                                turned, own);
    if (!weights)
      return;
    std::optional<int64_t> zero = weights->sameZero();
    PackedWeights layout = weights->layout(/*hasZeros=*/!zero);
    if (!layout.isValid())
      return;
    ImplicitLocOpBuilder b(op.getLoc(), op);
    Attribute &bytes =
        packed[{right.getDefiningOp(), turned, layout.depth, layout.columns}];
    if (!bytes) {
      NewBytes made(RankedTensorType::get(
          {layout.panels(), layout.panelBytes()}, b.getI8Type()));
      std::memset(made.data(), 0, layout.panels() * layout.panelBytes());
      weights->pack(layout, made.data());
      bytes = std::move(made).take("packed");
    }
    Value constant = b.create<graph::ConstantOp>(cast<ElementsAttr>(bytes));
    Expr x = cast(Expr(b, op.getA()), b.getF32Type());
    auto dequantize = right.getDefiningOp<graph::DequantizeOp>();
    auto product = b.create<graph::PackedMatmulOp>(
        x.value, constant, layout.columns, layout.bits, layout.block,
        weights->scaleType, zero ? b.getI64IntegerAttr(*zero) : IntegerAttr(),
        dequantize && dequantize.getQuantized());
    Value y = cast(Expr(b, product), type.getElementType()).value;
    for (Operation *made : {product.getOperation(), y.getDefiningOp()})
      made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    LLVM_DEBUG(llvm::dbgs() << "packs the weights at " << op.getLoc() << "\n");
    op.replaceAllUsesWith(y);
    Operation *unused = op.getB().getDefiningOp();
    op.erase();
    while (unused->use_empty() && unused != right.getDefiningOp()) {
      Operation *next = unused->getOperand(0).getDefiningOp();
      unused->erase();
      unused = next;
    }
  }

  static void expand(graph::DequantizeOp op) {
    ImplicitLocOpBuilder b(op.getLoc(), op);
    RankedTensorType type = op.getType();
    auto axis = static_cast<int64_t>(op.getAxis()),
         // A block may be longer than the dimension.
        block = std::min(static_cast<int64_t>(op.getBlock()),
                         std::max<int64_t>(1, type.getDimSize(axis))),
         bits = static_cast<int64_t>(op.getBits());
    // Converts codes of `shape` to numbers.
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
      // Codes from `half` on represent negative numbers.
      double half = 1 << (bits - 1);
      return select(graph::build::apply<graph::LessOp>(x, x.like(half)), x,
                    x - 2 * half);
    };
    SmallVector<int64_t> blocks(op.getScales().getType().getShape());
    // Repeats each element along the axis `block` times.
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

  /// The first `count` codes of each row, one per byte.
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

  using Key = std::tuple<Operation *, bool, int64_t, int64_t>;
  std::map<Key, Attribute> packed;
};

} // namespace
} // namespace weir::graph
