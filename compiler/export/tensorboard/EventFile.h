// Event files, which TensorBoard reads.

#ifndef WEIR_COMPILER_EXPORT_TENSORBOARD_EVENTFILE_H
#define WEIR_COMPILER_EXPORT_TENSORBOARD_EVENTFILE_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace weir {

/// The bytes of an event file with one graph, a message of type GraphDef. They
/// have no time, so that the same graph has the same bytes.
std::string eventFileOf(llvm::StringRef graphDef);

/// The name of such a file in its folder.
inline constexpr llvm::StringLiteral
    eventFileName("events.out.tfevents.0000000000.weir");

} // namespace weir

#endif // WEIR_COMPILER_EXPORT_TENSORBOARD_EVENTFILE_H
