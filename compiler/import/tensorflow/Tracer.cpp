// Walks graphs, operands first.

#include "compiler/import/tensorflow/Tracer.h"

#include "compiler/import/Build.h"
#include "compiler/import/Names.h"
#include "compiler/import/tensorflow/control/LoopNest.h"

#include "dialects/graph/Graph.h"

#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using ::tensorflow::FunctionDef;

namespace weir::tensorflow {

/// Functions in regions in functions, so deep that the stack would not bear it.
constexpr unsigned nestingLimit = 100;

Location Tracer::locationOf(const Frame &frame, int node) {
  Location at = report.node(frame.graph->name(node));
  return frame.caller ? Location(CallSiteLoc::get(at, frame.caller)) : at;
}

FailureOr<Traced> Tracer::value(const Frame &frame, Edge edge, Location at,
                                bool &unsupported) {
  for (const auto &[fed, traced] : frame.fed)
    if (fed == edge)
      return traced;
  if (edge.isArgument())
    return frame.arguments[edge.argumentIndex()];
  const NodeState &state = frame.states[edge.node];
  if (state.unsupported) {
    unsupported = true;
    return Traced();
  }
  if (!state.traced ||
      static_cast<size_t>(edge.output) >= state.results.size()) {
    report.error(at) << "asks for result " << edge.output << " of '"
                     << escaped(frame.graph->name(edge.node)) << "' ("
                     << escaped(frame.graph->op(edge.node)) << "), which has "
                     << state.results.size();
    return failure();
  }
  return state.results[edge.output];
}

FailureOr<SmallVector<Traced>>
Tracer::traceGraph(const Graph &graph, ArrayRef<Edge> wanted,
                   ArrayRef<std::pair<Edge, Traced>> fed, bool &unsupported,
                   const Frame *around, int level) {
  SmallVector<Edge> fedEdges;
  for (const auto &[edge, traced] : fed)
    fedEdges.push_back(edge);
  FailureOr<std::vector<int>> order =
      orderNodes(report, graph, wanted, {}, fedEdges, level);
  if (failed(order))
    return failure();
  auto frame = std::make_unique<Frame>();
  frame->graph = &graph;
  if (around) {
    frame->arguments = around->arguments;
    frame->bindings = around->bindings;
    frame->caller = around->caller;
    frame->guards = around->guards;
  }
  frame->states.resize(graph.size());
  frame->fed.assign(fed.begin(), fed.end());
  frame->order = std::move(*order);
  frame->wanted.assign(wanted.begin(), wanted.end());
  SmallVector<Traced> results;
  frame->done = [&](SmallVector<Traced> values, bool isUnsupported) {
    results = std::move(values);
    unsupported = isUnsupported;
    return success();
  };
  frames.push_back(std::move(frame));
  if (failed(run(frames.size() - 1)))
    return failure();
  return results;
}

FailureOr<SmallVector<Traced>>
Tracer::trace(const Graph &graph, ArrayRef<Edge> wanted,
              ArrayRef<std::pair<Edge, Traced>> fed) {
  bool unsupported = false;
  auto results = traceGraph(graph, wanted, fed, unsupported);
  if (failed(results) || failed(reportUnsupported()))
    return failure();
  return results;
}

FailureOr<Traced> Tracer::traceAside(const Graph &graph, Edge edge) {
  if (nesting >= nestingLimit)
    return failure();
  bool unsupported = false;
  ++nesting;
  auto results = traceGraph(graph, edge, {}, unsupported);
  --nesting;
  if (failed(results) || unsupported)
    return failure();
  return results->front();
}

LogicalResult Tracer::run(size_t base) {
  auto giveUp = [&] {
    frames.resize(base);
    return failure();
  };
  while (frames.size() > base) {
    Frame &top = frame();
    if (top.next < top.order.size()) {
      if (failed(traceNode(top.order[top.next++])))
        return giveUp();
      continue;
    }
    std::unique_ptr<Frame> finished = std::move(frames.back());
    frames.pop_back();
    if (failed(finish(std::move(finished))))
      return giveUp();
  }
  return success();
}

LogicalResult Tracer::finish(std::unique_ptr<Frame> frame) {
  SmallVector<Traced> values;
  bool unsupported = false;
  Location at = frame->caller ? Location(frame->caller) : report.file();
  for (Edge edge : frame->wanted) {
    FailureOr<Traced> traced = value(*frame, edge, at, unsupported);
    if (failed(traced))
      return failure();
    if (isDead(*traced) || !guardsOf(*frame, edge).empty()) {
      report.error(locationOf(*frame, edge.node))
          << "(" << escaped(frame->graph->op(edge.node))
          << "): may have no value, being on one side of a Switch without a "
             "Merge";
      return failure();
    }
    values.push_back(*traced);
  }
  return frame->done(std::move(values), unsupported);
}

LogicalResult Tracer::traceNode(int index) {
  Frame &top = frame();
  Location at = locationOf(top, index);
  if (++tracedNodes > nodeBudget) {
    report.error(at, Status::limit)
        << "is one of more than " << nodeBudget
        << " nodes, with all calls and the steps of loops";
    return failure();
  }
  SmallVector<Traced> operands;
  bool missing = false;
  StringRef plain = plainOp(top.graph->op(index));
  if (top.graph->hasSwitches && plain == "Merge")
    return traceMerge(index, at);
  if (top.graph->loops && plain == "Exit")
    return traceExit(index, at);
  for (Edge edge : top.graph->operands(index)) {
    FailureOr<Traced> traced = value(top, edge, at, missing);
    if (failed(traced))
      return failure();
    operands.push_back(*traced);
  }
  if (!missing && top.graph->hasSwitches) {
    FailureOr<bool> runs = traceSwitches(index, at, operands);
    if (failed(runs))
      return failure();
    if (!*runs)
      return success();
  }
  if (!missing)
    return runHandler(index, operands, at);
  // What lies behind a node that is not supported cannot be traced, but its
  // op can still be one of those to report.
  top.states[index].unsupported = true;
  StringRef op = top.graph->op(index);
  if (!isKnownOp(op) && !library.find(op))
    unsupported(at, op, "no such op");
  return success();
}

/// A tensor without elements is known, however it came about: no kernel is
/// needed for it.
static Value withoutKernel(ImplicitLocOpBuilder &b, Value value) {
  auto type =
      value ? dyn_cast<RankedTensorType>(value.getType()) : RankedTensorType();
  Operation *op = value ? value.getDefiningOp() : nullptr;
  if (!type || !op || isa<graph::ConstantOp>(op) || type.getNumElements() != 0)
    return value;
  return splat(b, type, 0);
}

LogicalResult Tracer::runHandler(int index, ArrayRef<Traced> operands,
                                 Location at) {
  Frame &top = frame();
  const ::tensorflow::NodeDef &def = top.graph->node(index);
  NodeState &state = top.states[index];
  ImplicitLocOpBuilder b(at, builder);
  Node node(*this, def, operands, b);
  node.bindings = top.bindings;
  size_t refusedBefore = refused.size();
  Block *block = builder.getInsertionBlock();
  Operation *before = block && !block->empty() ? &block->back() : nullptr;
  pending = false;
  Status statusBefore = report.status;
  LogicalResult outcome = node.run();
  bool isPending = std::exchange(pending, false);
  if (refused.size() != refusedBefore && report.status == statusBefore) {
    state.unsupported = true;
    return success();
  }
  if (failed(outcome)) {
    // A handler that fails has said why; one that has not is a fault of ours,
    // and the user still learns which node it was.
    if (report.status == Status::ok)
      report.error(at) << "(" << escaped(def.op()) << "): cannot be imported";
    return failure();
  }
  if (isPending)
    return success();
  for (Traced &traced : node.given) {
    traced.value = withoutKernel(b, traced.value);
    traced.imaginary = withoutKernel(b, traced.imaginary);
  }
  state.results.assign(node.given.begin(), node.given.end());
  state.traced = true;
  guardChecks(before, block, index);
  return verifyNew(before, block, at);
}

LogicalResult Tracer::verifyNew(Operation *before, Block *block, Location at) {
  if (!block)
    return success();
  auto op = before ? std::next(before->getIterator()) : block->begin();
  for (; op != block->end(); ++op) {
    if (succeeded(mlir::verify(&*op)))
      continue;
    if (report.status == Status::ok)
      report.status = Status::badInput;
    return failure();
  }
  return success();
}

LogicalResult Tracer::push(Node &node, StringRef name, const Bindings &bindings,
                           ArrayRef<Traced> arguments,
                           decltype(Frame::done) done) {
  Graph *graph = functionGraph(node, name);
  if (!graph)
    return failure();
  const auto &signature = graph->function->signature();
  if (arguments.size() != static_cast<size_t>(signature.input_arg_size()))
    return node.error() << "gives '" << escaped(name) << "' "
                        << arguments.size() << " arguments instead of "
                        << signature.input_arg_size();
  for (auto [argument, traced] : llvm::zip(signature.input_arg(), arguments)) {
    Type wanted = elementType(report.context, argument.type());
    if (wanted && traced.value && !traced.imaginary &&
        typeOf(traced.value).getElementType() != wanted)
      return node.error() << "gives '" << escaped(name) << "' a "
                          << typeOf(traced.value) << " for argument '"
                          << escaped(argument.name()) << "' of "
                          << dataTypeName(argument.type());
    if (argument.type() == ::tensorflow::DT_INVALID &&
        argument.type_attr().empty())
      return node.error() << "argument '" << escaped(argument.name())
                          << "' of '" << escaped(name) << "' has no type";
  }
  if (!graph->order) {
    FailureOr<std::vector<int>> order =
        orderNodes(report, *graph, graph->returns, graph->controlReturns, {});
    if (failed(order))
      return failure();
    graph->order = std::move(*order);
  }
  auto frame = std::make_unique<Frame>();
  frame->graph = graph;
  frame->arguments.assign(arguments.begin(), arguments.end());
  frame->bindings = &bindings;
  frame->caller = node.b.getLoc();
  frame->guards = this->frame().guards;
  frame->guards.append(this->frame().states[currentNode()].guards);
  frame->states.resize(graph->size());
  frame->order = *graph->order;
  frame->wanted = graph->returns;
  frame->done = std::move(done);
  frames.push_back(std::move(frame));
  return success();
}

Graph *Tracer::functionGraph(Node &node, StringRef name) {
  FunctionDef *def = library.find(name);
  if (!def) {
    node.error() << "calls function '" << escaped(name)
                 << "', which the graph does not have"
                 << didYouMean(name, library.names());
    return nullptr;
  }
  return library.graph(report, *def);
}

LogicalResult Tracer::call(Node &node, StringRef function,
                           const Bindings &bindings,
                           ArrayRef<Traced> arguments) {
  Frame *caller = &frame();
  int index = caller->order[caller->next - 1];
  auto done = [caller, index](SmallVector<Traced> values, bool unsupported) {
    NodeState &state = caller->states[index];
    state.results.assign(values.begin(), values.end());
    state.traced = true;
    state.unsupported = unsupported;
    return success();
  };
  if (failed(push(node, function, bindings, arguments, done)))
    return failure();
  pending = true;
  return success();
}

FailureOr<SmallVector<Traced>>
Tracer::traceFunction(Node &node, StringRef function, const Bindings &bindings,
                      ArrayRef<Traced> arguments) {
  if (nesting >= nestingLimit) {
    report.error(node.b.getLoc(), Status::limit)
        << "control flow nests more than " << nestingLimit << " deep";
    return failure();
  }
  SmallVector<Traced> results;
  bool isUnsupported = false;
  auto done = [&](SmallVector<Traced> values, bool unsupported) {
    results = std::move(values);
    isUnsupported = unsupported;
    return success();
  };
  if (failed(push(node, function, bindings, arguments, done)))
    return failure();
  ++nesting;
  LogicalResult outcome = run(frames.size() - 1);
  --nesting;
  if (failed(outcome) || isUnsupported)
    return failure();
  return results;
}

FailureOr<Constant> Tracer::constant(Node &node,
                                     ::tensorflow::TensorProto &proto) {
  auto [known, isNew] = constants.try_emplace(&proto);
  if (!isNew)
    return known->second;
  std::string why;
  FailureOr<Constant> read =
      readTensor(report.context, proto, node.name(), why);
  if (failed(read)) {
    node.error() << "its constant " << why;
    return failure();
  }
  constants[&proto] = *read;
  return read;
}

void Tracer::unsupported(Location at, StringRef op, const Twine &why) {
  refused.push_back({at, escaped(op), why.str()});
}

std::vector<Tracer::Refusal> Tracer::forget(size_t count) {
  std::vector<Refusal> taken(refused.begin() + count, refused.end());
  refused.erase(refused.begin() + count, refused.end());
  return taken;
}

void Tracer::remember(std::vector<Refusal> refusals) {
  refused.insert(refused.end(), refusals.begin(), refusals.end());
}

LogicalResult Tracer::reportUnsupported() {
  // An inlined function's node is one node of the model, however often called.
  llvm::StringSet<> told;
  for (auto &[at, op, why] : refused) {
    std::string key = op + why;
    if (auto call = dyn_cast<CallSiteLoc>(at))
      at = call.getCallee();
    if (auto name = dyn_cast<NameLoc>(at))
      key += name.getName().str();
    if (told.insert(key).second)
      report.error(at, Status::unsupported)
          << "(" << op << "): not supported: " << why;
  }
  return failure(!refused.empty());
}

bool isKnownOp(StringRef op) {
  return handlers().count(op) || complexHandlers().count(op) ||
         tensorflowNames().count(op);
}

} // namespace weir::tensorflow
