// How a model is trained, as the module's attribute `weir.training` says it.

#ifndef WEIR_DIALECTS_GRAPH_LOSS_RECIPE_H
#define WEIR_DIALECTS_GRAPH_LOSS_RECIPE_H

#include "dialects/weir/NamePattern.h"

#include "mlir/IR/BuiltinAttributes.h"

namespace weir::train {

class Recipe {
public:
  explicit Recipe(mlir::DictionaryAttr all) : all(all) {}

  llvm::StringRef text(llvm::StringRef name) const {
    auto value = all.getAs<mlir::StringAttr>(name);
    return value ? value.getValue() : llvm::StringRef();
  }
  bool has(llvm::StringRef name) const { return all.contains(name); }
  double number(llvm::StringRef name, double otherwise) const {
    auto value = all.getAs<mlir::FloatAttr>(name);
    return value ? value.getValueAsDouble() : otherwise;
  }
  /// How much of a variable decays.
  double decayOf(llvm::StringRef variable) const {
    llvm::StringRef names = text("weight_decay_of");
    bool decays = names.empty() || NamePattern::part(names).matches(variable);
    return decays ? number("weight_decay", 0) : 0;
  }

private:
  mlir::DictionaryAttr all;
};

} // namespace weir::train

#endif // WEIR_DIALECTS_GRAPH_LOSS_RECIPE_H
