// Each two operands of an equation become one batched matrix product.

#include "compiler/import/build/Einsum.h"

#include "llvm/ADT/StringExtras.h"

#include <map>

using namespace mlir;

namespace weir {

Labelled Labelled::ordered(ArrayRef<int64_t> wanted) const {
  SmallVector<int64_t> permutation, shape;
  for (int64_t label : wanted) {
    if (has(label))
      permutation.push_back(find(label));
    shape.push_back(has(label) ? x.size(find(label)) : 1);
  }
  return {reshape(transpose(x, permutation), shape),
          SmallVector<int64_t>(wanted)};
}

Labelled Labelled::only(function_ref<bool(int64_t)> wanted) const {
  SmallVector<int64_t> dims, left;
  for (auto [i, label] : llvm::enumerate(labels)) {
    if (wanted(label))
      left.push_back(label);
    else
      dims.push_back(static_cast<int64_t>(i));
  }
  return {dims.empty() ? x : sum(x, dims), left};
}

/// The labels of one term, `rank` of them; nothing where they are not that
/// many.
static std::optional<SmallVector<int64_t>> labelsOf(StringRef term,
                                                    int64_t rank) {
  SmallVector<int64_t> labels;
  int64_t named = llvm::count_if(term, [](char c) { return c != '.'; });
  bool ellipsis = false;
  for (size_t i = 0; i < term.size(); ++i) {
    if (llvm::isAlpha(term[i])) {
      labels.push_back(term[i]);
      continue;
    }
    if (ellipsis || !term.substr(i).starts_with("...") || named > rank)
      return std::nullopt;
    for (int64_t k = rank - named; k > 0; --k)
      labels.push_back(-k);
    ellipsis = true;
    i += 2;
  }
  if (static_cast<int64_t>(labels.size()) != rank)
    return std::nullopt;
  return labels;
}

/// The same tensor with each label once: the elements whose indices of one
/// label are equal. Without a value where such dimensions differ in size.
static Labelled diagonals(Labelled from) {
  for (size_t i = 0; i < from.labels.size(); ++i) {
    size_t j = i + 1;
    while (j < from.labels.size() && from.labels[j] != from.labels[i])
      ++j;
    if (j == from.labels.size())
      continue;
    // Both dimensions last: as one, their diagonal is every n + 1st element.
    SmallVector<int64_t> permutation, labels;
    for (size_t k = 0; k < from.labels.size(); ++k)
      if (k != i && k != j) {
        permutation.push_back(static_cast<int64_t>(k));
        labels.push_back(from.labels[k]);
      }
    permutation.append({static_cast<int64_t>(i), static_cast<int64_t>(j)});
    labels.push_back(from.labels[i]);
    int64_t size = from.x.size(static_cast<int64_t>(i));
    if (size != from.x.size(static_cast<int64_t>(j)))
      return {};
    Expr x = transpose(from.x, permutation);
    SmallVector<int64_t> shape(x.shape().drop_back());
    shape.back() = size * size;
    auto last = static_cast<int64_t>(shape.size()) - 1;
    from = {slice(reshape(x, shape), last, 0, size, size + 1), labels};
    if (!from.x)
      return {};
    --i;
  }
  return from;
}

std::optional<Equation> readEquation(StringRef given, ArrayRef<Expr> operands) {
  std::string text = given.str();
  llvm::erase(text, ' ');
  auto [inputs, output] = StringRef(text).split("->");
  SmallVector<StringRef> terms;
  inputs.split(terms, ',');
  if (terms.size() != operands.size())
    return std::nullopt;
  Equation equation;
  int64_t broadcasts = 0;
  std::map<int64_t, int> uses;
  for (auto [x, term] : llvm::zip_equal(operands, terms)) {
    auto labels = x ? labelsOf(term, x.rank()) : std::nullopt;
    if (!labels)
      return std::nullopt;
    for (int64_t label : *labels) {
      broadcasts = std::max(broadcasts, -label);
      ++uses[label];
    }
    Labelled operand = diagonals({x, *labels});
    if (!operand.x)
      return std::nullopt;
    equation.operands.push_back(operand);
  }
  if (!StringRef(text).contains("->")) {
    for (int64_t k = broadcasts; k > 0; --k)
      equation.results.push_back(-k);
    for (auto [label, count] : uses)
      if (label > 0 && count == 1)
        equation.results.push_back(label);
    return equation;
  }
  int64_t named = llvm::count_if(output, llvm::isAlpha);
  auto results =
      labelsOf(output, output.contains("...") ? named + broadcasts : named);
  if (!results)
    return std::nullopt;
  for (auto [i, label] : llvm::enumerate(*results))
    if (llvm::is_contained(ArrayRef<int64_t>(*results).take_front(i), label))
      return std::nullopt;
  equation.results = *results;
  return equation;
}

static int64_t product(Expr x, int64_t begin, int64_t end) {
  int64_t count = 1;
  for (int64_t size : x.shape().slice(begin, end - begin))
    count *= size;
  return count;
}

/// Both with those labels left that `wanted` says.
static Labelled multiply(Labelled a, Labelled b,
                         function_ref<bool(int64_t)> wanted) {
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

Expr einsum(const Equation &equation) {
  ArrayRef<Labelled> operands = equation.operands;
  ArrayRef<int64_t> results = equation.results;
  Labelled all = operands.front();
  for (size_t i = 1; i < operands.size(); ++i) {
    auto wanted = [&](int64_t label) {
      return llvm::is_contained(results, label) ||
             llvm::any_of(operands.drop_front(i + 1),
                          [&](const Labelled &o) { return o.has(label); });
    };
    all = multiply(all, operands[i], wanted);
    if (!all.x)
      return {};
  }
  all = all.only(
      [&](int64_t label) { return llvm::is_contained(results, label); });
  if (!all.x ||
      llvm::any_of(results, [&](int64_t label) { return !all.has(label); }))
    return {};
  return all.ordered(results).x;
}

} // namespace weir
