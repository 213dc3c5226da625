// Ops that apply one scalar function to every element.

#ifndef WEIR_DIALECTS_GRAPH_ELEMENTWISE
#define WEIR_DIALECTS_GRAPH_ELEMENTWISE

include "dialects/graph/GraphBase.td"

def Graph_ExpOp : Graph_UnaryOp<"exp"> {
  let summary = "e to the power of each element";
  let description = [{
    ```mlir
    %y = graph.exp %x : tensor<4xf32>
    ```
  }];
  let tensorflow = ["Exp"];
  let onnx = ["Exp"];
  let scalar = [{ return b.create<::mlir::math::ExpOp>(loc, args[0]); }];
}

def Graph_AddOp : Graph_BinaryOp<"add", Graph_NumberTensor, [Commutative]> {
  let summary = "Sum of two tensors of one shape";
  let description = [{
    Integers wrap.

    ```mlir
    %z = graph.add %x, %y : tensor<4xf32>
    ```
  }];
  let tensorflow = ["Add", "AddV2"];
  let onnx = ["Add"];
  let scalar = [{
    if (::llvm::isa<::mlir::FloatType>(args[0].getType()))
      return b.create<::mlir::arith::AddFOp>(loc, args[0], args[1]);
    return b.create<::mlir::arith::AddIOp>(loc, args[0], args[1]);
  }];
}

def Graph_LessOp : Graph_CompareOp<"less"> {
  let summary = "Whether an element of x is below that of y";
  let description = [{
    False where either is not a number.

    ```mlir
    %p = graph.less %x, %y : tensor<4xf32>
    ```
  }];
  let tensorflow = ["Less"];
  let onnx = ["Less"];
  let scalar = [{
    if (::llvm::isa<::mlir::FloatType>(args[0].getType()))
      return b.create<::mlir::arith::CmpFOp>(
          loc, ::mlir::arith::CmpFPredicate::OLT, args[0], args[1]);
    bool isUnsigned = ::mlir::getElementTypeOrSelf(getX()).isUnsignedInteger();
    return b.create<::mlir::arith::CmpIOp>(
        loc,
        isUnsigned ? ::mlir::arith::CmpIPredicate::ult
                   : ::mlir::arith::CmpIPredicate::slt,
        args[0], args[1]);
  }];
}

#endif // WEIR_DIALECTS_GRAPH_ELEMENTWISE
