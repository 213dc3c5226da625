// tfcompile's description of a graph's inputs and outputs.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_FILE_CONFIG_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_FILE_CONFIG_H

#include "compiler/Diagnostics.h"
#include "compiler/import/Import.h"

#include <utility>

namespace weir::tensorflow {

/// What a tf2xla.Config says, as options say it.
struct Config {
  std::vector<Feed> feeds;
  std::vector<std::string> fetches;
  /// Shapes of feeds whose types the graph says: as `--shape` has them.
  std::vector<std::pair<std::string, llvm::SmallVector<int64_t>>> shapes;
  /// What each feed and each fetch is to be called: tensor and name. No two
  /// feeds have one name, and no two fetches.
  std::vector<std::pair<std::string, std::string>> inputNames, outputNames;
};

/// Reads a file with a tf2xla.Config, binary or text. An error is on the
/// context's diagnostic engine, and its kind is what is returned.
Status readConfig(mlir::MLIRContext *context, llvm::StringRef path,
                  Config &config);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_FILE_CONFIG_H
