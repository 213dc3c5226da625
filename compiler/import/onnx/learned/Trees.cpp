// Reads trees of decisions off nodes.

#include "compiler/import/onnx/learned/Learned.h"

#include "compiler/import/onnx/Tracer.h"
#include "compiler/import/onnx/learned/Encoders.h"
#include "compiler/import/onnx/learned/Forest.h"
#include "compiler/import/onnx/learned/Linear.h"

#include "dialects/graph/Graph.h"
#include "dialects/graph/Reduce.h"

#include <cmath>
#include <map>

using namespace mlir;

namespace weir::onnx {
namespace {

std::optional<Mode> modeOf(StringRef name) {
  static constexpr std::pair<StringRef, Mode> names[] = {
      {"BRANCH_LEQ", Mode::leq},  {"BRANCH_LT", Mode::less},
      {"BRANCH_GTE", Mode::geq},  {"BRANCH_GT", Mode::greater},
      {"BRANCH_EQ", Mode::equal}, {"BRANCH_NEQ", Mode::notEqual},
      {"LEAF", Mode::leaf}};
  for (auto [known, mode] : names)
    if (known == name)
      return mode;
  return std::nullopt;
}

/// Rows of floats; integers as f32.
FailureOr<Expr> rowsOf(Node &node) {
  if (failed(wantOperands(node, 1)))
    return failure();
  Expr x = operand(node, 0);
  if (x.rank() == 1)
    x = reshape(x, {1, x.size(0)});
  if (x.rank() != 2 || x.size(1) < 1)
    return node.error() << "does not take " << node.type(0);
  return x.elementType().isF64() ? x : cast(x, node.b.getF32Type());
}

/// The contribution of each node to each target is a table; the limit bounds
/// its memory before a leaf is read.
LogicalResult checkTable(Node &node, size_t nodes, int64_t targets) {
  constexpr size_t most = size_t(1) << 25;
  if (nodes <= most / static_cast<size_t>(targets))
    return success();
  return node.unsupported("trees of " + Twine(nodes) + " nodes for " +
                          Twine(targets) + " targets");
}

/// The nodes by their tree and number, as the older ops list them.
FailureOr<Forest> listedForest(Node &node, StringRef kind, int64_t targets) {
  Forest forest;
  forest.targets = targets;
  auto named = [&](StringRef name) { return (kind + name).str(); };
  Integers trees = node.intsAttr("nodes_treeids"),
           ids = node.intsAttr("nodes_nodeids"),
           features = node.intsAttr("nodes_featureids"),
           yes = node.intsAttr("nodes_truenodeids"),
           no = node.intsAttr("nodes_falsenodeids"),
           missing = node.intsAttr("nodes_missing_value_tracks_true");
  SmallVector<StringRef> modes = node.stringsAttr("nodes_modes");
  SmallVector<float> splits = node.floatsAttr("nodes_values");
  size_t count = ids.size();
  Integers targetTrees = node.intsAttr(named("_treeids")),
           targetNodes = node.intsAttr(named("_nodeids")),
           targetIds = node.intsAttr(named("_ids"));
  SmallVector<float> weights = node.floatsAttr(named("_weights"));
  if (node.hasAttr("nodes_values_as_tensor") ||
      node.hasAttr(named("_weights_as_tensor"))) {
    (void)node.unsupported("trees of double precision");
    return failure();
  }
  if (count == 0 || trees.size() != count || features.size() != count ||
      yes.size() != count || no.size() != count || modes.size() != count ||
      splits.size() != count || (!missing.empty() && missing.size() != count) ||
      targetNodes.size() != weights.size() ||
      targetTrees.size() != weights.size() ||
      targetIds.size() != weights.size())
    return node.error() << "its lists of nodes differ in length";
  if (failed(checkTable(node, count, targets)))
    return failure();
  // Not a DenseMap: the file may use the numbers that one keeps for itself.
  std::map<std::pair<int64_t, int64_t>, int64_t> positions;
  for (size_t i = 0; i < count; ++i) {
    auto mode = modeOf(modes[i]);
    if (!mode)
      return node.error() << "mode '" << modes[i] << "' is unknown";
    if (!positions.try_emplace({trees[i], ids[i]}, forest.add(*mode)).second)
      return node.error() << "has node " << ids[i] << " of tree " << trees[i]
                          << " twice";
    forest.features[i] = features[i];
    forest.splits[i] = splits[i];
    forest.missingIsYes[i] = !missing.empty() && missing[i];
  }
  SmallVector<bool> isChild(count, false);
  for (size_t i = 0; i < count; ++i) {
    if (forest.modes[i] == Mode::leaf)
      continue;
    for (auto [ids, next] : {std::pair(&yes, &forest.yes), {&no, &forest.no}}) {
      auto found = positions.find({trees[i], (*ids)[i]});
      if (found == positions.end())
        return node.error()
               << "tree " << trees[i] << " has no node " << (*ids)[i];
      (*next)[i] = found->second;
      isChild[found->second] = true;
    }
  }
  for (size_t i = 0; i < count; ++i)
    if (!isChild[i])
      forest.roots.push_back(static_cast<int64_t>(i));
  for (size_t i = 0; i < weights.size(); ++i) {
    auto found = positions.find({targetTrees[i], targetNodes[i]});
    if (found == positions.end() || targetIds[i] < 0 || targetIds[i] >= targets)
      return node.error() << "gives weights to node " << targetNodes[i]
                          << " and target " << targetIds[i];
    forest.give(found->second, targetIds[i], weights[i]);
  }
  if (forest.roots.empty())
    return node.error() << "has no tree";
  return forest;
}

FailureOr<Expr> withBase(Node &node, Expr scores) {
  Expr base = floatsOf(node, "base_values");
  if (!scores || base.size(0) == 0)
    return scores;
  if (base.size(0) != 1 && base.size(0) != scores.size(1))
    return node.error() << "has " << base.size(0) << " base values";
  return scores + cast(base, scores.elementType());
}

LogicalResult importRegressor(Node &node) {
  auto x = rowsOf(node);
  int64_t targets = node.intAttr("n_targets", 1);
  if (failed(x))
    return failure();
  if (targets < 1 || targets > (1 << 16))
    return node.error() << "has " << targets << " targets";
  auto forest = listedForest(node, "target", targets);
  if (failed(forest))
    return failure();
  auto scores =
      scoresOf(node, *x, *forest, node.stringAttr("aggregate_function", "SUM"));
  if (failed(scores))
    return failure();
  auto based = withBase(node, *scores);
  if (failed(based))
    return failure();
  auto y = transformed(node, *based);
  return failed(y) ? failure() : give(node, cast(*y, node.b.getF32Type()));
}

/// Two classes of which the leaves vote for one: its score says which of both,
/// and what the other's score is. A transform of scores from -inf to inf gets
/// the score and its negative, as the reference has it. Else weights without a
/// negative one are probabilities, as ONNX Runtime has it where the standard
/// says nothing, and others lie around zero.
LogicalResult giveOneOfTwo(Node &node, Expr score, ArrayRef<int64_t> labels) {
  StringRef how = node.stringAttr("post_transform", "NONE");
  bool isShare =
      how == "PROBIT" ||
      (how == "NONE" && llvm::all_of(node.floatsAttr("class_weights"),
                                     [](float weight) { return weight >= 0; }));
  FailureOr<Expr> y =
      transformed(node, concat({isShare ? 1 - score : -score, score}, 1), how);
  if (failed(y) || !*y)
    return failed(y) ? failure() : give(node, Expr());
  Expr isSecond =
      less(score.like(isShare ? 0.5 : 0), reshape(score, {score.size(0)}));
  return give(
      node, {select(isSecond, number(node, labels[1]), number(node, labels[0])),
             cast(*y, node.b.getF32Type())});
}

/// The label of the best class, and the scores of all.
LogicalResult importClassifier(Node &node) {
  auto x = rowsOf(node);
  if (failed(x))
    return failure();
  FailureOr<Integers> found = classLabels(node, "classlabels_int64s");
  if (failed(found))
    return failure();
  const Integers &labels = *found;
  auto classes = static_cast<int64_t>(labels.size());
  if (classes < 1)
    return node.error() << "has no labels";
  auto forest = listedForest(node, "class", classes);
  if (failed(forest))
    return failure();
  auto scores = scoresOf(node, *x, *forest, "SUM");
  if (failed(scores))
    return failure();
  Integers used = node.intsAttr("class_ids");
  bool isOneOfTwo = classes == 2 && !used.empty() && llvm::all_equal(used);
  if (isOneOfTwo && node.floatsAttr("base_values").size() > 1)
    return node.unsupported("two base values for one score of two classes");
  if (isOneOfTwo && *scores)
    *scores = slice(*scores, 1, used[0], 1);
  auto based = withBase(node, *scores);
  if (failed(based))
    return failure();
  if (isOneOfTwo && *based)
    return giveOneOfTwo(node, *based, labels);
  auto y = transformed(node, *based);
  if (failed(y) || !*y)
    return failed(y) ? failure() : give(node, Expr());
  Value best = make<graph::ArgMaxOp>(
      node.b, RankedTensorType::get({based->size(0)}, node.b.getI64Type()),
      based->value, int64_t(1));
  Expr list(node.b, numbers(node.b, node.b.getI64Type(), labels));
  return give(node, {gather(list, Expr(node.b, best), 0),
                     cast(*y, node.b.getF32Type())});
}

/// The numbers of an attribute that is a tensor.
FailureOr<SmallVector<double>> tensorAttr(Node &node, StringRef name) {
  SmallVector<double> values;
  auto *attribute = node.attr(name);
  if (!attribute)
    return values;
  if (!attribute->has_t())
    return node.error() << "its " << name << " are no tensor";
  auto read = node.tracer.constant(node.b.getLoc(), *attribute->mutable_t(),
                                   node.name());
  if (failed(read))
    return failure();
  auto dense = dyn_cast_if_present<DenseElementsAttr>(read->value);
  if (!dense)
    return node.error() << "its " << name << " cannot be read";
  if (isa<FloatType>(dense.getElementType()))
    for (const APFloat &value : dense.getValues<APFloat>())
      values.push_back(value.convertToDouble());
  else
    for (const APInt &value : dense.getValues<APInt>())
      values.push_back(static_cast<double>(value.getZExtValue()));
  return values;
}

/// The sets of the nodes that ask for members, in their order, each with a NaN
/// behind it.
LogicalResult readSets(Node &node, Forest &forest) {
  auto members = tensorAttr(node, "membership_values");
  if (failed(members))
    return failure();
  size_t next = 0;
  for (int64_t i = 0; i < forest.size(); ++i) {
    if (forest.modes[i] != Mode::member)
      continue;
    auto &set = forest.sets[i];
    for (; next < members->size() && !std::isnan((*members)[next]); ++next)
      set.push_back((*members)[next]);
    if (next++ == members->size() && set.empty())
      return node.error() << "has no set for node " << i;
    if (set.size() > 4096)
      return node.unsupported("sets of more than 4096 members");
  }
  return success();
}

/// The newer op, which has leaves in a list of their own.
LogicalResult importEnsemble(Node &node) {
  auto x = rowsOf(node);
  if (failed(x))
    return failure();
  auto splits = tensorAttr(node, "nodes_splits"),
       modes = tensorAttr(node, "nodes_modes"),
       weights = tensorAttr(node, "leaf_weights");
  if (failed(splits) || failed(modes) || failed(weights))
    return failure();
  Integers features = node.intsAttr("nodes_featureids"),
           yes = node.intsAttr("nodes_truenodeids"),
           no = node.intsAttr("nodes_falsenodeids"),
           yesLeafs = node.intsAttr("nodes_trueleafs"),
           noLeafs = node.intsAttr("nodes_falseleafs"),
           missing = node.intsAttr("nodes_missing_value_tracks_true"),
           roots = node.intsAttr("tree_roots"),
           targetIds = node.intsAttr("leaf_targetids");
  Forest forest;
  forest.targets = node.intAttr("n_targets", 1);
  size_t count = splits->size();
  if (modes->size() != count || features.size() != count ||
      yes.size() != count || no.size() != count || yesLeafs.size() != count ||
      noLeafs.size() != count ||
      (!missing.empty() && missing.size() != count) ||
      targetIds.size() != weights->size() || forest.targets < 1 ||
      forest.targets > (1 << 16) || roots.empty())
    return node.error() << "its lists of nodes differ in length";
  // Each node may get a leaf of its own.
  if (failed(checkTable(node, 2 * count + targetIds.size(), forest.targets)))
    return failure();
  for (size_t i = 0; i < count; ++i) {
    if (!((*modes)[i] >= 0 && (*modes)[i] <= 6))
      return node.error() << "has a node of mode " << (*modes)[i];
    forest.add(static_cast<Mode>(static_cast<int>((*modes)[i])));
    forest.features[i] = features[i];
    forest.splits[i] = (*splits)[i];
    forest.missingIsYes[i] = !missing.empty() && missing[i];
  }
  if (failed(readSets(node, forest)))
    return failure();
  auto first = static_cast<int64_t>(count);
  for (size_t i = 0; i < targetIds.size(); ++i) {
    int64_t leaf = forest.add(Mode::leaf);
    if (targetIds[i] < 0 || targetIds[i] >= forest.targets)
      return node.error() << "has no target " << targetIds[i];
    forest.give(leaf, targetIds[i], (*weights)[i]);
  }
  auto position = [&](int64_t id, bool isLeaf) {
    return isLeaf ? first + id : id;
  };
  auto isNode = [&](int64_t id, bool isLeaf) {
    return id >= 0 && id < (isLeaf ? forest.size() - first : first);
  };
  for (size_t i = 0; i < count; ++i) {
    if (!isNode(yes[i], yesLeafs[i]) || !isNode(no[i], noLeafs[i]))
      return node.error() << "has no node " << yes[i] << " or " << no[i];
    forest.yes[i] = position(yes[i], yesLeafs[i]);
    forest.no[i] = position(no[i], noLeafs[i]);
    // A tree of a leaf alone has a node of which both ways lead there.
    if (forest.yes[i] == forest.no[i]) {
      int64_t twin = forest.add(Mode::leaf);
      for (int64_t t = 0; t < forest.targets; ++t)
        if (forest.isGiven[forest.no[i] * forest.targets + t])
          forest.give(twin, t,
                      forest.weights[forest.no[i] * forest.targets + t]);
      if (!noLeafs[i])
        return node.error() << "has node " << no[i] << " twice";
      forest.no[i] = twin;
    }
  }
  for (int64_t root : roots) {
    if (root < 0 || root >= first)
      return node.error() << "has no root " << root;
    forest.roots.push_back(root);
  }
  static constexpr StringRef aggregates[] = {"AVERAGE", "SUM", "MIN", "MAX"};
  int64_t aggregate = node.intAttr("aggregate_function", 1),
          transform = node.intAttr("post_transform", 0);
  if (aggregate < 0 || aggregate > 3)
    return node.error() << "aggregate_function is " << aggregate;
  static constexpr StringRef transforms[] = {"NONE", "SOFTMAX", "LOGISTIC",
                                             "SOFTMAX_ZERO", "PROBIT"};
  if (transform < 0 || transform > 4)
    return node.error() << "post_transform is " << transform;
  auto scores = scoresOf(node, *x, forest, aggregates[aggregate]);
  if (failed(scores))
    return failure();
  auto y = transformed(node, *scores, transforms[transform]);
  return failed(y) ? failure() : give(node, cast(*y, node.element(0)));
}

} // namespace

void addTreeHandlers(Handlers &handlers) {
  handlers["ai.onnx.ml::TreeEnsembleRegressor"] = importRegressor;
  handlers["ai.onnx.ml::TreeEnsembleClassifier"] = importClassifier;
  handlers["ai.onnx.ml::TreeEnsemble"] = importEnsemble;
}

} // namespace weir::onnx
