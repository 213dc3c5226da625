// The ops that every stage handles: constants, groups, control, checks.

#ifndef WEIR_DIALECTS_GRAPH_CORE
#define WEIR_DIALECTS_GRAPH_CORE

include "dialects/graph/GraphBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def Graph_ConstantOp
    : Graph_Op<"constant", [ConstantLike, InferTypeOpAdaptor,
                            DeclareOpInterfaceMethods<OpAsmOpInterface,
                                                      ["getAsmResultNames"]>]> {
  let summary = "A tensor known at compile time";
  let description = [{
    Large values are resources (`dense_resource`), whose bytes never enter the
    attribute storage of MLIR and never reach LLVM IR.

    ```mlir
    %c = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
    ```
  }];
  let fusion = "none";
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
  let derivative = "zero";
}

def Graph_YieldOp : Graph_Op<"yield", [Terminator, ReturnLike,
                                       ParentOneOf<["GroupOp", "IfOp",
                                                    "WhileOp"]>]> {
  let summary = "Ends a region with its results";
  let description = [{
    ```mlir
    graph.yield %y : tensor<4xf32>
    ```
  }];
  let fusion = "none";
  let arguments = (ins Variadic<Graph_Tensor>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let builders = [OpBuilder<(ins), "">];
}

def Graph_GroupOp
    : Graph_Op<"group", [IsolatedFromAbove, SingleBlock]> {
  let summary = "Ops that become one kernel";
  let description = [{
    The block's arguments are the operands, and its yield has the results.
    `weir-form-groups` makes groups; lowering turns each into a function of
    linalg.

    ```mlir
    %y = graph.group(%x) : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%a: tensor<4xf32>):
      %b = graph.exp %a : tensor<4xf32>
      graph.yield %b : tensor<4xf32>
    }
    ```
  }];
  let fusion = "none";
  let arguments = (ins Variadic<Graph_Tensor>:$inputs);
  let results = (outs Variadic<Graph_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `(` $inputs `)` attr-dict-with-keyword `:` functional-type($inputs, $results) $body
  }];
  let hasRegionVerifier = 1;
}

def Graph_IfOp : Graph_Op<"if", [NoRegionArguments, RecursiveMemoryEffects]> {
  let summary = "One of two regions, by a scalar Boolean";
  let description = [{
    ```mlir
    %y = graph.if %p : tensor<i1> -> (tensor<4xf32>) {
      graph.yield %a : tensor<4xf32>
    } else {
      graph.yield %b : tensor<4xf32>
    }
    ```
  }];
  let fusion = "none";
  let arguments = (ins 0DTensorOf<[I1]>:$condition);
  let results = (outs Variadic<Graph_Tensor>:$results);
  let regions = (region SizedRegion<1>:$thenRegion,
                 SizedRegion<1>:$elseRegion);
  let assemblyFormat = [{
    $condition `:` type($condition) (`->` `(` type($results)^ `)`)? attr-dict-with-keyword
    $thenRegion `else` $elseRegion
  }];
  let hasRegionVerifier = 1;
  let derivative = "regions";
}

def Graph_WhileOp : Graph_Op<"while", [SingleBlock, RecursiveMemoryEffects]> {
  let summary = "Repeats a region while a condition holds";
  let description = [{
    The arguments of both regions are the loop's variables. The first yields a
    scalar Boolean, the second the variables' next values. Types never change.
    Regions may use values from outside.

    ```mlir
    %n = graph.while(%i) : (tensor<i32>) -> tensor<i32> {
    ^bb0(%a: tensor<i32>):
      %p = graph.less %a, %limit : tensor<i32>
      graph.yield %p : tensor<i1>
    } do {
    ^bb0(%a: tensor<i32>):
      %b = graph.add %a, %one : tensor<i32>
      graph.yield %b : tensor<i32>
    }
    ```
  }];
  let fusion = "none";
  let arguments = (ins Variadic<Graph_Tensor>:$inits);
  let results = (outs Variadic<Graph_Tensor>:$results);
  let regions = (region SizedRegion<1>:$condition, SizedRegion<1>:$body);
  let assemblyFormat = [{
    `(` $inits `)` attr-dict-with-keyword `:` functional-type($inits, $results)
    $condition `do` $body
  }];
  let hasRegionVerifier = 1;
  let derivative = "regions";
}

