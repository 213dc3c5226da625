// The records among the attributes that stages communicate by.

#ifndef WEIR_DIALECTS_WEIR_RECORDS_H
#define WEIR_DIALECTS_WEIR_RECORDS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

#define GET_ATTRDEF_CLASSES
#include "dialects/weir/Records.h.inc"

#endif // WEIR_DIALECTS_WEIR_RECORDS_H
