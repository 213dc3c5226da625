// weir-opt: runs passes on .mlir files; what every test of a pass runs.

#include "dialects/graph/Graph.h"
#include "dialects/kernel/Kernel.h"
#include "passes/lower/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
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
  weir::registerLowerPasses();

  mlir::DialectRegistry registry;
  registry.insert<mlir::arith::ArithDialect, mlir::func::FuncDialect,
                  mlir::linalg::LinalgDialect, mlir::math::MathDialect,
                  mlir::scf::SCFDialect, mlir::tensor::TensorDialect,
                  weir::graph::GraphDialect, weir::kernel::KernelDialect>();

  return failed(mlir::MlirOptMain(argc, argv, "weir's passes\n", registry));
}
