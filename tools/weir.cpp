// weir: compiles and inspects models. The options are in compiler/Options.td.

#include "compiler/Compiler.h"
#include "compiler/Dialects.h"
#include "compiler/Limits.h"
#include "compiler/Merge.h"
#include "compiler/Reproducer.h"
#include "compiler/Streams.h"
#include "compiler/import/Dependencies.h"
#include "compiler/inspect/Inspect.h"
#include "compiler/terminal/Colors.h"
#include "compiler/terminal/Version.h"
#include "tools/diff/Command.h"
#include "tools/reference/Command.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/StringSaver.h"
#include "llvm/Support/VirtualFileSystem.h"

#include <unistd.h>

using namespace llvm;
using namespace weir;

/// LLVM recurses over what it is given; the default stack is for programs that
/// do not.
static constexpr unsigned stackBytes = 256u << 20;

static constexpr StringLiteral commands[] = {"compile", "partition", "inspect",
                                             "run",     "bench",     "simulate",
                                             "merge",   "reference", "diff"};

static int usage(raw_ostream &os, Status status) {
  os << "usage: weir compile [options] MODEL -o PATH   compiles a model to a "
        "library\n"
        "       weir partition [options] MODEL -o DIR compiles a model for a "
        "cluster\n"
        "       weir inspect [options] FILE           describes a model or a "
        "library\n"
        "       weir run LIBRARY [options]            runs a library\n"
        "       weir bench LIBRARY [options]          measures the time of a "
        "run\n"
        "       weir simulate LIBRARY [options]       estimates a step on many "
        "ranks\n"
        "       weir reference [options] MODEL        evaluates a model in "
        "f64\n"
        "       weir diff [options] MODEL             compares the nodes of "
        "a model\n"
        "       weir merge CHECKPOINT -o NEW          joins the parts of a "
        "checkpoint\n"
        "       weir COMMAND --help                   describes a command\n"
        "       weir --version\n"
        "@FILE stands for the arguments in FILE.\n";
  return static_cast<int>(flushed("weir", status));
}

static int unknownCommand(StringRef command) {
  SmallVector<StringRef> names(std::begin(commands), std::end(commands));
  message("error") << "unknown command '" << escaped(command) << "'"
                   << didYouMean(command, names) << "\n";
  return usage(errs(), Status::badUsage);
}

/// The path of a program that lies beside this one or on the PATH. Otherwise
/// that beside this one.
static std::string programPath(StringRef name) {
  std::string self = sys::fs::getMainExecutable(
      nullptr, reinterpret_cast<void *>(&programPath));
  SmallString<256> program(sys::path::parent_path(self));
  sys::path::append(program, name);
  if (!sys::fs::can_execute(program))
    if (auto found = sys::findProgramByName(name))
      return *found;
  return std::string(program);
}

/// Becomes the program of the first argument. The exit status of a failure.
static int become(SmallVectorImpl<const char *> &arguments) {
  const char *program = arguments.front();
  arguments.push_back(nullptr);
  outs().flush();
  execv(program, const_cast<char *const *>(arguments.data()));
  message("error") << "cannot run '" << program << "': " << sys::StrError(errno)
                   << "\n";
  return static_cast<int>(Status::io);
}

/// Becomes weir-simulate, which a build without SimGrid does not have.
static int becomeSimulator(ArrayRef<const char *> arguments) {
  std::string program = programPath("weir-simulate");
  if (!sys::fs::can_execute(program)) {
    message("error") << "weir-simulate is missing: a build of weir has it if "
                        "CMake finds SimGrid (libsimgrid-dev)\n";
    return static_cast<int>(Status::unsupported);
  }
  SmallVector<const char *> all = {program.c_str()};
  llvm::append_range(all, arguments);
  return become(all);
}

/// Becomes weir-run. A bench has random inputs, 10 runs to warm up and 100 that
/// count, unless the arguments say otherwise. Its --per-op is the runner's
/// --profile.
static int becomeRunner(bool isBench, ArrayRef<const char *> arguments) {
  std::string program = programPath("weir-run");
  SmallVector<const char *> all = {program.c_str()};
  BumpPtrAllocator memory;
  StringSaver saver(memory);
  for (StringRef argument : arguments) {
    StringRef rest = argument;
    bool isPerOp = isBench && rest.consume_front("--per-op") &&
                   (rest.empty() || rest.front() == '=');
    all.push_back(isPerOp ? saver.save("--profile" + rest).data()
                          : argument.data());
  }
  auto has = [&](StringRef option) {
    return llvm::any_of(arguments, [&](StringRef argument) {
      return argument.starts_with(option);
    });
  };
  if (isBench && has("--train")) {
    message("error") << "bench does not train; weir run --train does\n";
    return static_cast<int>(Status::badUsage);
  }
  if (isBench && has("--help"))
    outs() << "weir bench: measure the time of a run\n\nweir bench is weir run "
              "with --random=1, --warmup=10 and --repeat=100,\nunless these "
              "options are given. --per-op[=FILE.json] is --profile.\n\n";
  if (isBench && !has("--help") && !has("--version")) {
    if (!has("--random="))
      all.push_back("--random=1");
    if (!has("--repeat="))
      all.push_back("--repeat=100");
    if (!has("--warmup="))
      all.push_back("--warmup=10");
  }
  return become(all);
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

static constexpr StringLiteral helpOfMerge =
    R"(weir merge: join the parts of a checkpoint

Usage: weir merge CHECKPOINT -o NEW

CHECKPOINT is the path of a TensorFlow checkpoint without its ending .index. The
pattern part-?????-of-00002 stands for the parts that several processes saved.
weir writes NEW.index and the data file beside it. A variable whose slices are
in several parts becomes one. NEW must not exist.

Options:
  -o NEW                    Write the checkpoint to NEW, without its ending
  --help                    Print this

Examples:
  weir merge 'step/part-?????-of-00002' -o model.ckpt
)";

