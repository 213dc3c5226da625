// The entry that gives gradients, as --grad asks for it.

#ifndef WEIR_COMPILER_IMPORT_ONNX_GRADIENTS_H
#define WEIR_COMPILER_IMPORT_ONNX_GRADIENTS_H

#include "compiler/import/onnx/Entry.h"

namespace weir::onnx {

/// What `--grad` and `--loss` add to the tensors of the graph.
mlir::FailureOr<Derived<Port>> derivedOf(Report &report, const Graph &graph,
                                         const ImportOptions &options);
/// The tensors that the entry's loss and derivatives are of and by; and has the
/// tracer keep the variables.
llvm::SmallVector<llvm::StringRef> watchDerivatives(const Entry &entry,
                                                    Tracer &tracer);

} // namespace weir::onnx

#endif // WEIR_COMPILER_IMPORT_ONNX_GRADIENTS_H
