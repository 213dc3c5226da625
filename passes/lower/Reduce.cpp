// Lowers the ops of family Reduce.

#include "passes/lower/Patterns.h"

#include "dialects/graph/Reduce.h"

using namespace mlir;

namespace weir {

void addReducePatterns(const TypeConverter &converter,
                     RewritePatternSet &patterns) {
}

} // namespace weir