/// `weir merge CHECKPOINT -o NEW`.
static Status merge(ArrayRef<const char *> arguments) {
  if (llvm::any_of(arguments, [](StringRef argument) {
        return argument == "--help" || argument == "-h" ||
               argument == "--help-all";
      })) {
    outs() << helpOfMerge;
    return Status::ok;
  }
  std::string from, to;
  for (size_t i = 0; i < arguments.size(); ++i) {
    StringRef argument = arguments[i];
    if (argument == "-o" && i + 1 < arguments.size() && to.empty()) {
      to = arguments[++i];
    } else if (from.empty() && !argument.starts_with("-")) {
      from = argument.str();
    } else {
      message("error") << "unexpected argument '" << escaped(argument) << "'\n";
      return Status::badUsage;
    }
  }
  if (from.empty() || to.empty()) {
    message("error") << "give a checkpoint, and the new one with -o\n";
    return Status::badUsage;
  }
  mlir::MLIRContext context;
  DiagnosticPrinter printer(&context, errs());
  return mergeCheckpoint(&context, from, to);
}

static Status run(StringRef command, ArrayRef<const char *> arguments,
                  Progress &progress) {
  if (command == "merge")
    return merge(arguments);
  Session session(command, arguments);
  if (!session.options)
    return session.status;
  const Options &options = *session.options;
  // A tensor of the reference has 8 bytes for each element, and a limit of its
  // own.
  bool evaluates = command == "reference" || command == "diff";
  if (!evaluates || options.memoryLimit)
    limitMemory(options.memoryLimit);
  if (command == "diff")
    return runDiff(&session.context, options, outs());
  if (command == "reference")
    return runReference(&session.context, options, outs());
  return command == "inspect" ? inspect(&session.context, options, outs())
                              : compile(&session.context, options, &progress);
}

/// Writes the reproducer of an internal error. The first attempt has printed
/// the diagnostics, and they are not repeated.
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
  message("error") << "cannot write the output\n";
  return status ? status : static_cast<int>(Status::io);
}

static int runWeir(ArrayRef<const char *> arguments) {
  if (arguments.empty())
    return usage(errs(), Status::badUsage);
  StringRef command = arguments.front();
  if (command == "--help" || command == "-h" || command == "help")
    return usage(outs(), Status::ok);
  if (command == "--version") {
    printBuild(outs());
    return static_cast<int>(flushed("weir", Status::ok));
  }
  if (!is_contained(commands, command))
    return unknownCommand(command);
  arguments = arguments.drop_front();
  if (command == "run" || command == "bench")
    return becomeRunner(command == "bench", arguments);
  if (command == "simulate")
    return becomeSimulator(arguments);
  Status status = Status::internal;
  Progress progress;
  CrashRecoveryContext::Enable();
  CrashRecoveryContext crash;
  if (!crash.RunSafelyOnThread(
          [&] { status = run(command, arguments, progress); }, stackBytes)) {
    status = Status::internal;
    message("internal error")
        << "the compiler crashed; please report it with the model\n";
  }
  progress.stop();
  StringRef stage = progress.stage();
  // In a thread of its own: it does most of it again, and may fail, too.
  if (status == Status::internal && !stage.empty()) {
    CrashRecoveryContext again;
    if (!again.RunSafelyOnThread([&] { reproduce(command, arguments, stage); },
                                 stackBytes))
      message("note") << "the model itself reproduces it\n";
    return static_cast<int>(status);
  }
  return static_cast<int>(flushed("weir", status));
}

namespace {
/// Files that hold arguments are files that a compilation reads.
struct ArgumentFiles : vfs::ProxyFileSystem {
  using ProxyFileSystem::ProxyFileSystem;
  ErrorOr<std::unique_ptr<vfs::File>>
  openFileForRead(const Twine &path) override {
    addDependency(path.str());
    return ProxyFileSystem::openFileForRead(path);
  }
};
} // namespace

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  settleSignals();
  BumpPtrAllocator memory;
  SmallVector<const char *> arguments(argv + 1, argv + argc);
  cl::ExpansionContext files(memory, cl::TokenizeGNUCommandLine);
  ArgumentFiles opened(vfs::getRealFileSystem());
  files.setVFS(&opened);
  if (Error error = files.expandResponseFiles(arguments)) {
    // A file that there is and that cannot be read.
    bool isSystems = error.isA<FileError>() || error.isA<ECError>();
    message("error") << toString(std::move(error)) << "\n";
    return static_cast<int>(isSystems ? Status::io : Status::badUsage);
  }
  return finish(runWeir(arguments));
}
