// Trees of decisions. All rows go down all trees at once: each step looks up
// the nodes where they are and moves on; a leaf's next node is itself.

#include "compiler/import/onnx/learned/Learned.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Index.h"
#include "dialects/graph/Reduce.h"

#include <limits>

using namespace mlir;

namespace weir::onnx {

/// How many steps lead from a root to the last leaf; nothing where some node
/// comes after itself.
static std::optional<int64_t> depthOf(const Forest &forest) {
  SmallVector<bool> seen(forest.size(), false);
  Integers level = forest.roots;
  int64_t depth = 0;
  while (true) {
    Integers next;
    for (int64_t node : level) {
      if (seen[node])
        return std::nullopt;
      seen[node] = true;
      if (forest.modes[node] != Mode::leaf)
        next.append({forest.yes[node], forest.no[node]});
    }
    if (next.empty())
      return depth;
    ++depth;
    level = next;
  }
}

/// Whether the sets of the nodes `at` hold `value`; nodes without one hold
/// nothing.
static Expr isMember(const Forest &forest, Expr at, Expr value) {
  ImplicitLocOpBuilder &b = *at.b;
  size_t most = 1;
  for (const auto &set : forest.sets)
    most = std::max(most, set.second.size());
  SmallVector<double> table(forest.size() * most,
                            std::numeric_limits<double>::quiet_NaN());
  for (const auto &[place, set] : forest.sets)
    llvm::copy(set, table.begin() + place * most);
  Expr members = constant(b, value.elementType(),
                          {forest.size(), static_cast<int64_t>(most)}, table);
  Integers column(value.shape());
  column.push_back(1);
  Expr same =
      apply<graph::EqualOp>(reshape(value, column), gather(members, at, 0));
  if (!same)
    return {};
  return {b, make<graph::ReduceOrOp>(b, same.value, Integers{same.rank() - 1})};
}

FailureOr<Expr> scoresOf(Node &node, Expr x, const Forest &forest,
                         StringRef aggregate) {
  ImplicitLocOpBuilder &b = node.b;
  auto depth = depthOf(forest);
  if (!depth)
    return node.error() << "has a tree in which a node comes twice";
  for (auto [mode, feature] : llvm::zip_equal(forest.modes, forest.features))
    if (mode != Mode::leaf && (feature < 0 || feature >= x.size(1)))
      return node.error() << "asks for feature " << feature << " of "
                          << x.type();
  Type i64 = b.getI64Type();
  int64_t rows = x.size(0), trees = static_cast<int64_t>(forest.roots.size());
  auto list = [&](ArrayRef<int64_t> values) {
    return Expr(b, numbers(b, i64, values));
  };
  Expr features = list(forest.features), yes = list(forest.yes),
       no = list(forest.no);
  Expr splits = constant(b, x.elementType(), {forest.size()}, forest.splits);
  auto flags = [&](llvm::function_ref<bool(int64_t)> isSet) {
    SmallVector<bool> values;
    for (int64_t i = 0; i < forest.size(); ++i)
      values.push_back(isSet(i));
    auto type = RankedTensorType::get({forest.size()}, b.getI1Type());
    return Expr(b, b.create<graph::ConstantOp>(
                       DenseElementsAttr::get(type, ArrayRef<bool>(values))));
  };
  Expr at = broadcast(reshape(list(forest.roots), {1, trees}), {rows, trees});
  for (int64_t step = 0; step < *depth; ++step) {
    Expr feature = gather(features, at, 0), split = gather(splits, at, 0);
    Expr value(b, make<graph::GatherOp>(b, x.value, feature.value, /*axis=*/1,
                                        /*batch_dims=*/1));
    Expr goesYes;
    auto add = [&](Mode mode, auto compare) {
      if (!llvm::is_contained(forest.modes, mode))
        return;
      Expr holds = compare(value, split);
      Expr isOf = gather(
          flags([&](int64_t i) { return forest.modes[i] == mode; }), at, 0);
      holds = apply<graph::LogicalAndOp>(holds, isOf);
      goesYes = goesYes ? apply<graph::LogicalOrOp>(goesYes, holds) : holds;
    };
    add(Mode::leq,
        [](Expr v, Expr s) { return apply<graph::LessEqualOp>(v, s); });
    add(Mode::less, [](Expr v, Expr s) { return apply<graph::LessOp>(v, s); });
    add(Mode::geq,
        [](Expr v, Expr s) { return apply<graph::GreaterEqualOp>(v, s); });
    add(Mode::greater,
        [](Expr v, Expr s) { return apply<graph::GreaterOp>(v, s); });
    add(Mode::equal,
        [](Expr v, Expr s) { return apply<graph::EqualOp>(v, s); });
    add(Mode::notEqual,
        [](Expr v, Expr s) { return apply<graph::NotEqualOp>(v, s); });
    if (llvm::is_contained(forest.modes, Mode::member)) {
      Expr holds = isMember(forest, at, value);
      goesYes = goesYes ? apply<graph::LogicalOrOp>(goesYes, holds) : holds;
    }
    if (llvm::is_contained(forest.missingIsYes, true)) {
      Expr tracks = gather(
          flags([&](int64_t i) { return forest.missingIsYes[i]; }), at, 0);
      goesYes = apply<graph::LogicalOrOp>(
          goesYes,
          apply<graph::LogicalAndOp>(tracks, apply<graph::IsNanOp>(value)));
    }
    at = select(goesYes, gather(yes, at, 0), gather(no, at, 0));
    if (!at)
      return Expr();
  }
  Expr table = constant(b, x.elementType(), {forest.size(), forest.targets},
                        forest.weights);
  Expr given = gather(table, at, 0), y;
  if (aggregate == "SUM" || aggregate == "AVERAGE") {
    y = sum(given, {1});
    if (aggregate == "AVERAGE")
      y = y / static_cast<double>(trees);
    return y;
  }
  if (aggregate != "MIN" && aggregate != "MAX")
    return node.error() << "aggregate '" << aggregate << "' is unknown";
  // Only what leaves say counts.
  bool isMin = aggregate == "MIN";
  double none = std::numeric_limits<double>::infinity() * (isMin ? 1 : -1);
  auto type =
      RankedTensorType::get({forest.size(), forest.targets}, b.getI1Type());
  Expr said(b, b.create<graph::ConstantOp>(DenseElementsAttr::get(
                   type, ArrayRef<bool>(forest.isGiven))));
  given = select(gather(said, at, 0), given, given.like(none));
  y = reshape(isMin ? smallest(given, {1}) : largest(given, {1}),
              {rows, forest.targets});
  return select(apply<graph::IsInfOp>(y), y ? y.like(0) : y, y);
}

} // namespace weir::onnx
