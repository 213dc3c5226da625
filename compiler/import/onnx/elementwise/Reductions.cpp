// Reductions along axes, which are an attribute in the first opsets and an
// operand, often a constant, in later ones.

#include "compiler/import/build/Norms.h"
#include "compiler/import/onnx/Choice.h"
#include "compiler/import/onnx/Scalars.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Reduce.h"

using namespace mlir;

namespace weir::onnx {
namespace {

template <typename Op>
Expr reduce(Expr x, ArrayRef<int64_t> dims) {
  return x ? Expr(*x.b, make<Op>(*x.b, x.value, dims)) : x;
}

using Reduce = Expr (*)(Expr x, ArrayRef<int64_t> dims);

/// For Booleans, which are ordered since opset 20.
template <typename Op, typename BoolOp>
Expr extreme(Expr x, ArrayRef<int64_t> dims) {
  return x.elementType().isInteger(1) ? reduce<BoolOp>(x, dims)
                                      : reduce<Op>(x, dims);
}

/// Of 64-bit integers, whose sum may be none, rounded to zero as a division is:
/// the quotients are summed, and the remainders, which are small.
Expr meanOfLong(Expr x, ArrayRef<int64_t> dims) {
  int64_t count = 1;
  for (int64_t dim : dims)
    count *= x.size(dim);
  Expr number = x.like(static_cast<double>(count));
  Expr quotients = apply<graph::FloorDivOp>(x, number);
  Expr rest = sum(x - quotients * number, dims);
  Expr whole = sum(quotients, dims) + apply<graph::FloorDivOp>(rest, number);
  Expr isExact = equal(apply<graph::FloorModOp>(rest, number), x.like(0));
  Expr isRounded = both(less(whole, x.like(0)), isFalse(isExact));
  return select(isRounded, whole + 1, whole);
}

Expr meanOf(Expr x, ArrayRef<int64_t> dims) {
  Type type = x.elementType();
  if (isa<FloatType>(type))
    return cast(mean(widened(x), dims), type);
  if (type.getIntOrFloatBitWidth() < 64)
    return cast(mean(cast(x, x.b->getI64Type()), dims), type);
  return x.type().getNumElements() == 0 ? mean(x, dims) : meanOfLong(x, dims);
}

Expr l1(Expr x, ArrayRef<int64_t> dims) {
  return sum(apply<graph::AbsOp>(x), dims);
}

Expr sumSquare(Expr x, ArrayRef<int64_t> dims) { return sum(x * x, dims); }

/// Integers are summed as they are; the root is a float's.
Expr l2(Expr x, ArrayRef<int64_t> dims) {
  Type type = x.elementType();
  Expr squares = sumSquare(widened(x), dims);
  if (isa<IntegerType>(type))
    squares = cast(squares, x.b->getF64Type());
  return cast(rootOfPowers(squares, 2), type);
}

Expr logSum(Expr x, ArrayRef<int64_t> dims) {
  Type type = x.elementType();
  Expr total = sum(widened(x), dims);
  if (isa<IntegerType>(type))
    total = cast(total, x.b->getF64Type());
  return cast(apply<graph::LogOp>(total), type);
}

/// Less the greatest element, so that no exponential is too large.
Expr logSumExp(Expr x, ArrayRef<int64_t> dims) {
  Type type = x.elementType();
  x = isa<IntegerType>(type) ? cast(x, x.b->getF64Type()) : widened(x);
  Expr top = reduce<graph::ReduceMaxOp>(x, dims);
  // Where all are infinite, infinity less itself would be no number.
  top = select(apply<graph::IsFiniteOp>(top), top, top.like(0));
  Integers kept(x.shape());
  for (int64_t dim : dims)
    kept[dim] = 1;
  Expr exps = apply<graph::ExpOp>(x - reshape(top, kept));
  return cast(apply<graph::LogOp>(sum(exps, dims)) + top, type);
}

Integers resultShape(ArrayRef<int64_t> shape, ArrayRef<int64_t> dims,
                     bool keep) {
  Integers result;
  for (int64_t d = 0, rank = static_cast<int64_t>(shape.size()); d < rank;
       ++d) {
    if (!llvm::is_contained(dims, d))
      result.push_back(shape[d]);
    else if (keep)
      result.push_back(1);
  }
  return result;
}

/// Axes that only the run knows: of all that give the shape that the model
/// promises, the one that it names.
LogicalResult reduceByData(Node &node, Reduce function, Expr x, bool keep) {
  SmallVector<Expr> axes;
  if (failed(readScalars(node, 1, axes)))
    return failure();
  auto promised = node.declaredShape(0);
  auto count = static_cast<int64_t>(axes.size());
  if (x.rank() > choiceRank || count > x.rank())
    return node.unsupported("axes that are not known at compile time");
  SmallVector<Integers> fitting;
  for (Integers &dims : dimChoices(x.rank(), count)) {
    Integers shape = resultShape(x.shape(), dims, keep);
    bool fits = !promised || *promised == shape;
    if (fits)
      fitting.push_back(dims);
  }
  for (const Integers &dims : fitting)
    if (resultShape(x.shape(), dims, keep) !=
        resultShape(x.shape(), fitting.front(), keep))
      return node.unsupported("axes that are not known at compile time, and "
                              "that the shape of the result depends on");
  if (fitting.empty())
    return node.error() << "has no axes that give the result's shape";
  Expr result, known;
  for (const Integers &dims : fitting) {
    Expr isThis = namesAll(node, axes, dims, x.rank());
    Expr y = reshape(function(x, dims), resultShape(x.shape(), dims, keep));
    result = result ? select(isThis, y, result) : y;
    if (isThis)
      known = known ? either(known, isThis) : isThis;
  }
  if (known && failed(check(node, known,
                            "its axes do not give the shape that the model "
                            "says of its result")))
    return failure();
  return give(node, result);
}

template <Reduce function, Elements elements = Elements::numbers>
LogicalResult importReduction(Node &node) {
  if (failed(wantOperands(node, 1, 2)) ||
      failed(wantElements(node, 0, elements)))
    return failure();
  Expr x = operand(node, 0);
  bool keep = node.intAttr("keepdims", 1) != 0;
  bool isDynamic =
      node.has(1) && node.type(1).getNumElements() && !node.tryConstant(1);
  if (isDynamic && node.rank(1) == 1)
    return reduceByData(node, function, x, keep);
  FailureOr<std::optional<Integers>> given = std::optional(Integers());
  // A list without elements is known, whatever gives it.
  if (!node.has(1) || node.type(1).getNumElements())
    given = integersAt(node, "axes", 1);
  if (failed(given))
    return failure();
  auto dims = node.axes(*given ? **given : Integers(), x.rank());
  if (failed(dims))
    return failure();
  if (dims->empty()) {
    if (node.intAttr("noop_with_empty_axes"))
      return give(node, reshape(function(x, {}), x.shape()));
    *dims = llvm::to_vector(llvm::seq<int64_t>(0, x.rank()));
  }
  llvm::sort(*dims);
  return give(node,
              reshape(function(x, *dims), resultShape(x.shape(), *dims, keep)));
}

/// Before opset 12 the first of equal elements, later also the last.
template <typename Op>
LogicalResult importArg(Node &node) {
  if (failed(wantOperands(node, 1, 1)))
    return failure();
  Expr x = operand(node, 0);
  FailureOr<int64_t> axis = node.axis(node.intAttr("axis"), x.rank());
  if (failed(axis))
    return failure();
  int64_t size = x.size(*axis);
  if (size == 0)
    return node.error() << "finds no element along axis " << *axis << " of "
                        << x.type();
  bool last = node.intAttr("select_last_index") != 0;
  if (last)
    x = reverse(x, *axis);
  Integers shape(x.shape());
  shape.erase(shape.begin() + *axis);
  auto type = RankedTensorType::get(shape, node.b.getI64Type());
  Expr position(
      node.b, make<Op>(node.b, type, x.value, node.b.getI64IntegerAttr(*axis)));
  if (last)
    position = static_cast<double>(size - 1) - position;
  if (node.intAttr("keepdims", 1))
    shape.insert(shape.begin() + *axis, 1);
  return give(node, reshape(position, shape));
}

/// Along an axis that an operand names.
template <typename Op>
LogicalResult importCumulative(Node &node) {
  if (failed(wantOperands(node, 2, 2)) ||
      failed(wantElements(node, 0, Elements::numbers)))
    return failure();
  Expr x = operand(node, 0);
  auto along = [&](int64_t axis) {
    return Expr(node.b,
                make<Op>(node.b, x.type(), x.value, static_cast<uint64_t>(axis),
                         node.intAttr("exclusive") != 0,
                         node.intAttr("reverse") != 0));
  };
  if (node.tryConstant(1)) {
    FailureOr<int64_t> given = node.integer(1);
    if (failed(given))
      return failure();
    FailureOr<int64_t> axis = node.axis(*given, x.rank());
    return failed(axis) ? failure() : give(node, along(*axis));
  }
  // All axes, of which the run takes one.
  SmallVector<Expr> named;
  if (failed(readScalars(node, 1, named)))
    return failure();
  if (named.size() != 1 || !x.rank())
    return node.error() << "names no axis with " << node.type(1);
  Expr axis = named[0];
  axis =
      select(less(axis, number(node, 0)), axis + number(node, x.rank()), axis);
  if (failed(check(node, inRange(axis, number(node, 0), number(node, x.rank())),
                   "its axis is none of the operand's dimensions")))
    return failure();
  Expr result = along(0);
  for (int64_t d = 1; d < x.rank(); ++d)
    result = select(equal(axis, number(node, d)), along(d), result);
  return give(node, result);
}

} // namespace

void addReductionHandlers(Handlers &handlers) {
  constexpr Elements any = Elements::any;
  handlers["ArgMax"] = importArg<graph::ArgMaxOp>;
  handlers["ArgMin"] = importArg<graph::ArgMinOp>;
  handlers["CumProd"] = importCumulative<graph::CumulativeProdOp>;
  handlers["CumSum"] = importCumulative<graph::CumulativeSumOp>;
  handlers["ReduceL1"] = importReduction<l1>;
  handlers["ReduceL2"] = importReduction<l2>;
  handlers["ReduceLogSum"] = importReduction<logSum>;
  handlers["ReduceLogSumExp"] = importReduction<logSumExp>;
  handlers["ReduceMax"] =
      importReduction<extreme<graph::ReduceMaxOp, graph::ReduceOrOp>, any>;
  handlers["ReduceMean"] = importReduction<meanOf>;
  handlers["ReduceMin"] =
      importReduction<extreme<graph::ReduceMinOp, graph::ReduceAndOp>, any>;
  handlers["ReduceProd"] = importReduction<reduce<graph::ReduceProdOp>>;
  handlers["ReduceSum"] = importReduction<reduce<graph::ReduceSumOp>>;
  handlers["ReduceSumSquare"] = importReduction<sumSquare>;
}

} // namespace weir::onnx
