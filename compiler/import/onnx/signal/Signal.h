// Transforms of signals, and what feeds them.

#ifndef WEIR_COMPILER_IMPORT_ONNX_SIGNAL_SIGNAL_H
#define WEIR_COMPILER_IMPORT_ONNX_SIGNAL_SIGNAL_H

#include "compiler/import/onnx/Node.h"

namespace weir::onnx {

void addSignalHandlers(Handlers &);
/// Windows, mel bands and determinants.
void addBandHandlers(Handlers &);

} // namespace weir::onnx

#endif // WEIR_COMPILER_IMPORT_ONNX_SIGNAL_SIGNAL_H
