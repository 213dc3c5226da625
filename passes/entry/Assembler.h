// NVIDIA's assembler of PTX, a program that may be there or not.

#ifndef WEIR_PASSES_ENTRY_ASSEMBLER_H
#define WEIR_PASSES_ENTRY_ASSEMBLER_H

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace weir {

/// The path of ptxas: of $CUDA_HOME, or on the path.
std::optional<std::string> findAssembler();

/// Whether `ptx` has become `code` for the architecture; if not, `problem` says
/// what is wrong.
bool assemble(llvm::StringRef assembler, llvm::StringRef ptx,
              llvm::StringRef arch, std::string &code, std::string &problem);

} // namespace weir

#endif // WEIR_PASSES_ENTRY_ASSEMBLER_H
