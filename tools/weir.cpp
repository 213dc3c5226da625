// weir: compiles and inspects models. The options are in compiler/Options.td.

#include "compiler/Compiler.h"
#include "compiler/Dialects.h"
#include "compiler/Streams.h"
#include "compiler/inspect/Inspect.h"

#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/InitLLVM.h"

#include <unistd.h>

using namespace llvm;
using namespace weir;

/// LLVM recurses over what it is given; the default stack is for programs that
/// do not.
static constexpr unsigned stackBytes = 256u << 20;

static int usage(raw_ostream &os, Status status) {
  os << "usage: weir compile [options] MODEL   writes a native library\n"
        "       weir inspect [options] MODEL   says what a model holds\n"
        "       weir COMMAND --help            lists a command's options\n"
        "       weir --version\n";
  return static_cast<int>(flushed("weir", status));
}

static Status run(StringRef command, ArrayRef<const char *> arguments) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry);
  context.loadAllAvailableDialects();
  DiagnosticPrinter printer(&context, errs());
  Status status = Status::ok;
  std::optional<Options> options =
      parseOptions(&context, command, arguments, status);
  if (!options)
    return status;
  return command == "inspect" ? inspect(&context, *options, outs())
                              : compile(&context, *options);
}

/// LLVM ends the process where output that failed is forgotten.
static int finish(int status) {
  outs().flush();
  if (!outs().has_error())
    return status;
  outs().clear_error();
  errs() << "weir: error: cannot write the output\n";
  return status ? status : static_cast<int>(Status::io);
}

static int runWeir(ArrayRef<const char *> arguments) {
  if (arguments.empty())
    return usage(errs(), Status::badUsage);
  StringRef command = arguments.front();
  if (command == "--help" || command == "-h" || command == "help")
    return usage(outs(), Status::ok);
  if (command == "--version") {
    printVersion(outs());
    return static_cast<int>(flushed("weir", Status::ok));
  }
  if (command != "compile" && command != "inspect") {
    errs() << "weir: error: unknown command '" << escaped(command) << "'\n";
    return usage(errs(), Status::badUsage);
  }
  install_bad_alloc_error_handler([](void *, const char *, bool) {
    errs() << "weir: error: out of memory\n";
    _exit(static_cast<int>(Status::limit));
  });
  Status status = Status::internal;
  CrashRecoveryContext::Enable();
  CrashRecoveryContext crash;
  if (!crash.RunSafelyOnThread(
          [&] { status = run(command, arguments.drop_front()); }, stackBytes)) {
    errs() << "weir: internal error: the compiler crashed; please report it "
              "with the model\n";
    return static_cast<int>(Status::internal);
  }
  return static_cast<int>(flushed("weir", status));
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  return finish(runWeir(ArrayRef<const char *>(argv + 1, argc - 1)));
}
