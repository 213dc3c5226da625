// Passes of the stage convert: loops become LLVM's dialect.

#ifndef WEIR_PASSES_CONVERT
#define WEIR_PASSES_CONVERT

include "mlir/Pass/PassBase.td"

def ExpandMath : Pass<"weir-expand-math"> {
  let summary = "Expands functions of the math dialect into arithmetic";
  let description = [{
    The result is straight-line code on f32, for scalars and vectors alike,
    within a few units in the last place (docs/math.md). LLVM's loop vectorizer
    can widen it. f16 and bf16 are computed in f32. Functions of f64 stay. On a
    target without fused multiply-add, `math.fma` becomes a product and a sum. A
    value that becomes a byte is rounded by an addition, whose low bits are the
    byte. Without an instruction that rounds to bf16, integer operations do. An
    exponential is scaled once, not twice, if `weir.nonpositive` marks its
    operand as at most 0, or if its only use is a sum with a constant of
    magnitude 1 or more. Then it may be 0 below 2^-125.

    ```mlir
    %y = math.exp %x : f32
    // becomes
    %n = ... // x / ln 2, rounded
    %p = math.fma ...
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::LLVM::LLVMDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::vector::VectorDialect"];
}

def LowerExtremes : Pass<"weir-lower-extremes"> {
  let summary = "Writes maxima and minima so that LLVM keeps their results for NaN";
  let description = [{
    Those of 16-bit floats become comparisons. A selection that is a constant for
    NaN becomes `arith.maxnumf` or `arith.minnumf`.

    ```mlir
    %p = arith.cmpf ogt, %x, %c : f32
    %m = arith.select %p, %x, %c : f32
    // becomes, for a constant %c
    %m = arith.maxnumf %x, %c : f32

    %m = arith.maximumf %x, %y : f16
    // becomes
    %m = arith.select (arith.cmpf uno, %y, %y), %y,
         (arith.select (arith.cmpf ugt, %x, %y), %x, %y)
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def LowerMath : Pass<"weir-lower-math", "::mlir::ModuleOp"> {
  let summary = "Makes calls of functions that MLIR would approximate by others";
  let description = [{
    The functions are `expm1` and `log1p` of libm. MLIR's expansions `exp(x) -
    1` and `log(1 + x)` have no correct digit near 0.

    ```mlir
    %y = math.expm1 %x : f32
    // becomes
    %y = call @expm1f(%x) : (f32) -> f32
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect",
                           "::mlir::vector::VectorDialect"];
}

def LegalizeBoolMemory : Pass<"weir-legalize-bool-memory", "::mlir::LLVM::LLVMFuncOp"> {
  let summary = "Stores i1 values as bytes, of which only 0 is false";
  let description = [{
    The bytes may come from a caller, and are not checked.

    ```mlir
    %x = llvm.load %from : !llvm.ptr -> i1
    llvm.store %x, %to : i1, !llvm.ptr
    // becomes
    %byte = llvm.load %from : !llvm.ptr -> i8
    %x = llvm.icmp "ne" %byte, %zero : i8
    llvm.store (llvm.zext %x : i1 to i8), %to : i8, !llvm.ptr
    ```
  }];
}

#endif // WEIR_PASSES_CONVERT
