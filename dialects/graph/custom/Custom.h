// The ops of family Custom.

#ifndef WEIR_DIALECTS_GRAPH_CUSTOM_CUSTOM_H
#define WEIR_DIALECTS_GRAPH_CUSTOM_CUSTOM_H

#include "dialects/graph/Graph.h"

namespace weir::graph {

/// Whether the name is a valid name of a C function.
bool isCName(llvm::StringRef name);

/// The largest number of parts of a custom op.
constexpr int64_t maxCustomParts = 65536;

} // namespace weir::graph

#define GET_OP_CLASSES
#include "dialects/graph/custom/CustomOps.h.inc"

#endif // WEIR_DIALECTS_GRAPH_CUSTOM_CUSTOM_H
