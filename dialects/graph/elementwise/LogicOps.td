// Elementwise comparisons, logic and bits.

#ifndef WEIR_DIALECTS_GRAPH_LOGIC
#define WEIR_DIALECTS_GRAPH_LOGIC

include "dialects/graph/elementwise/FunctionBase.td"

def Graph_EqualOp
    : Graph_CompareFunction<"equal", "equal", Graph_Tensor, [Commutative]> {
  let summary = "Whether two elements are equal";
  let description = [{
    NaN equals nothing.

    ```mlir
    %p = graph.equal %x, %y : tensor<4xf32>
    ```
  }];
  let tensorflow = ["Equal"];
  let onnx = ["Equal"];
}

def Graph_NotEqualOp : Graph_CompareFunction<"not_equal", "notEqual",
                                             Graph_Tensor, [Commutative]> {
  let summary = "Whether two elements differ";
  let description = [{
    NaN differs from everything.

    ```mlir
    %p = graph.not_equal %x, %y : tensor<4xf32>
    ```
  }];
  let tensorflow = ["NotEqual"];
}

def Graph_LessOp : Graph_CompareFunction<"less", "less"> {
  let summary = "Whether an element of x is below that of y";
  let description = [{
    False if either is NaN.

    ```mlir
    %p = graph.less %x, %y : tensor<4xf32>
    ```
  }];
  let tensorflow = ["Less"];
  let onnx = ["Less"];
}

def Graph_LessEqualOp : Graph_CompareFunction<"less_equal", "lessEqual"> {
  let summary = "Whether an element of x is not above that of y";
  let description = [{
    False if either is NaN.

    ```mlir
    %p = graph.less_equal %x, %y : tensor<4xf32>
    ```
  }];
  let tensorflow = ["LessEqual"];
  let onnx = ["LessOrEqual"];
}

def Graph_GreaterOp : Graph_CompareFunction<"greater", "greater"> {
  let summary = "Whether an element of x is above that of y";
  let description = [{
    False if either is NaN.

    ```mlir
    %p = graph.greater %x, %y : tensor<4xf32>
    ```
  }];
  let tensorflow = ["Greater"];
  let onnx = ["Greater"];
}

def Graph_GreaterEqualOp
    : Graph_CompareFunction<"greater_equal", "greaterEqual"> {
  let summary = "Whether an element of x is not below that of y";
  let description = [{
    False if either is NaN.

    ```mlir
    %p = graph.greater_equal %x, %y : tensor<4xf32>
    ```
  }];
  let tensorflow = ["GreaterEqual"];
  let onnx = ["GreaterOrEqual"];
}

def Graph_IsNanOp : Graph_TestFunction<"is_nan", "isNan"> {
  let summary = "Whether each element is NaN";
  let description = [{
    ```mlir
    %p = graph.is_nan %x : tensor<4xf32>
    ```
  }];
  let tensorflow = ["IsNan"];
  let onnx = ["IsNaN"];
  let derivative = "zero";
}

def Graph_IsInfOp : Graph_TestFunction<"is_inf", "isInf"> {
  let summary = "Whether each element is infinite";
  let description = [{
    ```mlir
    %p = graph.is_inf %x : tensor<4xf32>
    ```
  }];
  let tensorflow = ["IsInf"];
  let derivative = "zero";
}

def Graph_IsFiniteOp : Graph_TestFunction<"is_finite", "isFinite"> {
  let summary = "Whether each element is a finite number";
  let description = [{
    ```mlir
    %p = graph.is_finite %x : tensor<4xf32>
    ```
  }];
  let tensorflow = ["IsFinite"];
  let derivative = "zero";
}

def Graph_LogicalNotOp
    : Graph_UnaryFunction<"logical_not", "bitNot", Graph_BoolTensor> {
  let summary = "Whether each element is false";
  let description = [{
    ```mlir
    %y = graph.logical_not %x : tensor<4xi1>
    ```
  }];
  let tensorflow = ["LogicalNot"];
  let onnx = ["Not"];
  let derivative = "zero";
}

def Graph_LogicalAndOp : Graph_BinaryFunction<"logical_and", "bitAnd",
                                              Graph_BoolTensor, [Commutative]> {
  let summary = "Whether both elements are true";
  let description = [{
    ```mlir
    %z = graph.logical_and %x, %y : tensor<4xi1>
    ```
  }];
  let tensorflow = ["LogicalAnd"];
  let onnx = ["And"];
  let derivative = "zero";
}

