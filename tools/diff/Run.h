// Compiles and runs libraries, in processes of their own.

#ifndef WEIR_TOOLS_DIFF_RUN_H
#define WEIR_TOOLS_DIFF_RUN_H

#include "tools/diff/Model.h"

namespace weir::diff {

/// The command line of `weir` that compiles the model with all tensors kept.
std::vector<std::string> compileArguments(const Options &options,
                                          llvm::StringRef flags,
                                          const std::string &library);

/// Compiles the model with all tensors kept, and with more options of
/// `weir compile`. Its messages go to the file `log`, or to the standard error
/// if that is empty.
Status compileLibrary(const Options &options, llvm::StringRef flags,
                      const std::string &library, llvm::StringRef log = "");

/// Runs a library with the inputs of the comparison, and writes its outputs to
/// a folder.
Status runLibrary(const Model &model, const Options &options,
                  const std::string &library, const std::string &folder);

} // namespace weir::diff

#endif // WEIR_TOOLS_DIFF_RUN_H
