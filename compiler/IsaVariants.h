// Code for several kinds of processors in one library.

#ifndef WEIR_COMPILER_ISAVARIANTS_H
#define WEIR_COMPILER_ISAVARIANTS_H

#include "compiler/target/IsaVariant.h"
#include "dialects/weir/Records.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringRef.h"

#include <map>
#include <vector>

namespace weir {

/// The modules of one model, each for another instruction-set variant. All are
/// of stage `plan` when they come together: blocks of weights that are alike
/// become one, and the first module gets the attributes of all.
class JoinedIsaVariants {
public:
  /// `original` is the module that instruction-set variants are made of: its
  /// constants stay.
  explicit JoinedIsaVariants(mlir::ModuleOp original);
  /// Places the instruction-set variant's weights among those of the
  /// instruction-set variants before.
  void add(mlir::ModuleOp isaVariant);
  /// Whether all agree on what callers see. The constants that no level has
  /// are gone then.
  bool finish(llvm::ArrayRef<IsaVariant> names);

private:
  int64_t place(mlir::ElementsAttr elements, int64_t bytes);

  std::vector<mlir::ModuleOp> isaVariants;
  llvm::DenseSet<mlir::Attribute> originals;
  llvm::DenseMap<mlir::Attribute, int64_t> offsets;
  std::multimap<uint64_t, std::pair<llvm::ArrayRef<char>, int64_t>> byContent;
  llvm::SmallVector<WeightAttr> list;
  int64_t end = 0;
};

} // namespace weir

#endif // WEIR_COMPILER_ISAVARIANTS_H
