// Elementwise arithmetic, selection and conversion. The rest of the family is
// in elementwise/: MathOps.td, LogicOps.td, SpecialOps.td.

#ifndef WEIR_DIALECTS_GRAPH_ELEMENTWISE
#define WEIR_DIALECTS_GRAPH_ELEMENTWISE

include "dialects/graph/elementwise/Conversions.td"
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
  let gradient = ["g * apply<SignOp>(x)"];
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
  let gradient = ["-g"];
}

def Graph_SignOp : Graph_UnaryFunction<"sign", "sign", Graph_NumberTensor> {
  let summary = "-1, 0 or 1 by the sign of each element";
  let description = [{
    NaN stays NaN, and a zero keeps its sign.

    ```mlir
    %y = graph.sign %x : tensor<4xf32>
    ```
  }];
  let tensorflow = ["Sign"];
  let onnx = ["Sign"];
  let derivative = "zero";
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
  let gradient = ["g * (x * 2.0)"];
}

def Graph_ReciprocalOp
    : Graph_UnaryFunction<"reciprocal", "reciprocal", Graph_NumberTensor> {
  let summary = "1 divided by each element";
  let description = [{
    The result for an integer 0 is 0.

    ```mlir
    %y = graph.reciprocal %x : tensor<4xf32>
    ```
  }];
  let tensorflow = ["Reciprocal", "Inv"];
  let onnx = ["Reciprocal"];
  let gradient = ["-(g * (r * r))"];
}

def Graph_FloorOp : Graph_UnaryFunction<"floor", "floor", Graph_NumberTensor> {
  let summary = "Each element rounded down";
  let description = [{
    Integers do not change.

    ```mlir
    %y = graph.floor %x : tensor<4xf32>
    ```
  }];
  let tensorflow = ["Floor"];
  let onnx = ["Floor"];
  let derivative = "zero";
}

def Graph_CeilOp : Graph_UnaryFunction<"ceil", "ceil", Graph_NumberTensor> {
  let summary = "Each element rounded up";
  let description = [{
    Integers do not change.

    ```mlir
    %y = graph.ceil %x : tensor<4xf32>
    ```
  }];
  let tensorflow = ["Ceil"];
  let onnx = ["Ceil"];
  let derivative = "zero";
}

def Graph_RoundOp : Graph_UnaryFunction<"round", "round", Graph_NumberTensor> {
  let summary = "Each element rounded to nearest";
  let description = [{
    Ties go to the even neighbour. Integers do not change.

    ```mlir
    %y = graph.round %x : tensor<4xf32>
    ```
  }];
  let tensorflow = ["Round", "Rint"];
  let onnx = ["Round"];
  let derivative = "zero";
}

def Graph_TruncOp : Graph_UnaryFunction<"trunc", "trunc", Graph_NumberTensor> {
  let summary = "Each element rounded toward zero";
  let description = [{
    Integers do not change.

    ```mlir
    %y = graph.trunc %x : tensor<4xf32>
    ```
  }];
  let derivative = "zero";
}

def Graph_ReluOp : Graph_UnaryFunction<"relu", "relu", Graph_NumberTensor> {
  let summary = "Each element, or 0 if it is below 0";
  let description = [{
    NaN stays NaN.

    ```mlir
    %y = graph.relu %x : tensor<4xf32>
    ```
  }];
  let tensorflow = ["Relu"];
  let onnx = ["Relu"];
  let gradient = ["select(positive(r), g, g.like(0))"];
}

def Graph_Relu6Op : Graph_UnaryFunction<"relu6", "relu6", Graph_NumberTensor> {
  let summary = "Each element, limited to 0 and 6";
  let description = [{
    ```mlir
    %y = graph.relu6 %x : tensor<4xf32>
    ```
  }];
  let tensorflow = ["Relu6"];
  let gradient = [
    "select(apply<LogicalAndOp>(positive(r), apply<LessOp>(r, r.like(6))), g, g.like(0))"
  ];
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
  let gradient = ["g", "g"];
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
  let gradient = ["g", "-g"];
}

def Graph_MulOp
    : Graph_BinaryFunction<"mul", "mul", Graph_NumberTensor, [Commutative]> {
  let summary = "Elementwise product";
  let description = [{
    Integers wrap.

    ```mlir
    %z = graph.mul %x, %y : tensor<4xf32>
    ```
  }];
  let tensorflow = ["Mul"];
  let onnx = ["Mul"];
  let gradient = ["g * y", "g * x"];
}

