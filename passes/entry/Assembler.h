// Runs ptxas, NVIDIA's assembler of PTX, if it is installed.

#ifndef WEIR_PASSES_ENTRY_ASSEMBLER_H
#define WEIR_PASSES_ENTRY_ASSEMBLER_H

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace weir::entry {

/// The path of ptxas: in $CUDA_HOME, or else in $PATH.
std::optional<std::string> findAssembler();

/// Assembles `ptx` for the architecture to `code`. On failure `problem` has the
/// message.
bool assemble(llvm::StringRef assembler, llvm::StringRef ptx,
              llvm::StringRef arch, std::string &code, std::string &problem);

} // namespace weir::entry

#endif // WEIR_PASSES_ENTRY_ASSEMBLER_H
