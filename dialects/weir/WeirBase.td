// The weir dialect: the facts that stages tell each other, and no ops.

#ifndef WEIR_DIALECTS_WEIR_BASE
#define WEIR_DIALECTS_WEIR_BASE

include "mlir/IR/DialectBase.td"

def Weir_Dialect : Dialect {
  let name = "weir";
  let cppNamespace = "::weir";
  let summary = "Attributes that stages communicate by";
  let description = [{
    Stages do not know each other: they communicate through attributes of the
    module, of functions, and of ops. `Attributes.def` declares each of them
    with its type and the ops that may have it. The dialect verifies that every
    attribute whose name begins with `weir.` is declared there.
  }];
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    void addRecords();
  }];
}

#endif // WEIR_DIALECTS_WEIR_BASE
