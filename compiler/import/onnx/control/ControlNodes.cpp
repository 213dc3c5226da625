// Conditionals and loops, whose bodies are graphs that see the values around
// them.

#include "compiler/import/bounded/Agreement.h"
#include "compiler/import/bounded/PaddedBuffers.h"
#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/loops/Unrolling.h"
#include "compiler/import/onnx/control/Control.h"
#include "compiler/import/onnx/control/Loops.h"

using namespace mlir;

namespace weir::onnx {

static LogicalResult importIf(Node &node) {
  FailureOr<Value> condition = scalarBoolean(node, node.b, node.traced(0));
  if (failed(condition))
    return failure();
  auto *onTrue = node.graphAttr("then_branch");
  auto *onFalse = node.graphAttr("else_branch");
  if (!onTrue || !onFalse)
    return node.missing(onTrue ? "else_branch" : "then_branch");
  auto branch = [&](::onnx::GraphProto *graph) {
    return [&node, graph] {
      return node.tracer.traceInner(node, *graph, {}, /*mayBeDynamic=*/true);
    };
  };
  auto results = buildIf(node, *condition, branch(onTrue), branch(onFalse));
  return failed(results) ? failure() : node.tracedResults(std::move(*results));
}

/// A scalar as the body declares its input `i`: some say that it has one
/// dimension, of size 1.
static Traced asTaken(ImplicitLocOpBuilder &b, const ::onnx::GraphProto &body,
                      int i, Expr scalar) {
  Value value = scalar.value;
  if (i < body.input_size() &&
      body.input(i).type().tensor_type().shape().dim_size() == 1)
    value = reshapeTo(b, value, {1});
  return {value, {}, nullptr};
}

/// Operand 0 is the most steps, operand 1 whether the first one runs; either
/// may be left out. The others are the variables.
static LogicalResult importLoop(Node &node) {
  auto *body = node.graphAttr("body");
  if (!body)
    return node.missing("body");
  Steps steps;
  if (node.has(0)) {
    if (!node.operand(0) || node.type(0).getNumElements() != 1 ||
        !isOf(node.element(0), Elements::integers))
      return node.error() << "has a number of steps that is none";
    steps.limit = reshape(cast(operand(node, 0), node.b.getI64Type()), {});
  }
  Value always =
      splat(node.b, RankedTensorType::get({}, node.b.getI1Type()), 1);
  steps.goesOn = {node.b, always};
  if (node.has(1)) {
    FailureOr<Value> condition = scalarBoolean(node, node.b, node.traced(1));
    if (failed(condition))
      return failure();
    steps.goesOn = {node.b, *condition};
  }
  for (unsigned i = 2; i < node.size(); ++i) {
    if (!node.has(i))
      return node.error() << "lacks operand " << i;
    steps.variables.push_back(node.traced(i));
  }
  size_t count = steps.variables.size();
  if (body->output_size() < static_cast<int>(count) + 1)
    return node.error() << "its body gives " << body->output_size()
                        << " results for " << count << " variables";
  steps.collected = body->output_size() - count - 1;
  steps.firstCollected = count;
  steps.body = [&node, body](Expr step, Expr goesOn, ArrayRef<Traced> variables)
      -> FailureOr<SmallVector<Traced>> {
    ImplicitLocOpBuilder here(node.b.getLoc(), node.tracer.builder);
    SmallVector<Traced> arguments{asTaken(here, *body, 0, step),
                                  asTaken(here, *body, 1, goesOn)};
    arguments.append(variables.begin(), variables.end());
    auto results =
        node.tracer.traceInner(node, *body, arguments, /*mayBeDynamic=*/true);
    if (failed(results))
      return failure();
    ImplicitLocOpBuilder inner(node.b.getLoc(), node.tracer.builder);
    FailureOr<Value> next = scalarBoolean(node, inner, results->front());
    if (failed(next))
      return failure();
    results->front().value = *next;
    return results;
  };
  auto results = buildSteps(node, steps);
  return failed(results) ? failure() : node.tracedResults(std::move(*results));
}

/// One number for each of `count`, 0 where the attribute is absent.
static FailureOr<Integers> perTensor(Node &node, StringRef name, size_t count) {
  Integers values = node.intsAttr(name);
  if (!node.hasAttr(name))
    values.assign(count, 0);
  if (values.size() != count)
    return node.error() << "attribute '" << name << "' has " << values.size()
                        << " numbers for " << count << " tensors";
  return values;
}

namespace {

/// Since opset 9: first the variables, then the tensors that each step takes
/// one slice of.
class ScanBuilder {
public:
  explicit ScanBuilder(Node &node) : node(node) {}
  FailureOr<SmallVector<Traced>> build(ArrayRef<Traced> variables,
                                       ArrayRef<Traced> scanned);

private:
  Traced sliceAt(const Traced &x, Expr step, int64_t axis, bool backward);
  /// What was collected, in the way and along the axis that it goes.
  FailureOr<Traced> ordered(const Traced &all, int64_t axis, bool backward);

