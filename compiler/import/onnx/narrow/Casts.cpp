// Casts between all types of numbers.

#include "compiler/import/onnx/Types.h"
#include "compiler/import/onnx/narrow/Narrow.h"

using namespace mlir;

namespace weir::onnx {

static FailureOr<Rounding> roundingOf(Node &node) {
  Rounding rounding{node.intAttr("saturate", 1) != 0,
                    node.stringAttr("round_mode", "up")};
  if (rounding.mode != "up" && rounding.mode != "down" &&
      rounding.mode != "nearest")
    return node.error() << "round_mode '" << escaped(rounding.mode, 20)
                        << "' is none of up, down and nearest";
  return rounding;
}

static LogicalResult castTo(Node &node, const Format &format) {
  FailureOr<Rounding> rounding = roundingOf(node);
  if (failed(rounding))
    return failure();
  Expr codes = encoded(numbersAt(node, 0), format, *rounding);
  return node.tracedResults({narrow(format, codes)});
}

/// Before opset 6 the type is named.
static LogicalResult castToNamed(Node &node) {
  StringRef name = node.stringAttr("to");
  ::onnx::TensorProto::DataType number;
  Type to;
  if (::onnx::TensorProto::DataType_Parse(name.str(), &number))
    to = elementType(node.b.getContext(), number);
  if (!to)
    return node.error() << "casts to '" << escaped(name, 20)
                        << "', which is no type of numbers";
  return give(node, rounded(numbersAt(node, 0), to));
}

static LogicalResult importCast(Node &node) {
  if (failed(wantOperands(node, 1, 1)))
    return failure();
  if (node.opset() < 6)
    return castToNamed(node);
  int64_t number = node.intAttr("to");
  if (const Format *format =
          formatOf(llvm::isInt<32>(number) ? static_cast<int>(number) : 0))
    return castTo(node, *format);
  Type to = node.typeAttr("to");
  return to ? give(node, rounded(numbersAt(node, 0), to)) : failure();
}

/// To the type of operand 1.
static LogicalResult importCastLike(Node &node) {
  if (failed(wantOperands(node, 2, 2)))
    return failure();
  if (const Narrow *like = narrowAt(node, 1))
    return castTo(node, like->format);
  return give(node, rounded(numbersAt(node, 0), node.element(1)));
}

void addCastHandlers(Handlers &handlers) {
  handlers["Cast"] = {importCast, Takes::narrow};
  handlers["CastLike"] = {importCastLike, Takes::narrow};
}

} // namespace weir::onnx
