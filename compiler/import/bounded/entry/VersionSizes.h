// Which versions of an entry with dynamic dimensions a library has.

#ifndef WEIR_COMPILER_IMPORT_BOUNDED_ENTRY_VERSIONSIZES_H
#define WEIR_COMPILER_IMPORT_BOUNDED_ENTRY_VERSIONSIZES_H

#include "compiler/import/bounded/entry/Versions.h"

namespace weir {

/// The most that each of some dimensions, by one of its names, may be in a
/// version.
using Limits = llvm::SmallVector<std::pair<std::string, int64_t>>;

/// The versions that `--specialize` asks for, from the least on.
std::vector<Limits> requestedVersions(const VersionedEntry &source,
                                      const Specialization &requested);

/// Versions for the dimensions that some op combines elements along, where
/// nothing is said: kernels compute what it combines for all that there is room
/// for, and end at the actual sizes of what is left.
std::vector<Limits> unrequestedVersions(const VersionedEntry &source,
                                        mlir::OpBuilder &builder,
                                        llvm::ArrayRef<Traced> fed);

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_BOUNDED_ENTRY_VERSIONSIZES_H
