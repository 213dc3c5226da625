// Which tensor of a checkpoint each variable is.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_FILE_VARIABLES_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_FILE_VARIABLES_H

#include "compiler/import/tensorflow/Library.h"
#include "compiler/import/tensorflow/file/SavedModel.h"

namespace weir::tensorflow {

/// The variables of a checkpoint, found by the graph's own nodes that restore
/// them: of the one at `path`, or else of the SavedModel's own, which is opened
/// at the first use. Null after an error.
std::unique_ptr<VariableSource>
openVariables(Report &report, const SavedModelFile &model, const Graph &graph,
              Library &library, const std::string &path);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_FILE_VARIABLES_H
