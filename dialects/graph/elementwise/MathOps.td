// Elementwise functions of floats: powers, angles, activations.

#ifndef WEIR_DIALECTS_GRAPH_MATH
#define WEIR_DIALECTS_GRAPH_MATH

include "dialects/graph/elementwise/FunctionBase.td"

def Graph_ExpOp : Graph_UnaryFunction<"exp", "exp"> {
  let summary = "e to the power of each element";
  let description = [{
    ```mlir
    %y = graph.exp %x : tensor<4xf32>
    ```
  }];
  let tensorflow = ["Exp"];
  let onnx = ["Exp"];
  let gradient = ["g * r"];
}

def Graph_Expm1Op : Graph_UnaryFunction<"expm1", "expm1"> {
  let summary = "e to the power of each element, minus 1";
  let description = [{
    Exact also near 0.

    ```mlir
    %y = graph.expm1 %x : tensor<4xf32>
    ```
  }];
  let tensorflow = ["Expm1"];
  let gradient = ["g * (r + 1.0)"];
}

def Graph_LogOp : Graph_UnaryFunction<"log", "log"> {
  let summary = "Natural logarithm of each element";
  let description = [{
    ```mlir
    %y = graph.log %x : tensor<4xf32>
    ```
  }];
  let tensorflow = ["Log"];
  let onnx = ["Log"];
  let gradient = ["g / x"];
}

def Graph_Log1pOp : Graph_UnaryFunction<"log1p", "log1p"> {
  let summary = "Natural logarithm of each element plus 1";
  let description = [{
    Exact also near 0.

    ```mlir
    %y = graph.log1p %x : tensor<4xf32>
    ```
  }];
  let tensorflow = ["Log1p"];
  let gradient = ["g / (x + 1.0)"];
}

def Graph_SqrtOp : Graph_UnaryFunction<"sqrt", "sqrt"> {
  let summary = "Square root of each element";
  let description = [{
    ```mlir
    %y = graph.sqrt %x : tensor<4xf32>
    ```
  }];
  let tensorflow = ["Sqrt"];
  let onnx = ["Sqrt"];
  let gradient = ["g * 0.5 / r"];
}

def Graph_RsqrtOp : Graph_UnaryFunction<"rsqrt", "rsqrt"> {
  let summary = "1 divided by the square root of each element";
  let description = [{
    ```mlir
    %y = graph.rsqrt %x : tensor<4xf32>
    ```
  }];
  let tensorflow = ["Rsqrt"];
  let gradient = ["g * -0.5 * (r * r * r)"];
}

def Graph_SinOp : Graph_UnaryFunction<"sin", "sin"> {
  let summary = "Sine of each element";
  let description = [{
    ```mlir
    %y = graph.sin %x : tensor<4xf32>
    ```
  }];
  let tensorflow = ["Sin"];
  let onnx = ["Sin"];
  let gradient = ["g * apply<CosOp>(x)"];
}

def Graph_CosOp : Graph_UnaryFunction<"cos", "cos"> {
  let summary = "Cosine of each element";
  let description = [{
    ```mlir
    %y = graph.cos %x : tensor<4xf32>
    ```
  }];
  let tensorflow = ["Cos"];
  let onnx = ["Cos"];
  let gradient = ["-(g * apply<SinOp>(x))"];
}

def Graph_TanOp : Graph_UnaryFunction<"tan", "tan"> {
  let summary = "Tangent of each element";
  let description = [{
    ```mlir
    %y = graph.tan %x : tensor<4xf32>
    ```
  }];
  let tensorflow = ["Tan"];
  let onnx = ["Tan"];
  let gradient = ["g * (r * r + 1.0)"];
}

def Graph_AsinOp : Graph_UnaryFunction<"asin", "asin"> {
  let summary = "Inverse sine of each element";
  let description = [{
    ```mlir
    %y = graph.asin %x : tensor<4xf32>
    ```
  }];
  let tensorflow = ["Asin"];
  let onnx = ["Asin"];
  let gradient = ["g * rsqrt(1.0 - x * x)"];
}

def Graph_AcosOp : Graph_UnaryFunction<"acos", "acos"> {
  let summary = "Inverse cosine of each element";
  let description = [{
    ```mlir
    %y = graph.acos %x : tensor<4xf32>
    ```
  }];
  let tensorflow = ["Acos"];
  let onnx = ["Acos"];
  let gradient = ["-(g * rsqrt(1.0 - x * x))"];
}

