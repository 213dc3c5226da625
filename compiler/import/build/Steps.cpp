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
  SmallVector<Expr> states(inits);
  if (!count || !fit(states, states))
    return SmallVector<Expr>(inits.size());
  SmallVector<Value> values{number(b, 0).value};
  for (Expr state : states)
    values.push_back(state.value);
  SmallVector<Type> types;
  for (Value value : values)
    types.push_back(value.getType());
  SmallVector<Location> positions(types.size(), b.getLoc());
  auto loop = b.create<graph::WhileOp>(types, values);
  bool isWhole = true;
  {
    OpBuilder::InsertionGuard guard(b);
    Block *condition =
        b.createBlock(&loop.getCondition(), {}, types, positions);
    Expr at(b, condition->getArgument(0));
    Expr goesOn = apply<graph::LessOp>(at, count);
    b.create<graph::YieldOp>(ValueRange(goesOn.value));

    Block *body = b.createBlock(&loop.getBody(), {}, types, positions);
    SmallVector<Expr> now;
    for (Value argument : body->getArguments().drop_front())
      now.push_back(Expr(b, argument));
    Expr i(b, body->getArgument(0));
    SmallVector<Expr> next = step(i, now);
    isWhole = fit(now, next);
    SmallVector<Value> yielded{(i + 1).value};
    for (Expr state : isWhole ? next : now)
      yielded.push_back(state.value);
    b.create<graph::YieldOp>(yielded);
  }
  if (!isWhole) {
    loop.erase();
    return SmallVector<Expr>(inits.size());
  }
  for (auto [state, result] :
       llvm::zip_equal(states, loop.getResults().drop_front()))
    state = Expr(b, result);
  return states;
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
