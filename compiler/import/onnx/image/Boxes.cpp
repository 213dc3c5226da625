// The choice among boxes: NonMaxSuppression.

#include "compiler/import/onnx/image/Boxes.h"

#include "compiler/import/bounded/Agreement.h"
#include "compiler/import/bounded/PaddedBuffers.h"
#include "compiler/import/bounded/Rows.h"
#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/onnx/neural/Compose.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Index.h"
#include "dialects/graph/Neural.h"

#include <limits>

using namespace mlir;

namespace weir::onnx {
namespace {

/// Operands: boxes [images, n, 4], scores [images, classes, n], how many to
/// take of each class, the overlap and the score to stay below and above.
class Suppression {
public:
  explicit Suppression(Node &node) : node(node), b(node.b) {}

  LogicalResult read();
  /// Beyond these there are no images and no boxes.
  LogicalResult bound();
  /// How many boxes of a class are looked for, at most `limit`.
  void lookFor(int64_t limit) {
    most = node.has(2) ? std::min(boxes.size(1), limit) : 0;
  }
  LogicalResult build();

  /// A row for each box that may be taken, [image, class, box], whether it is,
  /// and the number of those that are.
  Expr rows, isTaken, total;

private:
  Expr scalar(unsigned i, double otherwise) {
    Type f32 = b.getF32Type();
    return node.has(i) ? reshape(cast(operand(node, i), f32), {})
                       : filled(b, {}, f32, otherwise);
  }

