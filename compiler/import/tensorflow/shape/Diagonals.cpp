// Diagonals and bands of matrices. Where each element comes from is known, so
// that all of them pick elements at constant places.

#include "compiler/import/tensorflow/shape/Moves.h"

using namespace mlir;

namespace weir::tensorflow {
namespace {

/// Matrices of more elements would need too large tables of places.
constexpr int64_t maxPositions = int64_t(1) << 26;

/// A band of diagonals of matrices: diagonal d holds elements (i, i + d).
struct Band {
  int64_t low = 0, high = 0, rows = 0, columns = 0;
  bool superLeft = false, subLeft = false;

  int64_t count() const { return high - low + 1; }
  int64_t length(int64_t d) const {
    return std::min(rows + std::min<int64_t>(d, 0),
                    columns - std::max<int64_t>(d, 0));
  }
  /// The length of the longest, which all have with their padding.
  int64_t longest() const {
    return std::min(rows + std::min<int64_t>(high, 0),
                    columns - std::max<int64_t>(low, 0));
  }
  /// How far from the beginning of its row a diagonal begins.
  int64_t offset(int64_t d) const {
    bool left = d >= 0 ? superLeft : subLeft;
    return left ? 0 : longest() - length(d);
  }
  /// The place in the packed diagonals of element (i, j), -1 outside of them.
  int64_t packed(int64_t i, int64_t j) const {
    int64_t d = j - i;
    if (d < low || d > high)
      return -1;
    return (high - d) * longest() + offset(d) + std::min(i, j);
  }
};

/// Reads the operand with one diagonal or the ends of a band, and the
/// alignment; the first version means the main diagonal.
LogicalResult readBand(Node &node, unsigned operand, Band &band) {
  if (node.op().ends_with("V2") || node.op().ends_with("V3")) {
    auto ends = node.integers(operand);
    if (failed(ends))
      return failure();
    if (ends->empty() || ends->size() > 2 || ends->front() > ends->back() ||
        std::max(std::abs(ends->front() + 1), std::abs(ends->back())) >
            maxPositions)
      return node.error() << "[" << *ends << "] are no ends of a band";
    band.low = ends->front();
    band.high = ends->back();
  }
  // The second version has all to the left.
  StringRef align = node.stringAttr("align", "RIGHT_LEFT");
  bool isThird = node.op().ends_with("V3");
  band.superLeft = !isThird || align.starts_with("LEFT");
  band.subLeft = !isThird || align.ends_with("LEFT");
  return success();
}

/// A band within its matrices, of a size that tables can hold.
LogicalResult checkBand(Node &node, const Band &band) {
  bool isSmall = band.rows >= 0 && band.columns >= 0 &&
                 band.rows <= maxPositions && band.columns <= maxPositions &&
                 band.rows * band.columns <= maxPositions;
  bool isWithin = band.rows == 0 || band.columns == 0 ||
                  (band.low > -band.rows && band.high < band.columns);
  if (isSmall && isWithin)
    return success();
  return node.error() << "diagonals " << band.low << " .. " << band.high
                      << " do not suit matrices of " << band.rows << " x "
                      << band.columns;
}

Expr paddingOf(Node &node, unsigned i, Expr x) {
  if (i >= node.size())
    return x.like(0);
  Expr padding = operand(node, i);
  return padding.type().getNumElements() == 1 ? reshape(padding, {}) : Expr();
}

LogicalResult importMatrixDiag(Node &node) {
  if (failed(wantOperands(node, 1)))
    return failure();
  Band band;
  if (failed(readBand(node, 1, band)))
    return failure();
  Expr x = operand(node, 0);
  bool isPacked = band.count() > 1;
  if (x.rank() < (isPacked ? 2 : 1) ||
      (isPacked && x.size(x.rank() - 2) != band.count()))
    return node.error() << x.type() << " does not hold " << band.count()
                        << " diagonals";
  int64_t length = x.shape().back();
  // What is not said is the least that the diagonals fit in.
  int64_t rows = -1, columns = -1;
  for (auto [i, size] : {std::pair{2u, &rows}, std::pair{3u, &columns}})
    if (i < node.size()) {
      auto number = node.integer(i);
      if (failed(number))
        return failure();
      *size = *number;
    }
  int64_t least = length - std::min<int64_t>(band.high, 0),
          minColumns = length + std::max<int64_t>(band.low, 0);
  if (rows == -1 && columns == -1)
    rows = columns = std::max(least, minColumns);
  else if (rows == -1)
    rows = least;
  else if (columns == -1)
    columns = minColumns;
  band.rows = rows;
  band.columns = columns;
  if (failed(checkBand(node, band)))
    return failure();
  if (band.longest() != length)
    return node.error() << "diagonals of " << length
                        << " elements do not suit matrices of " << rows << " x "
                        << columns;
  Integers positions;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      positions.push_back(band.packed(i, j));
  if (isPacked)
    x = reshape(
        x, replaceDims(x.shape(), x.rank() - 2, 2, {band.count() * length}));
  return give(node,
              pick(node, x, positions, paddingOf(node, 4, x), {rows, columns}));
}

/// The matrices of `x` as rows, and the band's size in them.
Expr flatMatrices(Expr x, Band &band) {
  band.rows = x.size(x.rank() - 2);
  band.columns = x.size(x.rank() - 1);
  return reshape(
      x, replaceDims(x.shape(), x.rank() - 2, 2, {band.rows * band.columns}));
}

LogicalResult importMatrixDiagPart(Node &node) {
  if (failed(wantOperands(node, 1)))
    return failure();
  Expr x = operand(node, 0);
  Band band;
  if (failed(readBand(node, 1, band)))
    return failure();
  if (x.rank() < 2)
    return node.error() << x.type() << " holds no matrices";
  Expr flat = flatMatrices(x, band);
  if (failed(checkBand(node, band)))
    return failure();
  int64_t longest = band.longest();
  Integers positions(band.count() * longest, -1);
  for (int64_t d = band.low; d <= band.high; ++d)
    for (int64_t k = 0; k < band.length(d); ++k)
      positions[(band.high - d) * longest + band.offset(d) + k] =
          (k - std::min<int64_t>(d, 0)) * band.columns + k +
          std::max<int64_t>(d, 0);
  Integers shape{band.count(), longest};
  if (band.count() == 1)
    shape = {longest};
  return give(node, pick(node, flat, positions, paddingOf(node, 2, x), shape));
}

LogicalResult importMatrixSetDiag(Node &node) {
  if (failed(wantOperands(node, 2)))
    return failure();
  Expr x = operand(node, 0), diagonals = operand(node, 1);
  Band band;
  if (failed(readBand(node, 2, band)))
    return failure();
  if (x.rank() < 2)
    return node.error() << x.type() << " holds no matrices";
  Expr flat = flatMatrices(x, band);
  if (failed(checkBand(node, band)))
    return failure();
  Integers packed(x.shape().drop_back(2));
  if (band.count() > 1)
    packed.push_back(band.count());
  packed.push_back(band.longest());
  if (diagonals.shape() != ArrayRef<int64_t>(packed))
    return node.error() << "the diagonals are " << diagonals.type()
                        << " where [" << packed << "] is wanted";
  int64_t size = band.rows * band.columns;
  diagonals = reshape(diagonals, replaceDims(flat.shape(), flat.rank() - 1, 1,
                                             {band.count() * band.longest()}));
  Integers positions;
  for (int64_t i = 0; i < band.rows; ++i)
    for (int64_t j = 0; j < band.columns; ++j) {
      int64_t position = band.packed(i, j);
      positions.push_back(position < 0 ? i * band.columns + j
                                       : size + position);
    }
  return give(node, pick(node, concat({flat, diagonals}, flat.rank() - 1),
                         positions, x.like(0), {band.rows, band.columns}));
}

/// Keeps `lower` diagonals below and `upper` above the main one; a negative
/// number keeps all.
LogicalResult importMatrixBandPart(Node &node) {
  if (failed(wantOperands(node, 3)))
    return failure();
  Expr x = operand(node, 0);
  auto lower = node.integer(1), upper = node.integer(2);
  if (failed(lower) || failed(upper))
    return failure();
  if (x.rank() < 2)
    return node.error() << x.type() << " holds no matrices";
  int64_t rows = x.size(x.rank() - 2), columns = x.size(x.rank() - 1);
  if (rows > maxPositions || columns > maxPositions ||
      rows * columns > maxPositions)
    return node.unsupported("matrices of " + Twine(rows) + " x " +
                            Twine(columns));
  SmallVector<bool> kept;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      kept.push_back((*lower < 0 || i - j <= *lower) &&
                     (*upper < 0 || j - i <= *upper));
  return give(node,
              select(booleans(node, {rows, columns}, kept), x, x.like(0)));
}

/// A tensor as the diagonal of one of twice its rank.
LogicalResult importDiag(Node &node) {
  if (failed(wantOperands(node, 1)))
    return failure();
  Expr x = operand(node, 0);
  int64_t count = x.type().getNumElements();
  if (count > (1 << 13))
    return node.unsupported("a diagonal of " + Twine(count) + " elements");
  Integers positions(count * count, -1), shape(x.shape());
  for (int64_t i = 0; i < count; ++i)
    positions[i * count + i] = i;
  llvm::append_range(shape, x.shape());
  return give(node, reshape(pick(node, reshape(x, {count}), positions,
                                 x.like(0), {count, count}),
                            shape));
}

LogicalResult importDiagPart(Node &node) {
  if (failed(wantOperands(node, 1)))
    return failure();
  Expr x = operand(node, 0);
  ArrayRef<int64_t> shape = x.shape().take_front(x.rank() / 2);
  if (x.rank() % 2 || shape != x.shape().drop_front(x.rank() / 2))
    return node.error() << x.type() << " has no diagonal";
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  Integers positions;
  for (int64_t i = 0; i < count; ++i)
    positions.push_back(i * count + i);
  return give(node, reshape(pick(node, reshape(x, {count * count}), positions,
                                 x.like(0), {count}),
                            shape));
}

} // namespace

void addDiagonalHandlers(Handlers &handlers) {
  for (const char *name :
       {"MatrixDiag", "BatchMatrixDiag", "MatrixDiagV2", "MatrixDiagV3"})
    handlers[name] = importMatrixDiag;
  for (const char *name : {"MatrixDiagPart", "BatchMatrixDiagPart",
                           "MatrixDiagPartV2", "MatrixDiagPartV3"})
    handlers[name] = importMatrixDiagPart;
  for (const char *name : {"MatrixSetDiag", "BatchMatrixSetDiag",
                           "MatrixSetDiagV2", "MatrixSetDiagV3"})
    handlers[name] = importMatrixSetDiag;
  for (const char *name : {"MatrixBandPart", "BatchMatrixBandPart"})
    handlers[name] = importMatrixBandPart;
  handlers["Diag"] = importDiag;
  handlers["DiagPart"] = importDiagPart;
}

} // namespace weir::tensorflow
