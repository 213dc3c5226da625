// Tensors of strings. An edge has the index of each element's string, as i64,
// and beside it the table of strings, which is known at compile time.

#ifndef WEIR_COMPILER_IMPORT_ONNX_STRINGTABLE_H
#define WEIR_COMPILER_IMPORT_ONNX_STRINGTABLE_H

#include "compiler/import/Traced.h"

namespace weir::onnx {

class Node;

/// Beside a value of i64: the strings that its elements are indices of.
struct StringTable : Object {
  explicit StringTable(std::vector<std::string> strings)
      : strings(std::move(strings)) {}

  std::vector<std::string> strings;
};

/// Beside the scores that ZipMap gives: the names of their columns.
struct ColumnNames : Object {
  explicit ColumnNames(std::vector<std::string> names)
      : names(std::move(names)) {}

  std::vector<std::string> names;
};

/// Strings with each of them once in a table, in the order of their first use.
struct Indexed {
  std::vector<std::string> table;
  llvm::SmallVector<int64_t> indices;
};
Indexed indexed(llvm::ArrayRef<std::string> strings);

/// A constant.
Traced stringConstant(mlir::OpBuilder &b, mlir::Location at,
                      const Strings &strings);

/// What an output of the model has beside its numbers: its table, or the names
/// of its columns; none where it is of numbers.
std::vector<std::string> stringsOf(const Traced &traced);
inline bool hasStrings(const Traced &traced) {
  return !stringsOf(traced).empty();
}

/// Null where the edge is of numbers.
const StringTable *tableOf(const Traced &traced);
/// The same of operand `i`.
const StringTable *tableAt(Node &node, unsigned i);

/// An error where the node's op would take indices of strings, or a map, for
/// numbers.
mlir::LogicalResult checkStrings(Node &node);
/// Puts its table beside each result that is of strings. Handlers give the
/// indices only, so that they need not know how sizes of the run are carried.
void addTables(Node &node, llvm::MutableArrayRef<Traced> results);

} // namespace weir::onnx

#endif // WEIR_COMPILER_IMPORT_ONNX_STRINGTABLE_H
