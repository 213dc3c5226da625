// Boxes of elements, cut out, widened or put in place.

#include "compiler/import/onnx/shape/Slices.h"

#include "compiler/import/onnx/Operands.h"
#include "compiler/import/onnx/Scalars.h"
#include "compiler/import/rules/Counts.h"
#include "compiler/import/rules/Slices.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Index.h"
#include "dialects/graph/Shape.h"

using namespace mlir;

namespace weir::onnx {
namespace {

/// The lists of a Slice: attributes before opset 10.
struct Lists {
  Integers starts, ends, axes, steps;
};

FailureOr<Lists> knownLists(Node &node, int64_t rank) {
  Lists lists;
  auto read = [&](Integers &to, StringRef name, unsigned i) {
    auto given = integersAt(node, name, i);
    if (failed(given))
      return failure();
    if (*given)
      to = **given;
    return success();
  };
  if (failed(read(lists.starts, "starts", 1)) ||
      failed(read(lists.ends, "ends", 2)) ||
      failed(read(lists.axes, "axes", 3)) ||
      failed(read(lists.steps, "steps", 4)))
    return failure();
  size_t count = lists.starts.size();
  if (lists.axes.empty() && !node.has(3) && !node.hasAttr("axes"))
    lists.axes =
        llvm::to_vector(llvm::seq<int64_t>(0, static_cast<int64_t>(count)));
  if (lists.steps.empty() && !node.has(4))
    lists.steps.assign(count, 1);
  if (lists.ends.size() != count || lists.axes.size() != count ||
      lists.steps.size() != count)
    return node.error() << "has " << count << " starts, " << lists.ends.size()
                        << " ends, " << lists.axes.size() << " axes and "
                        << lists.steps.size() << " steps";
  auto axes = node.axes(lists.axes, rank);
  if (failed(axes))
    return failure();
  lists.axes = *axes;
  return lists;
}

LogicalResult sliceByLists(Node &node, Expr x, const Lists &lists) {
  for (auto [start, end, axis, step] :
       llvm::zip(lists.starts, lists.ends, lists.axes, lists.steps)) {
    int64_t size = x.size(axis);
    if (step == 0 || step == std::numeric_limits<int64_t>::min())
      return node.error() << "steps by " << step;
    if (size == 0)
      continue;
    // A start below the first element is the first one, also going down.
    int64_t from = std::max<int64_t>(start < 0 ? start + size : start, 0);
    StaticRange range = rangeIn(size, from, end, step).ascending();
    x = slice(x, axis, range.start, range.size, range.stride);
    if (range.size > 0 && step < 0)
      x = reverse(x, axis);
  }
  return give(node, x);
}

/// What a number is made of by ops that only move it.
Value sourceOf(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    bool moves = isa<graph::ReshapeOp, graph::BroadcastOp>(op) ||
                 (isa<graph::SliceOp>(op) &&
                  typeOf(op->getOperand(0)).getNumElements() == 1);
    if (!moves)
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// How much more `end` is than `start`, in every run; both are scalars.
std::optional<int64_t> distance(Value start, Value end) {
  auto sum = sourceOf(end).getDefiningOp<graph::AddOp>();
  if (!sum)
    return std::nullopt;
  for (unsigned i : {0u, 1u}) {
    if (sourceOf(sum->getOperand(i)) != sourceOf(start))
      continue;
    if (auto number = knownNumber(sum->getOperand(1 - i)))
      return number;
  }
  return std::nullopt;
}

/// The shape of what lies between starts and ends that only the run knows,
/// where it is known how far each two are from each other; the run checks that
/// all of it is inside.
std::optional<Integers> shapeByDistance(Node &node, Expr x) {
  if (!node.has(1) || !node.has(2) || (node.has(3) && !node.tryConstant(3)) ||
      (node.has(4) && !node.tryConstant(4)))
    return std::nullopt;
  SmallVector<Expr> starts, ends;
  if (failed(readScalars(node, 1, starts)) ||
      failed(readScalars(node, 2, ends)))
    return std::nullopt;
  Integers axes = llvm::to_vector(
      llvm::seq<int64_t>(0, static_cast<int64_t>(starts.size())));
  Integers steps(starts.size(), 1);
  auto read = [&](unsigned i, Integers &to) {
    if (!node.has(i))
      return true;
    FailureOr<Integers> given = node.integers(i);
    if (succeeded(given))
      to = *given;
    return succeeded(given);
  };
  if (!read(3, axes) || !read(4, steps) || axes.size() != starts.size() ||
      ends.size() != starts.size() || steps.size() != starts.size())
    return std::nullopt;
  Integers shape(x.shape());
  for (auto [start, end, axis, step] :
       llvm::zip_equal(starts, ends, axes, steps)) {
    int64_t d = axis < 0 ? axis + x.rank() : axis;
    auto size = distance(start.value, end.value);
    if (d < 0 || d >= x.rank() || step != 1 || !size || *size < 0 ||
        *size > shape[d])
      return std::nullopt;
    shape[d] = *size;
  }
  return shape;
}

} // namespace

bool isCutByDistance(Node &node) {
  return shapeByDistance(node, operand(node, 0)).has_value();
}

namespace {

/// Starts, ends, axes or steps that only the run knows: where the elements of
/// the promised result are, along each dimension.
LogicalResult sliceByData(Node &node, Expr x) {
  FailureOr<Integers> shape = failure();
  if (auto known = shapeByDistance(node, x))
    shape = *known;
  else
    shape = promisedShape(node, 0, "what it cuts out");
  if (failed(shape))
    return failure();
  SmallVector<Expr> starts, ends, axes, steps;
  if (failed(readScalars(node, 1, starts)) ||
      failed(readScalars(node, 2, ends)) ||
      failed(readScalars(node, 3, axes)) || failed(readScalars(node, 4, steps)))
    return failure();
  size_t count = starts.size();
  if (!node.has(3))
    for (size_t i = 0; i < count; ++i)
      axes.push_back(number(node, static_cast<int64_t>(i)));
  if (!node.has(4))
    steps.assign(count, number(node, 1));
  if (ends.size() != count || axes.size() != count || steps.size() != count ||
      static_cast<int64_t>(shape->size()) != x.rank())
    return node.error() << "its starts, ends, axes and steps do not fit "
                        << x.type();
  Expr zero = number(node, 0), one = number(node, 1);
  for (int64_t d = 0; d < x.rank(); ++d) {
    int64_t extent = x.size(d), size = (*shape)[d];
    Expr whole = number(node, extent);
    Expr start = zero, end = whole, step = one;
    for (size_t i = 0; i < count; ++i) {
      Expr isThis = either(equal(axes[i], number(node, d)),
                           equal(axes[i], number(node, d - x.rank())));
      start = select(isThis, starts[i], start);
      end = select(isThis, ends[i], end);
      step = select(isThis, steps[i], step);
    }
    Expr back = less(step, zero);
    auto inside = [&](Expr at, Expr low, Expr high) {
      at = select(less(at, zero), at + whole, at);
      return minimum(maximum(at, low), high);
    };
    Expr top = select(back, whole - one, whole);
    Expr from = inside(start, zero, maximum(top, zero));
    Expr to = inside(end, select(back, -one, zero), top);
    Expr safe = select(equal(step, zero), one, step);
    Expr taken = maximum(stepsBetween(from, to, safe), zero);
    if (failed(check(
            node,
            both(equal(taken, number(node, size)), isFalse(equal(step, zero))),
            "cuts out another shape than the model says")))
      return failure();
    if (size == extent && size == 0)
      continue;
    if (size == 0) {
      x = slice(x, d, 0, 0);
      continue;
    }
    if (extent == 0)
      return node.error() << "cuts [" << *shape << "] out of " << x.type();
    Expr positions = iota(node, size, node.b.getI64Type(), 0) * step + from;
    x = gather(x, positions, d);
  }
  return give(node, x);
}

/// DynamicSlice was an experiment with what Slice takes since opset 10.
LogicalResult importSlice(Node &node) {
  if (failed(wantOperands(node, 1, 5)))
    return failure();
  Expr x = operand(node, 0);
  for (unsigned i = 1; i < 5; ++i)
    if (node.has(i) && node.type(i).getNumElements() && !node.tryConstant(i))
      return sliceByData(node, x);
  FailureOr<Lists> lists = knownLists(node, x.rank());
  return failed(lists) ? failure() : sliceByLists(node, x, *lists);
}

/// Cuts or pads each axis around its middle.
LogicalResult importCenterCropPad(Node &node) {
  if (failed(wantOperands(node, 2, 2)))
    return failure();
  Expr x = operand(node, 0);
  Integers all = llvm::to_vector(llvm::seq<int64_t>(0, x.rank()));
  auto axes =
      node.axes(node.hasAttr("axes") ? node.intsAttr("axes") : all, x.rank());
  if (failed(axes))
    return failure();
  Integers target;
  if (node.tryConstant(1)) {
    FailureOr<Integers> given = node.integers(1);
    if (failed(given))
      return failure();
    target = *given;
  } else {
    FailureOr<Integers> promised = promisedShape(node, 0, "its shape");
    if (failed(promised))
      return failure();
    SmallVector<Expr> given;
    if (failed(readScalars(node, 1, given)))
      return failure();
    if (static_cast<int64_t>(promised->size()) != x.rank() ||
        given.size() != axes->size())
      return node.error() << "makes [" << *promised << "] of " << x.type();
    for (auto [axis, size] : llvm::zip(*axes, given)) {
      target.push_back((*promised)[axis]);
      if (failed(check(node, equal(size, number(node, target.back())),
                       "makes another shape than the model says")))
        return failure();
    }
  }
  if (target.size() != axes->size())
    return node.error() << "has " << target.size() << " sizes for "
                        << axes->size() << " axes";
  Integers low(x.rank()), high(x.rank());
  Integers shape(x.shape());
  for (auto [axis, size] : llvm::zip(*axes, target)) {
    if (size < 0)
      return node.error() << "makes dimension " << axis << " of size " << size;
    int64_t extent = x.size(axis);
    // What is cut off of an odd number goes to the end; so does what is added.
    int64_t before =
        size > extent ? (size - extent) / 2 : -((extent - size) / 2);
    low[axis] = before;
    high[axis] = size - extent - before;
    shape[axis] = size;
  }
  if (!byteSize(shape, 1))
    return node.error() << "makes the shape [" << shape << "]";
  return give(node, pad(x, low, high));
}

/// Each sequence backward up to its length.
LogicalResult importReverseSequence(Node &node) {
  if (failed(wantOperands(node, 2, 2)))
    return failure();
  Expr x = operand(node, 0), lengths = operand(node, 1);
  if (x.rank() < 2)
    return node.error() << "has no sequences in " << x.type();
  FailureOr<int64_t> batch = node.axis(node.intAttr("batch_axis", 1), x.rank());
  FailureOr<int64_t> time = node.axis(node.intAttr("time_axis", 0), x.rank());
  if (failed(batch) || failed(time))
    return failure();
  if (*batch == *time || lengths.rank() != 1 ||
      lengths.size(0) != x.size(*batch))
    return node.error() << "has lengths " << lengths.type() << " for "
                        << x.type();
  Integers order{*batch, *time}, back(x.rank());
  for (int64_t d = 0; d < x.rank(); ++d)
    if (d != *batch && d != *time)
      order.push_back(d);
  for (auto [to, from] : llvm::enumerate(order))
    back[from] = static_cast<int64_t>(to);
  int64_t count = x.size(*batch), steps = x.size(*time);
  if (x.type().getNumElements() == 0)
    return give(node, x);
  Type i64 = node.b.getI64Type();
  Expr step = iota(node, {count, steps}, i64, 1);
  Expr length = reshape(cast(lengths, i64), {count, 1});
  Expr position = select(less(step, broadcast(length, {count, steps})),
                         length - 1 - step, step);
  Expr sequences = transpose(x, order);
  Value taken = make<graph::GatherOp>(node.b, sequences.value, position.value,
                                      uint64_t(1), uint64_t(1));
  return give(node, transpose(Expr(node.b, taken), back));
}

} // namespace

void addSliceHandlers(Handlers &handlers) {
  handlers["CenterCropPad"] = importCenterCropPad;
  handlers["ReverseSequence"] = importReverseSequence;
  handlers["DynamicSlice"] = importSlice;
  handlers["Slice"] = importSlice;
}

} // namespace weir::onnx
