// Verifies that each weir.* attribute is declared, and where it may be.

#include "dialects/weir/Weir.h"

#include "dialects/weir/Attributes.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace weir;

#include "dialects/weir/WeirDialect.cpp.inc"

void WeirDialect::initialize() { addRecords(); }

namespace {

/// A row of Attributes.def.
struct Declaration {
  StringLiteral name, carriers;
  /// Completes "must be ...".
  std::string (*text)();
  /// Whether the attribute is of the kind.
  bool (*holds)(Attribute);
};

template <typename Kind>
bool holds(Attribute attribute) {
  auto value = dyn_cast<typename Kind::Attr>(attribute);
  return value && Kind::holds(value);
}

constexpr Declaration declarations[] = {
#define WEIR_ATTRIBUTE(accessor, name, kind, carriers, documentation)          \
  {name, carriers, kinds::kind::text, holds<kinds::kind>},
#include "dialects/weir/Attributes.def"
};

const Declaration *find(StringRef name) {
  const Declaration *end = std::end(declarations);
  const Declaration *found =
      std::find_if(std::begin(declarations), end,
                   [&](const Declaration &each) { return each.name == name; });
  return found == end ? nullptr : found;
}

StringRef nearest(StringRef name) {
  const Declaration *best = std::min_element(
      std::begin(declarations), std::end(declarations),
      [&](const Declaration &a, const Declaration &b) {
        return name.edit_distance(a.name) < name.edit_distance(b.name);
      });
  return best->name;
}

/// Calls `matches` with each carrier until one is the right one.
bool anyCarrier(const Declaration &declaration,
                function_ref<bool(StringRef)> matches) {
  SmallVector<StringRef> carriers;
  declaration.carriers.split(carriers, ' ');
  return llvm::any_of(carriers, matches);
}

bool mayBeOn(Operation *op, StringRef carrier) {
  if (carrier == "module")
    return isa<ModuleOp>(op);
  if (carrier == "function")
    return isa<FunctionOpInterface>(op);
  StringRef name = op->getName().getStringRef();
  return carrier.consume_back("*") ? name.starts_with(carrier)
                                   : name == carrier;
}

/// Verifies an attribute of `op`, or of an argument or result of it. `place` is
/// the carrier that the message names.
LogicalResult verify(Operation *op, NamedAttribute attribute, StringRef place,
                     function_ref<bool(StringRef)> matches) {
  StringRef name = attribute.getName();
  const Declaration *declaration = find(name);
  if (!declaration)
    return op->emitOpError("has an unknown attribute '")
           << name << "'; did you mean '" << nearest(name) << "'?";
  if (!anyCarrier(*declaration, matches))
    return op->emitOpError("attribute '")
           << name << "' is for " << declaration->carriers << ", not for "
           << place;
  if (!declaration->holds(attribute.getValue()))
    return op->emitOpError("attribute '")
           << name << "' must be " << declaration->text() << ", not "
           << attribute.getValue();
  return success();
}

} // namespace

LogicalResult WeirDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attribute) {
  return verify(op, attribute, op->getName().getStringRef(),
                [&](StringRef carrier) { return mayBeOn(op, carrier); });
}

LogicalResult WeirDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                    unsigned,
                                                    NamedAttribute attribute) {
  return verify(op, attribute, "an argument",
                [](StringRef carrier) { return carrier == "argument"; });
}

LogicalResult
WeirDialect::verifyRegionResultAttribute(Operation *op, unsigned, unsigned,
                                         NamedAttribute attribute) {
  return verify(op, attribute, "a result",
                [](StringRef carrier) { return carrier == "result"; });
}

/// Whether each is an array<i64> of an even number of values.
static bool arePairs(ArrayAttr dims) {
  return llvm::all_of(dims, [](Attribute each) {
    auto pairs = dyn_cast<DenseI64ArrayAttr>(each);
    return pairs && pairs.size() % 2 == 0;
  });
}

bool kinds::Sizes::holds(ArrayAttr values) {
  if (llvm::all_of(values, llvm::IsaPred<ArrayAttr>))
    return llvm::all_of(values.getAsRange<ArrayAttr>(), arePairs);
  return arePairs(values);
}
