// Operators of the domain com.microsoft, which ONNX Runtime's optimizer and the
// exporters around it write.

#ifndef WEIR_COMPILER_IMPORT_ONNX_MICROSOFT_MICROSOFT_H
#define WEIR_COMPILER_IMPORT_ONNX_MICROSOFT_MICROSOFT_H

#include "compiler/import/onnx/neural/Compose.h"

namespace onnx {
class NodeProto;
} // namespace onnx

namespace weir::onnx {

void addMicrosoftActivationHandlers(Handlers &);
/// Behind ONNX's own handlers, some of which these are.
void addMicrosoftArrayHandlers(Handlers &);
void addMicrosoftBlockHandlers(Handlers &);
void addMicrosoftCollectiveHandlers(Handlers &);
void addMicrosoftExpertHandlers(Handlers &);
void addMicrosoftNormHandlers(Handlers &);
void addMicrosoftProductHandlers(Handlers &);
void addMicrosoftQuantizedHandlers(Handlers &);
/// Those that only say why they are not supported.
void addRefusedHandlers(Handlers &);

} // namespace weir::onnx

#endif // WEIR_COMPILER_IMPORT_ONNX_MICROSOFT_MICROSOFT_H