def Graph_AtanOp : Graph_UnaryFunction<"atan", "atan"> {
  let summary = "Inverse tangent of each element";
  let description = [{
    ```mlir
    %y = graph.atan %x : tensor<4xf32>
    ```
  }];
  let tensorflow = ["Atan"];
  let onnx = ["Atan"];
  let gradient = ["g / (x * x + 1.0)"];
}

def Graph_SinhOp : Graph_UnaryFunction<"sinh", "sinh"> {
  let summary = "Hyperbolic sine of each element";
  let description = [{
    ```mlir
    %y = graph.sinh %x : tensor<4xf32>
    ```
  }];
  let tensorflow = ["Sinh"];
  let onnx = ["Sinh"];
  let gradient = ["g * apply<CoshOp>(x)"];
}

def Graph_CoshOp : Graph_UnaryFunction<"cosh", "cosh"> {
  let summary = "Hyperbolic cosine of each element";
  let description = [{
    ```mlir
    %y = graph.cosh %x : tensor<4xf32>
    ```
  }];
  let tensorflow = ["Cosh"];
  let onnx = ["Cosh"];
  let gradient = ["g * apply<SinhOp>(x)"];
}

def Graph_TanhOp : Graph_UnaryFunction<"tanh", "tanh"> {
  let summary = "Hyperbolic tangent of each element";
  let description = [{
    ```mlir
    %y = graph.tanh %x : tensor<4xf32>
    ```
  }];
  let tensorflow = ["Tanh"];
  let onnx = ["Tanh"];
  let gradient = ["g * (1.0 - r * r)"];
}

def Graph_AsinhOp : Graph_UnaryFunction<"asinh", "asinh"> {
  let summary = "Inverse hyperbolic sine of each element";
  let description = [{
    ```mlir
    %y = graph.asinh %x : tensor<4xf32>
    ```
  }];
  let tensorflow = ["Asinh"];
  let onnx = ["Asinh"];
  let gradient = ["g / apply<CoshOp>(r)"];
}

def Graph_AcoshOp : Graph_UnaryFunction<"acosh", "acosh"> {
  let summary = "Inverse hyperbolic cosine of each element";
  let description = [{
    ```mlir
    %y = graph.acosh %x : tensor<4xf32>
    ```
  }];
  let tensorflow = ["Acosh"];
  let onnx = ["Acosh"];
  let gradient = ["g / apply<SinhOp>(r)"];
}

def Graph_AtanhOp : Graph_UnaryFunction<"atanh", "atanh"> {
  let summary = "Inverse hyperbolic tangent of each element";
  let description = [{
    ```mlir
    %y = graph.atanh %x : tensor<4xf32>
    ```
  }];
  let tensorflow = ["Atanh"];
  let onnx = ["Atanh"];
  let gradient = ["g / (1.0 - x * x)"];
}

def Graph_ErfOp : Graph_UnaryFunction<"erf", "erf"> {
  let summary = "Error function of each element";
  let description = [{
    ```mlir
    %y = graph.erf %x : tensor<4xf32>
    ```
  }];
  let tensorflow = ["Erf"];
  let onnx = ["Erf"];
  let gradient = ["g * (apply<ExpOp>(-(x * x)) * 1.1283791670955126)"];
}

def Graph_SigmoidOp : Graph_UnaryFunction<"sigmoid", "sigmoid"> {
  let summary = "1 / (1 + exp(-x)) of each element";
  let description = [{
    ```mlir
    %y = graph.sigmoid %x : tensor<4xf32>
    ```
  }];
  let tensorflow = ["Sigmoid"];
  let onnx = ["Sigmoid"];
  let gradient = ["g * (r * (1.0 - r))"];
}

def Graph_SoftplusOp : Graph_UnaryFunction<"softplus", "softplus"> {
  let summary = "log(1 + exp(x)) of each element";
  let description = [{
    Never overflows.

    ```mlir
    %y = graph.softplus %x : tensor<4xf32>
    ```
  }];
  let tensorflow = ["Softplus"];
  let onnx = ["Softplus"];
  let gradient = ["g * sigmoid(x)"];
}

