// Labels, and which strings they are.

#ifndef WEIR_COMPILER_IMPORT_ONNX_LEARNED_LABELS_H
#define WEIR_COMPILER_IMPORT_ONNX_LEARNED_LABELS_H

#include "compiler/import/onnx/learned/Learned.h"

namespace weir::onnx {

/// The strings that result 0 has indices of, or, of ZipMap, the names of its
/// columns; none where it is of numbers.
std::vector<std::string> resultStrings(Node &node);
/// An attribute that is a list of strings; empty where it is absent.
std::vector<std::string> stringsAttr(Node &node, llvm::StringRef attribute);
/// 0, 1, ...
Integers counting(size_t count);
/// Of each string of a table the first place in `list` that has it; the number
/// of the list's elements where it is not there.
Integers positionsIn(llvm::ArrayRef<std::string> list,
                     llvm::ArrayRef<std::string> table);

} // namespace weir::onnx

#endif // WEIR_COMPILER_IMPORT_ONNX_LEARNED_LABELS_H
