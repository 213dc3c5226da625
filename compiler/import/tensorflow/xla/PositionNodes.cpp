// XLA's gather and scatter: boxes of a tensor at computed places.

#include "compiler/import/bounded/PaddedBuffers.h"
#include "compiler/import/rules/Gathers.h"
#include "compiler/import/tensorflow/bounded/Bounds.h"
#include "compiler/import/tensorflow/proto/xla.pb.h"
#include "compiler/import/tensorflow/shape/Moves.h"
#include "compiler/import/tensorflow/xla/Computation.h"
#include "compiler/import/tensorflow/xla/Xla.h"

#include "dialects/graph/Elements.h"
#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Index.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace weir::tensorflow {
namespace {

/// Boxes of `sizes` in a tensor, whose starts are vectors along the last
/// dimension of `starts`: element k of dimension map[k].
struct Boxes {
  Expr starts;
  Integers map, sizes;
  /// Dimensions along which boxes lie in different places, and the others.
  Integers indexed, whole;

  Integers batch() const { return Integers(starts.shape().drop_back()); }
};

/// `starts` with its vectors last, in i64.
Expr vectorsLast(Expr starts, int64_t dim) {
  if (dim == starts.rank()) {
    Integers shape(starts.shape());
    shape.push_back(1);
    starts = reshape(starts, shape);
  } else {
    Integers order;
    for (int64_t i = 0; i < starts.rank(); ++i)
      if (i != dim)
        order.push_back(i);
    order.push_back(dim);
    starts = transpose(starts, order);
  }
  return cast(starts, starts.b->getI64Type());
}

/// Component `k` of the starts, with `rank` - 1 dimensions of size 1 after the
/// batch's, before the last.
Expr component(const Boxes &boxes, size_t k, size_t rank) {
  Integers shape = boxes.batch();
  shape.append(rank, 1);
  int64_t last = boxes.starts.rank() - 1;
  return reshape(slice(boxes.starts, last, static_cast<int64_t>(k), 1), shape);
}

/// Index vectors along the indexed dimensions, of shape [batch, sizes of the
/// boxes along them, their number]. `start` gives where a box begins.
Expr indexVectors(const Boxes &boxes,
                  llvm::function_ref<Expr(int64_t dim, Expr start)> start) {
  ImplicitLocOpBuilder &b = *boxes.starts.b;
  size_t count = boxes.indexed.size(), batch = boxes.batch().size();
  Integers shape = boxes.batch();
  for (int64_t dim : boxes.indexed)
    shape.push_back(boxes.sizes[dim]);
  shape.push_back(1);
  SmallVector<Expr> parts;
  for (auto [i, dim] : llvm::enumerate(boxes.indexed)) {
    Expr at = number(b, 0);
    const auto *found = llvm::find(boxes.map, dim);
    if (found != boxes.map.end())
      at = component(boxes, found - boxes.map.begin(), count + 1);
    Integers along(batch + count + 1, 1);
    along[batch + i] = boxes.sizes[dim];
    Expr offsets = reshape(iota(b, boxes.sizes[dim]), along);
    parts.push_back(broadcast(start(dim, at) + offsets, shape));
  }
  return concat(parts, static_cast<int64_t>(shape.size()) - 1);
}

Integers inverseOf(ArrayRef<int64_t> order) {
  Integers inverse(order.size());
  for (auto [to, from] : llvm::enumerate(order))
    inverse[from] = static_cast<int64_t>(to);
  return inverse;
}

LogicalResult importXlaGather(Node &node) {
  auto numbers =
      messageAttr<xla::GatherDimensionNumbers>(node, "dimension_numbers");
  if (failed(numbers) || failed(wantOperands(node, 3)))
    return failure();
  if (numbers->operand_batching_dims_size())
    return node.unsupported("batching dimensions");
  auto sizes = node.integers(2);
  if (failed(sizes))
    return failure();
  Expr x = operand(node, 0), starts = operand(node, 1);
  int64_t rank = x.rank(), vectorDim = numbers->index_vector_dim();
  Integers collapsed(integersOf(numbers->collapsed_slice_dims())),
      offsets(integersOf(numbers->offset_dims()));
  Boxes boxes{{}, integersOf(numbers->start_index_map()), *sizes, {}, {}};
  if (!isIndexType(starts.elementType()) || vectorDim < 0 ||
      vectorDim > starts.rank() || !areDims(collapsed, rank) ||
      !areDims(boxes.map, rank) ||
      boxes.sizes.size() != static_cast<size_t>(rank))
    return node.error() << "its dimensions do not suit " << x.type() << " and "
                        << starts.type();
  boxes.starts = vectorsLast(starts, vectorDim);
  int64_t batch = boxes.starts.rank() - 1,
          resultRank = batch + static_cast<int64_t>(offsets.size());
  if (boxes.starts.shape().back() != static_cast<int64_t>(boxes.map.size()) ||
      offsets.size() + collapsed.size() != static_cast<size_t>(rank) ||
      !areDims(offsets, resultRank) || !llvm::is_sorted(offsets))
    return node.error() << "its dimensions do not suit " << x.type() << " and "
                        << starts.type();
  for (int64_t dim = 0; dim < rank; ++dim) {
    int64_t size = boxes.sizes[dim];
    bool isCollapsed = llvm::is_contained(collapsed, dim);
    if (size < 0 || size > x.size(dim) || (isCollapsed && size > 1))
      return node.error() << "takes " << size << " of " << x.size(dim)
                          << " elements along dimension " << dim;
    // Boxes that nothing places begin at 0.
    bool isPlaced = llvm::is_contained(boxes.map, dim);
    if (!isPlaced)
      x = slice(x, dim, 0, size);
    (isPlaced && size != x.size(dim) ? boxes.indexed : boxes.whole)
        .push_back(dim);
  }
  Integers dims(boxes.indexed);
  llvm::append_range(dims, boxes.whole);
  // The result's dimensions in the order in which they come about.
  Integers shape = boxes.batch(), made;
  for (int64_t dim : dims)
    shape.push_back(boxes.sizes[dim]);
  if (!graph::countElements(shape))
    return node.error() << "its result is larger than a tensor may be";
  Expr y = transpose(x, dims);
  if (llvm::is_contained(shape, 0)) {
    y = filled(node, shape, x.elementType(), 0);
  } else if (boxes.indexed.empty()) {
    Integers ones(batch, 1);
    llvm::append_range(ones, y.shape());
    y = broadcast(reshape(y, ones), shape);
  } else {
    Expr indices = indexVectors(boxes, [&](int64_t dim, Expr start) {
      auto last = static_cast<double>(x.size(dim) - boxes.sizes[dim]);
      return clamp(start, 0, last);
    });
    y = gatherNd(y, indices, 0);
  }
  if (!y)
    return give(node, y);
  // Which made dimension each of the result's is; collapsed ones last.
  int64_t nextBatch = 0;
  size_t nextOffset = 0;
  Integers kept;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!llvm::is_contained(collapsed, dim))
      kept.push_back(batch + (llvm::find(dims, dim) - dims.begin()));
  Integers result;
  for (int64_t i = 0; i < resultRank; ++i) {
    made.push_back(llvm::is_contained(offsets, i) ? kept[nextOffset++]
                                                  : nextBatch++);
    result.push_back(shape[made.back()]);
  }
  for (int64_t dim : collapsed)
    made.push_back(batch + (llvm::find(dims, dim) - dims.begin()));
  return give(node, reshape(transpose(y, made), result));
}

