// The patterns of products with weights of few bits.

#ifndef WEIR_PASSES_LOWER_PACKED_PACKEDPRODUCTS_H
#define WEIR_PASSES_LOWER_PACKED_PACKEDPRODUCTS_H

#include "mlir/Transforms/DialectConversion.h"

namespace weir {

void addPackedPatterns(const mlir::TypeConverter &, mlir::RewritePatternSet &);

} // namespace weir

#endif // WEIR_PASSES_LOWER_PACKED_PACKEDPRODUCTS_H
