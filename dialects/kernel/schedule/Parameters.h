// Named parameters of a schedule: one list per schedule serves printing,
// parsing, comparing, and overriding by name.

#ifndef WEIR_DIALECTS_KERNEL_SCHEDULE_PARAMETERS_H
#define WEIR_DIALECTS_KERNEL_SCHEDULE_PARAMETERS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"

#include <type_traits>

namespace weir::kernel {

/// The base of a schedule, which is a struct with a static function
/// `eachParameter`. That calls a visitor with the name of each parameter and a
/// pointer to its member. A parameter is a positive number, a Boolean, an
/// enumeration, or a PerProduct of these; the function `namesOf` of an
/// enumeration lists its values.
template <typename Schedule>
struct Parameters {
  friend bool operator==(const Schedule &a, const Schedule &b) {
    bool equal = true;
    Schedule::eachParameter(
        [&](llvm::StringRef, auto member) { equal &= a.*member == b.*member; });
    return equal;
  }
  friend llvm::hash_code hash_value(const Schedule &schedule) {
    llvm::hash_code hash = 0;
    Schedule::eachParameter([&](llvm::StringRef, auto member) {
      hash = llvm::hash_combine(hash, schedule.*member);
    });
    return hash;
  }
};

/// A parameter of each of several matrix products: one value for all, or one
/// value for each.
template <typename T>
class PerProduct {
public:
  PerProduct(T all) : values(1, all) {}
  /// Of one value at least.
  explicit PerProduct(llvm::ArrayRef<T> each) : values(each) {}

  /// One value if all are equal.
  PerProduct shortened() const {
    return llvm::all_equal(values) ? PerProduct(values.front()) : *this;
  }

  size_t size() const { return values.size(); }
  /// The value of product `i`. Products after the last value have that one.
  T operator[](size_t i) const { return values[std::min(i, size() - 1)]; }

  auto begin() const { return values.begin(); }
  auto end() const { return values.end(); }

  friend bool operator==(const PerProduct &a, const PerProduct &b) {
    return a.values == b.values;
  }
  friend llvm::hash_code hash_value(const PerProduct &parameter) {
    return llvm::hash_combine_range(parameter.begin(), parameter.end());
  }

private:
  llvm::SmallVector<T, 1> values;
};

inline mlir::Attribute toAttribute(mlir::MLIRContext *context, int64_t value) {
  return mlir::Builder(context).getI64IntegerAttr(value);
}
inline mlir::Attribute toAttribute(mlir::MLIRContext *context, bool value) {
  return mlir::Builder(context).getBoolAttr(value);
}
template <typename Enum, typename = std::enable_if_t<std::is_enum_v<Enum>>>
mlir::Attribute toAttribute(mlir::MLIRContext *context, Enum value) {
  return mlir::Builder(context).getStringAttr(
      namesOf(value)[static_cast<size_t>(value)]);
}

template <typename T>
mlir::Attribute toAttribute(mlir::MLIRContext *context,
                            const PerProduct<T> &value) {
  if (value.size() == 1)
    return toAttribute(context, value[0]);
  llvm::SmallVector<mlir::Attribute> each;
  for (T one : value)
    each.push_back(toAttribute(context, one));
  return mlir::ArrayAttr::get(context, each);
}

/// Sets `value` from an attribute; returns the values that are possible if the
/// attribute has none of these, and an empty text otherwise.
std::string fromAttribute(mlir::Attribute attribute, int64_t &value);
std::string fromAttribute(mlir::Attribute attribute, bool &value);
/// The number of the name that `attribute` has, or why it has none.
std::string fromNames(mlir::Attribute attribute,
                      llvm::ArrayRef<llvm::StringLiteral> names, size_t &value);
template <typename Enum, typename = std::enable_if_t<std::is_enum_v<Enum>>>
std::string fromAttribute(mlir::Attribute attribute, Enum &value) {
  size_t number = 0;
  std::string wrong = fromNames(attribute, namesOf(value), number);
  if (wrong.empty())
    value = static_cast<Enum>(number);
  return wrong;
}

template <typename T>
std::string fromAttribute(mlir::Attribute attribute, PerProduct<T> &value) {
  llvm::SmallVector<T> each;
  auto list = mlir::dyn_cast<mlir::ArrayAttr>(attribute);
  for (mlir::Attribute one :
       list ? list.getValue() : llvm::ArrayRef<mlir::Attribute>(attribute)) {
    T read{};
    if (std::string wrong = fromAttribute(one, read); !wrong.empty())
      return wrong + ", or an array of such";
    each.push_back(read);
  }
  if (each.empty())
    return "an array with a value for each group of products";
  value = PerProduct<T>(llvm::ArrayRef(each));
  return "";
}

template <typename Schedule>
mlir::DictionaryAttr parametersOf(mlir::MLIRContext *context,
                                  const Schedule &schedule) {
  llvm::SmallVector<mlir::NamedAttribute> parameters;
  Schedule::eachParameter([&](llvm::StringRef name, auto member) {
    parameters.emplace_back(mlir::StringAttr::get(context, name),
                            toAttribute(context, schedule.*member));
  });
  return mlir::DictionaryAttr::get(context, parameters);
}

template <typename Schedule>
llvm::SmallVector<llvm::StringRef> parameterNames() {
  llvm::SmallVector<llvm::StringRef> names;
  Schedule::eachParameter(
      [&](llvm::StringRef name, auto) { names.push_back(name); });
  return names;
}

/// Emits that no parameter is called `name`, and the nearest name.
mlir::LogicalResult
emitUnknownParameter(llvm::StringRef name,
                     llvm::ArrayRef<llvm::StringRef> known,
                     llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

/// Sets the parameter `name` of `schedule`. Emits an error for an unknown name,
/// with the nearest one, and for a value that the parameter cannot have.
template <typename Schedule>
mlir::LogicalResult
setParameter(Schedule &schedule, llvm::StringRef name, mlir::Attribute value,
             llvm::function_ref<mlir::InFlightDiagnostic()> emitError) {
  bool known = false;
  std::string wrong;
  Schedule::eachParameter([&](llvm::StringRef each, auto member) {
    if (each != name)
      return;
    known = true;
    wrong = fromAttribute(value, schedule.*member);
  });
  if (!known)
    return emitUnknownParameter(name, parameterNames<Schedule>(), emitError);
  if (!wrong.empty())
    return emitError() << name << " is " << value << ", not " << wrong;
  return mlir::success();
}

/// Prints and parses `<name = value, ...>`.
void printParameters(mlir::AsmPrinter &printer,
                     llvm::ArrayRef<llvm::StringRef> names,
                     mlir::DictionaryAttr parameters);
mlir::ParseResult parseParameters(
    mlir::AsmParser &parser,
    llvm::function_ref<mlir::LogicalResult(llvm::StringRef, mlir::Attribute)>
        set);

} // namespace weir::kernel

#endif // WEIR_DIALECTS_KERNEL_SCHEDULE_PARAMETERS_H
