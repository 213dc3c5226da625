// weir-opt: runs passes on .mlir files; what every test of a pass runs.

#include "dialects/graph/Graph.h"
#include "dialects/kernel/Kernel.h"
#include "passes/cpu/Passes.h"
#include "passes/lower/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/FuncBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Debug.h"

// Debian's LLVM is built without asserts and so lacks -debug-only; its symbols
// are there, which is enough for the output of our own passes.
static llvm::cl::opt<std::string>
    debugOnly("debug-only",
              llvm::cl::desc("Print what the pass of this DEBUG_TYPE decides"),
              llvm::cl::cb<void, std::string>([](const std::string &type) {
                const char *name = type.c_str();
                llvm::DebugFlag = true;
                llvm::setCurrentDebugTypes(&name, 1);
              }));

int main(int argc, char **argv) {
  mlir::registerTransformsPasses();
  mlir::bufferization::registerBufferizationPasses();
  weir::registerCpuPasses();
  weir::registerLowerPasses();

  mlir::DialectRegistry registry;
  registry.insert<mlir::arith::ArithDialect,
                  mlir::bufferization::BufferizationDialect,
                  mlir::func::FuncDialect, mlir::linalg::LinalgDialect,
                  mlir::math::MathDialect, mlir::memref::MemRefDialect,
                  mlir::scf::SCFDialect, mlir::tensor::TensorDialect,
                  mlir::vector::VectorDialect, weir::graph::GraphDialect,
                  weir::kernel::KernelDialect>();
  mlir::arith::registerBufferizableOpInterfaceExternalModels(registry);
  mlir::bufferization::func_ext::registerBufferizableOpInterfaceExternalModels(
      registry);
  mlir::linalg::registerBufferizableOpInterfaceExternalModels(registry);
  mlir::scf::registerBufferizableOpInterfaceExternalModels(registry);
  mlir::tensor::registerBufferizableOpInterfaceExternalModels(registry);
  weir::kernel::registerBufferization(registry);

  return failed(mlir::MlirOptMain(argc, argv, "weir's passes\n", registry));
}
