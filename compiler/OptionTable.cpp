// The table of options: suggestions, and which options go together.

#include "compiler/OptionTable.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;
using namespace llvm::opt;

namespace weir {

#define PREFIX(NAME, VALUE)                                                    \
  static constexpr StringLiteral NAME##_init[] = VALUE;                        \
  static constexpr ArrayRef<StringLiteral> NAME(NAME##_init,                   \
                                                std::size(NAME##_init) - 1);
#include "compiler/Options.inc"
#undef PREFIX

static constexpr OptTable::Info infos[] = {
#define OPTION(...) LLVM_CONSTRUCT_OPT_INFO(__VA_ARGS__),
#include "compiler/Options.inc"
#undef OPTION
};

OptionTable::OptionTable() : GenericOptTable(infos) {}

void checkNames(const OptionTable &table, const InputArgList &args,
                Usage &usage) {
  for (const Arg *arg : args.filtered(OPT_UNKNOWN)) {
    std::string text = arg->getAsString(args), nearest;
    usage.say() << "unknown option '" << escaped(text) << "'";
    // A third of a name may differ, its dashes aside.
    unsigned letters = StringRef(text).split('=').first.ltrim('-').size();
    if (table.findNearest(text, nearest) <= std::max(1u, letters / 3))
      errs() << "; did you mean '" << escaped(nearest) << "'?";
    errs() << "\n";
  }
}

/// What is made of code that weir has for the machine that it runs on only.
static void checkTarget(const Options &options, Usage &usage) {
  StringRef triple = options.target.triple;
  Triple::ArchType arch = Triple(triple).getArch();
  if (triple.empty() || arch == Triple::UnknownArch ||
      arch == Triple(sys::getProcessTriple()).getArch())
    return;
  if (options.stopAfter.empty() && options.emit.product == Product::Executable)
    usage.say() << "an executable is for the machine at hand: for "
                << escaped(triple) << " make a library and link it there\n";
  if (options.gpu.kind == "sim")
    usage.say() << "--gpu=sim is for the machine at hand, not for "
                << escaped(triple) << "\n";
}

void readInspect(const InputArgList &args, Options &options, Usage &usage) {
  options.json = args.hasArg(OPT_json);
  options.nodes = args.hasArg(OPT_nodes);
  options.tensors = args.hasArg(OPT_tensors);
  options.plan = args.hasArg(OPT_plan);
  options.dot = args.hasArg(OPT_dot);
  options.tensorboard = args.getLastArgValue(OPT_tensorboard_EQ).str();
  if (args.hasArg(OPT_tensorboard_EQ) && options.tensorboard.empty())
    usage.say() << "--tensorboard has an empty name\n";
  auto isAlone = [&](StringRef name, StringRef what,
                     ArrayRef<OptionID> others) {
    for (OptionID id : others)
      if (const Arg *other = args.getLastArg(id))
        usage.say() << name << what << ", without " << other->getSpelling()
                    << "\n";
  };
  if (options.dot)
    isAlone("--dot", " prints a graph alone",
            {OPT_json, OPT_nodes, OPT_tensors, OPT_plan});
  if (!options.tensorboard.empty())
    isAlone("--tensorboard", " writes graphs alone",
            {OPT_dot, OPT_json, OPT_nodes, OPT_tensors, OPT_plan});
}

/// The commands that the table has options of.
static constexpr std::pair<StringLiteral, OptionUse> commandUses[] = {
    {"compile", ForCompile},
    {"partition", ForPartition},
    {"inspect", ForInspect},
    {"reference", ForReference},
    {"diff", ForDiff}};

OptionUse useOf(StringRef command) {
  for (const auto &[name, use] : commandUses)
    if (name == command)
      return use;
  return DefaultVis;
}

/// `weir compile, weir inspect and weir diff`: the commands that accept the
/// option.
static std::string commandsOf(const Option &option) {
  SmallVector<std::string> all;
  for (const auto &[name, use] : commandUses)
    if (option.hasVisibilityFlag(use))
      all.push_back("weir " + name.str());
  if (all.empty())
    return "no command";
  std::string last = all.pop_back_val();
  return all.empty() ? last : join(all, ", ") + " and " + last;
}

/// Whether inspect accepts the option for IR as for models.
static bool isOfIr(const Option &option) {
  return option.matches(OPT_tensors) || option.matches(OPT_plan) ||
         option.matches(OPT_dot) || option.matches(OPT_tensorboard_EQ);
}

void checkUses(const InputArgList &args, StringRef command,
               const Options &options, Usage &usage) {
  bool compiles = command == "compile";
  bool isProduct = options.stopAfter.empty() && !options.dump.isOn() &&
                   options.emit.product != Product::Mlir &&
                   options.emit.product != Product::Ptx;
  for (const Arg *arg : args) {
    const Option &option = arg->getOption();
    if (option.matches(OPT_INPUT) || option.matches(OPT_UNKNOWN))
      continue;
    std::string name = StringRef(arg->getSpelling()).rtrim('=').str();
    if (!option.hasVisibilityFlag(useOf(command)))
      usage.say() << name << " goes with " << commandsOf(option)
                  << ", not with weir " << command << "\n";
    else if (command == "inspect" && options.input != InputKind::Model &&
             !option.matches(OPT_json) && !option.matches(OPT_max_memory_EQ) &&
             !option.matches(OPT_trust_bytecode) &&
             !(options.input == InputKind::Module && isOfIr(option)) &&
             !(options.input == InputKind::Library && option.matches(OPT_plan)))
      usage.say() << name << " is for models: '" << escaped(options.import.path)
                  << "' is described as it is\n";
    else if (options.input == InputKind::Module && option.hasFlag(OfModel))
      usage.say() << name << " is for models: '" << escaped(options.import.path)
                  << "' is IR, which is taken as it is\n";
    else if (compiles && !isProduct && option.hasFlag(OfProduct))
      usage.say() << name << " goes with a library, an executable or an "
                  << "object, and what is asked for is "
                  << (options.toOnnx ? "a model\n" : "text\n");
  }
  checkTarget(options, usage);
}

} // namespace weir
