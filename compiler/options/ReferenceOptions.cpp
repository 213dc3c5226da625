// Parses the options of `weir reference` and `weir diff`.

#include "compiler/OptionTable.h"

using namespace llvm;
using namespace llvm::opt;

namespace weir {

void readReference(const InputArgList &args, ReferenceOptions &options,
                   Usage &usage) {
  options.function = args.getLastArgValue(OPT_function_EQ).str();
  options.inputs = args.getAllArgValues(OPT_input_EQ);
  options.inputDir = args.getLastArgValue(OPT_input_dir_EQ).str();
  options.outputDir = args.getLastArgValue(OPT_output_dir_EQ).str();
  options.nodeDir = args.getLastArgValue(OPT_node_dir_EQ).str();
  options.random = args.getLastArgValue(OPT_random_EQ).str();
  options.maxSteps = args.getLastArgValue(OPT_max_steps_EQ).str();
  options.writesF64 = args.hasArg(OPT_f64);
  options.listsOps = args.hasArg(OPT_coverage);
  const Arg *errors = args.getLastArg(OPT_errors_EQ);
  if (!errors)
    return;
  constexpr uint64_t mostRuns = 1000;
  StringRef runs = errors->getValue();
  if (runs.getAsInteger(10, options.errorRuns) || options.errorRuns == 0 ||
      options.errorRuns > mostRuns)
    usage.say() << "--errors=" << escaped(runs) << " is no number from 1 to "
                << mostRuns << "\n";
  if (options.outputDir.empty())
    usage.say() << "--errors writes files: give --output-dir=DIR\n";
}

/// The options that say what the model is, for a command line of `weir
/// compile`.
static std::vector<std::string> optionsOfModel(const InputArgList &args) {
  std::vector<std::string> all;
  for (const Arg *arg : args) {
    const Option &option = arg->getOption();
    if (!option.matches(OPT_INPUT) && !option.matches(OPT_keep_EQ) &&
        option.hasVisibilityFlag(ForCompile) &&
        option.hasVisibilityFlag(ForDiff))
      all.push_back(arg->getAsString(args));
  }
  return all;
}

/// A tolerance that is not negative, or none.
static std::optional<double> readTolerance(const Arg *arg, Usage &usage) {
  if (!arg)
    return std::nullopt;
  double value = 0;
  StringRef text = arg->getValue();
  if (text.getAsDouble(value) || !(value >= 0))
    usage.say() << arg->getSpelling() << escaped(text)
                << " is no number of at least 0\n";
  return value;
}

void readDiff(const InputArgList &args, DiffOptions &options, Usage &usage) {
  options.flagsOfA = args.getLastArgValue(OPT_a_EQ).str();
  options.flagsOfB = args.getLastArgValue(OPT_b_EQ).str();
  options.hasFlagsOfB = args.hasArg(OPT_b_EQ);
  options.against = args.getLastArgValue(OPT_against_EQ).str();
  options.library = args.getLastArgValue(OPT_library_EQ).str();
  options.keep = args.getLastArgValue(OPT_keep_EQ, ".*").str();
  options.reduced = args.getLastArgValue(OPT_reduce_EQ).str();
  options.stopsAtFirst = args.hasArg(OPT_first);
  options.ofModel = optionsOfModel(args);
  if (args.hasArg(OPT_b_EQ) + args.hasArg(OPT_against_EQ) +
          args.hasArg(OPT_library_EQ) >
      1)
    usage.say() << "--b, --against and --library each say what side B is: give "
                   "one of them\n";
  for (auto id : {OPT_against_EQ, OPT_library_EQ, OPT_reduce_EQ})
    if (const Arg *arg = args.getLastArg(id); arg && !*arg->getValue())
      usage.say() << arg->getSpelling() << " has an empty name\n";
  if (const Arg *arg = args.getLastArg(OPT_ulp_EQ)) {
    uint64_t distance = 0;
    StringRef text = arg->getValue();
    if (text.getAsInteger(10, distance))
      usage.say() << "--ulp=" << escaped(text) << " is no number of units\n";
    options.ulp = distance;
  }
  options.relative = readTolerance(args.getLastArg(OPT_rtol_EQ), usage);
  options.absolute = readTolerance(args.getLastArg(OPT_atol_EQ), usage);
  if (!options.reduced.empty() &&
      !StringRef(options.reduced).ends_with(".mlir"))
    usage.say() << "--reduce=" << escaped(options.reduced)
                << " is no name that ends in .mlir\n";
}

} // namespace weir