  Node &node;
  Size length;
};

Traced ScanBuilder::sliceAt(const Traced &x, Expr step, int64_t axis,
                            bool backward) {
  ImplicitLocOpBuilder inner(node.b.getLoc(), node.tracer.builder);
  Expr here(inner, step.value);
  Expr position = backward ? exactly(inner, length) - 1 - here : here;
  return partAt(inner, x, axis, position.value);
}

FailureOr<Traced> ScanBuilder::ordered(const Traced &all, int64_t axis,
                                       bool backward) {
  Sizes sizes = sizesOf(all);
  Expr x(node.b, all.value);
  if (backward && sizes[0].isKnown())
    x = reverse(x, int64_t(0));
  else if (backward)
    x = gather(x, exactly(node.b, sizes[0]) - 1 - weir::iota(node.b, x.size(0)),
               0);
  if (!x)
    return node.error() << "collects more than a tensor may hold";
  FailureOr<int64_t> to = node.axis(axis, x.rank());
  if (failed(to))
    return failure();
  Integers order;
  for (int64_t d = 1; d < x.rank(); ++d)
    order.push_back(d);
  order.insert(order.begin() + *to, 0);
  Sizes moved;
  for (int64_t d : order)
    moved.push_back(sizes[d]);
  return withSizes(transpose(x, order).value, moved);
}

FailureOr<SmallVector<Traced>> ScanBuilder::build(ArrayRef<Traced> variables,
                                                  ArrayRef<Traced> scanned) {
  auto *body = node.graphAttr("body");
  if (!body)
    return node.missing("body");
  size_t count = variables.size();
  if (scanned.empty() || body->output_size() < static_cast<int>(count))
    return node.error() << "scans " << scanned.size() << " tensors, and its "
                        << "body gives " << body->output_size() << " results";
  size_t given = body->output_size() - count;
  auto inAxes = perTensor(node, "scan_input_axes", scanned.size());
  StringRef old = node.opset() < 9 ? "directions" : "scan_input_directions";
  auto inWays = perTensor(node, old, scanned.size());
  auto outAxes = perTensor(node, "scan_output_axes", given);
  auto outWays = perTensor(node, "scan_output_directions", given);
  if (failed(inAxes) || failed(inWays) || failed(outAxes) || failed(outWays))
    return failure();
  for (auto [i, x] : llvm::enumerate(scanned)) {
    int64_t &axis = (*inAxes)[i];
    FailureOr<int64_t> one = node.axis(axis, typeOf(x.value).getRank());
    if (failed(one))
      return failure();
    axis = *one;
    const Size own = sizesOf(x)[axis];
    auto agreed = i ? agreedSize(node, length, own, "scanned tensors")
                    : FailureOr<Size>(own);
    if (failed(agreed))
      return failure();
    length = *agreed;
  }
  Steps steps;
  steps.limit = exactly(node.b, length);
  Type i1 = node.b.getI1Type();
  steps.goesOn = {node.b, splat(node.b, RankedTensorType::get({}, i1), 1)};
  steps.variables.assign(variables.begin(), variables.end());
  steps.collected = given;
  steps.firstCollected = count;
  steps.body = [&](Expr step, Expr goesOn,
                   ArrayRef<Traced> now) -> FailureOr<SmallVector<Traced>> {
    SmallVector<Traced> arguments(now);
    for (auto [x, axis, way] : llvm::zip(scanned, *inAxes, *inWays))
      arguments.push_back(sliceAt(x, step, axis, way != 0));
    auto results =
        node.tracer.traceInner(node, *body, arguments, /*mayBeDynamic=*/true);
    if (succeeded(results))
      results->insert(results->begin(), Traced{goesOn.value, {}, nullptr});
    return results;
  };
  auto results = buildSteps(node, steps);
  if (failed(results))
    return failure();
  for (size_t i = 0; i < given; ++i) {
    Traced &all = (*results)[count + i];
    auto one = ordered(all, (*outAxes)[i], (*outWays)[i] != 0);
    if (failed(one))
      return failure();
    all = *one;
  }
  return results;
}

} // namespace

/// Opset 8 has lengths first, and a batch in dimension 0 of all: each entry of
/// it is a scan of its own.
static LogicalResult importOldScan(Node &node, int64_t scans) {
  if (node.has(0))
    return node.unsupported("sequences of different lengths");
  for (unsigned i = 1; i < node.size(); ++i)
    if (node.traced(i).isBounded())
      return node.unsupported("a batch of scans, with sizes that are known "
                              "only at run time");
  int64_t variables = node.size() - 1 - scans;
  if (variables < 0)
    return node.error() << "scans " << scans << " of its operands";
  int64_t batch = node.rank(1) ? node.shape(1)[0] : 0;
  if (batch > stepLimit)
    return node.error(Status::limit)
           << "has a batch of " << batch << ", and at most " << stepLimit
           << " can be scanned";
  SmallVector<SmallVector<Expr>> results;
  for (int64_t entry = 0; entry < batch; ++entry) {
    SmallVector<Traced> first, rest;
    for (unsigned i = 1; i < node.size(); ++i) {
      Expr x = operand(node, i);
      if (!x || !x.rank() || x.size(0) != batch)
        return node.error() << "operand " << i << " has no batch of " << batch;
      Integers shape(x.shape().drop_front());
      (static_cast<int64_t>(i) <= variables ? first : rest)
          .push_back({reshape(slice(x, 0, entry, 1), shape).value, {}, {}});
    }
    auto one = ScanBuilder(node).build(first, rest);
    if (failed(one))
      return failure();
    results.resize(one->size());
    for (auto [to, traced] : llvm::zip(results, *one)) {
      Expr part(node.b, traced.value);
      Integers shape(part.shape());
      shape.insert(shape.begin(), 1);
      to.push_back(reshape(part, shape));
    }
  }
  if (results.empty())
    return node.unsupported("a batch of none");
  SmallVector<Expr> joined;
  for (ArrayRef<Expr> parts : results)
    joined.push_back(concat(parts, 0));
  return give(node, joined);
}

static LogicalResult importScan(Node &node) {
  int64_t scans = node.intAttr("num_scan_inputs");
  if (scans < 1 || scans > node.size())
    return node.error() << "scans " << scans << " of " << node.size()
                        << " operands";
  if (node.opset() < 9)
    return importOldScan(node, scans);
  SmallVector<Traced> variables, scanned;
  for (unsigned i = 0; i < node.size(); ++i) {
    if (!node.operand(i))
      return node.error() << "lacks operand " << i;
    (static_cast<int64_t>(i) < node.size() - scans ? variables : scanned)
        .push_back(node.traced(i));
  }
  auto results = ScanBuilder(node).build(variables, scanned);
  return failed(results) ? failure() : node.tracedResults(std::move(*results));
}

void addControlHandlers(Handlers &handlers) {
  handlers["If"] = {importIf, Takes::anything};
  handlers["Loop"] = {importLoop, Takes::bounded};
  handlers["Scan"] = {importScan, Takes::bounded};
}

} // namespace weir::onnx
