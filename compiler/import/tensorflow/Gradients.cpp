// The entry that gives gradients, as --grad asks for it.

#include "compiler/import/tensorflow/Gradients.h"

#include "compiler/import/Build.h"
#include "compiler/import/tensorflow/Entry.h"

#include "dialects/graph/gradients/Gradient.h"

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
  auto barrier = b.create<graph::BarrierOp>(value);
  // CSE merges ops that are alike, as barriers of equal constants would be.
  barrier->setAttr("weir.watched", b.getI64IntegerAttr(kept++));
  return barrier;
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

FailureOr<Port> portNamed(Report &report, const Graph &graph,
                          const Entry &model, StringRef name, StringRef what) {
  for (const auto *ports : {&model.inputs, &model.outputs})
    for (const Port &port : *ports)
      if (name == port.name || name == port.tensor)
        return Port{{port.name, port.tensor}, port.edge};
  FailureOr<Edge> edge = resolveTensor(report, graph, name, what);
  if (failed(edge))
    return failure();
  name.consume_back(":0");
  std::string tensor = name.str() + (name.contains(':') ? "" : ":0");
  return Port{{name.str(), tensor}, *edge};
}

FailureOr<Entry> gradientEntry(Report &report, const Graph &graph,
                               const Library &library,
                               const ImportOptions &options, const Entry &model,
                               bool hasSignatures) {
  Entry entry;
  ImportOptions needed = options;
  needed.fetches.clear();
  SmallVector<std::string> given;
  for (auto [k, request] : llvm::enumerate(options.gradients)) {
    Derivatives &asked = entry.derivatives.emplace_back();
    auto *before = llvm::find(given, request.loss);
    if (before != given.end()) {
      asked.ofGradient = before - given.begin();
    } else {
      FailureOr<Port> loss =
          portNamed(report, graph, model, request.loss, "--grad");
      if (failed(loss))
        return failure();
      asked.loss = *loss;
      needed.fetches.push_back(loss->tensor);
    }
    // As TensorFlow calls the gradients of several calls.
    std::string scope = "gradients" + (k ? "_" + std::to_string(k) : "") + "/";
    for (const std::string &name : request.variables) {
      FailureOr<Port> port = portNamed(report, graph, model, name, "--grad");
      if (failed(port))
        return failure();
      needed.fetches.push_back(port->tensor);
      port->name = scope + port->name;
      if (llvm::is_contained(given, port->name)) {
        report.error(Status::badUsage)
            << "--grad: '" << escaped(name) << "' is given twice";
        return failure();
      }
      given.push_back(port->name);
      asked.variables.push_back(std::move(*port));
    }
  }
  if (hasSignatures) {
    entry.inputs = model.inputs;
  } else {
    FailureOr<Entry> partial = partialEntry(report, graph, library, needed);
    if (failed(partial))
      return failure();
    entry.inputs = std::move(partial->inputs);
  }
  entry.name = "gradients";
  return entry;
}

static bool isHandle(const Graph &graph, const Port &port) {
  return graph.op(port.edge.node) == "VarHandleOp";
}

SmallVector<Edge> watchDerivatives(const Graph &graph, const Entry &entry,
                                   Tracer &tracer) {
  SmallVector<Edge> edges;
  for (const Derivatives &asked : entry.derivatives) {
    if (!asked.ofGradient)
      edges.push_back(asked.loss.edge);
    for (const Port &port : asked.variables) {
      edges.push_back(port.edge);
      watch(tracer).edges.push_back(port.edge);
      if (isHandle(graph, port))
        watch(tracer).variables[variableName(graph.node(port.edge.node))];
    }
  }
  return edges;
}

LogicalResult buildDerivatives(Report &report, const Graph &graph,
                               const Entry &entry, Tracer &tracer,
                               ArrayRef<Traced> traced,
                               SmallVectorImpl<Value> &values,
                               std::vector<Port> &ports) {
  // The value, where gradients can be of it or by it.
  auto floats = [&](const Port &port) -> Value {
    Value value = traced.front().value;
    bool isWhole = !traced.front().imaginary && !traced.front().isBounded();
    traced = traced.drop_front();
    if (isHandle(graph, port))
      value = watch(tracer).variables.lookup(
          variableName(graph.node(port.edge.node)));
    Location at = report.node(graph.name(port.edge.node));
    if (!value || !isWhole) {
      report.error(at, Status::unsupported)
          << "is no tensor of real numbers and of fixed shape that the loss "
             "may depend on: it has no gradient";
      return {};
    }
    if (!isa<FloatType>(typeOf(value).getElementType())) {
      report.error(at, Status::badUsage)
          << "is a " << value.getType() << "; only floats have gradients";
      return {};
    }
    return value;
  };
  size_t first = values.size();
  for (const Derivatives &asked : entry.derivatives) {
    Value loss = asked.ofGradient ? values[first + *asked.ofGradient]
                                  : floats(asked.loss);
    if (!loss)
      return failure();
    SmallVector<Value> variables;
    for (const Port &port : asked.variables) {
      variables.push_back(floats(port));
      if (!variables.back())
        return failure();
      ports.push_back({{port.name, port.name}, port.edge});
    }
    auto op = tracer.builder.create<graph::GradientOp>(loss.getLoc(), loss,
                                                       variables);
    llvm::append_range(values, op.getResults());
  }
  return success();
}

} // namespace weir::tensorflow
