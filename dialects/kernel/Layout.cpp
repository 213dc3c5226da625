// The attribute #kernel.layout: its text, its checks and its formats.

#include "dialects/kernel/Kernel.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace weir::kernel;

static StringRef keywordOf(LayoutKind kind) {
  switch (kind) {
#define WEIR_LAYOUT(kind, name)                                                \
  case LayoutKind::kind:                                                       \
    return #name;
#include "dialects/kernel/Layouts.def"
  }
  llvm_unreachable("a layout without a name");
}

static std::optional<LayoutKind> kindOf(StringRef name) {
  return llvm::StringSwitch<std::optional<LayoutKind>>(name)
#define WEIR_LAYOUT(kind, name) .Case(#name, LayoutKind::kind)
#include "dialects/kernel/Layouts.def"
      .Default(std::nullopt);
}

static const LayoutFormat &formatOf(LayoutKind kind) {
  switch (kind) {
#define WEIR_LAYOUT(kind, name)                                                \
  case LayoutKind::kind:                                                       \
    return formatOf##kind();
#include "dialects/kernel/Layouts.def"
  }
  llvm_unreachable("a layout without a format");
}

const LayoutFormat &LayoutAttr::getFormat() const {
  return formatOf(getKind());
}

std::array<int32_t, 2> LayoutAttr::getSafeRange() const {
  if (getNumbers().empty())
    return {-128, 127};
  auto bitsOf = [](int64_t exponent) { return int32_t(exponent + 127) << 23; };
  return {bitsOf(getNumbers()[1]), bitsOf(getNumbers()[2])};
}

LayoutAttr LayoutAttr::withWidth(int64_t width) const {
  SmallVector<int64_t> numbers(getNumbers());
  numbers[0] = width;
  return get(getContext(), getKind(), numbers);
}

LogicalResult LayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 LayoutKind kind, ArrayRef<int64_t> numbers) {
  if (formatOf(kind).acceptsNumbers(numbers))
    return success();
  return emitError() << "layout " << keywordOf(kind)
                     << " cannot have the numbers [" << numbers << "]";
}

// `<panels(32)>`, or `<plain>`.
Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  StringRef name;
  SMLoc at;
  if (parser.parseLess() || parser.getCurrentLocation(&at) ||
      parser.parseKeyword(&name))
    return {};
  std::optional<LayoutKind> kind = kindOf(name);
  if (!kind) {
    parser.emitError(at, "unknown layout ") << name;
    return {};
  }
  SmallVector<int64_t> numbers;
  if (parser.parseCommaSeparatedList(
          AsmParser::Delimiter::OptionalParen,
          [&] { return parser.parseInteger(numbers.emplace_back()); }) ||
      parser.parseGreater())
    return {};
  auto fault = [&] { return parser.emitError(at); };
  return getChecked(function_ref<InFlightDiagnostic()>(fault),
                    parser.getContext(), *kind, ArrayRef<int64_t>(numbers));
}

void LayoutAttr::print(AsmPrinter &printer) const {
  printer << '<' << keywordOf(getKind());
  if (!getNumbers().empty()) {
    printer << '(';
    llvm::interleaveComma(getNumbers(), printer);
    printer << ')';
  }
  printer << '>';
}

LogicalResult weir::kernel::verifyLayout(Operation *op, LayoutAttr layout,
                                         ShapedType packed,
                                         const LayoutUser &user) {
  const LayoutFormat &format = layout.getFormat();
  if (!format.serves(layout, user))
    return op->emitOpError("cannot use weights of ")
           << packed << " in " << layout;
  SmallVector<int64_t> shape = format.shapeOf(layout, user.weights);
  if (packed.getShape() != ArrayRef<int64_t>(shape))
    return op->emitOpError("has weights of ")
           << packed << ", but " << layout << " of them is [" << shape << "]";
  return success();
}
