// Variables outlive a run; entries read and assign them.

#ifndef WEIR_DIALECTS_GRAPH_STATE
#define WEIR_DIALECTS_GRAPH_STATE

include "dialects/graph/GraphBase.td"
include "mlir/IR/SymbolInterfaces.td"

// One resource for all variables: a read never moves across an assignment.
def Graph_StateResource : Resource<"::weir::graph::StateResource">;

def Graph_VariableOp : Op<Graph_Dialect, "variable", [Symbol]> {
  let summary = "A tensor that outlives the run";
  let description = [{
    The op is in the module, beside the entries. The entry with the attribute
    `weir.init` assigns the initial value. Without an initial value that entry
    computes one, or a checkpoint must set it. `called` is the model's name
    of the variable, if it is not the symbol, and `key` its name in checkpoints,
    if that differs.

    - (C1) the type is one of tensors of the dialect, with a static shape;
    - (C2) the initial value is of the type.

    ```mlir
    graph.variable @"dense/kernel" : tensor<4xf32>
    graph.variable @steps : tensor<i64> = dense<0> : tensor<i64>
    graph.variable @bias : tensor<4xf32> {called = "kernel_0", key = "layer/bias"}
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttr:$type,
                   OptionalAttr<ElementsAttr>:$initial,
                   OptionalAttr<StrAttr>:$called,
                   OptionalAttr<StrAttr>:$key);
  let assemblyFormat = "$sym_name `:` $type (`=` $initial^)? attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType getTensorType() {
      return ::llvm::cast<::mlir::RankedTensorType>(getType());
    }
    /// What the model calls it, and what checkpoints do.
    ::llvm::StringRef nameInModel() { return getCalled().value_or(getSymName()); }
    ::llvm::StringRef keyInCheckpoint() { return getKey().value_or(nameInModel()); }
  }];
}

def Graph_ReadVariableOp
    : Op<Graph_Dialect, "read_variable",
         [MemoryEffects<[MemRead<Graph_StateResource>]>,
          DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "The current value of a variable";
  let description = [{
    Later assignments do not change the result. Two reads with no assignment
    between them are one.

    - (C1) the module has a variable of that name;
    - (C2) the result is of its type.

    ```mlir
    %w = graph.read_variable @"dense/kernel" : tensor<4xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$variable);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$variable attr-dict `:` type($result)";
}

def Graph_WriteVariableOp
    : Op<Graph_Dialect, "write_variable",
         [MemoryEffects<[MemWrite<Graph_StateResource>]>,
          DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Assigns a variable, for the rest of this run and later ones";
  let description = [{
    - (C1) the module has a variable of that name;
    - (C2) the value is of its type.

    ```mlir
    graph.write_variable @"dense/kernel", %v : tensor<4xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$variable, Graph_Tensor:$value);
  let assemblyFormat = "$variable `,` $value attr-dict `:` type($value)";
}

#endif // WEIR_DIALECTS_GRAPH_STATE
