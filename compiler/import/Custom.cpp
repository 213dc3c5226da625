// Parses the options of custom ops, and builds their calls.

#include "compiler/import/Custom.h"

#include "compiler/import/Build.h"
#include "compiler/import/Elements.h"
#include "compiler/import/Operands.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/custom/Custom.h"
#include "runtime/weir.h"

using namespace mlir;

namespace weir {

const char *const howToDefine =
    "no such op; --ops=FILE defines it by a function of other ops, and "
    "--custom-op=OP=SYMBOL by a function of C";

namespace {

/// The value of an expression such as `0.1*2+4`, from left to right: numbers,
/// and sizes of operands as OPERAND.DIMENSION. Without operands the form alone
/// is checked. None after saying what is wrong in `why`.
std::optional<int64_t> evaluate(StringRef text,
                                std::optional<ArrayRef<Traced>> operands,
                                std::string &why) {
  int64_t value = 0;
  char sign = '+';
  StringRef rest = text;
  do {
    StringRef term =
        rest.take_while([](char c) { return llvm::isDigit(c) || c == '.'; });
    rest = rest.drop_front(term.size());
    auto [number, dim] = term.split('.');
    int64_t factor = 0, index = 0;
    if (number.getAsInteger(10, factor) ||
        (term.contains('.') && dim.getAsInteger(10, index))) {
      why = "'" + escaped(text) + "' is no size, such as 4, 0.1 or 0.1*2";
      return std::nullopt;
    }
    if (term.contains('.') && operands) {
      if (static_cast<size_t>(factor) >= operands->size() ||
          !(*operands)[factor].value ||
          index >= typeOf((*operands)[factor].value).getRank()) {
        why = "there is no dimension " + std::to_string(index) +
              " of operand " + std::to_string(factor);
        return std::nullopt;
      }
      factor = typeOf((*operands)[factor].value).getDimSize(index);
    } else if (term.contains('.')) {
      factor = 1;
    }
    bool overflows = false;
    if (sign == '+')
      overflows = llvm::AddOverflow(value, factor, value);
    else if (sign == '-')
      overflows = llvm::SubOverflow(value, factor, value);
    else if (sign == '*')
      overflows = llvm::MulOverflow(value, factor, value);
    else if (factor == 0)
      overflows = true;
    else
      value /= factor;
    if (overflows) {
      why = "'" + escaped(text) + "' has no value in 64 bits";
      return std::nullopt;
    }
    if (rest.empty())
      break;
    sign = rest.front();
    rest = rest.drop_front();
    if (!StringRef("+-*/").contains(sign)) {
      why = "'" + escaped(text) + "' is no size, such as 4, 0.1 or 0.1*2";
      return std::nullopt;
    }
  } while (true);
  if (operands && value < 0) {
    why = "'" + escaped(text) + "' is " + std::to_string(value);
    return std::nullopt;
  }
  return value;
}

/// The shape by a rule: the number of an operand, or `[4x0.1]`.
std::optional<SmallVector<int64_t>>
shapeBy(StringRef rule, std::optional<ArrayRef<Traced>> operands,
        std::string &why) {
  size_t operand;
  if (!rule.getAsInteger(10, operand)) {
    if (!operands)
      return SmallVector<int64_t>();
    if (operand >= operands->size() || !(*operands)[operand].value) {
      why = "there is no operand " + std::to_string(operand);
      return std::nullopt;
    }
    return llvm::to_vector(typeOf((*operands)[operand].value).getShape());
  }
  if (!rule.consume_front("[") || !rule.consume_back("]")) {
    why = "'" + escaped(rule) +
          "' is no shape, such as 0 for that of operand 0, or [4x0.1]";
    return std::nullopt;
  }
  SmallVector<StringRef> parts;
  SmallVector<int64_t> shape;
  rule.split(parts, 'x', -1, /*KeepEmpty=*/!rule.empty());
  for (StringRef part : parts) {
    std::optional<int64_t> size = evaluate(part, operands, why);
    if (!size)
      return std::nullopt;
    shape.push_back(*size);
  }
  return shape;
}

/// The weir_dtype of a type that tensors of a graph have.
int32_t dtypeOf(Type element) {
  constexpr StringLiteral names[] = {"f16",  "bf16", "f32", "f64", "i1",
                                     "i8",   "i16",  "i32", "i64", "ui8",
                                     "ui16", "ui32", "ui64"};
  std::string name;
  llvm::raw_string_ostream(name) << element;
  const auto *found = llvm::find(names, name);
  assert(found != std::end(names));
  return static_cast<int32_t>(WEIR_F16 + (found - std::begin(names)));
}

/// The element type by a rule: the number of an operand, or a name.
Type typeBy(MLIRContext *context, StringRef rule,
            std::optional<ArrayRef<Traced>> operands, std::string &why) {
  size_t operand;
  if (!rule.getAsInteger(10, operand)) {
    if (!operands)
      return Builder(context).getF32Type();
    if (operand < operands->size() && (*operands)[operand].value)
      return typeOf((*operands)[operand].value).getElementType();
    why = "there is no operand " + std::to_string(operand);
    return {};
  }
  if (Type element = parseElement(context, rule))
    return element;
  why = "'" + escaped(rule) +
        "' is no type, such as 0 for that of operand 0, or f32";
  return {};
}

SmallVector<StringRef> rulesOf(DictionaryAttr call, StringRef key) {
  SmallVector<StringRef> rules;
  call.getAs<StringAttr>(key).getValue().split(rules, ';');
  return rules;
}

} // namespace

std::string parseCustomOp(MLIRContext *context, StringRef text,
                          ImportOptions &options) {
  auto [op, rest] = text.split('=');
  auto [symbol, settings] = rest.split(',');
  if (op.empty() || rest.empty())
    return "is not OP=SYMBOL, as in com.example::Swish=my_swish";
  if (!graph::isCName(symbol))
    return "calls '" + escaped(symbol) + "', which is no name in C";
  if (symbol.starts_with("weir_") || symbol.starts_with("kernel_"))
    return "calls '" + escaped(symbol) +
           "', and weir_ and kernel_ begin names "
           "of weir's own";
  Builder b(context);
  NamedAttrList call;
  call.set("symbol", b.getStringAttr(symbol));
  call.set("shape", b.getStringAttr("0"));
  call.set("type", b.getStringAttr("0"));
  call.set("scratch", b.getStringAttr("0"));
  call.set("parts", b.getI64IntegerAttr(1));
  SmallVector<StringRef> each;
  settings.split(each, ',', -1, /*KeepEmpty=*/false);
  std::string why;
  for (StringRef setting : each) {
    auto [key, value] = setting.split('=');
    SmallVector<StringRef> rules;
    value.split(rules, ';');
    if (key == "shape") {
      for (StringRef rule : rules)
        if (!shapeBy(rule, std::nullopt, why))
          return "is wrong: " + why;
    } else if (key == "type") {
      for (StringRef rule : rules)
        if (!typeBy(context, rule, std::nullopt, why))
          return "is wrong: " + why;
    } else if (key == "scratch") {
      if (!evaluate(value, std::nullopt, why))
        return "is wrong: " + why;
    } else if (key == "parts") {
      int64_t parts;
      if (value.getAsInteger(10, parts) || parts < 1 ||
          parts > graph::maxCustomParts)
        return "sets parts to '" + escaped(value) +
               "', which is no number from 1 to " +
               std::to_string(graph::maxCustomParts);
      call.set(key, b.getI64IntegerAttr(parts));
      continue;
    } else {
      StringRef keys[] = {"shape", "type", "parts", "scratch"};
      return "has a setting that is wrong: " + unknownValue(key, keys);
    }
    call.set(key, b.getStringAttr(value));
  }
  StringRef name = op;
  name.consume_front("ai.onnx::");
  for (const CustomOp &other : options.customOps)
    if (other.op == name)
      return "defines an op that another --custom-op defines";
  options.customOps.push_back({name.str(), call.getDictionary(context)});
  return "";
}

LogicalResult importCustom(TracedNode &node, DictionaryAttr call,
                           unsigned results) {
  MLIRContext *context = node.b.getContext();
  SmallVector<Traced> operands;
  SmallVector<Value> inputs;
  SmallVector<int32_t> dtypes;
  for (unsigned i = 0; i < node.size(); ++i) {
    const Traced &traced = node.traced(i);
    if (!traced.value || traced.imaginary)
      return node.unsupported("a custom op takes tensors of real numbers, and "
                              "operand " +
                              Twine(i) + " is none");
    if (traced.isBounded())
      return node.unsupported("a custom op takes tensors of fixed sizes, and "
                              "operand " +
                              Twine(i) + " has one that only the run knows");
    operands.push_back(traced);
    inputs.push_back(traced.value);
    dtypes.push_back(dtypeOf(typeOf(traced.value).getElementType()));
  }
  StringRef symbol = call.getAs<StringAttr>("symbol").getValue();
  SmallVector<StringRef> shapes = rulesOf(call, "shape"),
                         types = rulesOf(call, "type");
  if (shapes.size() < results)
    return node.error(Status::badUsage)
           << "has " << results << " results, and --custom-op says the shapes "
           << "of " << shapes.size() << ", as in shape=0;[4x0.1]";
  std::string why;
  auto wrong = [&] {
    return node.error(Status::badUsage)
           << "is computed by '" << symbol << "', and " << why;
  };
  SmallVector<Type> resultTypes;
  for (auto [i, rule] : llvm::enumerate(shapes)) {
    auto shape = shapeBy(rule, ArrayRef(operands), why);
    Type element = typeBy(context, types[std::min(i, types.size() - 1)],
                          ArrayRef(operands), why);
    if (!shape || !element)
      return wrong();
    resultTypes.push_back(RankedTensorType::get(*shape, element));
    dtypes.push_back(dtypeOf(element));
  }
  std::optional<int64_t> scratch = evaluate(
      call.getAs<StringAttr>("scratch").getValue(), ArrayRef(operands), why);
  if (!scratch)
    return wrong();
  if (!byteSize({*scratch}, 1))
    return node.error(Status::limit)
           << "is computed by '" << symbol << "', and " << *scratch
           << " bytes of scratch are more than a tensor may have";
  IntegerAttr parts = call.getAs<IntegerAttr>("parts");
  resultTypes.push_back(
      RankedTensorType::get({parts.getInt()}, node.b.getI32Type()));
  auto op = node.b.create<graph::CustomOp>(
      resultTypes, inputs, node.b.getStringAttr(symbol), parts,
      node.b.getI64IntegerAttr(*scratch), node.b.getDenseI32ArrayAttr(dtypes));
  Expr status(node.b, op.getOutputs().back());
  if (failed(check(node, apply<graph::EqualOp>(status, status.like(0)),
                   "the function '" + symbol + "' failed")))
    return failure();
  return node.results(op.getOutputs().drop_back());
}

} // namespace weir
