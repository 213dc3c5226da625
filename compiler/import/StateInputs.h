// Inputs of entries that become state: variables that a run reads, and assigns
// from what was an output.

#ifndef WEIR_COMPILER_IMPORT_STATEINPUTS_H
#define WEIR_COMPILER_IMPORT_STATEINPUTS_H

#include "compiler/import/Import.h"
#include "compiler/import/Report.h"

namespace weir {

/// Parses `past=present,h0=h1`; what is wrong with it, or nothing.
std::string parseStates(llvm::StringRef text, ImportOptions &options);

/// Makes each input that the options hold a variable of the module, of zeros at
/// first, and another of its sizes where only the run knows them, in all
/// entries that have it, and has each entry with its output assign that at its
/// end; neither is left in a signature. An error where no entry has one of
/// them, or where what an output gives does not fit.
mlir::LogicalResult makeStateInputs(Report &report, mlir::ModuleOp module,
                                    const ImportOptions &options);

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_STATEINPUTS_H
