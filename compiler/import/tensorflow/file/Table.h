// The index of a checkpoint: a table of sorted keys in the format of LevelDB.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_FILE_TABLE_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_FILE_TABLE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <map>
#include <optional>
#include <string>

namespace weir::tensorflow {

/// The last eight bytes of a table, little-endian.
constexpr uint64_t tableMagic = 0xdb4775248b80fb57ull;

/// All keys and values of a table; why it is none where its bytes are damaged.
/// Every access is within bounds whatever the bytes, and time and memory are
/// within a constant of their number.
llvm::Expected<std::map<std::string, std::string>>
readTable(llvm::StringRef bytes);

/// Raw snappy data; nothing where it is damaged or grows beyond `limit`.
std::optional<std::string> unsnap(llvm::StringRef bytes, size_t limit);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_FILE_TABLE_H
