// Inputs that --value makes constants.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_FIXEDINPUTS_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_FIXEDINPUTS_H

#include "compiler/import/Import.h"
#include "compiler/import/Report.h"

namespace tensorflow {
class GraphDef;
class MetaGraphDef;
} // namespace tensorflow

namespace weir::tensorflow {

/// Replaces placeholders of the graph by Const nodes of the values that the
/// options give: by the placeholders' names, or by those of the inputs of
/// signatures in `saved`, which may be null.
mlir::LogicalResult fixInputs(Report &report, const ImportOptions &options,
                              ::tensorflow::GraphDef &graph,
                              const ::tensorflow::MetaGraphDef *saved);

/// Whether the options give the input of a signature a value.
bool isFixed(const ImportOptions &options, llvm::StringRef key,
             llvm::StringRef tensor);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_FIXEDINPUTS_H
