// weir-lsp: what editors ask about .mlir files of any stage.

#include "compiler/Dialects.h"
#include "compiler/terminal/Version.h"

#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  weir::settleOptions("weir-lsp");
  mlir::DialectRegistry registry;
  weir::registerDialects(registry);
  return failed(mlir::MlirLspServerMain(argc, argv, registry));
}
