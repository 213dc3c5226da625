// Elementwise arithmetic, selection and conversion. The rest of the family is
// in elementwise/: MathOps.td, LogicOps.td, SpecialOps.td.

#ifndef WEIR_DIALECTS_GRAPH_ELEMENTWISE
#define WEIR_DIALECTS_GRAPH_ELEMENTWISE

include "dialects/graph/elementwise/FunctionBase.td"

def Graph_AbsOp : Graph_UnaryFunction<"abs", "abs", Graph_NumberTensor> {
  let summary = "Magnitude of each element";
  let description = [{
    The lowest signed integer is its own magnitude.

    ```mlir
    %y = graph.abs %x : tensor<4xf32>
    ```
  }];
  let tensorflow = ["Abs"];
  let onnx = ["Abs"];
}

def Graph_NegOp : Graph_UnaryFunction<"neg", "neg", Graph_NumberTensor> {
  let summary = "Each element with its sign changed";
  let description = [{
    Integers wrap.

    ```mlir
    %y = graph.neg %x : tensor<4xf32>
    ```
  }];
  let tensorflow = ["Neg"];
  let onnx = ["Neg"];
}

def Graph_SignOp : Graph_UnaryFunction<"sign", "sign", Graph_NumberTensor> {
  let summary = "-1, 0 or 1 by the sign of each element";
  let description = [{
    What is not a number stays so; so does the sign of a zero.

    ```mlir
    %y = graph.sign %x : tensor<4xf32>
    ```
  }];
  let tensorflow = ["Sign"];
  let onnx = ["Sign"];
}

def Graph_SquareOp
    : Graph_UnaryFunction<"square", "square", Graph_NumberTensor> {
  let summary = "Each element times itself";
  let description = [{
    ```mlir
    %y = graph.square %x : tensor<4xf32>
    ```
  }];
  let tensorflow = ["Square"];
}

def Graph_ReciprocalOp
    : Graph_UnaryFunction<"reciprocal", "reciprocal", Graph_NumberTensor> {
  let summary = "1 divided by each element";
  let description = [{
    Of an integer 0, it is 0.

    ```mlir
    %y = graph.reciprocal %x : tensor<4xf32>
    ```
  }];
  let tensorflow = ["Reciprocal", "Inv"];
  let onnx = ["Reciprocal"];
}

def Graph_FloorOp : Graph_UnaryFunction<"floor", "floor", Graph_NumberTensor> {
  let summary = "Each element rounded down";
  let description = [{
    Integers stay as they are.

    ```mlir
    %y = graph.floor %x : tensor<4xf32>
    ```
  }];
  let tensorflow = ["Floor"];
  let onnx = ["Floor"];
}

def Graph_CeilOp : Graph_UnaryFunction<"ceil", "ceil", Graph_NumberTensor> {
  let summary = "Each element rounded up";
  let description = [{
    Integers stay as they are.

    ```mlir
    %y = graph.ceil %x : tensor<4xf32>
    ```
  }];
  let tensorflow = ["Ceil"];
  let onnx = ["Ceil"];
}

def Graph_RoundOp : Graph_UnaryFunction<"round", "round", Graph_NumberTensor> {
  let summary = "Each element rounded to nearest";
  let description = [{
    Halves go to the even neighbour. Integers stay as they are.

    ```mlir
    %y = graph.round %x : tensor<4xf32>
    ```
  }];
  let tensorflow = ["Round", "Rint"];
  let onnx = ["Round"];
}

def Graph_TruncOp : Graph_UnaryFunction<"trunc", "trunc", Graph_NumberTensor> {
  let summary = "Each element rounded toward zero";
  let description = [{
    Integers stay as they are.

    ```mlir
    %y = graph.trunc %x : tensor<4xf32>
    ```
  }];
}

def Graph_ReluOp : Graph_UnaryFunction<"relu", "relu", Graph_NumberTensor> {
  let summary = "Each element, or 0 where it is below";
  let description = [{
    What is not a number stays so.

    ```mlir
    %y = graph.relu %x : tensor<4xf32>
    ```
  }];
  let tensorflow = ["Relu"];
  let onnx = ["Relu"];
}

def Graph_Relu6Op : Graph_UnaryFunction<"relu6", "relu6", Graph_NumberTensor> {
  let summary = "Each element, limited to 0 and 6";
  let description = [{
    ```mlir
    %y = graph.relu6 %x : tensor<4xf32>
    ```
  }];
  let tensorflow = ["Relu6"];
}

def Graph_AddOp
    : Graph_BinaryFunction<"add", "add", Graph_NumberTensor, [Commutative]> {
  let summary = "Sum of two tensors of one shape";
  let description = [{
    Integers wrap.

    ```mlir
    %z = graph.add %x, %y : tensor<4xf32>
    ```
  }];
  let tensorflow = ["Add", "AddV2"];
  let onnx = ["Add"];
}

def Graph_SubOp : Graph_BinaryFunction<"sub", "sub"> {
  let summary = "Difference of two tensors of one shape";
  let description = [{
    Integers wrap.

    ```mlir
    %z = graph.sub %x, %y : tensor<4xf32>
    ```
  }];
  let tensorflow = ["Sub"];
  let onnx = ["Sub"];
}

def Graph_MulOp
    : Graph_BinaryFunction<"mul", "mul", Graph_NumberTensor, [Commutative]> {
  let summary = "Product, element by element";
  let description = [{
    Integers wrap.

    ```mlir
    %z = graph.mul %x, %y : tensor<4xf32>
    ```
  }];
  let tensorflow = ["Mul"];
  let onnx = ["Mul"];
}

