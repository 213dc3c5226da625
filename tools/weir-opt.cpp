// weir-opt: runs passes on .mlir files; what every test of a pass runs.

#include "compiler/Dialects.h"
#include "compiler/Limits.h"
#include "compiler/terminal/Version.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Debug.h"

static llvm::cl::OptionCategory own("weir-opt");

#ifndef NDEBUG
// Debian's LLVM is built without asserts and so lacks -debug-only; its symbols
// are there, which is enough for the output of our own passes.
static llvm::cl::opt<std::string>
    debugOnly("debug-only", llvm::cl::cat(own),
              llvm::cl::desc("Print what the pass of this DEBUG_TYPE decides"),
              llvm::cl::cb<void, std::string>([](const std::string &type) {
                const char *name = type.c_str();
                llvm::DebugFlag = true;
                llvm::setCurrentDebugTypes(&name, 1);
              }));
#endif

int main(int argc, char **argv) {
  weir::settleSignals();
  weir::settleOptions("weir-opt", &own);
  weir::registerPasses();
  mlir::DialectRegistry registry;
  weir::registerDialects(registry);
  return failed(mlir::MlirOptMain(argc, argv, "weir's passes\n", registry));
}
