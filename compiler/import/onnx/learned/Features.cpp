// Nodes that make features of what classic learning takes.

#include "compiler/import/onnx/Operands.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Reduce.h"

using namespace mlir;

namespace weir::onnx {
namespace {

/// 1 above the threshold, else 0.
LogicalResult importBinarizer(Node &node) {
  if (failed(wantOperands(node, 1, 1)) ||
      failed(wantElements(node, 0, Elements::numbers)))
    return failure();
  Expr x = operand(node, 0);
  Expr above = less(x.like(node.floatAttr("threshold")), x);
  return give(node, cast(above, x.elementType()));
}

/// How often each of given runs of numbers stands in each row: its numbers one
/// after the other, or with gaps of one size between them.
class RunCounter {
public:
  explicit RunCounter(Node &node) : node(node) {}
  LogicalResult build();

private:
  /// The counts, i64 of rows x runs, of the runs of `length` in the pool.
  Expr count(Expr rows, int64_t length, ArrayRef<int64_t> runs, int64_t gaps);

  Node &node;
};

Expr RunCounter::count(Expr rows, int64_t length, ArrayRef<int64_t> runs,
                       int64_t gaps) {
  Type i64 = node.b.getI64Type();
  int64_t many = static_cast<int64_t>(runs.size()) / length;
  Expr total = filled(node, {rows.size(0), many}, i64, 0);
  for (int64_t gap = 1; gap <= (length == 1 ? 1 : gaps + 1); ++gap) {
    int64_t positions = rows.size(1) - (length - 1) * gap;
    if (positions < 1)
      break;
    Expr found;
    for (int64_t k = 0; k < length; ++k) {
      Integers wanted;
      for (int64_t run = 0; run < many; ++run)
        wanted.push_back(runs[run * length + k]);
      Expr part = reshape(slice(rows, 1, k * gap, positions),
                          {rows.size(0), positions, 1});
      Expr same = equal(part, reshape(list(node, wanted), {1, 1, many}));
      found = found ? both(found, same) : same;
    }
    total = total + sum(cast(found, i64), int64_t(1));
  }
  return total;
}

LogicalResult RunCounter::build() {
  if (failed(wantOperands(node, 1, 1)))
    return failure();
  if (!node.hasAttr("pool_int64s") ||
      failed(wantElements(node, 0, Elements::integers)))
    return node.unsupported("runs of strings");
  Expr rows = cast(operand(node, 0), node.b.getI64Type());
  if (rows.rank() != 1 && rows.rank() != 2)
    return node.error() << "counts in " << rows.type();
  bool isOne = rows.rank() == 1;
  if (isOne)
    rows = reshape(rows, {1, rows.size(0)});
  Integers pool = node.intsAttr("pool_int64s");
  Integers starts = node.intsAttr("ngram_counts");
  Integers columns = node.intsAttr("ngram_indexes");
  SmallVector<float> weights = node.floatsAttr("weights");
  int64_t least = node.intAttr("min_gram_length", 1);
  int64_t most = node.intAttr("max_gram_length", 1);
  int64_t gaps = node.intAttr("max_skip_count");
  auto lengths = static_cast<int64_t>(starts.size());
  constexpr int64_t limit = 1 << 20;
  int64_t width = 0;
  for (int64_t column : columns)
    width = std::max(width, column + 1);
  if (least < 1 || most < least || most > lengths || gaps < 0 || gaps > limit ||
      width > limit || width == 0 ||
      (!weights.empty() && weights.size() != columns.size()))
    return node.error() << "has no runs of " << least << " to " << most
                        << " numbers";
  Type i64 = node.b.getI64Type();
  SmallVector<Expr> parts;
  for (int64_t length = 1; length <= lengths; ++length) {
    int64_t from = starts[length - 1];
    int64_t to =
        length < lengths ? starts[length] : static_cast<int64_t>(pool.size());
    if (from < 0 || to < from || to > static_cast<int64_t>(pool.size()) ||
        (to - from) % length)
      return node.error() << "has runs of " << length << " numbers from place "
                          << from << " to " << to;
    if (from == to)
      continue;
    if (length < least || length > most)
      parts.push_back(
          filled(node, {rows.size(0), (to - from) / length}, i64, 0));
    else
      parts.push_back(
          count(rows, length, ArrayRef(pool).slice(from, to - from), gaps));
  }
  if (parts.empty())
    return node.error() << "has no runs";
  Expr counts = concat(parts, 1);
  if (!counts || counts.size(1) != static_cast<int64_t>(columns.size()))
    return node.error() << "has " << columns.size() << " places for its runs";
  // A column that no run has stays 0.
  Integers order(width, counts.size(1));
  for (auto [run, column] : llvm::enumerate(columns)) {
    if (column < 0)
      return node.error() << "gives a run the place " << column;
    order[column] = static_cast<int64_t>(run);
  }
  Type f32 = node.b.getF32Type();
  StringRef mode = node.stringAttr("mode");
  Expr values = cast(counts, f32);
  if (mode == "IDF")
    values = cast(isFalse(equal(counts, counts.like(0))), f32);
  else if (mode != "TF" && mode != "TFIDF")
    return node.error() << "has mode '" << escaped(mode, 20)
                        << "', which is none of TF, IDF and TFIDF";
  if (mode != "TF" && !weights.empty()) {
    SmallVector<double> wide(weights.begin(), weights.end());
    values = values * constant(node.b, f32,
                               {1, static_cast<int64_t>(wide.size())}, wide);
  }
  Expr zero = filled(node, {rows.size(0), 1}, f32, 0);
  Expr all = gather(concat({values, zero}, 1), list(node, order), 1);
  return give(node, isOne ? reshape(all, width) : all);
}

LogicalResult importTfIdf(Node &node) { return RunCounter(node).build(); }

} // namespace

void addFeatureHandlers(Handlers &handlers) {
  handlers["TfIdfVectorizer"] = importTfIdf;
  handlers[opKey("ai.onnx.ml", "Binarizer")] = importBinarizer;
}

} // namespace weir::onnx