  Node &node;
  ImplicitLocOpBuilder &b;
  Expr boxes, scores, limit;
  /// The number of images where it is known only at run time.
  Expr images;
  int64_t most = 0;
};

LogicalResult Suppression::read() {
  if (failed(wantFloats(node, 2, 3)))
    return failure();
  boxes = operand(node, 0);
  scores = operand(node, 1);
  if (boxes.rank() != 3 || scores.rank() != 3 || boxes.size(2) != 4)
    return node.error() << "cannot choose from boxes " << boxes.type()
                        << " with scores " << scores.type();
  return success();
}

LogicalResult Suppression::bound() {
  Sizes first = sizesOf(node.traced(0)), second = sizesOf(node.traced(1));
  auto count = agreedSize(node, first[0], second[0], "boxes and scores");
  auto all = agreedSize(node, first[1], second[2], "boxes and scores");
  if (failed(count) || failed(all))
    return failure();
  if (!first[2].isKnown())
    return node.unsupported("boxes of a size that is known only at run time");
  if (!second[1].isKnown())
    return node.unsupported("classes whose number is known only at run time");
  double none = -std::numeric_limits<double>::infinity();
  second = {*count, second[1], *all};
  scores =
      masked(b, withSizes(paddedTo(b, scores.value, boundsOf(second)), second),
             scores.like(none), 2);
  boxes = {b, paddedTo(b, boxes.value, {count->bound, all->bound, 4})};
  if (!count->isKnown())
    images = exactly(b, *count);
  return success();
}

LogicalResult Suppression::build() {
  int64_t count = boxes.size(1), classes = scores.size(1);
  if (boxes.size(0) != scores.size(0) || count != scores.size(2))
    return node.error() << "cannot choose from boxes " << boxes.type()
                        << " with scores " << scores.type();
  Type f32 = b.getF32Type(), i64 = b.getI64Type();
  limit = filled(b, {}, b.getI32Type(), 0);
  if (node.has(2)) {
    if (node.type(2).getNumElements() != 1 ||
        !node.element(2).isSignlessInteger(64))
      return node.error() << "takes " << node.type(2) << " boxes";
    Expr given = reshape(operand(node, 2), {});
    limit = cast(clamp(given, 0, static_cast<double>(count)), b.getI32Type());
  }
  if (boxes.size(0) * classes > 1024 || most > (1 << 20))
    return node.unsupported(Twine(boxes.size(0)) + " images of " +
                            Twine(classes) + " classes");
  Expr overlap = scalar(3, 0),
       lowest = scalar(4, std::numeric_limits<float>::lowest()),
       zero = filled(b, {}, f32, 0);
  total = filled(b, {}, i64, 0);
  if (!overlap || !lowest)
    return give(node, Expr());
  boxes = cast(boxes, f32);
  scores = cast(scores, f32);
  if (node.intAttr("center_point_box")) {
    // x, y, width and height of their centers.
    Expr center = slice(boxes, 2, 0, 2), half = slice(boxes, 2, 2, 2) / 2.0;
    boxes = concat({center - half, center + half}, 2);
  }
  SmallVector<Expr> all, taken;
  for (int64_t i = 0; i < boxes.size(0) && most; ++i)
    for (int64_t c = 0; c < classes; ++c) {
      Expr own = reshape(slice(boxes, 0, i, 1), {count, 4});
      Expr score = reshape(slice(slice(scores, 0, i, 1), 1, c, 1), {count});
      if (!own || !score)
        return give(node, Expr());
      auto op = b.create<graph::SuppressOp>(own.value, score.value,
                                            overlap.value, lowest.value,
                                            zero.value, limit.value, most);
      auto same = [&](int64_t n) {
        return filled(b, {most, 1}, i64, static_cast<double>(n));
      };
      all.push_back(
          concat({same(i), same(c),
                  reshape(cast(Expr(b, op.getIndices()), i64), {most, 1})},
                 1));
      Expr number = cast(Expr(b, op.getCount()), i64);
      if (images)
        number =
            select(less(weir::number(b, i), images), number, number.like(0));
      taken.push_back(less(counted(b, most, i64), number));
      total = total + number;
    }
  if (all.empty())
    return success();
  rows = concat(all, 0);
  isTaken = concat(taken, 0);
  return success();
}

} // namespace

LogicalResult importNonMaxSuppression(Node &node) {
  ImplicitLocOpBuilder &b = node.b;
  Suppression suppression(node);
  if (failed(suppression.read()))
    return failure();
  auto declared = node.declaredShape(0);
  if (!declared)
    return node.unsupported("a number of boxes that the model does not say");
  if (declared->size() != 2 || (*declared)[1] != 3)
    return node.error() << "does not give a tensor of shape [" << *declared
                        << "]";
  // Of a number that only the run knows, one more than the model says is
  // enough to see that it is another.
  int64_t wanted = declared->front();
  suppression.lookFor(wanted + 1);
  if (failed(suppression.build()))
    return failure();
  Expr total = suppression.total;
  if (failed(check(node, equal(total, total.like(static_cast<double>(wanted))),
                   "it takes other than the " + Twine(wanted) +
                       " boxes that the model says")))
    return failure();
  if (!suppression.rows || wanted == 0)
    return give(node, filled(b, *declared, b.getI64Type(), 0));
  // Those that are taken first, in their order.
  Expr key = cast(isFalse(suppression.isTaken), b.getI32Type());
  Expr position = counted(b, key.size(0), b.getI64Type());
  auto sorted =
      b.create<graph::SortOp>(ValueRange{key.value, position.value}, false);
  Expr order(b, sorted.getOutputs()[1]);
  if (wanted > order.size(0)) {
    Integers low{0}, high{wanted - order.size(0)};
    order = pad(order, low, high);
  }
  return give(node, gather(suppression.rows, slice(order, 0, 0, wanted), 0));
}

LogicalResult importBoundedSuppression(Node &node) {
  ImplicitLocOpBuilder &b = node.b;
  Suppression suppression(node);
  if (failed(suppression.read()) || failed(suppression.bound()))
    return failure();
  int64_t limit = std::numeric_limits<int64_t>::max();
  if (node.has(2) && node.type(2).getNumElements() == 1)
    if (auto known = knownNumber(reshape(operand(node, 2), {}).value))
      limit = std::max<int64_t>(*known, 0);
  suppression.lookFor(limit);
  if (failed(suppression.build()))
    return failure();
  if (!suppression.rows)
    return give(node, filled(b, {0, 3}, b.getI64Type(), 0));
  Choice chosen = choose(b, suppression.isTaken);
  Expr rows = gather(suppression.rows, chosen.positions, 0);
  return node.tracedResults(
      {withSizes(rows.value, {chosen.count, Size{3, {}}})});
}

LogicalResult checkImages(Node &node, Expr which, Expr x) {
  auto images = static_cast<double>(x.size(0));
  return check(node,
               apply<graph::LogicalAndOp>(
                   apply<graph::GreaterEqualOp>(which, which.like(0)),
                   apply<graph::LessOp>(which, which.like(images))),
               "a box is of no image");
}

} // namespace weir::onnx
