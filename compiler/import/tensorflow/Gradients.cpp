// The entry that gives gradients, as --grad asks for it.

#include "compiler/import/tensorflow/Gradients.h"

#include "compiler/import/Build.h"
#include "compiler/import/tensorflow/Entry.h"
#include "compiler/import/tensorflow/Library.h"
#include "compiler/import/tensorflow/Training.h"
#include "compiler/import/tensorflow/state/VariableNodes.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/gradients/Gradient.h"
#include "dialects/weir/TensorName.h"

using namespace mlir;

namespace weir::tensorflow {

/// Where the tracer's state has what is watched: no variable's name.
constexpr StringRef watchedKey = " watched";

Watched *watchedOf(Tracer &tracer) {
  auto found = tracer.state.find(watchedKey);
  return found == tracer.state.end()
             ? nullptr
             : static_cast<Watched *>(found->second.object.get());
}

Watched &watch(Tracer &tracer) {
  if (!watchedOf(tracer))
    tracer.state[watchedKey].object = std::make_shared<Watched>();
  return *watchedOf(tracer);
}

Value Watched::keep(ImplicitLocOpBuilder &b, Value value) {
  return watchedValue(b, value, kept++);
}

void keepWatched(Tracer &tracer, int node, ImplicitLocOpBuilder &b,
                 MutableArrayRef<Traced> results) {
  Watched *watched = watchedOf(tracer);
  if (!watched)
    return;
  for (auto [i, traced] : llvm::enumerate(results))
    if (traced.value &&
        llvm::is_contained(watched->edges, Edge{node, static_cast<int>(i)}))
      traced.value = watched->keep(b, traced.value);
}

Expr alongside(Node &node, Expr value, Expr path) {
  if (!value || !path || !watchedOf(node.tracer))
    return value;
  auto stopped = [&](Expr e) {
    return Expr(node.b,
                node.b.create<graph::StopGradientOp>(e.value, StringAttr()));
  };
  // Zero, to the bit, but not what infinities leave.
  Expr zero = path - stopped(path);
  Expr isFinite = apply<graph::EqualOp>(stopped(zero), zero.like(0));
  return stopped(value) + select(isFinite, zero, zero.like(0));
}

FailureOr<Port> portNamed(Report &report, const Graph &graph,
                          const Entry &model, StringRef name, StringRef what) {
  for (const auto *ports : {&model.inputs, &model.outputs})
    for (const Port &port : *ports)
      if (name == port.name || name == port.tensor)
        return Port{{port.name, port.tensor}, port.edge};
  FailureOr<Edge> edge = resolveTensor(report, graph, name, what);
  if (failed(edge))
    return failure();
  return Port{{withoutIndex(name).str(), withIndex(name)}, *edge};
}

FailureOr<Derived<Port>> derivedOf(Report &report, const Graph &graph,
                                   const ImportOptions &options,
                                   const Entry &model) {
  return derivedResults<Port>(
      report, options,
      [&](StringRef name, StringRef what) {
        return portNamed(report, graph, model, name, what);
      },
      [&](StringRef name) { return hasTensor(graph, model, name); });
}

FailureOr<std::vector<Entry>> derivedEntries(Report &report, const Graph &graph,
                                             const Library &library,
                                             const ImportOptions &options,
                                             const Entry &model,
                                             bool hasSignatures) {
  FailureOr<Derived<Port>> all = derivedOf(report, graph, options, model);
  if (failed(all))
    return failure();
  std::vector<Entry> entries = entriesOf<Entry>(options, *all);
  for (Entry &entry : entries) {
    if (hasSignatures) {
      entry.inputs = model.inputs;
      continue;
    }
    ImportOptions needed = options;
    needed.fetches.clear();
    needed.loss.reset();
    forEachDerived(entry, [&](const Port &port, bool) {
      needed.fetches.push_back(port.tensor);
    });
    FailureOr<Entry> partial = partialEntry(report, graph, library, needed);
    if (failed(partial))
      return failure();
    entry.inputs = std::move(partial->inputs);
  }
  return entries;
}

static bool isHandle(const Graph &graph, const Port &port) {
  return graph.op(port.edge.node) == "VarHandleOp";
}

SmallVector<Edge> watchDerivatives(const Graph &graph, const Entry &entry,
                                   Tracer &tracer) {
  SmallVector<Edge> edges;
  forEachDerived(entry, [&](const Port &port, bool isVariable) {
    edges.push_back(port.edge);
    if (!isVariable)
      return;
    watch(tracer).edges.push_back(port.edge);
    if (isHandle(graph, port))
      watch(tracer).variables[variableName(graph.node(port.edge.node))];
  });
  return edges;
}

SmallVector<Traced> derivedFrom(const Graph &graph, const Entry &entry,
                                Tracer &tracer, ArrayRef<Traced> traced) {
  SmallVector<Traced> all(traced);
  size_t i = 0;
  forEachDerived(entry, [&](const Port &port, bool) {
    if (isHandle(graph, port))
      all[i].value = watch(tracer).variables.lookup(
          variableName(graph.node(port.edge.node)));
    ++i;
  });
  return all;
}

} // namespace weir::tensorflow