def Graph_DivOp : Graph_BinaryFunction<"div", "div"> {
  let summary = "Quotient, element by element";
  let description = [{
    Integers truncate; a quotient by 0 is 0, and the lowest number by -1
    wraps.

    ```mlir
    %z = graph.div %x, %y : tensor<4xf32>
    ```
  }];
  let onnx = ["Div"];
}

def Graph_FloorDivOp : Graph_BinaryFunction<"floor_div", "floorDiv"> {
  let summary = "Quotient rounded down";
  let description = [{
    An integer quotient by 0 is 0.

    ```mlir
    %z = graph.floor_div %x, %y : tensor<4xf32>
    ```
  }];
}

def Graph_ModOp : Graph_BinaryFunction<"mod", "mod"> {
  let summary = "Remainder of the truncated quotient";
  let description = [{
    It has the sign of `x`. An integer remainder by 0 is 0.

    ```mlir
    %z = graph.mod %x, %y : tensor<4xf32>
    ```
  }];
}

def Graph_FloorModOp : Graph_BinaryFunction<"floor_mod", "floorMod"> {
  let summary = "Remainder of the quotient rounded down";
  let description = [{
    It has the sign of `y`. An integer remainder by 0 is 0.

    ```mlir
    %z = graph.floor_mod %x, %y : tensor<4xf32>
    ```
  }];
}

def Graph_PowOp : Graph_BinaryFunction<"pow", "pow"> {
  let summary = "x to the power y";
  let description = [{
    Integers wrap; a negative integer power truncates, and is 0 for `x` = 0.

    ```mlir
    %z = graph.pow %x, %y : tensor<4xf32>
    ```
  }];
}

def Graph_MaximumOp : Graph_BinaryFunction<"maximum", "maximum",
                                           Graph_NumberTensor, [Commutative]> {
  let summary = "The greater of two elements";
  let description = [{
    Not a number where either is not.

    ```mlir
    %z = graph.maximum %x, %y : tensor<4xf32>
    ```
  }];
  let tensorflow = ["Maximum"];
}

def Graph_MinimumOp : Graph_BinaryFunction<"minimum", "minimum",
                                           Graph_NumberTensor, [Commutative]> {
  let summary = "The lesser of two elements";
  let description = [{
    Not a number where either is not.

    ```mlir
    %z = graph.minimum %x, %y : tensor<4xf32>
    ```
  }];
  let tensorflow = ["Minimum"];
}

def Graph_SquaredDifferenceOp
    : Graph_BinaryFunction<"squared_difference", "squaredDifference"> {
  let summary = "Square of the difference";
  let description = [{
    ```mlir
    %z = graph.squared_difference %x, %y : tensor<4xf32>
    ```
  }];
  let tensorflow = ["SquaredDifference"];
}

def Graph_DivNoNanOp
    : Graph_BinaryFunction<"div_no_nan", "divNoNan", Graph_FloatTensor> {
  let summary = "Quotient, 0 where y is 0";
  let description = [{
    ```mlir
    %z = graph.div_no_nan %x, %y : tensor<4xf32>
    ```
  }];
  let tensorflow = ["DivNoNan"];
}

def Graph_MulNoNanOp
    : Graph_BinaryFunction<"mul_no_nan", "mulNoNan", Graph_FloatTensor> {
  let summary = "Product, 0 where y is 0";
  let description = [{
    Also where `x` is infinite or not a number.

    ```mlir
    %z = graph.mul_no_nan %x, %y : tensor<4xf32>
    ```
  }];
  let tensorflow = ["MulNoNan"];
}

def Graph_NextAfterOp : Graph_BinaryFunction<"next_after", "nextAfter",
                                             Graph_TensorOf<[F32, F64]>> {
  let summary = "The float next to x in the direction of y";
  let description = [{
    ```mlir
    %z = graph.next_after %x, %y : tensor<4xf32>
    ```
  }];
  let tensorflow = ["NextAfter"];
}

def Graph_ClampOp : Graph_ScalarOp<"clamp", [SameOperandsAndResultType]> {
  let summary = "Each element limited to low and high";
  let description = [{
    `low` where both cannot hold. What is not a number stays so.

    ```mlir
    %y = graph.clamp %x, %low, %high : tensor<4xf32>
    ```
  }];
  let scalar = Apply<"clamp">.body;
  let arguments = (ins Graph_NumberTensor:$x, Graph_NumberTensor:$low,
      Graph_NumberTensor:$high);
  let results = (outs Graph_NumberTensor:$result);
  let assemblyFormat = "operands attr-dict `:` type($result)";
}

def Graph_SelectOp
    : Graph_ScalarOp<"select", [AllShapesMatch<["predicate", "x", "y"]>,
                                AllTypesMatch<["x", "y", "result"]>]> {
  let summary = "x where the predicate holds, else y";
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
}

def Graph_CastOp : Graph_ScalarOp<"cast", [SameOperandsAndResultShape]> {
  let summary = "Each element converted to another element type";
  let description = [{
    Floats become integers by truncation; where the integer type has no such
    number, its nearest, and 0 for what is not a number. Integers wrap. A truth
    value is 0 or 1, and what is not 0 is true.

    ```mlir
    %y = graph.cast %x : tensor<4xf32> to tensor<4xi32>
    ```
  }];
  let scalar = [{
    ::mlir::Type to = ::mlir::getElementTypeOrSelf(getType());
    bool fromUnsigned =
        ::mlir::getElementTypeOrSelf(getX()).isUnsignedInteger();
    return ::weir::graph::Scalar(b, loc, args[0], fromUnsigned)
        .to(::weir::graph::signless(to), to.isUnsignedInteger());
  }];
  let arguments = (ins Graph_Tensor:$x);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($x) `to` type($result)";
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

#endif // WEIR_DIALECTS_GRAPH_ELEMENTWISE
