// The values that --value gives inputs, as the bytes of constants.

#ifndef WEIR_COMPILER_IMPORT_FIXEDVALUES_H
#define WEIR_COMPILER_IMPORT_FIXEDVALUES_H

#include "compiler/import/Import.h"
#include "compiler/import/Report.h"

namespace weir {

/// The elements of a constant, little-endian in row-major order; a truth value
/// takes a byte.
struct FixedTensor {
  llvm::SmallVector<int64_t> shape;
  std::string bytes;
};

/// The value as elements of that type, in the shape that the model says, where
/// that has a rank: numbers with commas, of which one fills a shape that is
/// known, or the array in a file. An error where the type cannot hold a number,
/// or the shape does not fit.
mlir::FailureOr<FixedTensor>
readFixedValue(Report &report, const FixedValue &value, mlir::Type element,
               std::optional<llvm::SmallVector<int64_t>> said);

/// Whether options mean an input of that name, or tensor, by `given`: `x` and
/// `x:0` are one.
bool isSameInput(llvm::StringRef name, llvm::StringRef given);

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_FIXEDVALUES_H
