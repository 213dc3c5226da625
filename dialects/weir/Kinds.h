// The kinds of values that attributes between stages have.

#ifndef WEIR_DIALECTS_WEIR_KINDS_H
#define WEIR_DIALECTS_WEIR_KINDS_H

#include "dialects/weir/Records.h"

/// A kind has the class of its attributes (`Attr`), a text that completes "must
/// be ...", the condition for values of the class, and a constructor from plain
/// values.
namespace weir::kinds {

template <typename A>
struct Kind {
  using Attr = A;
  static Attr make(mlir::MLIRContext *, Attr value) { return value; }
  static bool holds(Attr) { return true; }
};

struct Flag : Kind<mlir::UnitAttr> {
  static std::string text() { return "a unit attribute"; }
  static Attr make(mlir::MLIRContext *context) { return Attr::get(context); }
};

/// An i64 of `least` or more.
template <int64_t least>
struct Number : Kind<mlir::IntegerAttr> {
  using Kind::make;
  static Attr make(mlir::MLIRContext *context, int64_t value) {
    return Attr::get(mlir::IntegerType::get(context, 64), value);
  }
  static bool holds(Attr value) {
    return value.getType().isSignlessInteger(64) && value.getInt() >= least;
  }
};

struct Size : Number<0> {
  static std::string text() { return "an i64 of 0 or more"; }
};

struct Count : Number<1> {
  static std::string text() { return "an i64 of 1 or more"; }
};

struct Time : Kind<mlir::FloatAttr> {
  static std::string text() { return "an f64 of 0 or more"; }
  using Kind::make;
  static Attr make(mlir::MLIRContext *context, double value) {
    return Attr::get(mlir::Float64Type::get(context), value);
  }
  static bool holds(Attr value) {
    return value.getType().isF64() && value.getValueAsDouble() >= 0;
  }
};

struct Text : Kind<mlir::StringAttr> {
  static std::string text() { return "a string"; }
  using Kind::make;
  static Attr make(mlir::MLIRContext *context, const llvm::Twine &value) {
    return Attr::get(context, value);
  }
};

struct Numbers : Kind<mlir::DenseI64ArrayAttr> {
  static std::string text() { return "an array<i64> of 0 or more each"; }
  using Kind::make;
  static Attr make(mlir::MLIRContext *context, llvm::ArrayRef<int64_t> values) {
    return Attr::get(context, values);
  }
  static bool holds(Attr values) {
    return llvm::all_of(values.asArrayRef(), [](int64_t v) { return v >= 0; });
  }
};

struct Texts : Kind<mlir::ArrayAttr> {
  static std::string text() { return "an array of strings"; }
  static bool holds(Attr values) {
    return llvm::all_of(values, llvm::IsaPred<mlir::StringAttr>);
  }
};

struct TextsByName : Kind<mlir::DictionaryAttr> {
  static std::string text() { return "a dictionary of strings"; }
  static bool holds(Attr values) {
    return llvm::all_of(values, [](mlir::NamedAttribute each) {
      return mlir::isa<mlir::StringAttr>(each.getValue());
    });
  }
};

struct ElementType : Kind<mlir::TypeAttr> {
  static std::string text() { return "f16 or bf16"; }
  using Kind::make;
  static Attr make(mlir::MLIRContext *, mlir::Type type) {
    return Attr::get(type);
  }
  static bool holds(Attr type) {
    return type.getValue().isF16() || type.getValue().isBF16();
  }
};

/// Of one shape; or, on a group and its kernel, of each result.
struct Sizes : Kind<mlir::ArrayAttr> {
  static std::string text() {
    return "an array with an array<i64> of pairs per dimension";
  }
  static bool holds(Attr values);
};

/// Values by name, which the dialect does not know.
struct Fields : Kind<mlir::DictionaryAttr> {
  static std::string text() { return "a dictionary"; }
};

/// A record of Records.td.
template <typename A>
struct Record : Kind<A> {
  static std::string text() {
    return "#weir." + A::getMnemonic().str() + "<...>";
  }
};

/// An array of records.
template <typename A>
struct Records : Kind<mlir::ArrayAttr> {
  using Kind<mlir::ArrayAttr>::make;
  static mlir::ArrayAttr make(mlir::MLIRContext *context,
                              llvm::ArrayRef<A> records) {
    return mlir::ArrayAttr::get(context, llvm::SmallVector<mlir::Attribute>(
                                             records.begin(), records.end()));
  }
  static std::string text() { return "an array of " + Record<A>::text(); }
  static bool holds(mlir::ArrayAttr values) {
    return llvm::all_of(values, llvm::IsaPred<A>);
  }
};

} // namespace weir::kinds

#endif // WEIR_DIALECTS_WEIR_KINDS_H
