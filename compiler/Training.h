// The options that say how a model is trained.

#ifndef WEIR_COMPILER_TRAINING_H
#define WEIR_COMPILER_TRAINING_H

#include "compiler/import/Import.h"

namespace weir {

/// How a model is trained, as the attribute `weir.training` says it; on from
/// the first --loss.
class TrainingOptions {
public:
  explicit TrainingOptions(mlir::MLIRContext *context) : b(context) {}

  bool isOn() const { return !request.output.empty(); }
  const TrainingRequest &import() const { return request; }
  mlir::DictionaryAttr attribute() const {
    return recipe.getDictionary(b.getContext());
  }

  /// Each parses the value of an option; says what is wrong with it, or
  /// nothing.

  /// `mean_squared_error:OUTPUT[,LABELS]`, `huber[delta=0.5]:OUTPUT`, TENSOR
  std::string loss(llvm::StringRef text);
  /// `Momentum:lr=0.1,nesterov=1`; `lr=input` makes the rate an input.
  std::string optimizer(llvm::StringRef text);
  /// `he_normal[:seed=7][:REGEX]`
  std::string initializer(llvm::StringRef text);
  /// `value=0.5`, `norm=1`, `global_norm=1`
  std::string clip(llvm::StringRef text);
  /// `0.01[:REGEX]`
  std::string weightDecay(llvm::StringRef text);
  /// How many steps' gradients move the variables together: `8`
  std::string accumulate(llvm::StringRef text);
  /// `1024`, `dynamic[:32768[,2000]]`
  std::string lossScale(llvm::StringRef text);
  /// `f32`, `none`
  std::string masterWeights(llvm::StringRef text);
  std::string variables(llvm::StringRef text);
  std::string frozen(llvm::StringRef text);

private:
  void set(llvm::StringRef name, double value) {
    recipe.set(name, b.getF64FloatAttr(value));
  }
  void set(llvm::StringRef name, llvm::StringRef value) {
    recipe.set(name, b.getStringAttr(value));
  }

  mutable mlir::Builder b;
  TrainingRequest request;
  mlir::NamedAttrList recipe;
};

} // namespace weir

#endif // WEIR_COMPILER_TRAINING_H
