// How a tool leaves the standard streams.

#ifndef WEIR_COMPILER_STREAMS_H
#define WEIR_COMPILER_STREAMS_H

#include "compiler/Diagnostics.h"

namespace weir {

/// Sees that all went to stdout that was written to it, and says so as `tool`
/// where not; `status`, or io where nothing was wrong before. LLVM's streams
/// would end the process with a status of their own.
Status flushed(llvm::StringRef tool, Status status);

} // namespace weir

#endif // WEIR_COMPILER_STREAMS_H
