// Sequences of tensors and values that may be absent: both are known at compile
// time, but for the tensors that they hold.

#ifndef WEIR_COMPILER_IMPORT_ONNX_CONTROL_SEQUENCES_H
#define WEIR_COMPILER_IMPORT_ONNX_CONTROL_SEQUENCES_H

#include "compiler/import/onnx/control/Sequence.h"

namespace weir::onnx {

/// The sequence at operand `i`; null after an error.
std::shared_ptr<Sequence> sequenceAt(Node &node, unsigned i);

} // namespace weir::onnx

#endif // WEIR_COMPILER_IMPORT_ONNX_CONTROL_SEQUENCES_H
