// Accessors of the attributes that stages communicate by.

#ifndef WEIR_DIALECTS_WEIR_ATTRIBUTES_H
#define WEIR_DIALECTS_WEIR_ATTRIBUTES_H

#include "dialects/weir/Kinds.h"

#include "mlir/IR/Operation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace weir {

/// One attribute of `Attributes.def`. The accessors are the only way to it, so
/// that no other file spells its name:
///
///   if (attrs::kernel.isOn(function))
///     attrs::scratchBytes.set(function, 64);
///
/// Readers return null where an op has no such attribute.
template <typename Kind>
class StageAttribute {
public:
  using Attr = typename Kind::Attr;

  constexpr explicit StageAttribute(llvm::StringLiteral spelling)
      : spelling(spelling) {}

  llvm::StringRef name() const { return spelling; }

  bool isOn(mlir::Operation *op) const { return op->hasAttr(spelling); }
  Attr of(mlir::Operation *op) const {
    return op->getAttrOfType<Attr>(spelling);
  }
  /// Sets it to an attribute, or to the plain value that the kind makes one of.
  template <typename... Value>
  void set(mlir::Operation *op, const Value &...value) const {
    op->setAttr(spelling, Kind::make(op->getContext(), value...));
  }
  /// The removed attribute, or null.
  Attr remove(mlir::Operation *op) const {
    return mlir::dyn_cast_or_null<Attr>(op->removeAttr(spelling));
  }

  bool isOnArgument(mlir::FunctionOpInterface function, unsigned i) const {
    return bool(function.getArgAttr(i, spelling));
  }
  Attr ofArgument(mlir::FunctionOpInterface function, unsigned i) const {
    return function.getArgAttrOfType<Attr>(i, spelling);
  }
  template <typename... Value>
  void setOnArgument(mlir::FunctionOpInterface function, unsigned i,
                     const Value &...value) const {
    function.setArgAttr(i, spelling,
                        Kind::make(function->getContext(), value...));
  }
  /// The removed attribute, or null.
  Attr removeFromArgument(mlir::FunctionOpInterface function,
                          unsigned i) const {
    return mlir::dyn_cast_or_null<Attr>(function.removeArgAttr(
        i, mlir::StringAttr::get(function->getContext(), spelling)));
  }

  Attr ofResult(mlir::FunctionOpInterface function, unsigned i) const {
    return function.getResultAttrOfType<Attr>(i, spelling);
  }
  template <typename... Value>
  void setOnResult(mlir::FunctionOpInterface function, unsigned i,
                   const Value &...value) const {
    function.setResultAttr(i, spelling,
                           Kind::make(function->getContext(), value...));
  }

  /// Of the attributes of an argument or a result, which may be null.
  Attr in(mlir::DictionaryAttr attributes) const {
    return attributes ? attributes.getAs<Attr>(spelling) : Attr();
  }
  bool isIn(mlir::DictionaryAttr attributes) const {
    return bool(in(attributes));
  }
  Attr in(const mlir::NamedAttrList &list) const {
    return mlir::dyn_cast_or_null<Attr>(list.get(spelling));
  }
  void addTo(mlir::NamedAttrList &list, Attr value) const {
    list.set(spelling, value);
  }
  /// The removed attribute, or null.
  Attr removeFrom(mlir::NamedAttrList &list) const {
    return mlir::dyn_cast_or_null<Attr>(list.erase(spelling));
  }

private:
  llvm::StringLiteral spelling;
};

namespace attrs {
#define WEIR_ATTRIBUTE(accessor, name, kind, carriers, documentation)          \
  inline constexpr StageAttribute<kinds::kind> accessor(name);
#include "dialects/weir/Attributes.def"
} // namespace attrs

} // namespace weir

#endif // WEIR_DIALECTS_WEIR_ATTRIBUTES_H
