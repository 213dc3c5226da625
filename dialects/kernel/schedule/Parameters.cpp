// Printing, parsing and reading of the named parameters of schedules.

#include "dialects/kernel/schedule/Parameters.h"

#include "llvm/ADT/StringSet.h"

#include <limits>

using namespace mlir;

namespace weir::kernel {

std::string fromAttribute(Attribute attribute, int64_t &value) {
  // Choosers multiply parameters and sizes in 64 bits.
  constexpr int64_t largest = std::numeric_limits<int32_t>::max();
  auto number = dyn_cast<IntegerAttr>(attribute);
  if (!number || !number.getType().isSignlessInteger(64) ||
      number.getInt() < 1 || number.getInt() > largest)
    return "a positive number of 32 bits";
  value = number.getInt();
  return "";
}

std::string fromAttribute(Attribute attribute, bool &value) {
  auto flag = dyn_cast<BoolAttr>(attribute);
  if (!flag)
    return "true or false";
  value = flag.getValue();
  return "";
}

std::string fromNames(Attribute attribute, ArrayRef<llvm::StringLiteral> names,
                      size_t &value) {
  auto text = dyn_cast<StringAttr>(attribute);
  auto *at = text ? llvm::find(names, text.getValue()) : names.end();
  if (at == names.end())
    return "one of " + llvm::join(names, ", ");
  value = at - names.begin();
  return "";
}

LogicalResult
emitUnknownParameter(StringRef name, ArrayRef<StringRef> known,
                     function_ref<InFlightDiagnostic()> emitError) {
  auto nearest = llvm::min_element(known, [&](StringRef a, StringRef b) {
    return name.edit_distance(a) < name.edit_distance(b);
  });
  return emitError() << "no parameter of the schedule is called '" << name
                     << "'; did you mean '" << *nearest << "'?";
}

void printParameters(AsmPrinter &printer, ArrayRef<StringRef> names,
                     DictionaryAttr parameters) {
  printer << "<";
  llvm::interleaveComma(names, printer, [&](StringRef name) {
    printer << name << " = ";
    Attribute value = parameters.get(name);
    if (auto text = dyn_cast<StringAttr>(value))
      printer << text.getValue();
    else
      printer.printAttributeWithoutType(value);
  });
  printer << ">";
}

// Names of values are keywords, but numbers, Booleans and other attributes are
// parsed as such.
static ParseResult parseValue(AsmParser &parser, Attribute &value) {
  Builder &b = parser.getBuilder();
  StringRef word;
  if (succeeded(parser.parseOptionalKeyword(&word))) {
    value = word == "true"    ? Attribute(b.getBoolAttr(true))
            : word == "false" ? Attribute(b.getBoolAttr(false))
                              : Attribute(b.getStringAttr(word));
    return success();
  }
  return parser.parseAttribute(value, b.getI64Type());
}

ParseResult
parseParameters(AsmParser &parser,
                function_ref<LogicalResult(StringRef, Attribute)> set) {
  llvm::StringSet<> seen;
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::LessGreater, [&]() -> ParseResult {
        StringRef name;
        Attribute value;
        if (parser.parseKeyword(&name) || parser.parseEqual() ||
            parseValue(parser, value))
          return failure();
        if (!seen.insert(name).second)
          return parser.emitError(parser.getNameLoc())
                 << "parameter '" << name << "' is there twice";
        return set(name, value);
      });
}

} // namespace weir::kernel
