// Pads with a value or with mirrored elements.

#include "compiler/import/rules/Pads.h"
#include "compiler/import/bounded/Lists.h"
#include "compiler/import/tensorflow/shape/Moves.h"

#include "dialects/graph/Shape.h"

using namespace mlir;

namespace weir::tensorflow {
namespace {

/// Pad, PadV2 and MirrorPad.
LogicalResult importPad(Node &node) {
  if (failed(wantOperands(node, 2)))
    return failure();
  ImplicitLocOpBuilder &b = node.b;
  RankedTensorType list = node.type(1);
  int64_t rank = node.rank(0);
  if (node.traced(1).isBounded() ||
      list.getShape() != ArrayRef<int64_t>({rank, 2}) ||
      !isa<IntegerType>(list.getElementType()))
    return node.error() << "cannot pad " << node.type(0) << " by " << list;
  if (node.size() > 2 &&
      (node.rank(2) != 0 ||
       node.type(2).getElementType() != node.type(0).getElementType()))
    return node.error() << "cannot pad " << node.type(0) << " with "
                        << node.type(2);
  Margins margins;
  for (int64_t i = 0; i < 2 * rank; ++i)
    (i % 2 ? margins.high : margins.low)
        .push_back(Expr(
            b, castTo(b, elementOf(b, node.operand(1), i), b.getI64Type())));
  if (node.op() == "MirrorPad") {
    // REFLECT leaves out the outermost element, SYMMETRIC repeats it.
    StringRef mode = node.stringAttr("mode");
    if (mode != "REFLECT" && mode != "SYMMETRIC")
      return node.error() << "has no mode '" << escaped(mode, 20)
                          << "'; REFLECT and SYMMETRIC are known";
    margins.edges = mode == "SYMMETRIC" ? Edges::symmetric : Edges::reflect;
  }
  return givePadded(node, margins,
                    node.size() > 2 ? operand(node, 2)
                                    : operand(node, 0).like(0));
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

void addPadHandlers(Handlers &handlers) {
  for (StringRef op : {"Pad", "PadV2", "MirrorPad"})
    handlers[op] = {importPad, Takes::dynamic};
  handlers["MirrorPadGrad"] = importMirrorPadGrad;
}

} // namespace weir::tensorflow
