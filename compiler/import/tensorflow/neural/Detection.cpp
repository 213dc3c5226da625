// Non-maximum suppression. The number of boxes is known only at run time, so
// results are dynamic unless they are padded.

#include "compiler/import/bounded/PaddedBuffers.h"
#include "compiler/import/bounded/Rows.h"
#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/bounded/ranges/Cases.h"
#include "compiler/import/tensorflow/bounded/Bounds.h"
#include "compiler/import/tensorflow/neural/Windows.h"
#include "compiler/import/tensorflow/shape/Moves.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Neural.h"

using namespace mlir;

namespace weir::tensorflow {
namespace {

/// What the versions have in common. The first has the overlap as an attribute,
/// the third adds the lowest score, the fifth the softness.
struct Suppression {
  Traced boxes, scores;
  Expr most, overlap, lowest, softness;
};

FailureOr<Suppression> suppressionOf(Node &node) {
  ImplicitLocOpBuilder &b = node.b;
  StringRef op = node.op();
  int version = op.back() == 'n' ? 1 : op.back() - '0';
  if (failed(
          wantOperands(node, version == 1 ? 3 : version + 2 - (version > 3))))
    return failure();
  auto scalar = [&](unsigned i, double otherwise) {
    auto type = RankedTensorType::get({}, b.getF32Type());
    return i ? cast(operand(node, i), b.getF32Type())
             : Expr(b, splat(b, type, otherwise));
  };
  Suppression result{
      node.traced(0),
      node.traced(1),
      operand(node, 2),
      scalar(version > 1 ? 3 : 0, node.floatAttr("iou_threshold", 0.5)),
      scalar(version > 2 ? 4 : 0, std::numeric_limits<float>::lowest()),
      scalar(version > 4 ? 5 : 0, 0)};
  for (unsigned i = 0; i < node.size(); ++i)
    if (i != 2 && !isa<FloatType>(node.type(i).getElementType()))
      return node.error() << "operand " << i << " is " << node.type(i);
  for (Expr one : {result.most, result.overlap, result.lowest, result.softness})
    if (one.rank() != 0)
      return node.error() << "has a limit of " << one.type();
  if (node.rank(0) != 2 || node.rank(1) != 1 || node.shape(0)[1] != 4 ||
      !sizesOf(node.traced(0))[1].isKnown() ||
      !result.most.elementType().isSignlessInteger(32))
    return node.error() << "cannot choose from boxes " << node.type(0)
                        << " with scores " << node.type(1) << ", up to "
                        << result.most.type();
  if (failed(shareSizes(node, result.boxes, result.scores, 1)))
    return failure();
  return result;
}

/// How many are taken at most, and how many elements the results have.
LogicalResult suppress(Node &node) {
  ImplicitLocOpBuilder &b = node.b;
  auto given = suppressionOf(node);
  if (failed(given))
    return failure();
  int64_t size = typeOf(given->scores.value).getDimSize(0);
  Value most = castTo(b, given->most.value, b.getI64Type());
  if (auto known = knownNumber(most); known && *known < 0)
    return node.error() << "cannot take " << *known << " boxes";
  require(node, apply<graph::GreaterEqualOp>(given->most, given->most.like(0)),
          "the number of boxes to take is negative");
  bool isPadded = node.boolAttr("pad_to_max_output_size");
  Size all{static_cast<int64_t>(std::clamp<double>(intervalOf(most).high, 0,
                                                   static_cast<double>(size))),
           {}};
  if (isPadded) {
    auto sizes = sizesFrom(node, {most});
    if (failed(sizes))
      return failure();
    all = sizes->front();
  }
  if (all.bound > (1 << 24))
    return node.unsupported("more than 2^24 boxes");
  // Boxes beyond the size have no score above any other.
  Traced scores = given->scores;
  scores.value = castTo(b, scores.value, b.getF32Type());
  scores.value =
      masked(b, scores, -std::numeric_limits<double>::infinity()).value;
  auto op = b.create<graph::SuppressOp>(
      castTo(b, given->boxes.value, b.getF32Type()), scores.value,
      given->overlap.value, given->lowest.value, given->softness.value,
      given->most.value, all.bound);
  if (!isPadded && all.bound)
    all.exact = castTo(b, op.getCount(), b.getI64Type());
  Traced count;
  count.value = op.getCount();
  SmallVector<Traced> results{withSizes(op.getIndices(), {all})};
  bool isFifth = node.op().ends_with("5");
  if (isFifth)
    results.push_back(withSizes(
        castTo(b, op.getScores(), node.type(1).getElementType()), {all}));
  if (isFifth || node.op().ends_with("4"))
    results.push_back(count);
  return node.tracedResults(std::move(results));
}

/// Of one image, and the boxes of one class: the scores of those taken, -inf
/// behind them, the boxes, and how many they are.
struct Taken {
  Expr scores, boxes, count;
};

Taken takeClass(Node &node, Expr boxes, Expr scores, int64_t most) {
  ImplicitLocOpBuilder &b = node.b;
  most = std::min(most, scores.size(0));
  Expr limit(b, splat(b, RankedTensorType::get({}, b.getI32Type()),
                      static_cast<double>(most)));
  auto op = b.create<graph::SuppressOp>(
      boxes.value, scores.value, operand(node, 4).value, operand(node, 5).value,
      scores.like(0).value, limit.value, most);
  Expr count = cast(Expr(b, op.getCount()), b.getI64Type());
  Expr isTaken = apply<graph::LessOp>(iota(b, most), count);
  return {select(isTaken, Expr(b, op.getScores()),
                 scores.like(-std::numeric_limits<double>::infinity())),
          gather(boxes, Expr(b, op.getIndices()), 0), count};
}

/// The best of all classes of each image.
LogicalResult combine(Node &node) {
  if (failed(wantOperands(node, 6)))
    return failure();
  ImplicitLocOpBuilder &b = node.b;
  Expr boxes = operand(node, 0), scores = operand(node, 1);
  auto perClass = node.integer(2), total = node.integer(3);
  if (failed(perClass) || failed(total))
    return failure();
  for (unsigned i : {0, 1, 4, 5})
    if (!node.type(i).getElementType().isF32() || (i > 1 && node.rank(i)))
      return node.error() << "operand " << i << " is " << node.type(i);
  if (boxes.rank() != 4 || scores.rank() != 3 || boxes.size(3) != 4 ||
      boxes.shape().take_front(2) != scores.shape().take_front(2) ||
      (boxes.size(2) != 1 && boxes.size(2) != scores.size(2)) ||
      *perClass < 1 || *perClass > (1 << 24) || *total < 1 ||
      *total > (1 << 24))
    return node.error() << "cannot choose " << *perClass << " and " << *total
                        << " from boxes " << boxes.type() << " with scores "
                        << scores.type();
  int64_t images = scores.size(0), count = scores.size(1),
          classes = scores.size(2), width = *total;
  constexpr int64_t maxClasses = 1024;
  if (images * classes > maxClasses || images * classes == 0 || count == 0)
    return node.unsupported(Twine(images) + " images of " + Twine(classes) +
                            " classes and " + Twine(count) + " boxes");
  if (node.boolAttr("pad_per_class"))
    width = std::min(width, *perClass * classes);
  SmallVector<Expr> parts[4];
  for (int64_t i = 0; i < images; ++i) {
    SmallVector<Expr> own[3];
    Expr taken = number(b, 0);
    for (int64_t c = 0; c < classes; ++c) {
      Expr box = slice(slice(boxes, 0, i, 1), 2, boxes.size(2) > 1 ? c : 0, 1);
      Expr score = slice(slice(scores, 0, i, 1), 2, c, 1);
      Taken one = takeClass(node, reshape(box, {count, 4}),
                            reshape(score, {count}), *perClass);
      own[0].push_back(one.boxes);
      own[1].push_back(one.scores);
      own[2].push_back(filled(node, {one.scores.size(0)}, b.getF32Type(),
                              static_cast<double>(c)));
      taken = taken + one.count;
    }
    Expr all = concat(own[1], 0);
    int64_t kept = std::min(width, all.size(0));
    auto best = b.create<graph::TopKOp>(all.value, kept);
    Expr positions(b, best.getIndices());
    taken = minimum(taken, number(b, kept));
    Expr isTaken = apply<graph::LessOp>(iota(b, kept), taken);
    auto padded = [&](Expr x) {
      Expr mask = x.rank() > 1 ? reshape(isTaken, {kept, 1}) : isTaken;
      x = select(mask, x, x.like(0));
      SmallVector<int64_t> low(x.rank(), 0), high(low), shape(x.shape());
      high[0] = width - kept;
      shape[0] = width;
      shape.insert(shape.begin(), 1);
      return reshape(pad(x, low, high), shape);
    };
    Expr corners = gather(concat(own[0], 0), positions, 0);
    if (node.boolAttr("clip_boxes", true))
      corners = clamp(corners, 0, 1);
    parts[0].push_back(padded(corners));
    parts[1].push_back(padded(Expr(b, best.getValues())));
    parts[2].push_back(padded(gather(concat(own[2], 0), positions, 0)));
    parts[3].push_back(reshape(cast(taken, b.getI32Type()), {1}));
  }
  SmallVector<Expr> results;
  for (ArrayRef<Expr> part : parts)
    results.push_back(concat(part, 0));
  return give(node, results);
}

} // namespace

void addDetectionHandlers(Handlers &handlers) {
  for (const char *name :
       {"NonMaxSuppression", "NonMaxSuppressionV2", "NonMaxSuppressionV3",
        "NonMaxSuppressionV4", "NonMaxSuppressionV5"})
    handlers[name] = suppress;
  handlers["CombinedNonMaxSuppression"] = combine;
}

void addBoundedDetectionHandlers(BoundedHandlers &handlers) {
  for (const char *name :
       {"NonMaxSuppression", "NonMaxSuppressionV2", "NonMaxSuppressionV3",
        "NonMaxSuppressionV4", "NonMaxSuppressionV5"})
    handlers[name] = suppress;
}

} // namespace weir::tensorflow
