// Margins of every kind.

#include "compiler/import/onnx/shape/Pads.h"

#include "compiler/import/onnx/Scalars.h"
#include "compiler/import/onnx/learned/Labels.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Shape.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace weir::onnx {
namespace {

/// In operands: all low ends of the axes, then all high ones.
LogicalResult readMargins(Node &node, Expr x, Margins &margins) {
  int64_t rank = x.rank();
  SmallVector<Expr> pads;
  if (node.has(1)) {
    if (failed(readScalars(node, 1, pads)))
      return failure();
  } else {
    StringRef name = node.hasAttr("pads") ? "pads" : "paddings";
    if (!node.hasAttr(name))
      return node.missing("pads");
    for (int64_t pad : node.intsAttr(name))
      pads.push_back(number(node, pad));
  }
  Integers axes = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  if (node.has(3)) {
    FailureOr<Integers> given = node.integers(3);
    if (failed(given))
      return failure();
    auto named = node.axes(*given, rank);
    if (failed(named))
      return failure();
    axes = *named;
  }
  if (pads.size() != 2 * axes.size())
    return node.error() << "has " << pads.size() << " margins for "
                        << axes.size() << " dimensions";
  margins.low.assign(rank, number(node, 0));
  margins.high.assign(rank, number(node, 0));
  for (auto [i, axis] : llvm::enumerate(axes)) {
    margins.low[axis] = pads[i];
    margins.high[axis] = pads[axes.size() + i];
  }
  return success();
}

} // namespace

FailureOr<Edges> edgesOf(Node &node) {
  StringRef mode = node.stringAttr("mode", "constant");
  auto edges = llvm::StringSwitch<std::optional<Edges>>(mode)
                   .Case("constant", Edges::value)
                   .Case("reflect", Edges::zigzag)
                   .Case("edge", Edges::nearest)
                   .Case("wrap", Edges::wrap)
                   .Default(std::nullopt);
  if (!edges)
    return node.error() << "has mode '" << escaped(mode, 20)
                        << "', which is none of constant, reflect, edge and "
                           "wrap";
  return *edges;
}

FailureOr<Expr> padding(Node &node) {
  Expr x = operand(node, 0);
  if (!node.has(2))
    return x.like(node.floatAttr("value"));
  Expr value = operand(node, 2);
  if (value.elementType() != x.elementType() ||
      value.type().getNumElements() != 1)
    return node.error() << "pads " << x.type() << " with " << value.type();
  return reshape(value, {});
}

namespace {

std::optional<int64_t> known(Expr scalar) {
  return scalar ? knownNumber(scalar.value) : std::nullopt;
}

/// The shape of a result whose margins only the run knows. Of what is padded
/// for a box to be cut out, the least that holds operand and box.
FailureOr<Integers> paddedShape(Node &node, Expr x) {
  auto box = node.cutShape(0);
  if (node.declaredShape(0) || !box ||
      static_cast<int64_t>(box->size()) != x.rank())
    return promisedShape(node, 0, "the width of its margins");
  Integers shape;
  for (auto [size, least] : llvm::zip_equal(x.shape(), *box))
    shape.push_back(std::max(size, least));
  return shape;
}

/// `x` between margins of `value`, of which negative ones cut.
Expr padBy(Expr x, Expr value, ArrayRef<int64_t> low, ArrayRef<int64_t> high) {
  Integers cutLow, cutHigh, addLow, addHigh;
  for (auto [before, after] : llvm::zip_equal(low, high)) {
    cutLow.push_back(std::min<int64_t>(before, 0));
    cutHigh.push_back(std::min<int64_t>(after, 0));
    addLow.push_back(std::max<int64_t>(before, 0));
    addHigh.push_back(std::max<int64_t>(after, 0));
  }
  // What is cut goes first; then the margins.
  Expr kept = pad(x, cutLow, cutHigh);
  if (!kept || !value)
    return {};
  return {*x.b, make<graph::PadOp>(*x.b, kept.value, value.value, addLow,
                                   addHigh, Integers(low.size()))};
}

LogicalResult importPad(Node &node) {
  if (failed(wantOperands(node, 1, 4)))
    return failure();
  Expr x = operand(node, 0);
  FailureOr<Edges> edges = edgesOf(node);
  Margins margins;
  if (failed(edges) || failed(readMargins(node, x, margins)))
    return failure();
  FailureOr<Expr> value = padding(node);
  if (failed(value))
    return failure();
  Integers low, high, shape;
  bool isKnown = true;
  for (auto [before, after] : llvm::zip(margins.low, margins.high)) {
    auto a = known(before), b = known(after);
    isKnown &= a && b;
    low.push_back(a.value_or(0));
    high.push_back(b.value_or(0));
  }
  if (isKnown) {
    for (int64_t d = 0; d < x.rank(); ++d) {
      constexpr int64_t most = int64_t(1) << 40;
      int64_t size = x.size(d);
      bool isHuge =
          std::min(low[d], high[d]) < -most || std::max(low[d], high[d]) > most;
      if (isHuge ||
          std::max<int64_t>(-low[d], 0) + std::max<int64_t>(-high[d], 0) > size)
        return node.error() << "has margins of " << low[d] << " and " << high[d]
                            << " around dimension " << d << " of " << x.type();
      shape.push_back(size + low[d] + high[d]);
    }
  } else {
    FailureOr<Integers> promised = paddedShape(node, x);
    if (failed(promised))
      return failure();
    if (static_cast<int64_t>(promised->size()) != x.rank())
      return node.error() << "makes [" << *promised << "] of " << x.type();
    shape = *promised;
    for (int64_t d = 0; d < x.rank(); ++d)
      if (failed(check(
              node,
              equal(margins.low[d] + margins.high[d] + number(node, x.size(d)),
                    number(node, shape[d])),
              "makes another shape than the model says")))
        return failure();
  }
  if (!byteSize(shape, 1))
    return node.error() << "makes the shape [" << shape << "]";
  if (isKnown && *edges == Edges::value)
    return give(node, padBy(x, *value, low, high));
  Expr inside;
  Type i64 = node.b.getI64Type();
  for (int64_t d = 0; d < x.rank(); ++d) {
    int64_t size = x.size(d), wanted = shape[d];
    if (known(margins.low[d]) == 0 && wanted == size)
      continue;
    if (wanted == 0) {
      x = slice(x, d, 0, 0);
      continue;
    }
    if (size == 0 && *edges != Edges::value)
      return node.error() << "repeats elements of " << x.type()
                          << ", which has none";
    if (size == 0)
      return give(node, broadcast(*value, shape));
    Expr at = iota(node, wanted, i64, 0) - margins.low[d];
    if (*edges == Edges::value) {
      Expr within = inRange(at, number(node, 0), number(node, size));
      Integers along(x.rank(), 1);
      along[d] = wanted;
      within = broadcast(reshape(within, along), shape);
      inside = inside ? both(inside, within) : within;
    }
    Edges by = *edges == Edges::value ? Edges::nearest : *edges;
    x = gather(x, positionWithin(at, number(node, size), by), d);
  }
  return give(node, inside ? select(inside, x, *value) : x);
}

} // namespace

void addPadHandlers(Handlers &handlers) { handlers["Pad"] = importPad; }

} // namespace weir::onnx
