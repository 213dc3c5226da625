// The enums of family Index.

#ifndef WEIR_DIALECTS_GRAPH_INDEX_ENUMS
#define WEIR_DIALECTS_GRAPH_INDEX_ENUMS

include "mlir/IR/EnumAttr.td"

def Graph_Combiner
    : I32EnumAttr<"Combiner", "How an update combines with the element at its index",
                  [I32EnumAttrCase<"update", 0>, I32EnumAttrCase<"add", 1>,
                   I32EnumAttrCase<"sub", 2>, I32EnumAttrCase<"mul", 3>,
                   I32EnumAttrCase<"min", 4>, I32EnumAttrCase<"max", 5>]> {
  let cppNamespace = "::weir::graph";
}

#endif // WEIR_DIALECTS_GRAPH_INDEX_ENUMS
