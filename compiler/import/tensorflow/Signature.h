// The signatures of a SavedModel as entries.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_SIGNATURE_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_SIGNATURE_H

#include "compiler/import/tensorflow/Entry.h"

namespace weir::tensorflow {

/// The entries of a SavedModel's signatures: the one that the options name, the
/// default one, or all.
mlir::FailureOr<std::vector<Entry>>
signatureEntries(Report &report, const Graph &graph,
                 const ::tensorflow::MetaGraphDef &saved,
                 const ImportOptions &options);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_SIGNATURE_H
