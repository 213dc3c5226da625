// The graph dialect: what every op of a tensor graph has in common.

#ifndef WEIR_DIALECTS_GRAPH_BASE
#define WEIR_DIALECTS_GRAPH_BASE

include "dialects/graph/GraphInterfaces.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Graph_Dialect : Dialect {
  let name = "graph";
  let cppNamespace = "::weir::graph";
  let summary = "A framework's tensor graph, as imported and as optimised";
  let description = [{
    Every frontend imports into this dialect, and graph optimisations work on
    it. Ops are pure functions of tensors of static shape. Broadcasts are
    explicit, and the layout is the framework's. Names are the plain English of
    the mathematics. A framework's names for the same operation are data of the
    op's definition.
  }];
  let hasConstantMaterializer = 1;
  let useDefaultAttributePrinterParser = 0;
}

// The element types of the dialect. Signless integers are signed numbers;
// unsigned ones have types of their own.
def Graph_Float : AnyTypeOf<[F16, BF16, F32, F64]>;
def Graph_Signed : AnyTypeOf<[I8, I16, I32, I64]>;
def Graph_Unsigned : AnyTypeOf<[UI8, UI16, UI32, UI64]>;
def Graph_Integer : AnyTypeOf<[Graph_Signed, Graph_Unsigned]>;
def Graph_Number : AnyTypeOf<[Graph_Float, Graph_Integer]>;
def Graph_Element : AnyTypeOf<[Graph_Number, I1]>;

class Graph_TensorOf<list<Type> elements> : StaticShapeTensorOf<elements>;
def Graph_Tensor : Graph_TensorOf<[Graph_Element]>;
def Graph_NumberTensor : Graph_TensorOf<[Graph_Number]>;
def Graph_FloatTensor : Graph_TensorOf<[Graph_Float]>;
def Graph_IntegerTensor : Graph_TensorOf<[Graph_Integer]>;
def Graph_IndexTensor : Graph_TensorOf<[I32, I64]>;
def Graph_BoolTensor : Graph_TensorOf<[I1]>;

// C++ returning `names` from a static method; nothing to write when it is
// empty.
class Names<string method, list<string> names> {
  code decl = "static ::llvm::ArrayRef<::llvm::StringRef> "#method#"() { "#!if(
      !empty(names), "return {}; }",
      "static constexpr ::llvm::StringRef names[] = {\""#!interleave(
          names, "\", \"")#"\"}; return names; }")#"\n";
}

// The derivative in an op's definition, as C++ beside its methods. The formulas of
// the operands make a rule. They use `g`, the gradient of the result `r`, and the
// operands `x` and `y`; an operand with an empty formula has no gradient. The rule
// is no member of the op, so that no header changes with it.
class DerivativeOf<string derivative, list<string> gradient> {
  code body = "template <> constexpr Derivative derivativeOf<$cppClass> = "
      "Derivative::"#derivative#";\n"
      #!if(!eq(derivative, "rule"),
           "template <> void rule<$cppClass>($cppClass, Gradients &);\n", "")
      #!if(!empty(gradient), "", [{
    template <> void rule<$cppClass>($cppClass op, Gradients &gradients) {
      using build::apply;
      [[maybe_unused]] build::Expr g = gradients.of(0),
                                   r = gradients.result(0),
                                   x = gradients.operand(0);
  }]#!if(!gt(!size(gradient), 1),
         "[[maybe_unused]] build::Expr y = gradients.operand(1);\n", "")
    #!interleave(!foreach(i, !range(!size(gradient)),
        "if (gradients.wants("#i#")) gradients.give("#i#", "
        #!if(!empty(gradient[i]), "build::Expr()", gradient[i])#");"), "\n")
    #"}\n");
}

