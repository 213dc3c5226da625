// The patterns of products with weights of few bits.

#ifndef WEIR_PASSES_LOWER_PACKED_PACKEDPRODUCTS_H
#define WEIR_PASSES_LOWER_PACKED_PACKEDPRODUCTS_H

#include "mlir/Transforms/DialectConversion.h"

namespace weir::lower {

void addPackedPatterns(const mlir::TypeConverter &, mlir::RewritePatternSet &);

} // namespace weir::lower

#endif // WEIR_PASSES_LOWER_PACKED_PACKEDPRODUCTS_H
