// What is done step by step.

#include "compiler/import/build/Steps.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Index.h"

using namespace mlir;

namespace weir {

/// Up to here steps are written out, so that others can join their products.
static constexpr int64_t fewSteps = 32;

static Expr number(ImplicitLocOpBuilder &b, int64_t value) {
  auto type = RankedTensorType::get({}, b.getI64Type());
  return Expr(b, b.create<graph::ConstantOp>(DenseElementsAttr::get(
                     type, APInt(64, static_cast<uint64_t>(value)))));
}

/// Whether all have a value, of the type that it had before.
static bool fit(ArrayRef<Expr> before, ArrayRef<Expr> after) {
  if (before.size() != after.size())
    return false;
  for (auto [x, y] : llvm::zip_equal(before, after))
    if (!x || !y || x.type() != y.type())
      return false;
  return true;
}

static SmallVector<Expr> exprsOf(ImplicitLocOpBuilder &b, ValueRange values) {
  SmallVector<Expr> exprs;
  for (Value value : values)
    exprs.push_back(Expr(b, value));
  return exprs;
}

static SmallVector<Value> valuesOf(ArrayRef<Expr> exprs) {
  SmallVector<Value> values;
  for (Expr x : exprs)
    values.push_back(x.value);
  return values;
}

SmallVector<Expr>
repeatWhile(ImplicitLocOpBuilder &b, ArrayRef<Expr> states,
            function_ref<Expr(ArrayRef<Expr>)> again,
            function_ref<SmallVector<Expr>(ArrayRef<Expr>)> step) {
  SmallVector<Value> inits = valuesOf(states);
  SmallVector<Type> types(ValueRange(inits).getTypes());
  SmallVector<Location> positions(types.size(), b.getLoc());
  auto loop = b.create<graph::WhileOp>(types, inits);
  OpBuilder::InsertionGuard guard(b);
  Block *condition = b.createBlock(&loop.getCondition(), {}, types, positions);
  Expr goesOn = again(exprsOf(b, condition->getArguments()));
  b.create<graph::YieldOp>(ValueRange(goesOn.value));
  Block *body = b.createBlock(&loop.getBody(), {}, types, positions);
  SmallVector<Expr> next = step(exprsOf(b, body->getArguments()));
  b.create<graph::YieldOp>(valuesOf(next));
  return exprsOf(b, loop.getResults());
}

SmallVector<Expr>
repeat(ImplicitLocOpBuilder &b, int64_t count, ArrayRef<Expr> inits,
       function_ref<SmallVector<Expr>(Expr, ArrayRef<Expr>)> step) {
  SmallVector<Expr> states(inits);
  if (!fit(states, states))
    return SmallVector<Expr>(inits.size());
  if (count <= fewSteps) {
    for (int64_t i = 0; i < count; ++i) {
      SmallVector<Expr> next = step(number(b, i), states);
      if (!fit(states, next))
        return SmallVector<Expr>(inits.size());
      states = next;
    }
    return states;
  }
  return repeat(b, number(b, count), inits, step);
}

SmallVector<Expr>
repeat(ImplicitLocOpBuilder &b, Expr count, ArrayRef<Expr> inits,
       function_ref<SmallVector<Expr>(Expr, ArrayRef<Expr>)> step) {
  if (!count || !fit(inits, inits))
    return SmallVector<Expr>(inits.size());
  SmallVector<Expr> states{number(b, 0)};
  llvm::append_range(states, inits);
  bool isWhole = true;
  SmallVector<Expr> results = repeatWhile(
      b, states,
      [&](ArrayRef<Expr> now) { return apply<graph::LessOp>(now[0], count); },
      [&](ArrayRef<Expr> now) {
        SmallVector<Expr> next = step(now[0], now.drop_front());
        isWhole = fit(now.drop_front(), next);
        SmallVector<Expr> yielded{now[0] + 1};
        llvm::append_range(yielded,
                           isWhole ? ArrayRef<Expr>(next) : now.drop_front());
        return yielded;
      });
  if (!isWhole) {
    results[0].value.getDefiningOp()->erase();
    return SmallVector<Expr>(inits.size());
  }
  results.erase(results.begin());
  return results;
}

static SmallVector<Value> startsOf(Expr x, int64_t dim, Expr i) {
  SmallVector<Value> starts(x.rank(), number(*x.b, 0).value);
  starts[dim] = i.value;
  return starts;
}

Expr partAt(Expr x, int64_t dim, Expr i) {
  if (!x || !i || dim >= x.rank() || x.size(dim) < 1)
    return {};
  SmallVector<int64_t> sizes(x.shape());
  sizes[dim] = 1;
  Expr part(*x.b, make<graph::DynamicSliceOp>(*x.b, x.value,
                                              startsOf(x, dim, i), sizes));
  sizes.erase(sizes.begin() + dim);
  return reshape(part, sizes);
}

Expr withPart(Expr x, int64_t dim, Expr i, Expr part) {
  if (!x || !i || !part || dim >= x.rank())
    return {};
  SmallVector<int64_t> sizes(x.shape());
  sizes[dim] = 1;
  part = reshape(part, sizes);
  if (!part || part.elementType() != x.elementType())
    return {};
  return Expr(*x.b, make<graph::DynamicUpdateSliceOp>(*x.b, x.value, part.value,
                                                      startsOf(x, dim, i)));
}

} // namespace weir
