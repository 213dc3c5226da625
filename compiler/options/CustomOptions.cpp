// Parses what defines ops that weir does not know.

#include "compiler/OptionTable.h"

#include "compiler/import/Custom.h"

using namespace llvm;
using namespace llvm::opt;

namespace weir {

void readOps(mlir::MLIRContext *context, const InputArgList &args,
             Options &options, Usage &usage) {
  options.import.opFiles = args.getAllArgValues(OPT_ops_EQ);
  for (StringRef text : args.getAllArgValues(OPT_custom_op_EQ))
    if (std::string wrong = parseCustomOp(context, text, options.import);
        !wrong.empty())
      usage.say() << "--custom-op=" << escaped(text) << " " << wrong << "\n";
  if (args.hasArg(OPT_custom_op_EQ) && args.hasArg(OPT_gpu_EQ))
    usage.say() << "--custom-op is for a processor: a GPU cannot call a "
                   "function of C\n";
  EmitOptions &emit = options.emit;
  emit.customObjects = args.getAllArgValues(OPT_custom_object_EQ);
  for (const CustomOp &custom : options.import.customOps)
    emit.customSymbols.push_back(
        custom.call.getAs<mlir::StringAttr>("symbol").str());
  bool links =
      emit.product == Product::Shared || emit.product == Product::Executable;
  if (!options.stopAfter.empty())
    return;
  if (links && !emit.customSymbols.empty() && emit.customObjects.empty() &&
      !emit.output.empty())
    usage.say() << "--custom-op wants --custom-object=FILE, where the function "
                   "is; the program that links a .a or .o brings it itself\n";
  if (std::string wrong = checkCustomObjects(emit); !wrong.empty())
    usage.say() << wrong << "\n";
  if (!links && !emit.customObjects.empty())
    usage.say() << "--custom-object is for what weir links: a .a or .o is "
                   "linked with it by the program\n";
}

} // namespace weir
