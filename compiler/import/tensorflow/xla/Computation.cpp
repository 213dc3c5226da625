// Functions that XLA's ops apply to elements.

#include "compiler/import/tensorflow/xla/Computation.h"

#include "compiler/import/tensorflow/xla/Xla.h"

using namespace mlir;

namespace weir::tensorflow {

FailureOr<Computation> Computation::of(Node &node, StringRef attribute) {
  const auto *value = node.attr(attribute, "a function");
  if (!value)
    return node.missing(attribute);
  Graph *graph = node.tracer.functionGraph(node, value->func().name());
  if (!graph)
    return failure();
  return Computation(node, value->func(), *graph);
}

std::optional<Computation::Form> Computation::form() const {
  if (graph->returns.size() != 1)
    return std::nullopt;
  auto number = [&](Edge edge) -> std::optional<unsigned> {
    for (int i = 0; i < graph->function->signature().input_arg_size(); ++i)
      if (edge == Edge::argument(i))
        return i;
    return std::nullopt;
  };
  Edge result = graph->behindIdentities(graph->returns[0]);
  if (std::optional<unsigned> argument = number(result))
    return Form{{}, {*argument}};
  if (result.isArgument())
    return std::nullopt;
  Form form{graph->op(result.node), {}};
  for (Edge edge : graph->operands(result.node)) {
    std::optional<unsigned> argument = number(graph->behindIdentities(edge));
    if (!argument)
      return std::nullopt;
    form.arguments.push_back(*argument);
  }
  return form;
}

StringRef Computation::symmetric() const {
  std::optional<Form> form = this->form();
  if (!form || form->arguments.size() != 2 ||
      form->arguments[0] + form->arguments[1] != 1)
    return {};
  for (StringRef op :
       {"Add", "AddV2", "Mul", "Maximum", "Minimum", "LogicalAnd", "LogicalOr"})
    if (form->op == op)
      return op;
  return {};
}

SmallVector<Expr> Computation::operator()(ArrayRef<Expr> arguments) const {
  SmallVector<Traced> traced;
  for (Expr x : arguments) {
    if (!x)
      return {};
    traced.push_back({x.value, {}, nullptr});
  }
  auto results = node->tracer.traceFunction(*node, function->name(),
                                            function->attr(), traced);
  if (failed(results))
    return {};
  SmallVector<Expr> values;
  for (const Traced &result : *results) {
    Expr value(node->b, result.value);
    if (!value || result.imaginary || result.isBounded() ||
        (value.shape() != arguments[0].shape() && value.rank() != 0)) {
      (void)node->unsupported("function '" + function->name() +
                              "', which does not go element by element");
      return {};
    }
    values.push_back(broadcast(value, arguments[0].shape()));
  }
  return values;
}

} // namespace weir::tensorflow
