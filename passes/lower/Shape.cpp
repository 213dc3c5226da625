// Lowers the ops of family Shape.

#include "passes/lower/Patterns.h"

#include "dialects/graph/Shape.h"

using namespace mlir;

namespace weir {

void addShapePatterns(const TypeConverter &converter,
                     RewritePatternSet &patterns) {
}

} // namespace weir
