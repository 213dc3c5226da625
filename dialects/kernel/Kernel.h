// The kernel dialect in C++: include this, never the generated files.

#ifndef WEIR_DIALECTS_KERNEL_KERNEL_H
#define WEIR_DIALECTS_KERNEL_KERNEL_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/kernel/KernelDialect.h.inc"
#define GET_OP_CLASSES
#include "dialects/kernel/KernelOps.h.inc"

#endif // WEIR_DIALECTS_KERNEL_KERNEL_H
