// weir: compiles and inspects models. The options are in compiler/Options.td.

#include "compiler/Compiler.h"
#include "compiler/Dialects.h"
#include "compiler/Limits.h"
#include "compiler/Reproducer.h"
#include "compiler/Streams.h"
#include "compiler/inspect/Inspect.h"

#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/InitLLVM.h"

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

/// What a command is done with: a context, its diagnostics and its options.
struct Session {
  Session(StringRef command, ArrayRef<const char *> arguments)
      : context(registry()), printer(&context, errs()) {
    context.loadAllAvailableDialects();
    options = parseOptions(&context, command, arguments, status);
  }

  static mlir::DialectRegistry registry() {
    mlir::DialectRegistry registry;
    registerDialects(registry);
    return registry;
  }

  mlir::MLIRContext context;
  DiagnosticPrinter printer;
  Status status = Status::ok;
  std::optional<Options> options;
};

static Status run(StringRef command, ArrayRef<const char *> arguments,
                  StringRef &stage) {
  Session session(command, arguments);
  if (!session.options)
    return session.status;
  limitMemory(session.options->memoryLimit);
  return command == "inspect"
             ? inspect(&session.context, *session.options, outs())
             : compile(&session.context, *session.options, &stage);
}

/// After a fault of weir's own; what it was said of before is not said again.
static void reproduce(StringRef command, ArrayRef<const char *> arguments,
                      StringRef stage) {
  Session session(command, arguments);
  mlir::ScopedDiagnosticHandler quiet(
      &session.context, [](mlir::Diagnostic &) { return mlir::success(); });
  if (session.options)
    writeReproducer(&session.context, *session.options, stage);
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
  arguments = arguments.drop_front();
  Status status = Status::internal;
  StringRef stage;
  CrashRecoveryContext::Enable();
  CrashRecoveryContext crash;
  if (!crash.RunSafelyOnThread([&] { status = run(command, arguments, stage); },
                               stackBytes)) {
    status = Status::internal;
    errs() << "weir: internal error: the compiler crashed; please report it "
              "with the model\n";
  }
  // In a thread of its own: it does most of it again, and may fail, too.
  if (status == Status::internal && !stage.empty()) {
    CrashRecoveryContext again;
    if (!again.RunSafelyOnThread([&] { reproduce(command, arguments, stage); },
                                 stackBytes))
      errs() << "weir: note: the model itself reproduces it\n";
    return static_cast<int>(status);
  }
  return static_cast<int>(flushed("weir", status));
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  settleSignals();
  return finish(runWeir(ArrayRef<const char *>(argv + 1, argc - 1)));
}
