// Parses the options that look at kernels and at the compiler itself.

#include "compiler/OptionTable.h"

#include "compiler/Pipeline.h"

#include "llvm/Support/Path.h"
#include <limits>

using namespace llvm;
using namespace llvm::opt;

namespace weir {
namespace {

/// The pass of that flag. The prefix of weir's passes may be left out.
std::string passOf(StringRef name, ArrayRef<std::string> known) {
  for (const std::string &flag : {name.str(), "weir-" + name.str()})
    if (is_contained(known, flag))
      return flag;
  return "";
}

void readPasses(const InputArgList &args, Options &options, Usage &usage) {
  if (!args.hasArg(OPT_print_ir_after_EQ))
    return;
  SmallVector<std::string> known =
      passNames(options.gpu.isOn() ? Machine::Gpu : Machine::Cpu);
  SmallVector<StringRef> names(known.begin(), known.end());
  for (StringRef name : known)
    if (name.consume_front("weir-"))
      names.push_back(name);
  for (StringRef name : args.getAllArgValues(OPT_print_ir_after_EQ)) {
    std::string pass = passOf(name, known);
    if (pass.empty())
      usage.say() << "--print-ir-after: no stage has the pass '"
                  << escaped(name) << "'" << didYouMean(name, names) << "\n";
    options.dump.passes.push_back(pass);
  }
}

/// IR in a file with the name of a product would pass for the product.
void checkOutput(const Twine &option, StringRef path, Usage &usage) {
  static constexpr StringLiteral products[] = {".so", ".a",   ".o",
                                               ".ll", ".ptx", ".onnx"};
  if (is_contained(products, sys::path::extension(path)))
    usage.say() << option << " prints text, which '" << escaped(path)
                << "' does not say: give another ending\n";
}

/// The options of debug information.
void readDebug(const InputArgList &args, Options &options, Usage &usage) {
  EmitOptions &emit = options.emit;
  emit.debugDir = args.getLastArgValue(OPT_debug_dir_EQ).str();
  if (!args.hasArg(OPT_g)) {
    if (args.hasArg(OPT_debug_dir_EQ))
      usage.say() << "--debug-dir goes with -g\n";
    return;
  }
  if (args.hasArg(OPT_debug_dir_EQ) && emit.debugDir.empty())
    usage.say() << "--debug-dir has an empty name\n";
  if (options.gpu.isOn())
    usage.say() << "-g does not go with --gpu\n";
  if (emit.output == "-")
    usage.say() << "-g writes a file beside the product, and -o - has no name "
                   "for it\n";
  for (const IsaVariant &variant : options.isaVariants)
    emit.kernelTexts.push_back(kernelTextPath(emit, variant.name));
  if (emit.kernelTexts.empty())
    emit.kernelTexts.push_back(kernelTextPath(emit, ""));
}

/// Whether kernels are functions after the stage.
bool hasKernels(StringRef stage) {
  SmallVector<StringRef> names = stageNames(Machine::Gpu);
  return llvm::find(names, stage) >= llvm::find(names, stage::lower);
}

/// Every run of a pass is below it.
constexpr uint64_t allRuns = std::numeric_limits<uint64_t>::max();

void readPassLimit(const InputArgList &args, Options &options, Usage &usage) {
  const Arg *arg = args.getLastArg(OPT_pass_limit_EQ);
  if (!arg)
    return;
  uint64_t limit = allRuns;
  StringRef text = arg->getValue();
  if (text != "all" && text.getAsInteger(10, limit))
    usage.say() << "--pass-limit=" << escaped(text)
                << " is no number of runs, and not 'all'\n";
  options.passLimit = limit;
}

} // namespace

void readDump(const InputArgList &args, Options &options, Usage &usage) {
  DumpOptions &dump = options.dump;
  dump.kernel = args.getLastArgValue(OPT_kernel_EQ).str();
  dump.stage = options.stopAfter;
  if (args.hasArg(OPT_kernel_EQ) && dump.kernel.empty())
    usage.say() << "--kernel has an empty name\n";
  readPasses(args, options, usage);
  readPassLimit(args, options, usage);
  for (auto id : {OPT_kernel_EQ, OPT_print_ir_after_EQ})
    if (args.hasArg(id) && args.hasArg(OPT_emit_EQ)) {
      usage.say() << "--emit does not go with "
                  << StringRef(args.getLastArg(id)->getSpelling()).rtrim('=')
                  << ", which prints text\n";
      break;
    }
  if (const Arg *arg = args.getLastArg(OPT_kernel_EQ, OPT_print_ir_after_EQ))
    checkOutput(StringRef(arg->getSpelling()).rtrim('='), options.emit.output,
                usage);
  else if (!options.stopAfter.empty() && !options.toOnnx)
    checkOutput(args.hasArg(OPT_emit_EQ) ? "--emit=" + options.stopAfter
                                         : "--stop-after",
                options.emit.output, usage);
  if (!dump.kernel.empty() && !dump.stage.empty() && !hasKernels(dump.stage))
    usage.say() << "--kernel: there are no kernels before the stage lower\n";
  options.emit.debugNames = args.hasArg(OPT_debug_names);
  if (options.emit.debugNames && options.gpu.isOn())
    usage.say() << "--debug-names does not go with --gpu\n";
  readDebug(args, options, usage);
  options.timeTrace = args.getLastArgValue(OPT_time_trace_EQ).str();
  if (args.hasArg(OPT_time_trace_EQ) && options.timeTrace.empty())
    usage.say() << "--time-trace has an empty name\n";
}

} // namespace weir
