// Parses JSON of files that users give.

#ifndef WEIR_COMPILER_OPTIONS_JSONTEXT_H
#define WEIR_COMPILER_OPTIONS_JSONTEXT_H

#include "llvm/Support/JSON.h"

namespace weir {

/// The value of a text in JSON. An error states the fault; texts that are too
/// large or that nest too deep are errors.
llvm::Expected<llvm::json::Value> parseJson(llvm::StringRef text);

} // namespace weir

#endif // WEIR_COMPILER_OPTIONS_JSONTEXT_H
