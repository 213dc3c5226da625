// Functions, traced in place of their calls.

#include "compiler/import/Build.h"
#include "compiler/import/tensorflow/Order.h"
#include "compiler/import/tensorflow/Tracer.h"
#include "compiler/import/tensorflow/Types.h"

using namespace mlir;
using ::tensorflow::FunctionDef;

namespace weir::tensorflow {

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
    FailureOr<std::vector<int>> order = orderNodes(
        report, *graph, graph->returns, graph->controlReturns, Feeds());
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
  frame->guards.append(this->frame().states.at(currentNode()).guards);
  frame->fed = std::make_shared<Feeds>();
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
  auto done = [=](SmallVector<Traced> values, bool unsupported) {
    NodeState &state = caller->states[index];
    state.results.assign(values.begin(), values.end());
    state.traced = true;
    state.unsupported = unsupported;
    if (!unsupported)
      keepResults(*caller, index);
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

} // namespace weir::tensorflow
