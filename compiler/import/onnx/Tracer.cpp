// Walks graphs, operands first.

#include "compiler/import/onnx/Tracer.h"

#include "compiler/import/Build.h"
#include "compiler/import/Custom.h"
#include "compiler/import/Gradients.h"
#include "compiler/import/Names.h"
#include "compiler/import/debug/Instruments.h"
#include "compiler/import/onnx/Declared.h"
#include "compiler/import/onnx/Handlers.h"
#include "compiler/import/onnx/StringTable.h"
#include "compiler/import/onnx/narrow/Narrow.h"

#include "dialects/graph/Graph.h"

using namespace mlir;
using ::onnx::NodeProto;

namespace weir::onnx {

Location Tracer::locationOf(const Scope &scope, const NodeProto &def) const {
  Location at = report.node(labelOf(def));
  if (scope.context.callee)
    return CallSiteLoc::get(at, scope.context.callee);
  return at;
}

Traced Tracer::edge(OpBuilder &builder, Location at, const Constant &constant) {
  if (constant.strings)
    return stringConstant(builder, at, *constant.strings);
  Value value = builder.create<graph::ConstantOp>(at, constant.value);
  if (const Format *format = formatOf(constant.narrowType))
    return {{}, {}, std::make_shared<Narrow>(*format, value)};
  return {value, {}, nullptr};
}

template <typename Proto, typename Read>
static FailureOr<Constant> readOnce(Tracer &tracer, Location at, Proto &proto,
                                    StringRef name, Read read,
                                    DenseMap<const void *, Constant> &known) {
  auto found = known.find(&proto);
  if (found != known.end())
    return found->second;
  Fault fault;
  Status before = tracer.report.status;
  std::optional<Constant> constant =
      read(tracer.report, proto, name, tracer.model.external, fault);
  if (constant)
    return known[&proto] = *constant;
  if (tracer.report.status == before)
    tracer.report.error(at, fault.status)
        << "tensor '" << escaped(name) << "' " << fault.why;
  return failure();
}

FailureOr<Constant> Tracer::constant(Location at, ::onnx::TensorProto &proto,
                                     StringRef name) {
  return readOnce(*this, at, proto, name, readTensor, constants);
}

FailureOr<Constant> Tracer::constant(Location at,
                                     ::onnx::SparseTensorProto &proto,
                                     StringRef name) {
  return readOnce(*this, at, proto, name, readSparse, constants);
}

void Tracer::define(Scope &scope, Location at, StringRef name, Traced traced) {
  auto found = scope.isWatched ? watched.find(name) : watched.end();
  if (found != watched.end() && traced.value &&
      isa<FloatType>(typeOf(traced.value).getElementType())) {
    ImplicitLocOpBuilder b(at, builder);
    traced.value = watchedValue(b, traced.value, found->second);
  }
  if (onTensor && traced.value && &scope.graph == &model.graph())
    onTensor(name, traced.value.getType());
  scope.values[name] = {std::move(traced), false};
}

LogicalResult Tracer::addInitializer(Scope &scope, StringRef name) {
  Location at = report.node(name);
  FailureOr<Constant> read = failure();
  if (auto *tensor = scope.graph.initializer(name))
    read = constant(at, *tensor, name);
  else if (auto *sparse = scope.graph.sparseInitializer(name))
    read = constant(at, *sparse, name);
  if (failed(read))
    return failure();
  define(scope, at, name, edge(builder, at, *read));
  return success();
}

static const Scope::Value *lookup(const Scope *scope, StringRef name) {
  for (; scope; scope = scope->outer)
    if (auto found = scope->values.find(name); found != scope->values.end())
      return &found->second;
  return nullptr;
}

FailureOr<SmallVector<Traced>>
Tracer::collect(Scope &scope, ArrayRef<StringRef> wanted, Location at) {
  SmallVector<Traced> values;
  for (StringRef name : wanted) {
    const Scope::Value *value = lookup(&scope, name);
    if (!value && llvm::is_contained(model.graph().inputs, name)) {
      report.error(at) << "asks for '" << escaped(name)
                       << "', which has no value; give it one with --feed="
                       << escaped(name);
      return failure();
    }
    if (!value) {
      report.error(at) << "asks for '" << escaped(name)
                       << "', which nothing gives"
                       << didYouMean(name, scope.graph.names());
      return failure();
    }
    if (value->isUnsupported) {
      ++unfinished;
      return failure();
    }
    values.push_back(value->traced);
  }
  return values;
}

LogicalResult Tracer::traceScope(Scope &scope, ArrayRef<StringRef> wanted) {
  llvm::StringSet<> fed;
  for (const auto &value : scope.values)
    fed.insert(value.getKey());
  Plan plan = scope.graph.plan(wanted, fed);
  for (StringRef name : plan.initializers)
    if (failed(addInitializer(scope, name)))
      return failure();
  for (int node : plan.nodes)
    if (failed(traceNode(scope, scope.graph.node(node))))
      return failure();
  return success();
}

FailureOr<SmallVector<Traced>>
Tracer::trace(ArrayRef<StringRef> wanted,
              ArrayRef<std::pair<StringRef, Traced>> fed) {
  Context context{&model.opsets};
  Scope scope{model.graph(), context};
  scope.isWatched = true;
  // Graphs of nodes must not take the names of the model's own tensors.
  for (int i = 0; instruments && i < scope.graph.size(); ++i)
    for (const std::string &name : scope.graph.node(i).output())
      instruments->claim(name, &scope.graph.node(i));
  if (instruments)
    instruments->enter();
  for (const auto &[name, traced] : fed) {
    define(scope, report.node(name), name, traced);
    if (instruments)
      if (auto declared = declaredDims(scope.graph, name, /*hasNames=*/true))
        instruments->addInput(traced, *declared);
  }
  if (failed(traceScope(scope, wanted)) || failed(reportUnsupported()))
    return failure();
  return collect(scope, wanted, report.file());
}

/// Nothing can be said of the node's results.
static void markUnsupported(Scope &scope, const NodeProto &def) {
  for (const std::string &name : def.output())
    if (!name.empty())
      scope.values[name] = {{}, true};
}

LogicalResult Tracer::traceNode(Scope &scope, const NodeProto &def) {
  Location at = locationOf(scope, def);
  if (failed(countNode(at)))
    return failure();
  SmallVector<Traced> operands;
  bool isMissing = false;
  for (const std::string &name : def.input()) {
    if (name.empty()) {
      operands.emplace_back();
      continue;
    }
    const Scope::Value *value = lookup(&scope, name);
    if (!value && llvm::is_contained(model.graph().inputs, name))
      return report.error(at)
             << "(" << escaped(def.op_type()) << "): needs '" << escaped(name)
             << "', which has no value; give it one with --feed="
             << escaped(name);
    if (!value)
      return report.error(at) << "(" << escaped(def.op_type()) << "): needs '"
                              << escaped(name) << "', which nothing gives"
                              << didYouMean(name, scope.graph.names());
    isMissing |= value->isUnsupported;
    operands.push_back(value->traced);
  }
  if (!isMissing)
    return runNode(scope, def, operands, at);
  // What lies behind a node that is not supported cannot be traced, but its
  // op can still be one of those to report.
  markUnsupported(scope, def);
  if (!isKnownOp(opKey(def)) && !model.function(def) &&
      !model.customOps.count(opKey(def)))
    unsupported(at, opKey(def), howToDefine);
  return success();
}

LogicalResult Tracer::runNode(Scope &scope, const NodeProto &def,
                              ArrayRef<Traced> operands, Location at) {
  ImplicitLocOpBuilder b(at, builder);
  Node node(*this, scope, def, operands, b);
  return runHandler(
      node, regions != 0, [&] { markUnsupported(scope, def); },
      [&](Mark) -> LogicalResult {
        for (auto [name, traced] : llvm::zip(def.output(), node.given)) {
          if (name.empty())
            continue;
          if (failed(checkElement(node, name, traced)))
            return failure();
          refine(b, traced);
          define(scope, at, name, traced);
        }
        if (instruments)
          observe(node);
        return success();
      });
}

void Tracer::observe(Node &node) {
  SmallVector<NodeResult> results;
  for (auto [name, traced] : llvm::zip(node.def.output(), node.given))
    if (!name.empty())
      results.push_back(
          {node.name().str(), name, &traced, &node.def,
           // The names of inner graphs are not those of the model.
           declaredDims(node.scope.graph, name, node.scope.isWatched)});
  LocationAttr callers = node.scope.context.callee;
  // The nodes of a function have been checked already.
  if (model.function(node.def))
    instruments->keep(builder, node.b.getLoc(), callers, results);
  else
    instruments->add(node, callers, results);
}

FailureOr<SmallVector<Traced>> Tracer::traceInner(Node &node,
                                                  ::onnx::GraphProto &proto,
                                                  ArrayRef<Traced> arguments,
                                                  bool mayBeDynamic) {
  Location at = node.b.getLoc();
  if (nesting >= nestingLimit) {
    report.error(at, Status::limit)
        << "control flow nests more than " << nestingLimit << " deep";
    return failure();
  }
  const Graph *graph = model.inner(report, proto);
  if (!graph)
    return failure();
  if (graph->inputs.size() != arguments.size())
    return node.error() << "gives a graph " << arguments.size()
                        << " values, which takes " << graph->inputs.size();
  Scope scope{*graph, node.scope.context, &node.scope};
  for (auto [name, traced] : llvm::zip(graph->inputs, arguments))
    scope.values[name] = {traced, false};
  ++nesting;
  ++regions;
  LogicalResult outcome = traceScope(scope, graph->outputs);
  --regions;
  --nesting;
  if (failed(outcome))
    return failure();
  auto results = collect(scope, graph->outputs, at);
  // Two branches may have two tables.
  if (succeeded(results) &&
      llvm::any_of(*results, [](const Traced &x) { return hasStrings(x); }))
    return node.unsupported("its graph gives strings");
  if (!mayBeDynamic && succeeded(results) &&
      llvm::any_of(*results, [](const Traced &x) { return x.isBounded(); }))
    return node.unsupported("its graph gives a result with a size that is "
                            "known only at run time");
  return results;
}

FailureOr<Traced> Tracer::retrace(Node &node,
                                  ArrayRef<std::pair<StringRef, Traced>> fed,
                                  StringRef wanted) {
  if (nesting >= nestingLimit) {
    report.error(node.b.getLoc(), Status::limit)
        << "gradients nest more than " << nestingLimit << " deep";
    return failure();
  }
  const Scope &around = node.scope;
  Scope scope{around.graph, around.context, around.outer};
  // What the graph itself is given.
  for (StringRef input : around.graph.inputs)
    if (auto found = around.values.find(input); found != around.values.end())
      scope.values[input] = found->second;
  for (const auto &[name, traced] : fed)
    scope.values[name] = {traced, false};
  // The nodes have been observed when they were traced first.
  Instruments *observing = std::exchange(instruments, nullptr);
  ++nesting;
  LogicalResult outcome = traceScope(scope, wanted);
  --nesting;
  instruments = observing;
  if (failed(outcome))
    return failure();
  FailureOr<SmallVector<Traced>> values =
      collect(scope, wanted, node.b.getLoc());
  if (failed(values))
    return failure();
  return values->front();
}

LogicalResult Tracer::call(Node &node, ::onnx::FunctionProto &function) {
  Location at = node.b.getLoc();
  for (const Context *context = &node.scope.context; context;
       context = context->caller)
    if (context->function == &function)
      return node.error() << "calls itself";
  if (nesting >= nestingLimit)
    return report.error(at, Status::limit)
           << "functions nest more than " << nestingLimit << " deep";
  const Model::Body *body = model.body(report, function);
  if (!body)
    return failure();
  const Graph &graph = *body->graph;
  if (node.size() > graph.inputs.size() ||
      node.outputs() > graph.outputs.size())
    return node.error() << "has " << node.size() << " operands and "
                        << node.outputs() << " results, and its function "
                        << graph.inputs.size() << " and "
                        << graph.outputs.size();
  Context context{&body->opsets, &function, &node.scope.context, at};
  for (const std::string &name : function.attribute())
    context.attributes[name] = node.attr(name);
  for (auto &attribute : *function.mutable_attribute_proto()) {
    auto *given = node.attr(attribute.name());
    context.attributes[attribute.name()] = given ? given : &attribute;
  }
  Scope scope{graph, context};
  for (auto [i, name] : llvm::enumerate(graph.inputs))
    scope.values[name] = {node.traced(i), false};
  SmallVector<StringRef> wanted;
  for (unsigned i = 0; i < node.outputs(); ++i)
    if (node.wants(i))
      wanted.push_back(graph.outputs[i]);
  ++nesting;
  LogicalResult outcome = traceScope(scope, wanted);
  --nesting;
  if (failed(outcome))
    return failure();
  FailureOr<SmallVector<Traced>> values = collect(scope, wanted, at);
  if (failed(values))
    return failure();
  SmallVector<Traced> results(node.outputs());
  for (unsigned i = 0, next = 0; i < node.outputs(); ++i)
    if (node.wants(i))
      results[i] = (*values)[next++];
  return node.tracedResults(std::move(results));
}

bool isKnownOp(StringRef op) {
  return handlers().count(op) || onnxNames().count(op);
}

} // namespace weir::onnx
