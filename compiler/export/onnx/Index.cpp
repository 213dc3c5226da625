// Ops that choose or order elements by values of a run. Indices beyond a
// dimension are errors or undefined in ONNX, so nodes limit them first.

#include "compiler/export/onnx/Ops.h"

#include "dialects/graph/Elements.h"
#include "dialects/graph/Index.h"

using namespace mlir;
using namespace weir::graph;

namespace weir::to_onnx {
namespace {

Tensor asI64(Writer &w, Tensor tensor) {
  return w.cast(std::move(tensor), w.builder().getI64Type());
}

/// Limited to 0 and `most`, which broadcasts.
Tensor limited(Writer &w, Tensor indices, Tensor most) {
  Tensor low = w.map("Max", {indices, w.number(0, indices.element)});
  return w.map("Min", {low, most});
}

/// Index vectors into dimensions of these sizes.
Tensor vectorsOf(Writer &w, Value value, ArrayRef<int64_t> sizes) {
  Tensor indices = asI64(w, w.whole(value));
  if (sizes.empty() || areInRange(value, sizes))
    return indices;
  Sizes most;
  for (int64_t size : sizes)
    most.push_back(size - 1);
  return limited(w, indices, w.numbers(most));
}

/// Without batch dimensions the operand keeps its order in the file.
LogicalResult writePlainGather(Writer &w, GatherOp op) {
  int64_t axis = op.getAxis();
  View view = w.filled(op.getX());
  Tensor indices =
      indicesOf(w, op.getIndices(), typeOf(op.getX()).getDimSize(axis));
  int64_t at = view.order[axis], count = indices.rank();
  Sizes shape(ArrayRef(view.full).take_front(at));
  shape.append(indices.shape);
  llvm::append_range(shape, ArrayRef(view.full).drop_front(at + 1));
  Sizes order;
  for (auto [dim, inFile] : llvm::enumerate(view.order))
    if (int64_t(dim) == axis)
      for (int64_t i = 0; i < count; ++i)
        order.push_back(at + i);
    else
      order.push_back(inFile < at ? inFile : inFile + count - 1);
  Tensor result = w.node("Gather", {view.tensor, indices})
                      .set("axis", at)
                      .result(shape, view.tensor.element);
  w.hold(op, {result, shape, order});
  return success();
}

/// GatherND indexes the dimension after the batch dimensions.
LogicalResult writeGather(Writer &w, GatherOp op) {
  int64_t axis = op.getAxis(), batch = op.getBatchDims();
  if (batch == 0)
    return writePlainGather(w, op);
  RankedTensorType type = typeOf(op.getX());
  int64_t rank = type.getRank();
  int64_t count = typeOf(op.getIndices()).getRank();
  Sizes operandOrder = countUp(rank);
  std::rotate(operandOrder.begin() + batch, operandOrder.begin() + axis,
              operandOrder.begin() + axis + 1);
  Tensor x = w.ordered(op.getX(), operandOrder);
  Tensor indices =
      asI64(w, indicesOf(w, op.getIndices(), type.getDimSize(axis)));
  Sizes vectors = indices.shape;
  vectors.push_back(1);
  Sizes shape = indices.shape;
  llvm::append_range(shape, ArrayRef(x.shape).drop_front(batch + 1));
  // Batch, dimensions before the axis, indices, dimensions after it.
  Sizes order = countUp(batch);
  for (int64_t i = batch; i < axis; ++i)
    order.push_back(count + i - batch);
  for (int64_t i = batch; i < count; ++i)
    order.push_back(i);
  for (int64_t i = axis + 1; i < rank; ++i)
    order.push_back(count + i - 1 - batch);
  Tensor result = w.node("GatherND", {x, w.reshaped(indices, vectors)})
                      .set("batch_dims", batch)
                      .result(shape, x.element);
  w.hold(op, {result, shape, order});
  return success();
}

LogicalResult writeGatherNd(Writer &w, GatherNdOp op) {
  int64_t batch = op.getBatchDims();
  RankedTensorType type = typeOf(op.getX());
  int64_t depth = typeOf(op.getIndices()).getShape().back();
  Tensor indices =
      vectorsOf(w, op.getIndices(), type.getShape().slice(batch, depth));
  RankedTensorType result = typeOf(op.getResult());
  w.hold(op, w.node("GatherND", {w.whole(op.getX()), indices})
                 .set("batch_dims", batch)
                 .result(result.getShape(), result.getElementType()));
  return success();
}

LogicalResult writeDynamicSlice(Writer &w, DynamicSliceOp op) {
  RankedTensorType type = typeOf(op.getX());
  SmallVector<Tensor> starts;
  Sizes sizes, axes;
  for (auto [d, start] : llvm::enumerate(op.getStarts())) {
    int64_t size = op.getSizes()[d], most = type.getDimSize(d) - size;
    if (most == 0)
      continue;
    Tensor index = asI64(w, indicesOf(w, start, most + 1));
    starts.push_back(w.reshaped(index, int64_t(1)));
    sizes.push_back(size);
    axes.push_back(d);
  }
  Tensor x = w.whole(op.getX());
  if (axes.empty()) {
    w.hold(op, x);
    return success();
  }
  Type i64 = w.builder().getI64Type();
  Tensor first = starts.front();
  if (starts.size() > 1)
    first = w.node("Concat", starts)
                .set("axis", int64_t(0))
                .result(int64_t(starts.size()), i64);
  Tensor ends = w.map("Add", {first, w.numbers(sizes)});
  RankedTensorType result = typeOf(op.getResult());
  w.hold(op, w.node("Slice", {x, first, ends, w.numbers(axes)})
                 .result(result.getShape(), result.getElementType()));
  return success();
}

/// Compares with each position: ONNX's OneHot counts negative indices from the
/// end.
LogicalResult writeOneHot(Writer &w, OneHotOp op) {
  int64_t axis = op.getAxis(), depth = op.getDepth();
  Tensor indices = asI64(w, w.whole(op.getIndices()));
  Sizes shape = indices.shape, positions(indices.rank() - axis + 1, 1);
  shape.insert(shape.begin() + axis, 1);
  positions[0] = depth;
  Tensor isAt = w.map("Equal",
                      {w.reshaped(indices, shape),
                       w.reshaped(w.numbers(countUp(depth)), positions)},
                      w.builder().getI1Type());
  w.hold(op, w.map("Where", {isAt, w.whole(op.getOn()), w.whole(op.getOff())}));
  return success();
}

/// Values and indices of the first `count` along the last dimension.
std::pair<Tensor, Tensor> topOf(Writer &w, Tensor x, int64_t count,
                                bool isLargest) {
  Sizes shape = x.shape;
  shape.back() = count;
  Node node = w.node("TopK", {x, w.numbers(count)})
                  .set("axis", x.rank() - 1)
                  .set("largest", int64_t(isLargest))
                  .set("sorted", int64_t(1));
  Tensor values = node.result(shape, x.element);
  return {values, node.result(shape, w.builder().getI64Type())};
}

LogicalResult writeTopK(Writer &w, TopKOp op) {
  Tensor x = w.whole(op.getX());
  if (x.element.isInteger(1))
    return w.refuse("Booleans have no order");
  auto [values, indices] = topOf(w, x, op.getK(), true);
  w.hold(op.getValues(), values);
  w.hold(op.getIndices(), w.cast(indices, w.builder().getI32Type()));
  return success();
}

LogicalResult writeSort(Writer &w, SortOp op) {
  Tensor keys = w.whole(op.getInputs().front());
  if (keys.element.isInteger(1))
    return w.refuse("Booleans have no order");
  auto [values, indices] =
      topOf(w, keys, keys.shape.back(), op.getDescending());
  w.hold(op.getOutputs().front(), values);
  for (auto [input, output] :
       llvm::drop_begin(llvm::zip_equal(op.getInputs(), op.getOutputs()))) {
    Tensor x = w.whole(input);
    w.hold(output, w.node("GatherElements", {x, indices})
                       .set("axis", x.rank() - 1)
                       .result(x.shape, x.element));
  }
  return success();
}

/// Counts the smaller elements.
LogicalResult writeSearchSorted(Writer &w, SearchSortedOp op) {
  Tensor sorted = w.whole(op.getSorted()), values = w.whole(op.getValues());
  Sizes rows = sorted.shape, columns = values.shape;
  rows.insert(rows.end() - 1, 1);
  columns.push_back(1);
  Tensor isBefore =
      w.map(op.getRight() ? "LessOrEqual" : "Less",
            {w.reshaped(sorted, rows), w.reshaped(values, columns)},
            w.builder().getI1Type());
  Type i32 = w.builder().getI32Type();
  w.hold(op, w.reduced("ReduceSum", w.cast(isBefore, i32), values.rank(),
                       /*keepsDims=*/false));
  return success();
}

} // namespace

bool areInRange(Value indices, ArrayRef<int64_t> limits) {
  std::optional<SmallVector<int64_t>> numbers = integersOf(constantOf(indices));
  if (!numbers)
    return false;
  for (auto [i, number] : llvm::enumerate(*numbers))
    if (number < 0 || number >= limits[i % limits.size()])
      return false;
  return true;
}

Tensor indicesOf(Writer &w, Value value, int64_t size) {
  Tensor indices = w.whole(value);
  if (areInRange(value, size))
    return indices;
  return limited(w, indices,
                 w.number(static_cast<double>(size - 1), indices.element));
}

void addIndex(OpWriters &writers) {
  addWriter<GatherOp, writeGather>(writers);
  addWriter<GatherNdOp, writeGatherNd>(writers);
  addWriter<DynamicSliceOp, writeDynamicSlice>(writers);
  addWriter<OneHotOp, writeOneHot>(writers);
  addWriter<TopKOp, writeTopK>(writers);
  addWriter<SortOp, writeSort>(writers);
  addWriter<SearchSortedOp, writeSearchSorted>(writers);
}

} // namespace weir::to_onnx
