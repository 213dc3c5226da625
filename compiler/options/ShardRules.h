// The tensors that --shard divides among ranks.

#ifndef WEIR_COMPILER_OPTIONS_SHARDRULES_H
#define WEIR_COMPILER_OPTIONS_SHARDRULES_H

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace weir {

/// One value of --shard.
struct ShardRule {
  std::string text;  // as the user wrote it
  std::string names; // a regular expression
  /// A dimension and the axes that divide it, a bit for each axis of the mesh.
  /// Without dimensions each rank has the tensor whole.
  std::vector<std::pair<int64_t, int64_t>> dims;
};

/// Sets `weir.shards` on the variables, constants and inputs that rules name.
/// If a rule names none of them, it divides the results of nodes with such
/// names. The last rule that names a tensor counts. Fails, with a diagnostic,
/// if a rule names nothing or cannot divide a tensor.
mlir::LogicalResult applyShardRules(mlir::ModuleOp module,
                                    llvm::ArrayRef<ShardRule> rules);

} // namespace weir

#endif // WEIR_COMPILER_OPTIONS_SHARDRULES_H
