// Parses what says which functions a library has besides the model's own.

#include "compiler/OptionTable.h"

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

} // namespace

void readFunctions(const InputArgList &args, ImportOptions &import,
                   Usage &usage) {
  import.entries = args.getAllArgValues(OPT_entry_EQ);
  readEntries(args, import, usage);
  readVariants(args, import, usage);
}

} // namespace weir
