// weir-translate: from a model's file to text of the graph dialect; what every
// test of an importer runs.

#include "compiler/Limits.h"
#include "compiler/Streams.h"
#include "compiler/import/Import.h"
#include "compiler/terminal/Colors.h"
#include "compiler/terminal/Version.h"

#include "mlir/IR/AsmState.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"

using namespace llvm;

static cl::OptionCategory own("weir-translate");

static cl::opt<std::string> model(cl::Positional, cl::Required, cl::cat(own),
                                  cl::desc("MODEL"));
static cl::opt<bool> importTensorflow("import-tensorflow", cl::cat(own),
                                      cl::desc("MODEL is TensorFlow's"));
static cl::opt<bool> importOnnx("import-onnx", cl::cat(own),
                                cl::desc("MODEL is ONNX's"));
static cl::list<std::string>
    feeds("feed", cl::cat(own),
          cl::desc("A tensor that the caller gives: NAME[:DIMSxTYPE]"));
static cl::list<std::string> fetches("fetch", cl::cat(own),
                                     cl::desc("A tensor that is wanted"));
static cl::list<std::string>
    shapes("shape", cl::cat(own),
           cl::desc("Dimensions of an input: NAME=1x224x224x3"));
static cl::list<std::string>
    dims("dim", cl::cat(own), cl::desc("A dimension of an input: NAME=1..64"));
static cl::list<std::string>
    values("value", cl::cat(own),
           cl::desc("What an input always has: NAME=1,2"));
static cl::opt<std::string>
    specialize("specialize", cl::cat(own),
               cl::desc("Versions for sizes of a dimension: NAME:1,8"));
static cl::opt<int64_t>
    bound("bound", cl::cat(own), cl::init(int64_t(1) << 20),
          cl::desc("Elements of a tensor whose sizes nothing bounds"));
static cl::opt<std::string> signature("signature", cl::cat(own),
                                      cl::desc("A SavedModel's signature"));
static cl::opt<std::string> tags("tags", cl::cat(own),
                                 cl::desc("Tags of a SavedModel's graph"),
                                 cl::init("serve"));
static cl::opt<bool> allSignatures("all-signatures", cl::cat(own),
                                   cl::desc("Every signature is an entry"));

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  weir::settleSignals();
  weir::settleOptions("weir-translate", &own);
  mlir::registerAsmPrinterCLOptions();
  cl::ParseCommandLineOptions(argc, argv,
                              "From a model to the graph dialect\n");

  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  weir::DiagnosticPrinter printer(&context, errs());
  auto usage = [](const Twine &what) {
    weir::message("error", "weir-translate") << what << "\n";
    return static_cast<int>(weir::Status::badUsage);
  };
  if (importTensorflow == importOnnx)
    return usage("no translation is chosen, or two; there are "
                 "--import-tensorflow and --import-onnx");
  weir::ImportOptions options;
  options.path = model;
  options.signature = signature;
  options.allSignatures = allSignatures;
  options.boundedElements = bound;
  options.fetches.assign(fetches.begin(), fetches.end());
  options.tags.clear();
  SmallVector<StringRef> names;
  StringRef(tags).split(names, ',', -1, false);
  options.tags.assign(names.begin(), names.end());
  for (StringRef text : feeds) {
    std::optional<weir::Feed> feed = weir::parseFeed(&context, text);
    if (!feed)
      return usage("--feed=" + weir::escaped(text) +
                   " is not NAME[:DIMSxTYPE], such as x:0:1x4xf32");
    options.feeds.push_back(*feed);
  }
  for (StringRef text : shapes)
    if (!weir::parseShape(text, options))
      return usage("--shape=" + weir::escaped(text) +
                   " is not NAME=DIMS, such as x=1x4");
  for (StringRef text : dims)
    if (!weir::parseDim(text, options))
      return usage("--dim=" + weir::escaped(text) +
                   " is not NAME=LOW..HIGH, such as batch=1..64, or NAME=SIZE");
  for (StringRef text : values)
    if (!weir::parseValue(text, options))
      return usage("--value=" + weir::escaped(text) +
                   " is not NAME=VALUE, such as rate=16000");
  if (!specialize.empty() && !weir::parseSpecialization(specialize, options))
    return usage("--specialize=" + weir::escaped(specialize) +
                 " is not NAME:SIZE,..., such as batch:1,8");
  weir::Status status;
  auto module = weir::importModel(&context, options, status);
  if (!module)
    return static_cast<int>(status);
  mlir::OpPrintingFlags flags;
  module->print(outs(), flags);
  outs() << "\n";
  return static_cast<int>(weir::flushed("weir-translate", weir::Status::ok));
}
