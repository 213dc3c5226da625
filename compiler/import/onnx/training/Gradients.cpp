// Gradients that a model asks for itself.

#include "compiler/import/Gradients.h"
#include "compiler/import/onnx/Operands.h"

#include "dialects/graph/gradients/Gradient.h"

using namespace mlir;

namespace weir::onnx {

/// The derivatives of `y` by the values `xs`, where these and `zs` are the
/// operands: what leads from them to `y` in the graph around the node is traced
/// anew.
static LogicalResult importGradient(Node &node) {
  SmallVector<StringRef> names = node.stringsAttr("xs");
  size_t count = names.size();
  llvm::append_range(names, node.stringsAttr("zs"));
  StringRef result = node.stringAttr("y");
  if (count == 0 || result.empty() || node.size() != names.size())
    return node.error() << "has " << node.size() << " operands for "
                        << names.size() << " names";
  SmallVector<std::pair<StringRef, Traced>> fed;
  SmallVector<Value> variables;
  for (auto [i, name] : llvm::enumerate(names)) {
    Value value = node.operand(i);
    if (!value)
      return node.error() << "lacks operand " << i;
    if (i < count) {
      if (!isa<FloatType>(node.element(i)))
        return node.error() << "has no derivative by " << node.type(i);
      value = watchedValue(node.b, value, static_cast<int64_t>(i));
      variables.push_back(value);
    }
    fed.push_back({name, {value, {}, nullptr}});
  }
  FailureOr<Traced> y = node.tracer.retrace(node, fed, result);
  if (failed(y))
    return failure();
  if (!y->value || !isa<FloatType>(typeOf(y->value).getElementType()))
    return node.error() << "'" << escaped(result, 60)
                        << "' is no tensor of floats";
  auto op = node.b.create<graph::GradientOp>(y->value, variables);
  return node.results(op.getResults());
}

void addGradientHandlers(Handlers &handlers) {
  handlers[opKey("ai.onnx.preview.training", "Gradient")] = importGradient;
}

} // namespace weir::onnx
