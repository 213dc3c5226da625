// Ops that combine elements along dimensions.

#ifndef WEIR_DIALECTS_GRAPH_REDUCE
#define WEIR_DIALECTS_GRAPH_REDUCE

include "dialects/graph/GraphBase.td"

class Kind<string kind> {
  code constant = "static constexpr ::weir::graph::Reduction kind = "
                  "::weir::graph::Reduction::"#kind#";\n";
}

// The reduced dimensions disappear.
class Graph_ReduceOp<string mnemonic, string kind, Type type>
    : Graph_Op<mnemonic, [InferTypeOpAdaptor]> {
  let fusion = "reduction";
  let arguments = (ins type:$x, DenseI64ArrayAttr:$dimensions);
  let results = (outs type:$result);
  let assemblyFormat = "$x $dimensions attr-dict `:` type($x)";
  let hasFolder = 1;
  let extra = Kind<kind>.constant;
}

def Graph_ReduceSumOp
    : Graph_ReduceOp<"reduce_sum", "sum", Graph_NumberTensor> {
  let summary = "Sum along dimensions";
  let description = [{
    - (C1) `dimensions` are dimensions of `x`, ascending and distinct.

    The sum of no elements is 0. Integers wrap; f16 and bf16 are summed in f32.

    ```mlir
    %y = graph.reduce_sum %x [1] : tensor<2x3xf32>
    ```
  }];
  let derivative = "rule";
}

def Graph_ReduceProdOp
    : Graph_ReduceOp<"reduce_prod", "prod", Graph_NumberTensor> {
  let summary = "Product along dimensions";
  let description = [{
    - (C1) `dimensions` are dimensions of `x`, ascending and distinct.

    The product of no elements is 1. Integers wrap.

    ```mlir
    %y = graph.reduce_prod %x [1] : tensor<2x3xf32>
    ```
  }];
  let derivative = "rule";
}

def Graph_ReduceMaxOp
    : Graph_ReduceOp<"reduce_max", "max", Graph_NumberTensor> {
  let summary = "The maximum along dimensions";
  let description = [{
    - (C1) `dimensions` are dimensions of `x`, ascending and distinct.

    NaN if an element is NaN; the lowest number if there are no elements.

    ```mlir
    %y = graph.reduce_max %x [1] : tensor<2x3xf32>
    ```
  }];
  let derivative = "rule";
}

def Graph_ReduceMinOp
    : Graph_ReduceOp<"reduce_min", "min", Graph_NumberTensor> {
  let summary = "The minimum along dimensions";
  let description = [{
    - (C1) `dimensions` are dimensions of `x`, ascending and distinct.

    NaN if an element is NaN; the highest number if there are no elements.

    ```mlir
    %y = graph.reduce_min %x [1] : tensor<2x3xf32>
    ```
  }];
  let derivative = "rule";
}

def Graph_ReduceAndOp : Graph_ReduceOp<"reduce_and", "and_", Graph_BoolTensor> {
  let summary = "Whether all along dimensions are true";
  let description = [{
    - (C1) `dimensions` are dimensions of `x`, ascending and distinct.

    ```mlir
    %y = graph.reduce_and %x [1] : tensor<2x3xi1>
    ```
  }];
  let derivative = "zero";
}

def Graph_ReduceOrOp : Graph_ReduceOp<"reduce_or", "or_", Graph_BoolTensor> {
  let summary = "Whether any along dimensions is true";
  let description = [{
    - (C1) `dimensions` are dimensions of `x`, ascending and distinct.

    ```mlir
    %y = graph.reduce_or %x [1] : tensor<2x3xi1>
    ```
  }];
  let derivative = "zero";
}

// The index of one element along a dimension, which disappears.
class Graph_ArgOp<string mnemonic> : Graph_Op<mnemonic> {
  let fusion = "reduction";
  let arguments = (ins Graph_Tensor:$x, I64Attr:$axis);
  let results = (outs Graph_TensorOf<[I16, UI16, I32, I64]>:$result);
  let assemblyFormat =
      "$x `axis` $axis attr-dict `:` type($x) `to` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Graph_ArgMaxOp : Graph_ArgOp<"arg_max"> {
  let summary = "The index of the greatest element along a dimension";
  let description = [{
    The first of several equal ones. A NaN is greater than every number.

    - (C1) `axis` is a dimension of `x`, and not empty.
    - (C2) the result has the other dimensions.

    ```mlir
    %i = graph.arg_max %x axis 1 : tensor<2x3xf32> to tensor<2xi64>
    ```
  }];
  let derivative = "zero";
}

def Graph_ArgMinOp : Graph_ArgOp<"arg_min"> {
  let summary = "The index of the least element along a dimension";
  let description = [{
    The first of several equal ones. A NaN is less than every number.

    - (C1) `axis` is a dimension of `x`, and not empty.
    - (C2) the result has the other dimensions.

    ```mlir
    %i = graph.arg_min %x axis 1 : tensor<2x3xf32> to tensor<2xi64>
    ```
  }];
  let derivative = "zero";
}

// A prefix reduction along a dimension.
class Graph_CumulativeOp<string mnemonic, string kind, Type type>
    : Graph_Op<mnemonic, [SameOperandsAndResultType]> {
  let arguments = (ins type:$x, I64Attr:$axis, UnitAttr:$exclusive,
      UnitAttr:$reverse);
  let results = (outs type:$result);
  let assemblyFormat = [{
    $x `axis` $axis (`exclusive` $exclusive^)? (`reverse` $reverse^)? attr-dict
    `:` type($x)
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let extra = Kind<kind>.constant;
}

def Graph_CumulativeSumOp
    : Graph_CumulativeOp<"cumulative_sum", "sum", Graph_NumberTensor> {
  let summary = "Sums of the elements up to each one";
  let description = [{
    With `exclusive`, up to the one before; with `reverse`, from the last down.

    - (C1) `axis` is a dimension of `x`.

    ```mlir
    %y = graph.cumulative_sum %x axis 1 exclusive : tensor<2x3xf32>
    ```
  }];
  let derivative = "rule";
}

def Graph_CumulativeProdOp
    : Graph_CumulativeOp<"cumulative_prod", "prod", Graph_NumberTensor> {
  let summary = "Products of the elements up to each one";
  let description = [{
    With `exclusive`, up to the one before; with `reverse`, from the last down.

    - (C1) `axis` is a dimension of `x`.

    ```mlir
    %y = graph.cumulative_prod %x axis 1 reverse : tensor<2x3xf32>
    ```
  }];
  let derivative = "rule";
}

def Graph_CumulativeLogSumExpOp
    : Graph_CumulativeOp<"cumulative_log_sum_exp", "logSumExp",
                         Graph_FloatTensor> {
  let summary = "Logarithms of the sums of exponentials up to each one";
  let description = [{
    With `exclusive`, up to the one before; with `reverse`, from the last down.

    - (C1) `axis` is a dimension of `x`.

    ```mlir
    %y = graph.cumulative_log_sum_exp %x axis 1 : tensor<2x3xf32>
    ```
  }];
  let derivative = "rule";
}

#endif // WEIR_DIALECTS_GRAPH_REDUCE
