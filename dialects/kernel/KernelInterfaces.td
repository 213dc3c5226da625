// The interface by which the CPU stage queries any kernel op.

#ifndef WEIR_DIALECTS_KERNEL_INTERFACES
#define WEIR_DIALECTS_KERNEL_INTERFACES

include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def KernelOpInterface : OpInterface<"KernelOpInterface"> {
  let cppNamespace = "::weir::kernel";
  let description = [{
    A kernel that sums products, or elements, and applies an epilogue to each
    finished sum.
  }];
  let methods = [
    InterfaceMethod<"Tensors or buffers that the epilogue reads.",
                    "::mlir::OperandRange", "getExtras">,
    InterfaceMethod<"For each extra, the map from the indices of the result to its own.",
                    "::mlir::ArrayAttr", "getExtraMaps">,
    InterfaceMethod<"Replaces the maps of the extras.", "void", "setExtraMapsAttr",
                    (ins "::mlir::ArrayAttr":$maps)>,
    InterfaceMethod<"The tensor or buffer written.",
                    "::mlir::Value", "getOut">,
    InterfaceMethod<"The scalar function of a sum and the extras.",
                    "::mlir::Region &", "getEpilogue">
  ];
}

def PackOpInterface : OpInterface<"PackOpInterface"> {
  let cppNamespace = "::weir::kernel";
  let description = [{
    A kernel that writes its first operand, the weights of another kernel, in a
    layout.
  }];
  let methods = [
    InterfaceMethod<"The first operand, without its data.",
                    "::weir::kernel::WeightsSource", "getSource">,
    InterfaceMethod<"The tensor or buffer written.",
                    "::mlir::Value", "getOut">,
    InterfaceMethod<"The layout of what is written.",
                    "::weir::kernel::LayoutAttr", "getLayout">,
    InterfaceMethod<"Replaces the layout.", "void", "setLayoutAttr",
                    (ins "::weir::kernel::LayoutAttr":$layout)>
  ];
}

#endif // WEIR_DIALECTS_KERNEL_INTERFACES
