// TensorFlow's files, from bytes to a module.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_FRONTEND_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_FRONTEND_H

#include "compiler/import/Import.h"
#include "compiler/import/Report.h"
#include "compiler/inspect/Summary.h"

namespace weir::tensorflow {

mlir::OwningOpRef<mlir::ModuleOp> importModel(Report &report,
                                              const ImportOptions &options);

std::optional<ModelSummary>
summarize(Report &report, const ImportOptions &options, bool wantsValues);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_FRONTEND_H
