// The operands of elementwise nodes, checked and of one shape.

#include "compiler/import/tensorflow/elementwise/Operands.h"

#include "compiler/import/ByName.h"
#include "compiler/import/tensorflow/Tensors.h"
#include "compiler/import/tensorflow/proto/graph.pb.h"

using namespace mlir;

namespace weir::tensorflow {

LogicalResult broadcastAll(Node &node, MutableArrayRef<Expr> operands) {
  SmallVector<Value> values;
  for (Expr x : operands)
    values.push_back(x.value);
  if (failed(broadcastOperands(node, values)))
    return failure();
  for (auto [x, value] : llvm::zip_equal(operands, values))
    x = {node.b, value};
  return success();
}

FailureOr<SmallVector<Expr>> operandsOf(Node &node, unsigned count,
                                        Elements elements) {
  if (count ? node.size() != count : node.size() == 0)
    return node.error() << "has " << node.size() << " operands instead of "
                        << std::max(count, 1u);
  SmallVector<Expr> operands;
  for (unsigned i = 0; i < node.size(); ++i) {
    operands.push_back(operand(node, i));
    Type type = operands[i].elementType(), first = operands[0].elementType();
    if (!isOf(type, elements))
      return node.error() << "does not take " << operands[i].type();
    if (type != first)
      return node.error() << "its operands differ in type: "
                          << operands[0].type() << " and "
                          << operands[i].type();
  }
  if (failed(broadcastAll(node, operands)))
    return failure();
  return operands;
}

Type complexPart(Node &node, StringRef attribute) {
  const ::tensorflow::AttrValue *value = node.attr(attribute, "a type");
  if (!value)
    return {};
  if (value->type() == ::tensorflow::DT_COMPLEX64)
    return node.b.getF32Type();
  if (value->type() == ::tensorflow::DT_COMPLEX128)
    return node.b.getF64Type();
  return {};
}

Expr zerosOf(Expr x) { return x ? Expr(*x.b, splat(*x.b, x.type(), 0)) : x; }

} // namespace weir::tensorflow