def Graph_DivOp : Graph_BinaryFunction<"div", "div"> {
  let summary = "Elementwise quotient";
  let description = [{
    Integers truncate. A quotient by 0 is 0, and the lowest number by -1
    wraps.

    ```mlir
    %z = graph.div %x, %y : tensor<4xf32>
    ```
  }];
  let onnx = ["Div"];
  let gradient = ["g / y", "g * (-x / y / y)"];
}

def Graph_FloorDivOp : Graph_BinaryFunction<"floor_div", "floorDiv"> {
  let summary = "Quotient rounded down";
  let description = [{
    An integer quotient by 0 is 0.

    ```mlir
    %z = graph.floor_div %x, %y : tensor<4xf32>
    ```
  }];
  let derivative = "zero";
}

def Graph_ModOp : Graph_BinaryFunction<"mod", "mod"> {
  let summary = "Remainder of the truncated quotient";
  let description = [{
    It has the sign of `x`. An integer remainder by 0 is 0.

    ```mlir
    %z = graph.mod %x, %y : tensor<4xf32>
    ```
  }];
  let gradient = ["g", "-(g * apply<TruncOp>(x / y))"];
}

def Graph_FloorModOp : Graph_BinaryFunction<"floor_mod", "floorMod"> {
  let summary = "Remainder of the quotient rounded down";
  let description = [{
    It has the sign of `y`. An integer remainder by 0 is 0.

    ```mlir
    %z = graph.floor_mod %x, %y : tensor<4xf32>
    ```
  }];
  let gradient = ["g", "-(g * apply<FloorOp>(x / y))"];
}

def Graph_PowOp : Graph_BinaryFunction<"pow", "pow"> {
  let summary = "x to the power y";
  let description = [{
    Integers wrap; a negative integer power truncates, and is 0 for `x` = 0.
    A constant exponent of 1, 2, 3 or -1 for all elements canonicalizes to
    products or reciprocals.

    ```mlir
    %z = graph.pow %x, %y : tensor<4xf32>
    ```
  }];
  let hasCanonicalizer = 1;
  let gradient = [
    "productOrZero(productOrZero(apply<PowOp>(x, y - 1.0), y), g)",
    "productOrZero(r * logOrZero(x), g)"
  ];
}

def Graph_MaximumOp : Graph_BinaryFunction<"maximum", "maximum",
                                           Graph_NumberTensor, [Commutative]> {
  let summary = "The greater of two elements";
  let description = [{
    NaN if either is NaN.

    ```mlir
    %z = graph.maximum %x, %y : tensor<4xf32>
    ```
  }];
  let tensorflow = ["Maximum"];
  let gradient = [
    "select(apply<GreaterEqualOp>(x, y), g, g.like(0))",
    "select(apply<GreaterEqualOp>(x, y), g.like(0), g)"
  ];
}

def Graph_MinimumOp : Graph_BinaryFunction<"minimum", "minimum",
                                           Graph_NumberTensor, [Commutative]> {
  let summary = "The lesser of two elements";
  let description = [{
    NaN if either is NaN.

    ```mlir
    %z = graph.minimum %x, %y : tensor<4xf32>
    ```
  }];
  let tensorflow = ["Minimum"];
  let gradient = [
    "select(apply<LessEqualOp>(x, y), g, g.like(0))",
    "select(apply<LessEqualOp>(x, y), g.like(0), g)"
  ];
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
  let gradient = ["g * ((x - y) * 2.0)", "g * ((y - x) * 2.0)"];
}

def Graph_DivNoNanOp
    : Graph_BinaryFunction<"div_no_nan", "divNoNan", Graph_FloatTensor> {
  let summary = "Quotient, 0 if y is 0";
  let description = [{
    ```mlir
    %z = graph.div_no_nan %x, %y : tensor<4xf32>
    ```
  }];
  let tensorflow = ["DivNoNan"];
  let gradient = [
    "apply<DivNoNanOp>(g, y)",
    "g * apply<DivNoNanOp>(apply<DivNoNanOp>(-x, y), y)"
  ];
}

def Graph_MulNoNanOp
    : Graph_BinaryFunction<"mul_no_nan", "mulNoNan", Graph_FloatTensor> {
  let summary = "Product, 0 if y is 0";
  let description = [{
    This includes an infinite or NaN `x`.

    ```mlir
    %z = graph.mul_no_nan %x, %y : tensor<4xf32>
    ```
  }];
  let tensorflow = ["MulNoNan"];
  let gradient = ["apply<MulNoNanOp>(g, y)", "apply<MulNoNanOp>(x, g)"];
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
  let gradient = ["g", "g * 0.0"];
}

#endif // WEIR_DIALECTS_GRAPH_ELEMENTWISE
