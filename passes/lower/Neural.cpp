// Lowers the ops of family Neural.

#include "passes/lower/Patterns.h"

#include "dialects/graph/Neural.h"

using namespace mlir;

namespace weir {

void addNeuralPatterns(const TypeConverter &converter,
                     RewritePatternSet &patterns) {
}

} // namespace weir
