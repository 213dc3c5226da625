// Einsum: each two operands become one batched matrix product.

#include "compiler/import/tensorflow/bounded/Bounds.h"
#include "compiler/import/tensorflow/neural/Windows.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace weir;
using namespace weir::tensorflow;

namespace {

/// A tensor whose dimensions have names; those of an ellipsis count from -1
/// down, the last dimension first.
struct Labelled {
  Expr x;
  SmallVector<int64_t> labels;

  int64_t find(int64_t label) const {
    return llvm::find(labels, label) - labels.begin();
  }
  bool has(int64_t label) const { return llvm::is_contained(labels, label); }

  /// Dimensions in this order; of size 1 where there is none of the name.
  Labelled ordered(ArrayRef<int64_t> wanted) const {
    SmallVector<int64_t> permutation, shape;
    for (int64_t label : wanted) {
      if (has(label))
        permutation.push_back(find(label));
      shape.push_back(has(label) ? x.size(find(label)) : 1);
    }
    return {reshape(transpose(x, permutation), shape),
            SmallVector<int64_t>(wanted)};
  }

  /// Sums the dimensions of names that are not wanted.
  Labelled only(function_ref<bool(int64_t)> wanted) const {
    SmallVector<int64_t> dims, left;
    for (auto [i, label] : llvm::enumerate(labels)) {
      if (wanted(label))
        left.push_back(label);
      else
        dims.push_back(static_cast<int64_t>(i));
    }
    return {dims.empty() ? x : sum(x, dims), left};
  }
};

/// The labels of one term of the equation, `rank` of them; failure where they
/// are not that many.
FailureOr<SmallVector<int64_t>> labelsOf(StringRef term, int64_t rank) {
  SmallVector<int64_t> labels;
  int64_t named = llvm::count_if(term, [](char c) { return c != '.'; });
  bool ellipsis = false;
  for (size_t i = 0; i < term.size(); ++i) {
    if (llvm::isAlpha(term[i])) {
      if (llvm::is_contained(labels, term[i]))
        return failure();
      labels.push_back(term[i]);
      continue;
    }
    if (ellipsis || !term.substr(i).starts_with("...") || named > rank)
      return failure();
    for (int64_t k = rank - named; k > 0; --k)
      labels.push_back(-k);
    ellipsis = true;
    i += 2;
  }
  if (static_cast<int64_t>(labels.size()) != rank)
    return failure();
  return labels;
}

int64_t product(Expr x, int64_t begin, int64_t end) {
  int64_t count = 1;
  for (int64_t size : x.shape().slice(begin, end - begin))
    count *= size;
  return count;
}

/// Both with those labels left that `wanted` says.
Labelled multiply(Labelled a, Labelled b, function_ref<bool(int64_t)> wanted) {
  a = a.only([&](int64_t label) { return wanted(label) || b.has(label); });
  b = b.only([&](int64_t label) { return wanted(label) || a.has(label); });
  SmallVector<int64_t> batch, rows, columns, inner;
  for (int64_t label : a.labels)
    (!b.has(label) ? rows : wanted(label) ? batch : inner).push_back(label);
  for (int64_t label : b.labels)
    if (!a.has(label))
      columns.push_back(label);
  auto joined = [](ArrayRef<int64_t> p, ArrayRef<int64_t> q,
                   ArrayRef<int64_t> r) {
    SmallVector<int64_t> all(p);
    llvm::append_range(all, q);
    llvm::append_range(all, r);
    return all;
  };
  Expr x = a.ordered(joined(batch, rows, inner)).x;
  Expr y = b.ordered(joined(batch, inner, columns)).x;
  if (!x || !y)
    return {};
  auto batches = static_cast<int64_t>(batch.size());
  int64_t middle = batches + static_cast<int64_t>(rows.size());
  int64_t split = batches + static_cast<int64_t>(inner.size());
  SmallVector<int64_t> xs(x.shape().take_front(batches)),
      ys(y.shape().take_front(batches));
  xs.append({product(x, batches, middle), product(x, middle, x.rank())});
  ys.append({product(y, batches, split), product(y, split, y.rank())});
  Expr z = matmul(reshape(x, xs), reshape(y, ys));
  if (!z)
    return {};
  SmallVector<int64_t> shape(z.shape().drop_back(2));
  llvm::append_range(shape, x.shape().slice(batches, rows.size()));
  llvm::append_range(shape, y.shape().drop_front(split));
  return {reshape(z, shape), joined(batch, rows, columns)};
}

/// The operands of an equation and the labels of its result.
struct Equation {
  SmallVector<Labelled> operands;
  SmallVector<int64_t> results;
};

FailureOr<Equation> equationOf(Node &node) {
  std::string text = node.stringAttr("equation").str();
  llvm::erase(text, ' ');
  auto [inputs, output] = StringRef(text).split("->");
  SmallVector<StringRef> terms;
  inputs.split(terms, ',');
  if (terms.size() != node.size() || node.size() == 0)
    return node.error() << "equation '" << text << "' has " << terms.size()
                        << " operands";
  Equation equation;
  int64_t broadcasts = 0;
  for (auto [i, term] : llvm::enumerate(terms)) {
    Expr x = operand(node, static_cast<unsigned>(i));
    auto labels = x ? labelsOf(term, x.rank())
                    : FailureOr<SmallVector<int64_t>>(failure());
    if (failed(labels))
      return node.unsupported("equation '" + text + "'");
    for (int64_t label : *labels)
      broadcasts = std::max(broadcasts, -label);
    equation.operands.push_back({x, *labels});
  }
  int64_t named = llvm::count_if(output, llvm::isAlpha);
  auto results =
      labelsOf(output, output.contains("...") ? named + broadcasts : named);
  if (!StringRef(text).contains("->") || failed(results))
    return node.unsupported("equation '" + text + "'");
  equation.results = *results;
  return equation;
}

LogicalResult einsum(Node &node) {
  auto equation = equationOf(node);
  if (failed(equation))
    return failure();
  ArrayRef<Labelled> operands = equation->operands;
  ArrayRef<int64_t> results = equation->results;
  Labelled all = operands.front();
  for (size_t i = 1; i < operands.size(); ++i) {
    auto wanted = [&](int64_t label) {
      return llvm::is_contained(results, label) ||
             llvm::any_of(operands.drop_front(i + 1),
                          [&](const Labelled &o) { return o.has(label); });
    };
    all = multiply(all, operands[i], wanted);
    if (!all.x)
      return give(node, Expr());
  }
  all = all.only(
      [&](int64_t label) { return llvm::is_contained(results, label); });
  if (!all.x ||
      llvm::any_of(results, [&](int64_t label) { return !all.has(label); }))
    return give(node, Expr());
  return give(node, all.ordered(results).x);
}

/// What is summed ends where it ends in every operand.
LogicalResult boundedEinsum(Node &node) {
  auto equation = equationOf(node);
  if (failed(equation))
    return failure();
  llvm::MapVector<int64_t, Size> sizes;
  for (auto [i, operand] : llvm::enumerate(equation->operands))
    for (auto [label, size] :
         llvm::zip_equal(operand.labels, sizesOf(node.traced(i)))) {
      Size &common = sizes.try_emplace(label, size).first->second;
      if (common.isKnown() && common.bound == 1)
        common = size;
      if (size.isKnown() && size.bound == 1)
        continue;
      auto agreed = agreedSize(node, common, size, "operands");
      if (failed(agreed))
        return failure();
      common = *agreed;
    }
  SmallVector<Value> places;
  for (auto [i, operand] : llvm::enumerate(equation->operands)) {
    Sizes common;
    SmallVector<int64_t> summed;
    for (auto [dim, label] : llvm::enumerate(operand.labels)) {
      common.push_back(sizes[label]);
      if (!llvm::is_contained(equation->results, label))
        summed.push_back(static_cast<int64_t>(dim));
    }
    const Traced &traced = node.traced(i);
    Expr x = masked(node.b, traced, operand.x.like(0), summed);
    places.push_back(
        inPlaceOf(node.b, x.value, commonBounds(sizesOf(traced), common)));
  }
  if (failed(runOnPlaces(node, places)))
    return failure();
  Sizes result;
  for (int64_t label : equation->results)
    result.push_back(sizes[label]);
  return giveSizes(node, 0, result);
}

} // namespace

void weir::tensorflow::addEinsumHandlers(Handlers &handlers) {
  handlers["Einsum"] = einsum;
}

void weir::tensorflow::addBoundedEinsumHandlers(BoundedHandlers &handlers) {
  handlers["Einsum"] = boundedEinsum;
}
