// Diagonals and bands of matrices whose sizes are known only at run time.

#include "compiler/import/bounded/Agreement.h"
#include "compiler/import/bounded/PaddedBuffers.h"
#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/tensorflow/bounded/Bounds.h"
#include "compiler/import/tensorflow/shape/Moves.h"

#include "dialects/graph/Elementwise.h"

using namespace mlir;

namespace weir::tensorflow {
namespace {

/// The first and the last diagonal that a node is about.
struct Ends {
  int64_t low = 0, high = 0;

  bool isSingle() const { return low == high; }
  /// The length of the longest of them in matrices of these sizes.
  Size longest(ImplicitLocOpBuilder &b, Size rows, Size columns) const {
    int64_t above = std::min<int64_t>(high, 0),
            left = std::max<int64_t>(low, 0);
    Size size{std::min(rows.bound + above, columns.bound - left), {}};
    if (!rows.isKnown() || !columns.isKnown())
      size.exact = maximum(minimum(exactly(b, rows) + number(b, above),
                                   exactly(b, columns) - number(b, left)),
                           number(b, 0))
                       .value;
    return size;
  }
};

FailureOr<Ends> endsOf(Node &node, unsigned operand) {
  if (!node.op().ends_with("V2") && !node.op().ends_with("V3"))
    return Ends{};
  auto ends = node.integers(operand);
  if (failed(ends))
    return failure();
  constexpr int64_t most = int64_t(1) << 26;
  if (ends->empty() || ends->size() > 2 || ends->front() > ends->back() ||
      ends->front() < -most || ends->back() > most)
    return node.error() << "[" << *ends << "] are no ends of a band";
  return Ends{ends->front(), ends->back()};
}

/// Where diagonals lie in a band depends on the sizes of the matrices, but not
/// where one lies by itself.
LogicalResult wantKnown(Node &node, const Ends &ends, ArrayRef<Size> sizes) {
  if (ends.isSingle() ||
      llvm::all_of(sizes, [](const Size &size) { return size.isKnown(); }))
    return success();
  return node.unsupported("a band of matrices whose size is known only at run "
                          "time");
}

LogicalResult importDiag(Node &node) {
  auto ends = endsOf(node, 1);
  if (failed(wantOperands(node, 1)) || failed(ends))
    return failure();
  if (node.rank(0) < (ends->isSingle() ? 1 : 2))
    return node.error() << node.type(0) << " holds no diagonals";
  Sizes sizes = sizesOf(node.traced(0));
  Size length = sizes.pop_back_val();
  if (failed(wantKnown(node, *ends, {length})))
    return failure();
  if (!ends->isSingle())
    sizes.pop_back();
  for (unsigned i : {2, 3})
    if (!length.isKnown() && i < node.size()) {
      auto size = node.integer(i);
      if (failed(size))
        return failure();
      if (*size != -1)
        return node.unsupported("a diagonal whose length is known only at run "
                                "time in matrices of known size");
    }
  if (failed(runOnPaddedBuffers(node, {})))
    return failure();
  for (int64_t bound : typeOf(node.given[0].value).getShape().take_back(2)) {
    Expr away = number(node.b, std::abs(ends->low));
    sizes.push_back({bound, {}});
    if (!length.isKnown())
      sizes.back().exact =
          ends->low ? (exactly(node.b, length) + away).value : length.exact;
  }
  return giveSizes(node, 0, sizes);
}

LogicalResult importDiagPart(Node &node) {
  auto ends = endsOf(node, 1);
  if (failed(wantOperands(node, 1)) || failed(ends))
    return failure();
  if (node.rank(0) < 2)
    return node.error() << node.type(0) << " holds no matrices";
  Sizes sizes = sizesOf(node.traced(0));
  Size columns = sizes.pop_back_val(), rows = sizes.pop_back_val();
  if (failed(wantKnown(node, *ends, {rows, columns})) ||
      failed(runOnPaddedBuffers(node, {})))
    return failure();
  if (!ends->isSingle())
    sizes.push_back({ends->high - ends->low + 1, {}});
  sizes.push_back(ends->longest(node.b, rows, columns));
  return giveSizes(node, 0, sizes);
}

LogicalResult importSetDiag(Node &node) {
  auto ends = endsOf(node, 2);
  if (failed(wantOperands(node, 2)) || failed(ends))
    return failure();
  int64_t batch = node.rank(0) - 2;
  if (batch < 0 || node.rank(1) != batch + (ends->isSingle() ? 1 : 2))
    return node.error() << "cannot set diagonals of " << node.type(0) << " to "
                        << node.type(1);
  Sizes sizes = sizesOf(node.traced(0)), diagonals = sizesOf(node.traced(1));
  Size rows = sizes[batch], columns = sizes[batch + 1];
  if (failed(wantKnown(node, *ends, {rows, columns})))
    return failure();
  Size length = ends->longest(node.b, rows, columns);
  if (failed(
          agreedSize(node, length, diagonals.back(), "matrices and diagonals")))
    return failure();
  for (int64_t i = 0; i < batch; ++i) {
    auto size = agreedSize(node, sizes[i], diagonals[i],
                           "operands along dimension " + Twine(i));
    if (failed(size))
      return failure();
    sizes[i] = diagonals[i] = *size;
  }
  diagonals.back() = length;
  SmallVector<int64_t> bounds = boundsOf(sizes), packed = boundsOf(diagonals);
  if (length.bound < 0)
    return node.error() << "has no such diagonals";
  if (failed(runOnPaddedBuffers(node,
                                {paddedTo(node.b, node.operand(0), bounds),
                                 paddedTo(node.b, node.operand(1), packed)})))
    return failure();
  return giveSizes(node, 0, sizes);
}

LogicalResult importBandPart(Node &node) {
  if (failed(wantOperands(node, 3)) || failed(runOnPaddedBuffers(node, {})))
    return failure();
  return giveSizes(node, 0, sizesOf(node.traced(0)));
}

} // namespace

void addBoundedDiagonalHandlers(BoundedHandlers &handlers) {
  for (StringRef op :
       {"MatrixDiag", "BatchMatrixDiag", "MatrixDiagV2", "MatrixDiagV3"})
    handlers[op] = importDiag;
  for (StringRef op : {"MatrixDiagPart", "BatchMatrixDiagPart",
                       "MatrixDiagPartV2", "MatrixDiagPartV3"})
    handlers[op] = importDiagPart;
  for (StringRef op : {"MatrixSetDiag", "BatchMatrixSetDiag", "MatrixSetDiagV2",
                       "MatrixSetDiagV3"})
    handlers[op] = importSetDiag;
  for (StringRef op : {"MatrixBandPart", "BatchMatrixBandPart"})
    handlers[op] = importBandPart;
}

} // namespace weir::tensorflow