def Graph_CheckOp
    : Op<Graph_Dialect, "check", [MemoryEffects<[MemWrite]>,
                                  FusionOpInterface]> {
  let summary = "Fails the run if a condition does not hold";
  let description = [{
    The run continues (every op is safe on any value) and then returns an error
    with the message of the first check that failed. With `element`, the run ends
    at the failed check, and the runtime adds numbers to the message: the index
    and the value of an element, or an integer alone.

    - (C1) `element` is empty, a scalar i64, or a scalar i64 and a scalar f32.

    ```mlir
    graph.check %p, "node 'lookup': index out of range" : tensor<i1>
    graph.check %q, "node 'log': 'y' is not finite" element(%i, %x : tensor<i64>, tensor<f32>) : tensor<i1>
    ```
  }];
  let arguments = (ins 0DTensorOf<[I1]>:$condition, StrAttr:$message,
                   Variadic<0DTensorOf<[I64, F32]>>:$element);
  let assemblyFormat = [{
    $condition `,` $message (`element` `(` $element^ `:` type($element) `)`)? attr-dict `:`
    type($condition)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$condition,
                                "::llvm::StringRef":$message), [{
    build($_builder, $_state, condition, message, ::mlir::ValueRange());
  }]>];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    static ::llvm::ArrayRef<::llvm::StringRef> tensorflowNames() { return {}; }
    static ::llvm::ArrayRef<::llvm::StringRef> onnxNames() { return {}; }
    ::weir::graph::FusionRole fusionRole() {
      return ::weir::graph::FusionRole::none;
    }
  }];
}

def Graph_KeepOp
    : Op<Graph_Dialect, "keep", [MemoryEffects<[MemWrite]>,
                                 FusionOpInterface]> {
  let summary = "Keeps the result of a node as a result of the function";
  let description = [{
    The importer adds it for nodes that match `--keep`. `weir-return-kept` turns
    it into a result with the name `tensor`. A value with dynamic sizes is
    contiguous. `shape` then has its actual sizes, and `least` has the smallest
    size of each dimension.

    - (C1) `shape` and `least`, if there is one of them, have a number for each
      dimension of the value.

    ```mlir
    graph.keep %y, "conv1/Relu:0" : tensor<4xf32>
    graph.keep %z, "top" shape(%s : tensor<2xi64>) {least = array<i64: 0, 4>} : tensor<8x4xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$value, StrAttr:$tensor,
                   Optional<1DTensorOf<[I64]>>:$shape,
                   OptionalAttr<DenseI64ArrayAttr>:$least);
  let assemblyFormat = [{
    $value `,` $tensor (`shape` `(` $shape^ `:` type($shape) `)`)? attr-dict `:`
    type($value)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    static ::llvm::ArrayRef<::llvm::StringRef> tensorflowNames() { return {}; }
    static ::llvm::ArrayRef<::llvm::StringRef> onnxNames() { return {}; }
    ::weir::graph::FusionRole fusionRole() {
      return ::weir::graph::FusionRole::none;
    }
  }];
}

def Graph_SymbolOp
    : Op<Graph_Dialect, "symbol", [MemoryEffects<[MemWrite]>,
                                   FusionOpInterface]> {
  let summary = "Numbers a scalar that is a dynamic size";
  let description = [{
    A tensor with a dynamic size is stored in the corner of a padded buffer. The
    attribute `weir.sizes` of its op names the actual size of each dimension by
    a number. This op defines the scalar of that number. The elements beyond the
    actual sizes may have any value, so that kernels need not compute them.

    The attribute has an array for each dimension, of pairs: a bound and the
    number of the actual size, or -1 if the bound is the size. A dimension of
    several pairs is their product in row-major order.

    ```mlir
    graph.symbol 3 is %n : tensor<i64>
    %y = graph.exp %x {weir.sizes = [array<i64: 8, 3>, array<i64: 4, -1>]} : tensor<8x4xf32>
    ```
  }];
  let arguments = (ins I64Attr:$number, 0DTensorOf<[I64]>:$size);
  let assemblyFormat = "$number `is` $size attr-dict `:` type($size)";
  let extraClassDeclaration = [{
    static ::llvm::ArrayRef<::llvm::StringRef> tensorflowNames() { return {}; }
    static ::llvm::ArrayRef<::llvm::StringRef> onnxNames() { return {}; }
    ::weir::graph::FusionRole fusionRole() {
      return ::weir::graph::FusionRole::none;
    }
  }];
}

#endif // WEIR_DIALECTS_GRAPH_CORE
