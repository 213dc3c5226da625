// The values that --value gives inputs, as the bytes of constants.

#ifndef WEIR_COMPILER_IMPORT_FIXEDVALUES_H
#define WEIR_COMPILER_IMPORT_FIXEDVALUES_H

#include "compiler/import/Import.h"
#include "compiler/import/Report.h"

namespace weir {

/// The elements of a constant, little-endian in row-major order; a Boolean has
/// one byte.
struct FixedTensor {
  llvm::SmallVector<int64_t> shape;
  std::string bytes;
};

/// The value as elements of that type: numbers with commas, or the array in a
/// file. The shape is that of the model, if it has a rank; --shape and --dim
/// fix its dynamic dimensions, which have the `names` of the model, if any. One
/// number fills a shape that is known. An error if the type cannot hold a
/// number, or the shape does not fit.
mlir::FailureOr<FixedTensor>
readFixedValue(Report &report, const ImportOptions &options,
               const FixedValue &value, mlir::Type element,
               std::optional<llvm::SmallVector<int64_t>> shape,
               llvm::ArrayRef<std::string> names = {});

/// Whether --value makes the input of that name a constant.
bool isFixedInput(const ImportOptions &options, llvm::StringRef name);

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_FIXEDVALUES_H
