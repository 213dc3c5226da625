// weir-emit: from a module in the llvm dialect to a product; what tests of
// compiler/emit run.

#include "compiler/Diagnostics.h"
#include "compiler/Limits.h"
#include "compiler/emit/Output.h"
#include "compiler/target/Target.h"
#include "compiler/terminal/Colors.h"
#include "compiler/terminal/Version.h"

#include "dialects/weir/Weir.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"

using namespace llvm;

static cl::OptionCategory own("weir-emit");

static cl::opt<std::string> input(cl::Positional, cl::Required, cl::cat(own),
                                  cl::desc("MODULE"));
static cl::opt<std::string> output("o", cl::Required, cl::cat(own),
                                   cl::value_desc("path"),
                                   cl::desc("Where the product goes"));
static cl::opt<std::string> kind(
    "emit", cl::cat(own),
    cl::desc(
        "Kind of product: shared, static, obj, exe, llvm, asm, mlir or ptx"));
static cl::opt<std::string> header("header", cl::cat(own),
                                   cl::desc("Write a C header"));
static cl::opt<std::string> prefix("prefix", cl::cat(own),
                                   cl::desc("Begin C symbols with this"));
static cl::opt<std::string> cppClass("cpp-class", cl::cat(own),
                                     cl::desc("Add a C++ class to the header"));
static cl::opt<std::string> weights("weights", cl::cat(own), cl::init("embed"),
                                    cl::desc("embed or file"));
// Not -mcpu and -mattr: lld, linked in, registers these with llvm::cl.
static cl::opt<std::string> triple("target", cl::cat(own),
                                   cl::desc("Target triple"));
static cl::opt<std::string> cpu("cpu", cl::cat(own), cl::init("native"),
                                cl::desc("Processor"));
static cl::opt<std::string>
    features("attr", cl::cat(own),
             cl::desc("Processor features, as for weir compile -mattr"));
static cl::opt<unsigned> level("O", cl::cat(own), cl::Prefix, cl::init(2),
                               cl::desc("Optimization level, 0 to 3"));

static int report(Error error) {
  if (!error)
    return 0;
  int status = error.isA<weir::IoError>() ? 74 : 1;
  weir::message("error", "weir-emit") << toString(std::move(error)) << '\n';
  return status;
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  weir::settleSignals();
  weir::settleOptions("weir-emit", &own);
  cl::ParseCommandLineOptions(argc, argv);
  mlir::DialectRegistry registry;
  registry.insert<mlir::LLVM::LLVMDialect, mlir::NVVM::NVVMDialect,
                  weir::WeirDialect>();
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(input, &context);
  if (!module)
    return 1;
  if (int status = report(weir::writeTarget(*module, {triple, cpu, features})))
    return status;
  auto product =
      kind.empty() ? weir::productOfPath(output) : weir::productOfWord(kind);
  if (!product) {
    std::string wrong =
        kind.empty()
            ? "the ending of '" + weir::escaped(output) +
                  "' names no kind of product; use --emit"
            : "--emit: " + weir::unknownValue(kind, weir::productWords());
    weir::message("error", "weir-emit") << wrong << "\n";
    return 2;
  }
  weir::EmitOptions options;
  options.output = output;
  options.product = *product;
  options.header = header;
  options.prefix = prefix;
  options.cppClass = cppClass;
  options.optLevel = level;
  options.weightsFile = weights == "file";
  std::string wrong = weir::samePlaces(options, "", "", "", input.getValue());
  if (!wrong.empty()) {
    weir::message("error", "weir-emit") << wrong << "\n";
    return 2;
  }
  std::vector<weir::OutputFile> files;
  if (int status = report(weir::emit(*module, options, files)))
    return status;
  return report(weir::keepAll(files));
}
