// Elementwise selection and conversion.

#ifndef WEIR_DIALECTS_GRAPH_CONVERSION
#define WEIR_DIALECTS_GRAPH_CONVERSION

include "dialects/graph/elementwise/FunctionBase.td"

def Graph_ClampOp : Graph_ScalarOp<"clamp", [SameOperandsAndResultType]> {
  let summary = "Each element limited to low and high";
  let description = [{
    The result is `low` if `low` is above `high`. NaN stays NaN.

    ```mlir
    %y = graph.clamp %x, %low, %high : tensor<4xf32>
    ```
  }];
  let scalar = Apply<"clamp">.body;
  let arguments = (ins Graph_NumberTensor:$x, Graph_NumberTensor:$low,
      Graph_NumberTensor:$high);
  let results = (outs Graph_NumberTensor:$result);
  let assemblyFormat = "operands attr-dict `:` type($result)";
  let derivative = "rule";
}

def Graph_SelectOp
    : Graph_ScalarOp<"select", [AllShapesMatch<["predicate", "x", "y"]>,
                                AllTypesMatch<["x", "y", "result"]>]> {
  let summary = "x if the predicate is true, else y";
  let description = [{
    - (C1) all operands have one shape, `x` and `y` one type.

    ```mlir
    %z = graph.select %p, %x, %y : tensor<4xi1>, tensor<4xf32>
    ```
  }];
  let onnx = ["Where"];
  let scalar = [{
    return b.create<::mlir::arith::SelectOp>(loc, args[0], args[1], args[2]);
  }];
  let arguments = (ins Graph_BoolTensor:$predicate, Graph_Tensor:$x,
      Graph_Tensor:$y);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $predicate `,` $x `,` $y attr-dict `:` type($predicate) `,` type($x)
  }];
  let derivative = "rule";
}

def Graph_CastOp : Graph_ScalarOp<"cast", [SameOperandsAndResultShape]> {
  let summary = "Each element converted to another element type";
  let description = [{
    Floats become integers by truncation. A number outside of the integer type's
    range becomes the nearest one in it, and NaN becomes 0. Integers wrap. A
    Boolean becomes 0 or 1, and every number but 0 becomes true.

    A result of a narrower float type may stay wide between ops. With `rounds` it
    is rounded: the graph requests that type.

    ```mlir
    %y = graph.cast %x : tensor<4xf32> to tensor<4xi32>
    %h = graph.cast %x rounds : tensor<4xf32> to tensor<4xf16>
    ```
  }];
  let scalar = [{
    ::mlir::Type to = ::mlir::getElementTypeOrSelf(getType());
    bool fromUnsigned =
        ::mlir::getElementTypeOrSelf(getX()).isUnsignedInteger();
    return ::weir::graph::Scalar(b, loc, args[0], fromUnsigned)
        .to(::weir::graph::signless(to), to.isUnsignedInteger());
  }];
  let arguments = (ins Graph_Tensor:$x, UnitAttr:$rounds);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $x (`rounds` $rounds^)? attr-dict `:` type($x) `to` type($result)
  }];
  let derivative = "rule";
}

def Graph_BitcastOp : Graph_ScalarOp<"bitcast", [SameOperandsAndResultShape]> {
  let summary = "The same bits as another element type";
  let description = [{
    - (C1) both element types have one width.

    ```mlir
    %y = graph.bitcast %x : tensor<4xf32> to tensor<4xi32>
    ```
  }];
  let scalar = [{
    ::mlir::Type to =
        ::weir::graph::signless(::mlir::getElementTypeOrSelf(getType()));
    if (to == args[0].getType())
      return args[0];
    return b.create<::mlir::arith::BitcastOp>(loc, to, args[0]);
  }];
  let arguments = (ins Graph_Tensor:$x);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($x) `to` type($result)";
  let hasVerifier = 1;
}

#endif // WEIR_DIALECTS_GRAPH_CONVERSION
