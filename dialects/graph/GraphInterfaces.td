// The interfaces by which passes query any op.

#ifndef WEIR_DIALECTS_GRAPH_INTERFACES
#define WEIR_DIALECTS_GRAPH_INTERFACES

include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def ScalarOpInterface : OpInterface<"ScalarOpInterface"> {
  let cppNamespace = "::weir::graph";
  let description = [{
    An op that applies one scalar function to every element of its operands,
    which all have one shape. Fusion, lowering and folding use this only.
  }];
  let methods = [InterfaceMethod<[{
      Builds the function for one element of each operand. `args` are signless
      (`i8`, never `ui8`), as `arith` requires; the op's own operand types show
      which are unsigned. Returns the signless result.
    }],
      "::mlir::Value", "buildScalar",
      (ins "::mlir::OpBuilder &":$b, "::mlir::Location":$loc,
          "::mlir::ValueRange":$args)>];
}

def FusionOpInterface : OpInterface<"FusionOpInterface"> {
  let cppNamespace = "::weir::graph";
  let description = [{
    The role of an op in groups, each of which becomes one kernel.
  }];
  let methods = [InterfaceMethod<"The role of this op in a group.",
                                 "::weir::graph::FusionRole", "fusionRole">];
}

// Each element of the result is a function of the elements at the same index.
def FusionElementwise : I32EnumAttrCase<"elementwise", 0>;
// The result only rearranges elements: broadcast, transpose, reshape.
def FusionInjective : I32EnumAttrCase<"injective", 1>;
// Combines elements along dimensions.
def FusionReduction : I32EnumAttrCase<"reduction", 2>;
// Matrix product or convolution: takes an elementwise epilogue.
def FusionContraction : I32EnumAttrCase<"contraction", 3>;
// A kernel of its own.
def FusionOpaque : I32EnumAttrCase<"opaque", 4>;
// No kernel at all: a constant, a view, or control flow.
def FusionNone : I32EnumAttrCase<"none", 5>;

def Graph_FusionRole : I32EnumAttr<"FusionRole",
                                   "The role of an op in a group",
                                   [FusionElementwise, FusionInjective,
                                    FusionReduction, FusionContraction,
                                    FusionOpaque, FusionNone]> {
  let cppNamespace = "::weir::graph";
}

#endif // WEIR_DIALECTS_GRAPH_INTERFACES
