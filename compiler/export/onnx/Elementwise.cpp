// Elementwise ops. They keep the order of dimensions of their operands in the
// file, so that transposes around convolutions meet and disappear.

#include "compiler/export/onnx/Formulas.h"
#include "compiler/export/onnx/Ops.h"

#include "compiler/import/Elements.h"
#include "compiler/import/Names.h"
#include "dialects/graph/Elementwise.h"

#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
using namespace weir::graph;

namespace weir::to_onnx {

Tensor test(Writer &w, StringRef op, ArrayRef<Tensor> operands) {
  return w.map(op, operands, w.builder().getI1Type());
}

Tensor with(Writer &w, StringRef op, Tensor x, double number) {
  return w.map(op, {x, w.number(number, x.element)});
}

namespace {

using Operands = SmallVector<Tensor, 3>;
using Formula = Tensor (*)(Writer &, ArrayRef<Tensor>, Operation *);

Tensor isZero(Writer &w, Tensor x) {
  return test(w, "Equal", {x, w.number(0, x.element)});
}

/// Zero where `x` is, and `y` elsewhere.
Tensor zeroWith(Writer &w, Tensor x, Tensor y) {
  return w.map("Where", {isZero(w, x), w.number(0, y.element), y});
}

Tensor remainder(Writer &w, ArrayRef<Tensor> x, bool isTruncated) {
  return w.node("Mod", x)
      .set("fmod", int64_t(isTruncated))
      .result(broadcastOf(x[0].shape, x[1].shape), x[0].element);
}

Tensor writeFloorMod(Writer &w, ArrayRef<Tensor> x, Operation *) {
  if (!isFloat(x[0]))
    return remainder(w, x, false);
  // ONNX has only the truncated remainder of floats.
  Tensor m = remainder(w, x, true), zero = w.number(0, m.element);
  Tensor differs = test(
      w, "Xor", {test(w, "Less", {m, zero}), test(w, "Less", {x[1], zero})});
  Tensor rest = test(w, "Not", isZero(w, m));
  return w.map("Where",
               {test(w, "And", {rest, differs}), w.map("Add", {m, x[1]}), m});
}

Tensor writeFloorDiv(Writer &w, ArrayRef<Tensor> x, Operation *) {
  if (isFloat(x[0]))
    return w.map("Floor", w.map("Div", x));
  if (x[0].element.isUnsignedInteger())
    return w.map("Div", x);
  // ONNX truncates. To subtract the remainder first could overflow.
  Tensor quotient = w.map("Div", x), zero = w.number(0, x[0].element);
  Tensor differs = test(
      w, "Xor", {test(w, "Less", {x[0], zero}), test(w, "Less", {x[1], zero})});
  Tensor rest = test(w, "Not", isZero(w, remainder(w, x, false)));
  return w.map("Where", {test(w, "And", {rest, differs}),
                         with(w, "Sub", quotient, 1), quotient});
}

/// Accurate near zero, where exp(x) - 1 cancels: 2 sinh(x/2) exp(x/2). Below -1
/// that would multiply an infinity by zero in the end.
Tensor writeExpm1(Writer &w, ArrayRef<Tensor> x, Operation *) {
  Tensor middle = with(w, "Mul", x[0], 0.5);
  Tensor twice = with(w, "Mul", w.map("Sinh", middle), 2);
  Tensor product = w.map("Mul", {twice, w.map("Exp", middle)});
  Tensor direct = with(w, "Sub", w.map("Exp", x[0]), 1);
  Tensor isLow = test(w, "Less", {x[0], w.number(-1, x[0].element)});
  return w.map("Where", {isLow, direct, product});
}

/// Accurate near zero: asinh(x/2 (x+2) / (x+1)). Below -1 the logarithm is NaN.
Tensor log1p(Writer &w, Tensor x) {
  Tensor above = with(w, "Add", x, 1);
  Tensor ratio = w.map("Div", {with(w, "Add", x, 2), above});
  Tensor sine = w.map("Mul", {with(w, "Mul", x, 0.5), ratio});
  Tensor isLow = test(w, "Less", {x, w.number(-1, x.element)});
  // An infinite ratio of infinities is NaN.
  Tensor isHigh = test(w, "Less", {w.number(1e4, x.element), x});
  Tensor isDirect = test(w, "Or", {isLow, isHigh});
  return w.map("Where", {isDirect, w.map("Log", above), w.map("Asinh", sine)});
}

/// The value of all elements of a constant of floats.
std::optional<APFloat> floatOf(Value value) {
  std::optional<DenseElementsAttr> elements = knownElements(value);
  if (!elements || !elements->isSplat() ||
      !isa<FloatType>(elements->getElementType()))
    return std::nullopt;
  return elements->getSplatValue<APFloat>();
}

Tensor writeClamp(Writer &w, ArrayRef<Tensor> x, Operation *op) {
  auto low = floatOf(op->getOperand(1)), high = floatOf(op->getOperand(2));
  if (!low || !high || *high < *low)
    return w.map("Max", {w.map("Min", {x[0], x[2]}), x[1]});
  auto scalar = [&](APFloat value) {
    bool loses;
    value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &loses);
    return w.number(value.convertToDouble(), x[0].element);
  };
  return w.map("Clip", {x[0], scalar(*low), scalar(*high)});
}

/// `x`, or `factor` times `below` where `x` is below zero.
Tensor belowZero(Writer &w, Tensor x, Tensor below, double factor) {
  return w.map("Where", {test(w, "Less", {x, w.number(0, x.element)}),
                         with(w, "Mul", below, factor), x});
}

/// ONNX has the factors of selu in f32.
Tensor writeSelu(Writer &w, ArrayRef<Tensor> x, Operation *) {
  if (!x[0].element.isF64())
    return w.map("Selu", x);
  Tensor scaled =
      belowZero(w, x[0], w.map("Elu", x), 1.6732632423543772848170429916717);
  return with(w, "Mul", scaled, 1.0507009873554804934193349852946);
}

/// ONNX has the factor in f32.
Tensor writeLeakyRelu(Writer &w, ArrayRef<Tensor> x, Operation *op) {
  double alpha = cast<LeakyReluOp>(op).getAlpha().convertToDouble();
  auto narrow = static_cast<float>(alpha);
  if (x[0].element.isF64() && narrow != alpha)
    return belowZero(w, x[0], x[0], alpha);
  return w.node("LeakyRelu", x)
      .setFloat("alpha", narrow)
      .result(x[0].shape, x[0].element);
}

/// Nothing happens to integers.
template <const char *name>
Tensor writeRounding(Writer &w, ArrayRef<Tensor> x, Operation *) {
  return isFloat(x[0]) ? w.map(name, x) : x[0];
}
constexpr char floorName[] = "Floor", ceilName[] = "Ceil",
               roundName[] = "Round";

Tensor writeTrunc(Writer &w, ArrayRef<Tensor> x, Operation *) {
  if (!isFloat(x[0]))
    return x[0];
  return w.map("Mul", {w.map("Sign", x), w.map("Floor", w.map("Abs", x))});
}

Tensor isInfinite(Writer &w, Tensor x) {
  // ONNX tests f32 and f64 only.
  if (!x.element.isF64())
    x = w.cast(x, w.builder().getF32Type());
  return test(w, "IsInf", x);
}

/// Formulas of ops that ONNX has under another name, or not as one op.
const llvm::StringMap<Formula> &formulas() {
  using Args = ArrayRef<Tensor>;
  static const llvm::StringMap<Formula> table = {
      {"graph.square", [](Writer &w, Args x,
                          Operation *) { return w.map("Mul", {x[0], x[0]}); }},
      {"graph.squared_difference",
       [](Writer &w, Args x, Operation *) {
         Tensor difference = w.map("Sub", x);
         return w.map("Mul", {difference, difference});
       }},
      {"graph.relu",
       [](Writer &w, Args x, Operation *) {
         return x[0].element.isUnsignedInteger() ? x[0] : w.map("Relu", x);
       }},
      {"graph.relu6",
       [](Writer &w, Args x, Operation *) {
         return w.map("Clip", {x[0], w.number(0, x[0].element),
                               w.number(6, x[0].element)});
       }},
      {"graph.elu",
       [](Writer &w, Args x, Operation *) { return w.map("Elu", x); }},
      {"graph.selu", writeSelu},
      {"graph.leaky_relu", writeLeakyRelu},
      {"graph.floor", writeRounding<floorName>},
      {"graph.ceil", writeRounding<ceilName>},
      {"graph.round", writeRounding<roundName>},
      {"graph.trunc", writeTrunc},
      {"graph.maximum",
       [](Writer &w, Args x, Operation *) { return w.map("Max", x); }},
      {"graph.minimum",
       [](Writer &w, Args x, Operation *) { return w.map("Min", x); }},
      {"graph.clamp", writeClamp},
      {"graph.neg",
       [](Writer &w, Args x, Operation *) { return negated(w, x[0]); }},
      {"graph.reciprocal", writeReciprocal},
      {"graph.pow", writePow},
      {"graph.mod",
       [](Writer &w, Args x, Operation *) { return remainder(w, x, true); }},
      {"graph.floor_mod", writeFloorMod},
      {"graph.floor_div", writeFloorDiv},
      {"graph.div_no_nan",
       [](Writer &w, Args x, Operation *) {
         return zeroWith(w, x[1], w.map("Div", x));
       }},
      {"graph.mul_no_nan",
       [](Writer &w, Args x, Operation *) {
         return zeroWith(w, x[1], w.map("Mul", x));
       }},
      {"graph.xlogy",
       [](Writer &w, Args x, Operation *) {
         return zeroWith(w, x[0], w.map("Mul", {x[0], w.map("Log", x[1])}));
       }},
      {"graph.xdivy",
       [](Writer &w, Args x, Operation *) {
         return zeroWith(w, x[0], w.map("Div", x));
       }},
      {"graph.xlog1py",
       [](Writer &w, Args x, Operation *) {
         return zeroWith(w, x[0], w.map("Mul", {x[0], log1p(w, x[1])}));
       }},
      {"graph.expm1", writeExpm1},
      {"graph.log1p",
       [](Writer &w, Args x, Operation *) { return log1p(w, x[0]); }},
      {"graph.rsqrt",
       [](Writer &w, Args x, Operation *) {
         return w.map("Reciprocal", w.map("Sqrt", x));
       }},
      {"graph.cast", writeCast},
      {"graph.not_equal",
       [](Writer &w, Args x, Operation *) {
         return test(w, "Not", test(w, "Equal", x));
       }},
      {"graph.is_inf",
       [](Writer &w, Args x, Operation *) { return isInfinite(w, x[0]); }},
      {"graph.is_finite",
       [](Writer &w, Args x, Operation *) {
         return test(w, "Not",
                     test(w, "Or", {test(w, "IsNaN", x), isInfinite(w, x[0])}));
       }},
      {"graph.shift_left", writeShiftLeft},
      {"graph.shift_right", writeShiftRight},
  };
  return table;
}

/// The names of ops that are one to one with an op of ONNX.
const llvm::StringMap<std::string> &sameOps() {
  static const llvm::StringMap<std::string> table = [] {
    llvm::StringMap<std::string> names;
    for (const auto &entry : elementwiseOnnxNames()) {
      StringRef onnx = entry.getKey();
      if (onnx.contains("::"))
        continue;
      std::string &name = names[onnxNames().lookup(onnx)];
      if (name.empty() || onnx < name)
        name = onnx.str();
    }
    return names;
  }();
  return table;
}

/// The order of dimensions that most of the work would otherwise transpose to:
/// that of the first operand with all its elements in the file.
Sizes orderOf(Writer &w, Operation *op) {
  for (Value operand : op->getOperands()) {
    if (constantOf(operand))
      continue;
    View view = w.viewOf(operand);
    if (view.tensor.shape == view.full)
      return view.order;
  }
  return countUp(typeOf(op->getResult(0)).getRank());
}

} // namespace

bool isOfOpset18(Operation *op) {
  return isa<BitwiseAndOp, BitwiseOrOp, BitwiseXorOp, BitwiseNotOp>(op);
}

LogicalResult writeElementwise(Writer &w, Operation *op) {
  auto formula = formulas().find(op->getName().getStringRef());
  auto same = sameOps().find(op->getName().getStringRef());
  bool hasFormula = formula != formulas().end();
  if (!hasFormula && same == sameOps().end())
    return w.refuse();
  RankedTensorType type = typeOf(op->getResult(0));
  Sizes order = orderOf(w, op);
  Operands operands = llvm::map_to_vector<3>(
      op->getOperands(), [&](Value value) { return w.aligned(value, order); });
  Tensor result = hasFormula
                      ? formula->second(w, operands, op)
                      : w.map(same->second, operands, type.getElementType());
  w.hold(op->getResult(0),
         {result, pick(type.getShape(), inverseOf(order)), order});
  return success();
}

} // namespace weir::to_onnx
