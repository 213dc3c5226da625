// How gradients pass through ops.

#ifndef WEIR_DIALECTS_GRAPH_GRADIENT_INTERFACES
#define WEIR_DIALECTS_GRAPH_GRADIENT_INTERFACES

include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def DifferentiableOpInterface : OpInterface<"DifferentiableOpInterface"> {
  let cppNamespace = "::weir::graph";
  let description = [{
    Builds the gradients of an op's operands from those of its results. The
    definition of an op of the dialect decides how.
  }];
  let methods = [InterfaceMethod<"The kind of this op's derivative.",
                                 "::weir::graph::Derivative", "derivative">,
                 InterfaceMethod<[{
      For an op with a rule: builds the requested gradients of operands, from
      those of the results, and adds them to `gradients`.
    }],
      "void", "buildGradients", (ins "::weir::graph::Gradients &":$gradients)>];
}

// A gradient that comes to the op is an error.
def DerivativeNone : I32EnumAttrCase<"none", 0>;
// Nothing passes: the op is constant between its jumps, or has no floats.
def DerivativeZero : I32EnumAttrCase<"zero", 1>;
// The op builds the gradients of its operands.
def DerivativeRule : I32EnumAttrCase<"rule", 2>;
// The op's regions are differentiated.
def DerivativeRegions : I32EnumAttrCase<"regions", 3>;

def Graph_Derivative : I32EnumAttr<"Derivative",
                                   "The kind of an op's derivative",
                                   [DerivativeNone, DerivativeZero,
                                    DerivativeRule, DerivativeRegions]> {
  let cppNamespace = "::weir::graph";
}

#endif // WEIR_DIALECTS_GRAPH_GRADIENT_INTERFACES
