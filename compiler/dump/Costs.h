// The costs of assembly, as llvm-mca estimates them.
#ifndef WEIR_COMPILER_DUMP_COSTS_H
#define WEIR_COMPILER_DUMP_COSTS_H

#include "dialects/weir/Records.h"

#include <string>

namespace weir {

/// Marks the function and each of its innermost loops as regions for llvm-mca,
/// which reads a region as the body of a loop.
std::string markRegions(llvm::StringRef assembly, llvm::StringRef comment);

/// The tables of llvm-mca for these regions, or a note that says why
/// there are none. The program is optional.
std::string costsOf(llvm::StringRef assembly, llvm::StringRef comment,
                    TargetAttr target);

} // namespace weir

#endif // WEIR_COMPILER_DUMP_COSTS_H
