// weir: compiles and inspects models. The options are in compiler/Options.td.

#include "compiler/Compiler.h"
#include "compiler/Dialects.h"
#include "compiler/Limits.h"
#include "compiler/Merge.h"
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
        "       weir merge CHECKPOINT -o NEW   makes one checkpoint of the "
        "parts "
        "of PATH-\?\?\?\?\?-of-00002\n"
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

/// `weir merge CHECKPOINT -o NEW`.
static Status merge(ArrayRef<const char *> arguments) {
  if (is_contained(arguments, StringRef("--help")))
    return static_cast<Status>(usage(outs(), Status::ok));
  std::string from, to;
  for (size_t i = 0; i < arguments.size(); ++i) {
    StringRef argument = arguments[i];
    if (argument == "-o" && i + 1 < arguments.size() && to.empty()) {
      to = arguments[++i];
    } else if (from.empty() && !argument.starts_with("-")) {
      from = argument.str();
    } else {
      errs() << "weir: error: unexpected argument '" << escaped(argument)
             << "'\n";
      return Status::badUsage;
    }
  }
  if (from.empty() || to.empty()) {
    errs() << "weir: error: give a checkpoint, and the new one with -o\n";
    return Status::badUsage;
  }
  mlir::MLIRContext context;
  DiagnosticPrinter printer(&context, errs());
  return mergeCheckpoint(&context, from, to);
}

static Status run(StringRef command, ArrayRef<const char *> arguments,
                  StringRef &stage) {
  if (command == "merge")
    return merge(arguments);
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
  if (command != "compile" && command != "inspect" && command != "merge") {
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
