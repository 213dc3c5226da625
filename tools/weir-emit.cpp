// weir-emit: from a module in the llvm dialect to a product; what tests of
// compiler/emit run.

#include "compiler/Limits.h"
#include "compiler/emit/Output.h"
#include "compiler/target/Target.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/WithColor.h"

using namespace llvm;

static cl::opt<std::string> input(cl::Positional, cl::Required);
static cl::opt<std::string> output("o", cl::Required);
static cl::opt<std::string>
    kind("emit", cl::desc("shared, static, obj, exe, llvm, mlir or ptx"));
static cl::opt<std::string> header("header"), prefix("prefix");
static cl::opt<std::string> cppClass("cpp-class");
static cl::opt<std::string> weights("weights", cl::init("embed"));
// Not -mcpu and -mattr: lld, linked in, registers these with llvm::cl.
static cl::opt<std::string> triple("target"), cpu("cpu", cl::init("native"));
static cl::opt<std::string> features("attr");
static cl::opt<unsigned> level("O", cl::Prefix, cl::init(2),
                               cl::desc("Optimization level, 0 to 3"));

static int report(Error error) {
  if (!error)
    return 0;
  int status = error.isA<weir::IoError>() ? 74 : 1;
  WithColor::error(errs(), "weir-emit") << toString(std::move(error)) << '\n';
  return status;
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  weir::settleSignals();
  cl::ParseCommandLineOptions(argc, argv);
  mlir::DialectRegistry registry;
  registry.insert<mlir::LLVM::LLVMDialect, mlir::NVVM::NVVMDialect>();
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(input, &context);
  if (!module)
    return 1;
  if (int status = report(weir::writeTarget(*module, {triple, cpu, features})))
    return status;
  auto product =
      kind.empty() ? weir::productOfPath(output) : weir::productOfWord(kind);
  if (!product) {
    WithColor::error(errs(), "weir-emit")
        << "no such product; there are " << weir::productWords() << "\n";
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
  std::string wrong = weir::samePlaces(options, "", input.getValue());
  if (!wrong.empty()) {
    WithColor::error(errs(), "weir-emit") << wrong << "\n";
    return 2;
  }
  std::vector<weir::OutputFile> files;
  if (int status = report(weir::emit(*module, options, files)))
    return status;
  return report(weir::keepAll(files));
}
