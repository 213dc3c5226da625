// What a file is that is no model of a format that weir reads.

#ifndef WEIR_COMPILER_IMPORT_FILEKIND_H
#define WEIR_COMPILER_IMPORT_FILEKIND_H

#include "compiler/import/Report.h"

namespace weir {

/// The prefix of the checkpoint that the path names: the prefix itself, its
/// index or one of its shards. Empty where it names none.
std::string checkpointPrefix(const std::string &path);

/// How many parts the checkpoint of a prefix has that processes saved, each a
/// checkpoint itself: two of `part-?????-of-00002`, one of other prefixes; and
/// the prefix of a part.
unsigned checkpointParts(llvm::StringRef prefix);
std::string checkpointPart(llvm::StringRef prefix, unsigned part);

/// An error where the file or directory is known as something else than a
/// model: it says what, and how to get a model. What is not known is left to
/// the frontends.
mlir::LogicalResult checkKind(Report &report, const std::string &path);

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_FILEKIND_H
