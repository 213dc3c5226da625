// The weir dialect, which verifies the attributes that stages communicate by.

#ifndef WEIR_DIALECTS_WEIR_WEIR_H
#define WEIR_DIALECTS_WEIR_WEIR_H

#include "mlir/IR/Dialect.h"

#include "dialects/weir/WeirDialect.h.inc"

#endif // WEIR_DIALECTS_WEIR_WEIR_H