def Graph_SoftsignOp : Graph_UnaryFunction<"softsign", "softsign"> {
  let summary = "x / (1 + |x|) of each element";
  let description = [{
    ```mlir
    %y = graph.softsign %x : tensor<4xf32>
    ```
  }];
  let tensorflow = ["Softsign"];
  let onnx = ["Softsign"];
  let gradient = ["g / apply<SquareOp>(apply<AbsOp>(x) + 1.0)"];
}

def Graph_EluOp : Graph_UnaryFunction<"elu", "elu"> {
  let summary = "Each element, or exp(x) - 1 if it is below 0";
  let description = [{
    ```mlir
    %y = graph.elu %x : tensor<4xf32>
    ```
  }];
  let tensorflow = ["Elu"];
  let gradient = ["select(apply<LessOp>(r, r.like(0)), g * (r + 1.0), g)"];
}

def Graph_SeluOp : Graph_UnaryFunction<"selu", "selu"> {
  let summary = "The self-normalising exponential linear unit";
  let description = [{
    `scale * x` above 0, `scale * alpha * (exp(x) - 1)` below, with the scale
    1.0507... and the alpha 1.6732... that keep mean and variance.

    ```mlir
    %y = graph.selu %x : tensor<4xf32>
    ```
  }];
  let tensorflow = ["Selu"];
  let gradient = [
    "select(apply<LessOp>(r, r.like(0)), g * (r + 1.7580993408473766), g * 1.0507009873554805)"
  ];
}

def Graph_LeakyReluOp : Graph_UnaryOp<"leaky_relu"> {
  let summary = "Each element, or alpha times it if it is below 0";
  let description = [{
    ```mlir
    %y = graph.leaky_relu %x {alpha = 2.000000e-01 : f64} : tensor<4xf32>
    ```
  }];
  let scalar = [{
    return ::weir::graph::applyAll(*this, b, loc, args,
        [&](::llvm::ArrayRef<::weir::graph::Scalar> x) {
          return select(x[0] < 0.0, x[0] * getAlpha().convertToDouble(), x[0]);
        });
  }];
  let arguments = (ins Graph_FloatTensor:$x, F64Attr:$alpha);
  let gradient = ["select(positive(x), g, g * op.getAlpha().convertToDouble())"];
}

def Graph_Atan2Op : Graph_BinaryFunction<"atan2", "atan2", Graph_FloatTensor> {
  let summary = "The angle of the point (y, x)";
  let description = [{
    The first operand is the ordinate, as in C.

    ```mlir
    %z = graph.atan2 %x, %y : tensor<4xf32>
    ```
  }];
  let tensorflow = ["Atan2"];
  let gradient = ["g * (y / (x * x + y * y))", "g * (-x / (x * x + y * y))"];
}

def Graph_XlogyOp : Graph_BinaryFunction<"xlogy", "xlogy", Graph_FloatTensor> {
  let summary = "x log y, 0 if x is 0";
  let description = [{
    ```mlir
    %z = graph.xlogy %x, %y : tensor<4xf32>
    ```
  }];
  let tensorflow = ["Xlogy"];
  let gradient = [
    "g * apply<XlogyOp>(notZero(x), y)",
    "g * apply<XdivyOp>(x, y)"
  ];
}

def Graph_XdivyOp : Graph_BinaryFunction<"xdivy", "xdivy", Graph_FloatTensor> {
  let summary = "x / y, 0 if x is 0";
  let description = [{
    ```mlir
    %z = graph.xdivy %x, %y : tensor<4xf32>
    ```
  }];
  let tensorflow = ["Xdivy"];
  let gradient = [
    "g * apply<XdivyOp>(notZero(x), y)",
    "g * apply<XdivyOp>(-x, y * y)"
  ];
}

def Graph_Xlog1pyOp
    : Graph_BinaryFunction<"xlog1py", "xlog1py", Graph_FloatTensor> {
  let summary = "x log(1 + y), 0 if x is 0";
  let description = [{
    ```mlir
    %z = graph.xlog1py %x, %y : tensor<4xf32>
    ```
  }];
  let tensorflow = ["Xlog1py"];
  let gradient = [
    "g * apply<Xlog1pyOp>(notZero(x), y)",
    "g * apply<XdivyOp>(x, y + 1.0)"
  ];
}

#endif // WEIR_DIALECTS_GRAPH_MATH
