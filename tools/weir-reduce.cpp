// weir-reduce: makes a .mlir file smaller while a test script still succeeds.

#include "compiler/Dialects.h"
#include "compiler/terminal/Version.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"

int main(int argc, char **argv) {
  weir::settleOptions("weir-reduce");
  weir::registerPasses();
  mlir::DialectRegistry registry;
  weir::registerDialects(registry);
  mlir::MLIRContext context(registry);
  return failed(mlir::mlirReduceMain(argc, argv, context));
}
