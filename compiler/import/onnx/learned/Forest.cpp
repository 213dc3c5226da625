// Trees of decisions. All rows go down all trees at once: each step looks up
// the nodes where they are and moves on; a leaf's next node is itself.

#include "compiler/import/onnx/learned/Forest.h"

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

/// Steps are ops, and nobody learns trees of so many.
constexpr int64_t depthLimit = 1024;
/// The most that the sets of all nodes may take, each with the room of the
/// largest.
constexpr size_t membersLimit = size_t(1) << 24;

static size_t largestSet(const Forest &forest) {
  size_t most = 1;
  for (const auto &set : forest.sets)
    most = std::max(most, set.second.size());
  return most;
}

/// The sets of all nodes [nodes, members]; nodes without one hold nothing.
static Expr membersOf(ImplicitLocOpBuilder &b, const Forest &forest,
                      Type element) {
  size_t most = largestSet(forest);
  SmallVector<double> table(forest.size() * most,
                            std::numeric_limits<double>::quiet_NaN());
  for (const auto &[position, set] : forest.sets)
    llvm::copy(set, table.begin() + position * most);
  return constant(b, element, {forest.size(), static_cast<int64_t>(most)},
                  table);
}

/// Whether the sets of the nodes `at` hold `value`.
static Expr isMember(Expr members, Expr at, Expr value) {
  Integers column(value.shape());
  column.push_back(1);
  Expr same =
      apply<graph::EqualOp>(reshape(value, column), gather(members, at, 0));
  if (!same)
    return {};
  return {*at.b, make<graph::ReduceOrOp>(*at.b, same.value,
                                         Integers{same.rank() - 1})};
}

FailureOr<Expr> scoresOf(Node &node, Expr x, const Forest &forest,
                         StringRef aggregate) {
  ImplicitLocOpBuilder &b = node.b;
  auto depth = depthOf(forest);
  if (!depth)
    return node.error() << "has a tree in which a node comes twice";
  if (*depth > depthLimit)
    return node.unsupported("trees of " + Twine(*depth) + " levels");
  if (largestSet(forest) > membersLimit / forest.size())
    return node.unsupported("sets of this size");
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
  auto isOf = [&](Mode mode) {
    if (!llvm::is_contained(forest.modes, mode))
      return Expr();
    return flags([&](int64_t i) { return forest.modes[i] == mode; });
  };
  struct Comparison {
    Expr isOf; // without a value where no node compares so
    Expr (*holds)(Expr value, Expr split);
  };
  const Comparison comparisons[] = {
      {isOf(Mode::leq), apply<graph::LessEqualOp>},
      {isOf(Mode::less), apply<graph::LessOp>},
      {isOf(Mode::geq), apply<graph::GreaterEqualOp>},
      {isOf(Mode::greater), apply<graph::GreaterOp>},
      {isOf(Mode::equal), apply<graph::EqualOp>},
      {isOf(Mode::notEqual), apply<graph::NotEqualOp>}};
  Expr members, missing;
  if (llvm::is_contained(forest.modes, Mode::member))
    members = membersOf(b, forest, x.elementType());
  if (llvm::is_contained(forest.missingIsYes, true))
    missing = flags([&](int64_t i) { return forest.missingIsYes[i]; });
  Expr at = broadcast(reshape(list(forest.roots), {1, trees}), {rows, trees});
  for (int64_t step = 0; step < *depth; ++step) {
    Expr feature = gather(features, at, 0), split = gather(splits, at, 0);
    Expr value(b, make<graph::GatherOp>(b, x.value, feature.value, /*axis=*/1,
                                        /*batch_dims=*/1));
    Expr goesYes;
    auto add = [&](Expr holds) {
      goesYes = goesYes ? apply<graph::LogicalOrOp>(goesYes, holds) : holds;
    };
    for (const Comparison &each : comparisons)
      if (each.isOf)
        add(apply<graph::LogicalAndOp>(each.holds(value, split),
                                       gather(each.isOf, at, 0)));
    if (members)
      add(isMember(members, at, value));
    if (missing)
      add(apply<graph::LogicalAndOp>(gather(missing, at, 0),
                                     apply<graph::IsNanOp>(value)));
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
