// Pads with a value or with mirrored elements.

#include "compiler/import/tensorflow/shape/Moves.h"

#include "dialects/graph/Shape.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace weir;
using namespace weir::tensorflow;

namespace {

/// Numbers before and after each dimension of operand 0, from operand 1.
LogicalResult marginsOf(Node &node, Integers &low, Integers &high) {
  if (failed(wantOperands(node, 2)))
    return failure();
  auto numbers = node.integers(1);
  if (failed(numbers))
    return failure();
  if (static_cast<int64_t>(numbers->size()) != 2 * node.rank(0))
    return node.error() << "has " << numbers->size() << " margins for "
                        << node.type(0);
  Integers shape;
  for (int64_t i = 0; i < node.rank(0); ++i) {
    low.push_back((*numbers)[2 * i]);
    high.push_back((*numbers)[2 * i + 1]);
    int64_t size = node.shape(0)[i];
    if (low[i] < 0 || high[i] < 0 || llvm::AddOverflow(size, low[i], size) ||
        llvm::AddOverflow(size, high[i], size))
      return node.error() << "cannot pad dimension " << i << " by " << low[i]
                          << " and " << high[i];
    shape.push_back(size);
  }
  return countOrError(node, shape);
}

LogicalResult importPad(Node &node) {
  Integers low, high;
  if (failed(marginsOf(node, low, high)))
    return failure();
  Expr x = operand(node, 0), value = x.like(0);
  if (node.size() > 2) {
    value = operand(node, 2);
    if (value.rank() != 0 || value.elementType() != x.elementType())
      return node.error() << "cannot pad " << x.type() << " with "
                          << value.type();
  }
  return give(node,
              Expr(node.b, make<graph::PadOp>(node.b, x.value, value.value, low,
                                              high, Integers(low.size(), 0))));
}

LogicalResult importMirrorPad(Node &node) {
  Integers low, high;
  if (failed(marginsOf(node, low, high)))
    return failure();
  Expr x = operand(node, 0);
  // REFLECT leaves out the outermost element, SYMMETRIC repeats it.
  StringRef mode = node.stringAttr("mode");
  if (mode != "REFLECT" && mode != "SYMMETRIC")
    return node.error() << "has no mode '" << mode
                        << "'; REFLECT and SYMMETRIC are known";
  int64_t skip = mode == "REFLECT" ? 1 : 0;
  for (int64_t dim = 0; dim < x.rank(); ++dim) {
    int64_t size = x.size(dim), most = std::max<int64_t>(size - skip, 0);
    if (low[dim] > most || high[dim] > most)
      return node.error() << "cannot mirror " << std::max(low[dim], high[dim])
                          << " elements of dimension " << dim << " of size "
                          << size;
    SmallVector<Expr> parts;
    if (low[dim])
      parts.push_back(reverse(slice(x, dim, skip, low[dim]), {dim}));
    parts.push_back(x);
    if (high[dim])
      parts.push_back(
          reverse(slice(x, dim, size - skip - high[dim], high[dim]), {dim}));
    x = concat(parts, dim);
  }
  return give(node, x);
}

/// What the margins of a MirrorPad repeat adds to what they repeat.
LogicalResult importMirrorPadGrad(Node &node) {
  if (failed(wantOperands(node, 2)))
    return failure();
  auto margins = node.integers(1);
  if (failed(margins))
    return failure();
  Expr x = operand(node, 0);
  if (static_cast<int64_t>(margins->size()) != 2 * x.rank())
    return node.error() << "has " << margins->size() << " margins for "
                        << x.type();
  int64_t skip = node.stringAttr("mode") == "REFLECT" ? 1 : 0;
  for (int64_t dim = 0; x && dim < x.rank(); ++dim) {
    int64_t low = (*margins)[2 * dim], high = (*margins)[2 * dim + 1],
            whole = x.size(dim), most = int64_t(1) << 40;
    if (low < 0 || high < 0 || low > most || high > most ||
        whole - low - high < std::max(low, high) + skip)
      return node.error() << "margins of " << low << " and " << high
                          << " do not suit dimension " << dim << " of "
                          << x.type();
    int64_t size = whole - low - high;
    Expr inner = slice(x, dim, low, size);
    auto add = [&](int64_t from, int64_t count, int64_t to) {
      if (!count)
        return;
      Integers before(x.rank()), after(x.rank());
      before[dim] = to;
      after[dim] = size - to - count;
      inner = inner +
              pad(reverse(slice(x, dim, from, count), {dim}), before, after);
    };
    add(0, low, skip);
    add(low + size, high, size - skip - high);
    x = inner;
  }
  return give(node, x);
}

} // namespace

void weir::tensorflow::addPadHandlers(Handlers &handlers) {
  handlers["Pad"] = importPad;
  handlers["PadV2"] = importPad;
  handlers["MirrorPad"] = importMirrorPad;
  handlers["MirrorPadGrad"] = importMirrorPadGrad;
}
