// The files beside the libraries of a cluster.

#ifndef WEIR_COMPILER_PARTITION_PRODUCTS_H
#define WEIR_COMPILER_PARTITION_PRODUCTS_H

#include "compiler/Options.h"
#include "compiler/emit/Output.h"
#include "dialects/weir/Records.h"
#include "mlir/IR/BuiltinOps.h"

namespace weir {

/// The name of a rank's task: "ps-0".
std::string taskOf(ClusterAttr cluster, int64_t rank);
/// The path of a rank's library in the folder: "DIR/ps-0.so".
std::string libraryOf(llvm::StringRef folder, ClusterAttr cluster,
                      int64_t rank);

/// manifest.json: each task with its rank, its host, its library, and the
/// inputs, outputs and variables that it has. `roles` are as the stage shard
/// has left them.
std::string manifestOf(const Options &options,
                       llvm::ArrayRef<mlir::ModuleOp> roles);

/// Writes manifest.json, hostfile and run.sh to the folder of the libraries.
Status writeLaunch(const Options &options, ClusterAttr cluster,
                   const std::string &manifest, std::vector<OutputFile> &files);

} // namespace weir

#endif // WEIR_COMPILER_PARTITION_PRODUCTS_H
