// The common code of the fuzz targets of the importer: a directory in memory
// for the files of one input.

#ifndef WEIR_TEST_FUZZ_MODEL_H
#define WEIR_TEST_FUZZ_MODEL_H

#include "compiler/import/Import.h"

namespace weir {

/// A directory of this process, which is removed with its contents at the end.
const std::string &fuzzDirectory();

/// Replaces the file of that name below the directory.
void writeFuzzFile(llvm::StringRef name, llvm::StringRef bytes);

/// Imports the model at the path with default options; the module must verify.
void importFuzzModel(llvm::StringRef name);

} // namespace weir

#endif // WEIR_TEST_FUZZ_MODEL_H
