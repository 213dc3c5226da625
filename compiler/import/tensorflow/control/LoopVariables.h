// The variables of a loop over what edges carry: which tensors the loop carries
// for them, and which sizes differ from step to step.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_CONTROL_LOOPVARIABLES_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_CONTROL_LOOPVARIABLES_H

#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/tensorflow/Tracer.h"

namespace weir::tensorflow {

class LoopVariables {
public:
  LoopVariables(Node &node, llvm::SmallVector<Traced> inits)
      : inits(std::move(inits)), node(node), carried(this->inits.size()),
        varying(this->inits.size()), wider(this->inits.size()),
        growths(this->inits.size()) {}

  /// Starts to trace the loop anew: the tensors of variable `i` are carried.
  /// False where it is not known well enough to be a tensor yet: then it is
  /// bound as it is, and what the body makes of it tells how it must begin.
  bool begin(size_t i);
  llvm::ArrayRef<mlir::Value> carriedOf(size_t i) const { return carried[i]; }
  /// Variable `i` of what the loop carries for it, which is taken off the
  /// front.
  Traced rebuildCarried(size_t i, llvm::ArrayRef<mlir::Value> &values) const;
  /// Values for all variables: the block's arguments for those that the loop
  /// carries, the first value for the others.
  llvm::SmallVector<Traced> bind(mlir::Block *block) const;

  /// The next value of a variable as the tensors that the loop carries. No
  /// value if it does not match. Then `variesMore` is set if it matches with
  /// one more carried size, and `canWiden` if dynamic sizes would suffice.
  std::optional<llvm::SmallVector<mlir::Value>> carry(size_t i,
                                                      const Traced &next);
  /// How an object begins that the body has made of tensors; null where that
  /// follows from no sizes known before the loop.
  std::shared_ptr<Object> settled(size_t i, const Traced &next,
                                  mlir::Region &body);
  bool canWiden() const;
  /// Opens the sizes of variables that did not fit.
  void widen();

  llvm::SmallVector<Traced> inits;
  /// Whether one more size was found to vary.
  bool variesMore = false;
  /// Why a variable does not fit.
  std::string why;

private:
  /// The tensors that the loop carries for a variable: not the sizes that stay.
  bool flattenCarried(size_t i, const Traced &traced,
                      llvm::SmallVectorImpl<mlir::Value> &values) const;
  /// The rooms of a variable that shares what a tensor has that nothing bounds.
  void shareRoom(size_t i, llvm::MutableArrayRef<Room> rooms) const;

  Node &node;
  /// Empty for variables that the loop does not carry.
  llvm::SmallVector<llvm::SmallVector<mlir::Value>> carried;
  /// For each variable, the dynamic dimensions whose size differs between
  /// iterations. Other sizes are known before the loop.
  llvm::SmallVector<llvm::SmallVector<bool>> varying;
  /// The room that a variable should begin with, and how often that was so.
  llvm::SmallVector<std::optional<llvm::SmallVector<Room>>> wider;
  llvm::SmallVector<unsigned> growths;
};

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_CONTROL_LOOPVARIABLES_H
