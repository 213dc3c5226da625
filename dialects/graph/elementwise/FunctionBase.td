// Elementwise ops whose scalar function is one of Scalar.h.

#ifndef WEIR_DIALECTS_GRAPH_FUNCTION_BASE
#define WEIR_DIALECTS_GRAPH_FUNCTION_BASE

include "dialects/graph/GraphBase.td"

class Apply<string function> {
  code body = "return ::weir::graph::apply(*this, b, loc, args, "
              "::weir::graph::scalar::"#function#");";
}

class Graph_UnaryFunction<string mnemonic, string function,
                          Type type = Graph_FloatTensor,
                          list<Trait> traits = []>
    : Graph_UnaryOp<mnemonic, type, traits> {
  let scalar = Apply<function>.body;
}

class Graph_BinaryFunction<string mnemonic, string function,
                           Type type = Graph_NumberTensor,
                           list<Trait> traits = []>
    : Graph_BinaryOp<mnemonic, type, traits> {
  let scalar = Apply<function>.body;
}

class Graph_CompareFunction<string mnemonic, string function,
                            Type type = Graph_NumberTensor,
                            list<Trait> traits = []>
    : Graph_CompareOp<mnemonic, type, traits> {
  let scalar = Apply<function>.body;
}

// One operand, and a result of its shape and of one element type.
class Graph_ToElement<string mnemonic, string function, Type type, Type result,
                      string element>
    : Graph_ScalarOp<mnemonic, [SameOperandsAndResultShape,
                                InferTypeOpInterface]> {
  let scalar = Apply<function>.body;
  let arguments = (ins type:$x);
  let results = (outs result:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
  let extra = [{
    static ::llvm::LogicalResult inferReturnTypes(
        ::mlir::MLIRContext *context, std::optional<::mlir::Location>,
        ::mlir::ValueRange operands, ::mlir::DictionaryAttr,
        ::mlir::OpaqueProperties, ::mlir::RegionRange,
        ::llvm::SmallVectorImpl<::mlir::Type> &results) {
      results.push_back(::llvm::cast<::mlir::RankedTensorType>(
          operands[0].getType()).clone(}]#element#[{));
      return ::mlir::success();
    }
  }];
}

class Graph_TestFunction<string mnemonic, string function,
                         Type type = Graph_FloatTensor>
    : Graph_ToElement<mnemonic, function, type, Graph_BoolTensor,
                      "::mlir::IntegerType::get(context, 1)">;

#endif // WEIR_DIALECTS_GRAPH_FUNCTION_BASE
