// What the fuzz targets of the importer share: a directory in memory for the
// files of one input.

#ifndef WEIR_TEST_FUZZ_MODEL_H
#define WEIR_TEST_FUZZ_MODEL_H

#include "compiler/import/Import.h"

namespace weir {

/// A directory of this process, removed with all in it at the end.
const std::string &fuzzDirectory();

/// Replaces the file of that name below the directory.
void writeFuzzFile(llvm::StringRef name, llvm::StringRef bytes);

/// Imports what the name stands for, each default on; a module that comes of it
/// must verify.
void importFuzzModel(llvm::StringRef name);

} // namespace weir

#endif // WEIR_TEST_FUZZ_MODEL_H
