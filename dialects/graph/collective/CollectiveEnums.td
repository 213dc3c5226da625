// The enums of family Collective.

#ifndef WEIR_DIALECTS_GRAPH_COLLECTIVE_ENUMS
#define WEIR_DIALECTS_GRAPH_COLLECTIVE_ENUMS

include "mlir/IR/EnumAttr.td"

def Graph_Combine
    : I32EnumAttr<"Combine", "How ranks combine elements",
                  [I32EnumAttrCase<"sum", 0>, I32EnumAttrCase<"max", 1>,
                   I32EnumAttrCase<"min", 2>]> {
  let cppNamespace = "::weir::graph";
}

#endif // WEIR_DIALECTS_GRAPH_COLLECTIVE_ENUMS
