// Parses what says which functions a library has besides the model's own, and
// what these functions keep and check.

#include "compiler/OptionTable.h"

#include "compiler/Training.h"
#include "compiler/import/StateInputs.h"
#include "compiler/import/debug/Instruments.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;
using namespace llvm::opt;

namespace weir {
namespace {

/// Whether weir adds a function of that name to the model by itself.
bool isOwnEntry(StringRef name, const InputArgList &args) {
  return name == "init" ||
         (args.hasArg(OPT_loss_EQ) &&
          (name == "train_step" || name == "loss")) ||
         (args.hasArg(OPT_grad_EQ) && name == "gradients");
}

void readEntries(const InputArgList &args, const ImportOptions &import,
                 Usage &usage) {
  StringSet<> names;
  if (!import.fetches.empty() || !import.targets.empty())
    names.insert("main");
  for (StringRef text : import.entries) {
    auto [name, lists] = text.split(':');
    auto [fetches, targets] = lists.split(';');
    SmallVector<StringRef> wanted;
    fetches.split(wanted, ',');
    if (lists.contains(';'))
      targets.split(wanted, ',');
    bool hasGap = wanted.size() > 1 + lists.contains(';') &&
                  llvm::is_contained(wanted, "");
    if (name.empty() || lists.empty() || hasGap ||
        (fetches.empty() && targets.empty()))
      usage.say() << "--entry=" << escaped(text)
                  << " is not NAME:FETCH,...;NODE,..., as in train:loss;step\n";
    else if (isOwnEntry(name, args))
      usage.say() << "--entry=" << escaped(text) << ": weir calls functions of "
                  << "its own '" << name << "'; take another name\n";
    else if (!names.insert(name).second)
      usage.say() << "--entry=" << escaped(text)
                  << ": another function is called '" << escaped(name) << "'\n";
  }
}

void readVariants(const InputArgList &args, ImportOptions &import,
                  Usage &usage) {
  StringSet<> variants;
  for (StringRef text : args.getAllArgValues(OPT_variant_EQ))
    if (!parseVariant(text, import))
      usage.say() << "--variant=" << escaped(text)
                  << " is not NAME:DIM=RANGE,..., as in step:length=1\n";
    else if (StringRef name = import.variants.back().name;
             isOwnEntry(name, args) || !variants.insert(name).second)
      usage.say() << "--variant=" << escaped(text)
                  << ": another function is called '" << escaped(name) << "'\n";
  if (!variants.empty() && args.hasArg(OPT_loss_EQ, OPT_grad_EQ, OPT_entry_EQ))
    usage.say() << "--variant goes with none of --loss, --grad and --entry\n";
}

void readStates(const InputArgList &args, ImportOptions &import, Usage &usage) {
  for (StringRef text : args.getAllArgValues(OPT_state_EQ))
    if (std::string wrong = parseStates(text, import); !wrong.empty())
      usage.say() << "--state=" << escaped(text) << " " << wrong << "\n";
  if (args.hasArg(OPT_state_EQ) && args.hasArg(OPT_loss_EQ, OPT_grad_EQ))
    usage.say() << "--state goes neither with --loss nor with --grad\n";
}

void readGradients(const InputArgList &args, ImportOptions &import,
                   Usage &usage) {
  for (StringRef text : args.getAllArgValues(OPT_grad_EQ))
    if (!parseGradient(text, import))
      usage.say() << "--grad=" << escaped(text)
                  << " is not LOSS:VAR,..., as in loss:w1,w2\n";
}

} // namespace

void readFunctions(const InputArgList &args, ImportOptions &import,
                   Usage &usage) {
  import.entries = args.getAllArgValues(OPT_entry_EQ);
  readEntries(args, import, usage);
  readVariants(args, import, usage);
  readStates(args, import, usage);
  readGradients(args, import, usage);
}

void readTraining(mlir::MLIRContext *context, const InputArgList &args,
                  Options &options, Usage &usage) {
  TrainingOptions training(context);
  bool isRequested = false;
  bool saysHowToStep = false;
  auto read = [&](OptionID id,
                  std::string (TrainingOptions::*parse)(StringRef)) {
    for (const Arg *arg : args.filtered(id)) {
      isRequested = true;
      saysHowToStep |= id != OPT_loss_EQ;
      std::string wrong = (training.*parse)(arg->getValue());
      // Some say what the value is not, others what is wrong within it.
      if (!wrong.empty())
        usage.say() << arg->getSpelling() << escaped(arg->getValue())
                    << (StringRef(wrong).starts_with("is ") ? " " : ": ")
                    << wrong << '\n';
    }
  };
  read(OPT_loss_EQ, &TrainingOptions::loss);
  read(OPT_weight_decay_EQ, &TrainingOptions::weightDecay);
  if (!args.hasArg(OPT_optimizer_EQ))
    (void)training.optimizer("GradientDescent");
  read(OPT_optimizer_EQ, &TrainingOptions::optimizer);
  read(OPT_init_EQ, &TrainingOptions::initializer);
  read(OPT_clip_EQ, &TrainingOptions::clip);
  read(OPT_accumulate_EQ, &TrainingOptions::accumulate);
  read(OPT_loss_scale_EQ, &TrainingOptions::lossScale);
  read(OPT_master_weights_EQ, &TrainingOptions::masterWeights);
  read(OPT_train_vars_EQ, &TrainingOptions::variables);
  read(OPT_freeze_EQ, &TrainingOptions::frozen);
  if (isRequested && !args.hasArg(OPT_loss_EQ))
    usage.say()
        << "--optimizer and the other options of training need --loss\n";
  if (!training.isOn())
    return;
  if (args.hasArg(OPT_grad_EQ)) {
    options.import.loss = training.import();
    options.import.loss->recipe = training.attribute();
    // Whoever takes gradients may have an optimizer of their own.
    if (!saysHowToStep)
      return;
  }
  options.import.training = training.import();
  options.training = training.attribute();
}

namespace {

/// The kinds of --check.
struct Checks {
  bool numbers = false, shapes = false, bounds = false;
  bool any() const { return numbers || shapes || bounds; }
};

Checks readKinds(const InputArgList &args, Usage &usage) {
  static constexpr StringLiteral nan = "nan", shape = "shape",
                                 bounds = "bounds";
  Checks checks;
  for (StringRef list : args.getAllArgValues(OPT_check_EQ)) {
    SmallVector<StringRef> kinds;
    list.split(kinds, ',');
    for (StringRef kind : kinds) {
      checks.numbers |= kind == nan;
      checks.shapes |= kind == shape;
      checks.bounds |= kind == bounds;
      StringRef known[] = {nan, shape, bounds};
      if (!is_contained(known, kind))
        usage.say() << "--check: " << unknownValue(kind, known) << "\n";
    }
  }
  return checks;
}

/// Reports options under which a check has no meaning.
void verifyChecks(const Checks &checks, const InputArgList &args,
                  const Options &options, Usage &usage) {
  if (options.gpu.isOn())
    usage.say() << "--check does not go with --gpu\n";
  if (!options.isaVariants.empty())
    usage.say() << "--check does not go with --multiversion\n";
  if (checks.numbers && StringRef(options.fastMath).contains("nnan"))
    usage.say() << "--check=nan does not go with --fast-math="
                << escaped(args.getLastArgValue(OPT_fast_math_EQ))
                << ", which assumes that there is no NaN\n";
  if ((checks.numbers || checks.shapes) && options.input == InputKind::Module)
    usage.say() << "--check=" << (checks.numbers ? "nan" : "shape")
                << " is for models: '" << escaped(options.import.path)
                << "' is IR, whose nodes are not known; --check=bounds checks "
                   "its kernels\n";
}

} // namespace

void readInstruments(const InputArgList &args, Options &options, Usage &usage) {
  const Arg *keep = args.getLastArg(OPT_keep_EQ);
  Checks checks = readKinds(args, usage);
  if (!keep && !checks.any())
    return;
  options.checksBounds = checks.bounds;
  if (checks.any())
    verifyChecks(checks, args, options, usage);
  if (!keep && !checks.numbers && !checks.shapes)
    return;
  options.import.instruments = std::make_shared<Instruments>();
  if (const Arg *sizes = args.getLastArg(OPT_specialize_EQ))
    usage.say() << (keep ? "--keep" : "--check") << " does not go with "
                << StringRef(sizes->getSpelling()).rtrim('=')
                << ": a debugging library has one version\n";
  if (keep) {
    std::string wrong = NamePattern::fault(keep->getValue());
    if (!wrong.empty())
      usage.say() << "--keep: '" << escaped(keep->getValue())
                  << "' is no regular expression: " << wrong << "\n";
    options.import.instruments->setKeep(keep->getValue());
  }
  if (checks.numbers)
    options.import.instruments->setChecksNumbers();
  if (checks.shapes)
    options.import.instruments->setChecksShapes();
}

} // namespace weir