/// What the function makes of the element and the update; nothing where it is
/// none that weir knows.
std::optional<graph::Combiner> combinerOf(const Computation &function,
                                          Type elementType) {
  using graph::Combiner;
  if (auto form = function.form(); form && form->op.empty())
    return form->arguments[0] == 1 ? std::optional(Combiner::update)
                                   : std::nullopt;
  bool isBool = elementType.isInteger(1);
  return llvm::StringSwitch<std::optional<Combiner>>(function.symmetric())
      .Cases("Add", "AddV2", isBool ? Combiner::max : Combiner::add)
      .Case("Mul", isBool ? Combiner::min : Combiner::mul)
      .Cases("Maximum", "LogicalOr", Combiner::max)
      .Cases("Minimum", "LogicalAnd", Combiner::min)
      .Default(std::nullopt);
}

LogicalResult importXlaScatter(Node &node) {
  auto numbers =
      messageAttr<xla::ScatterDimensionNumbers>(node, "dimension_numbers");
  auto function = Computation::of(node, "update_computation");
  if (failed(numbers) || failed(function) || failed(wantOperands(node, 3)))
    return failure();
  if (numbers->input_batching_dims_size())
    return node.unsupported("batching dimensions");
  Expr x = operand(node, 0), starts = operand(node, 1),
       updates = operand(node, 2);
  auto combiner = combinerOf(*function, x.elementType());
  if (!combiner)
    return node.unsupported("its update computation");
  int64_t rank = x.rank(), vectorDim = numbers->index_vector_dim();
  Integers windows(integersOf(numbers->update_window_dims())),
      inserted(integersOf(numbers->inserted_window_dims()));
  Boxes boxes{
      {}, integersOf(numbers->scatter_dims_to_operand_dims()), {}, {}, {}};
  auto misfit = [&] {
    return node.error() << "its dimensions do not suit " << x.type() << ", "
                        << starts.type() << " and " << updates.type();
  };
  if (!isIndexType(starts.elementType()) || vectorDim < 0 ||
      vectorDim > starts.rank() || !areDims(inserted, rank) ||
      !areDims(boxes.map, rank) || !areDims(windows, updates.rank()) ||
      !llvm::is_sorted(windows) ||
      windows.size() + inserted.size() != static_cast<size_t>(rank) ||
      updates.elementType() != x.elementType())
    return misfit();
  boxes.starts = vectorsLast(starts, vectorDim);
  Integers batch = boxes.batch(), batchDims, windowOf(rank, -1);
  for (int64_t i = 0; i < updates.rank(); ++i)
    if (!llvm::is_contained(windows, i))
      batchDims.push_back(i);
  if (boxes.starts.shape().back() != static_cast<int64_t>(boxes.map.size()) ||
      batchDims.size() != batch.size())
    return misfit();
  for (auto [dim, size] : llvm::zip(batchDims, batch))
    if (updates.size(dim) != size)
      return misfit();
  size_t nextWindow = 0;
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (!llvm::is_contained(inserted, dim))
      windowOf[dim] = windows[nextWindow++];
    boxes.sizes.push_back(windowOf[dim] < 0 ? 1 : updates.size(windowOf[dim]));
    if (boxes.sizes[dim] > x.size(dim))
      return misfit();
    bool isPlaced = llvm::is_contained(boxes.map, dim);
    (isPlaced || boxes.sizes[dim] != x.size(dim) ? boxes.indexed : boxes.whole)
        .push_back(dim);
  }
  if (updates.type().getNumElements() == 0 || rank == 0 ||
      boxes.indexed.empty()) {
    if (updates.type().getNumElements() == 0)
      return give(node, x);
    return node.unsupported("a scatter of the whole tensor");
  }
  Integers dims(boxes.indexed), order(batchDims), shape(batch);
  llvm::append_range(dims, boxes.whole);
  for (int64_t dim : dims) {
    if (windowOf[dim] >= 0)
      order.push_back(windowOf[dim]);
    shape.push_back(boxes.sizes[dim]);
  }
  updates = reshape(transpose(updates, order), shape);
  // A box that is not wholly inside is left out: its indices are negative.
  Expr fits;
  for (auto [k, dim] : llvm::enumerate(boxes.map)) {
    Expr start = component(boxes, k, boxes.indexed.size() + 1);
    auto last = static_cast<double>(x.size(dim) - boxes.sizes[dim]);
    Expr own = apply<graph::LogicalAndOp>(
        apply<graph::GreaterEqualOp>(start, start.like(0)),
        apply<graph::LessEqualOp>(start, start.like(last)));
    fits = fits ? apply<graph::LogicalAndOp>(fits, own) : own;
  }
  Expr indices = indexVectors(boxes, [](int64_t, Expr start) { return start; });
  if (!indices)
    return give(node, indices);
  if (fits)
    indices = select(fits, indices, indices.like(-1));
  Expr y(node.b,
         make<graph::ScatterOp>(node.b, transpose(x, dims).value, indices.value,
                                updates.value, *combiner));
  return give(node, y ? transpose(y, inverseOf(dims)) : y);
}

} // namespace

void addXlaPositionHandlers(Handlers &handlers) {
  handlers["XlaGather"] = importXlaGather;
  handlers["XlaScatter"] = importXlaScatter;
}

} // namespace weir::tensorflow