def Graph_LogicalOrOp : Graph_BinaryFunction<"logical_or", "bitOr",
                                             Graph_BoolTensor, [Commutative]> {
  let summary = "Whether either element is true";
  let description = [{
    ```mlir
    %z = graph.logical_or %x, %y : tensor<4xi1>
    ```
  }];
  let tensorflow = ["LogicalOr"];
  let onnx = ["Or"];
  let derivative = "zero";
}

def Graph_LogicalXorOp : Graph_BinaryFunction<"logical_xor", "bitXor",
                                              Graph_BoolTensor, [Commutative]> {
  let summary = "Whether one of two elements is true";
  let description = [{
    ```mlir
    %z = graph.logical_xor %x, %y : tensor<4xi1>
    ```
  }];
  let onnx = ["Xor"];
  let derivative = "zero";
}

def Graph_BitwiseNotOp
    : Graph_UnaryFunction<"bitwise_not", "bitNot", Graph_IntegerTensor> {
  let summary = "Each bit inverted";
  let description = [{
    ```mlir
    %y = graph.bitwise_not %x : tensor<4xi32>
    ```
  }];
  let tensorflow = ["Invert"];
  let onnx = ["BitwiseNot"];
  let derivative = "zero";
}

def Graph_BitwiseAndOp
    : Graph_BinaryFunction<"bitwise_and", "bitAnd",
                           Graph_IntegerTensor, [Commutative]> {
  let summary = "The bits set in both";
  let description = [{
    ```mlir
    %z = graph.bitwise_and %x, %y : tensor<4xi32>
    ```
  }];
  let tensorflow = ["BitwiseAnd"];
  let onnx = ["BitwiseAnd"];
  let derivative = "zero";
}

def Graph_BitwiseOrOp
    : Graph_BinaryFunction<"bitwise_or", "bitOr",
                           Graph_IntegerTensor, [Commutative]> {
  let summary = "The bits set in either";
  let description = [{
    ```mlir
    %z = graph.bitwise_or %x, %y : tensor<4xi32>
    ```
  }];
  let tensorflow = ["BitwiseOr"];
  let onnx = ["BitwiseOr"];
  let derivative = "zero";
}

def Graph_BitwiseXorOp
    : Graph_BinaryFunction<"bitwise_xor", "bitXor",
                           Graph_IntegerTensor, [Commutative]> {
  let summary = "The bits set in one of the two";
  let description = [{
    ```mlir
    %z = graph.bitwise_xor %x, %y : tensor<4xi32>
    ```
  }];
  let tensorflow = ["BitwiseXor"];
  let onnx = ["BitwiseXor"];
  let derivative = "zero";
}

def Graph_ShiftLeftOp
    : Graph_BinaryFunction<"shift_left", "shiftLeft", Graph_IntegerTensor> {
  let summary = "The bits of x shifted left by y";
  let description = [{
    `y` is first limited to 0 and the width minus 1.

    ```mlir
    %z = graph.shift_left %x, %y : tensor<4xi32>
    ```
  }];
  let tensorflow = ["LeftShift"];
  let derivative = "zero";
}

def Graph_ShiftRightOp
    : Graph_BinaryFunction<"shift_right", "shiftRight", Graph_IntegerTensor> {
  let summary = "The bits of x shifted right by y";
  let description = [{
    `y` is first limited to 0 and the width minus 1. Signed numbers keep their
    sign.

    ```mlir
    %z = graph.shift_right %x, %y : tensor<4xi32>
    ```
  }];
  let tensorflow = ["RightShift"];
  let derivative = "zero";
}

def Graph_PopulationCountOp
    : Graph_ToElement<"population_count", "populationCount",
                      Graph_IntegerTensor, Graph_TensorOf<[UI8]>,
                      "::mlir::IntegerType::get(context, 8, "
                      "::mlir::IntegerType::Unsigned)"> {
  let summary = "The number of bits set in each element";
  let description = [{
    ```mlir
    %n = graph.population_count %x : tensor<4xi32>
    ```
  }];
  let tensorflow = ["PopulationCount"];
  let derivative = "zero";
}

#endif // WEIR_DIALECTS_GRAPH_LOGIC
