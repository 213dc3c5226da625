// Lowers the ops of family Linear.

#include "passes/lower/Patterns.h"

#include "dialects/graph/Linear.h"

using namespace mlir;

namespace weir {

void addLinearPatterns(const TypeConverter &converter,
                     RewritePatternSet &patterns) {
}

} // namespace weir
