// The index of a checkpoint: a table of sorted keys in the format of LevelDB.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_FILE_TABLE_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_FILE_TABLE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <map>
#include <string>

namespace weir::tensorflow {

/// All keys and values of a table, or an error that says how its bytes are
/// damaged. The runtime's reader takes the blocks apart, so the compiler
/// imports the indexes that a model restores. Every access is within bounds for
/// any bytes. Time and memory are at most a constant times the file's size. A
/// compressed block unpacks to 4 MiB at most. A key has 4096 bytes at most.
llvm::Expected<std::map<std::string, std::string>>
readTable(llvm::StringRef bytes);

/// The CRC-32C of the bytes, masked: the form in which files store it.
uint32_t storedChecksum(llvm::StringRef bytes);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_FILE_TABLE_H
