// The kernel dialect: loops that weir's own emitters write.

#ifndef WEIR_DIALECTS_KERNEL_BASE
#define WEIR_DIALECTS_KERNEL_BASE

include "dialects/kernel/KernelInterfaces.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Kernel_Dialect : Dialect {
  let name = "kernel";
  let cppNamespace = "::weir::kernel";
  let summary = "Contractions with an epilogue, as the CPU stage emits them";
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let description = [{
    A kernel op works on tensors or, once bufferized, on memrefs of static
    shape. It writes every element of `out` and never reads it. Its region is
    the epilogue: the scalar function of each finished sum and of one element of
    each extra, which the emitter widens to vectors.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let extraClassDeclaration = [{
  private:
    void registerAttributes();
  }];
}

def Kernel_Buffer
    : AnyTypeOf<[AnyStaticShapeTensor, AnyStaticShapeMemRef]>;

class Kernel_Op<string mnemonic, list<Trait> traits = []>
    : Op<Kernel_Dialect, mnemonic,
         !listconcat(traits,
                     [DestinationStyleOpInterface,
                      DeclareOpInterfaceMethods<MemoryEffectsOpInterface>])> {
  code extra = "";
  let results = (outs Variadic<AnyStaticShapeTensor>:$results);
  let hasVerifier = 1;
  let extraClassDeclaration = extra#[{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutMutable(); }
  }];
  let extraClassDefinition = [{
    void $cppClass::getEffects(
        ::llvm::SmallVectorImpl<::mlir::MemoryEffects::EffectInstance> &effects) {
      effectsOf(*this, effects);
    }
  }];
}

// One or two inputs, the extras and the destination, with an epilogue.
class Kernel_SumOp<string mnemonic, list<Trait> traits = []>
    : Kernel_Op<mnemonic, !listconcat(traits, [SingleBlock,
                                               KernelOpInterface])> {
  let regions = (region SizedRegion<1>:$epilogue);
}

#endif // WEIR_DIALECTS_KERNEL_BASE
