// What frontends build graph ops with, under their own namespace.

#ifndef WEIR_COMPILER_IMPORT_BUILD_H
#define WEIR_COMPILER_IMPORT_BUILD_H

#include "dialects/graph/build/Build.h"
#include "dialects/graph/build/Expr.h"
#include "dialects/graph/build/Windows.h"

namespace weir {
using namespace graph::build;
} // namespace weir

#endif // WEIR_COMPILER_IMPORT_BUILD_H
