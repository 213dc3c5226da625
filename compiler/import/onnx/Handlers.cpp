// The list of all handlers.

#include "compiler/import/onnx/Tracer.h"

namespace weir::onnx {

const Handlers &handlers() {
  static const Handlers table = [] {
    Handlers handlers;
    addControlHandlers(handlers);
    addCoreHandlers(handlers);
    return handlers;
  }();
  return table;
}

} // namespace weir::onnx
