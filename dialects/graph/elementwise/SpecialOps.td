// Elementwise special functions, all computed in f64.

#ifndef WEIR_DIALECTS_GRAPH_SPECIAL
#define WEIR_DIALECTS_GRAPH_SPECIAL

include "dialects/graph/elementwise/FunctionBase.td"

def Graph_ErfcOp : Graph_UnaryFunction<"erfc", "erfc"> {
  let summary = "1 minus the error function of each element";
  let description = [{
    Exact also if the difference would cancel.

    ```mlir
    %y = graph.erfc %x : tensor<4xf32>
    ```
  }];
  let tensorflow = ["Erfc"];
  let gradient = ["g * (apply<ExpOp>(-(x * x)) * -1.1283791670955126)"];
}

def Graph_LgammaOp : Graph_UnaryFunction<"lgamma", "lgamma"> {
  let summary = "Logarithm of the magnitude of the gamma function";
  let description = [{
    Infinite at 0 and at the negative integers.

    ```mlir
    %y = graph.lgamma %x : tensor<4xf32>
    ```
  }];
  let tensorflow = ["Lgamma"];
  let gradient = ["g * apply<DigammaOp>(x)"];
}

def Graph_DigammaOp : Graph_UnaryFunction<"digamma", "digamma"> {
  let summary = "Derivative of the logarithm of the gamma function";
  let description = [{
    NaN at 0 and at the negative integers.

    ```mlir
    %y = graph.digamma %x : tensor<4xf32>
    ```
  }];
  let tensorflow = ["Digamma"];
  let gradient = ["g * apply<PolygammaOp>(x.like(1), x)"];
}

def Graph_IgammaOp
    : Graph_BinaryFunction<"igamma", "igamma", Graph_FloatTensor> {
  let summary = "The lower regularised incomplete gamma function P(x, y)";
  let description = [{
    NaN unless the order `x` is above 0 and `y` is at least 0.

    ```mlir
    %z = graph.igamma %x, %y : tensor<4xf32>
    ```
  }];
  let tensorflow = ["Igamma"];
  let gradient = ["", "g * gammaDensity(x, y)"];
}

def Graph_IgammacOp
    : Graph_BinaryFunction<"igammac", "igammac", Graph_FloatTensor> {
  let summary = "The upper regularised incomplete gamma function Q(x, y)";
  let description = [{
    1 minus `igamma`, exact also if that would cancel.

    ```mlir
    %z = graph.igammac %x, %y : tensor<4xf32>
    ```
  }];
  let tensorflow = ["Igammac"];
  let gradient = ["", "-(g * gammaDensity(x, y))"];
}

def Graph_ZetaOp : Graph_BinaryFunction<"zeta", "zeta", Graph_FloatTensor> {
  let summary = "The zeta function of Hurwitz";
  let description = [{
    The sum of (y + n) to the power -x for n from 0. NaN for `x` below 1, and
    infinite for `x` = 1 or if `y` is 0 or a negative integer.

    ```mlir
    %z = graph.zeta %x, %y : tensor<4xf32>
    ```
  }];
  let tensorflow = ["Zeta"];
  let gradient = ["", "g * (-x * apply<ZetaOp>(x + 1.0, y))"];
}

def Graph_PolygammaOp
    : Graph_BinaryFunction<"polygamma", "polygamma", Graph_FloatTensor> {
  let summary = "The x-th derivative of digamma, at y";
  let description = [{
    NaN unless `x` is an integer from 0 on.

    ```mlir
    %z = graph.polygamma %x, %y : tensor<4xf32>
    ```
  }];
  let tensorflow = ["Polygamma"];
  let gradient = ["", "g * apply<PolygammaOp>(x + 1.0, y)"];
}

def Graph_BetaincOp : Graph_ScalarOp<"betainc", [SameOperandsAndResultType]> {
  let summary = "The regularised incomplete beta function";
  let description = [{
    NaN unless `a` and `b` are above 0 and `x` is between 0 and 1.

    ```mlir
    %y = graph.betainc %a, %b, %x : tensor<4xf32>
    ```
  }];
  let tensorflow = ["Betainc"];
  let scalar = Apply<"betainc">.body;
  let arguments = (ins Graph_FloatTensor:$a, Graph_FloatTensor:$b,
      Graph_FloatTensor:$x);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = "operands attr-dict `:` type($result)";
  let derivative = "rule";
}

#endif // WEIR_DIALECTS_GRAPH_SPECIAL