class Graph_Op<string mnemonic, list<Trait> traits = []>
    : Op<Graph_Dialect, mnemonic,
         !listconcat(traits, [Pure, FusionOpInterface])> {
  // The framework ops that import into this op one to one: same operands, same
  // result, no attribute that matters.
  list<string> tensorflow = [];
  list<string> onnx = [];
  // A case of FusionRole.
  string fusion = "opaque";
  // The kind of the derivative. "none": a gradient is an error; "zero": it stops;
  // "regions": these are differentiated; or "rule". A rule without formulas is in
  // gradients/<Family>.cpp.
  string derivative = "none";
  list<string> gradient = [];
  // More C++ declarations of the op.
  code extra = "";

  let extraClassDeclaration =
      Names<"tensorflowNames", tensorflow>.decl#Names<"onnxNames", onnx>.decl
      #"::weir::graph::FusionRole fusionRole() { return "
      "::weir::graph::FusionRole::"#fusion#"; }\n"#extra;
  let extraClassDefinition = DerivativeOf<derivative, gradient>.body;
}

// An op whose whole meaning is `scalar`: C++ that returns the value of one
// element from `args`, with `b`, `loc` and the op's own accessors at hand.
class Graph_ScalarOp<string mnemonic, list<Trait> traits = []>
    : Graph_Op<mnemonic,
               !listconcat(traits, [Elementwise,
                                    DeclareOpInterfaceMethods<
                                        ScalarOpInterface>])> {
  code scalar = "";
  let derivative = !if(!empty(gradient), "none", "rule");
  let fusion = "elementwise";
  let hasFolder = 1;
  let extraClassDefinition =
      "::mlir::Value $cppClass::buildScalar(::mlir::OpBuilder &b, "
      "::mlir::Location loc, ::mlir::ValueRange args) {"#scalar#"}\n"
      "::mlir::OpFoldResult $cppClass::fold(FoldAdaptor adaptor) { "
      "return ::weir::graph::foldScalarOp(*this, adaptor.getOperands()); }\n"
      #DerivativeOf<derivative, gradient>.body;
}

// One operand, and a result of its type.
class Graph_UnaryOp<string mnemonic, Type type = Graph_FloatTensor,
                    list<Trait> traits = []>
    : Graph_ScalarOp<mnemonic, !listconcat(traits,
                                           [SameOperandsAndResultType])> {
  let arguments = (ins type:$x);
  let results = (outs type:$result);
  let assemblyFormat = "$x attr-dict `:` type($result)";
}

// Two operands of one type, and a result of that type.
class Graph_BinaryOp<string mnemonic, Type type = Graph_NumberTensor,
                     list<Trait> traits = []>
    : Graph_ScalarOp<mnemonic, !listconcat(traits,
                                           [SameOperandsAndResultType])> {
  let arguments = (ins type:$x, type:$y);
  let results = (outs type:$result);
  let assemblyFormat = "operands attr-dict `:` type($result)";
}

// Two operands of one type, and a Boolean for each element.
class Graph_CompareOp<string mnemonic, Type type = Graph_NumberTensor,
                      list<Trait> traits = []>
    : Graph_ScalarOp<mnemonic,
                     !listconcat(traits, [
                       SameTypeOperands, SameOperandsAndResultShape,
                       InferTypeOpInterface
                     ])> {
  let arguments = (ins type:$x, type:$y);
  let results = (outs Graph_BoolTensor:$result);
  let assemblyFormat = "operands attr-dict `:` type($x)";
  let derivative = "zero";
  let extra = [{
    static ::llvm::LogicalResult inferReturnTypes(
        ::mlir::MLIRContext *context, std::optional<::mlir::Location>,
        ::mlir::ValueRange operands, ::mlir::DictionaryAttr,
        ::mlir::OpaqueProperties, ::mlir::RegionRange,
        ::llvm::SmallVectorImpl<::mlir::Type> &results) {
      results.push_back(::llvm::cast<::mlir::RankedTensorType>(
          operands[0].getType()).clone(::mlir::IntegerType::get(context, 1)));
      return ::mlir::success();
    }
  }];
}

#endif // WEIR_DIALECTS_GRAPH_BASE
