// Parses the options of training.

#include "compiler/Training.h"

#include "compiler/Diagnostics.h"
#include "dialects/graph/loss/Losses.h"
#include "dialects/weir/NamePattern.h"
#include "dialects/weir/TensorName.h"
#include "passes/train/Optimizers.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace mlir;

namespace weir {

static bool parseNumber(StringRef text, double &value) {
  return !text.getAsDouble(value) && std::isfinite(value);
}

/// What is wrong with a regular expression; nothing where it is one.
static std::string checkNames(StringRef names) {
  std::string why = NamePattern::fault(names);
  if (why.empty())
    return "";
  return "'" + escaped(names) + "' is no regular expression: " + why;
}

template <typename Range>
static SmallVector<StringRef> namesOf(Range &&all) {
  SmallVector<StringRef> names;
  for (const auto &each : all)
    names.push_back(each.name);
  return names;
}

std::string TrainingOptions::loss(StringRef text) {
  auto [kind, tensors] = text.split(':');
  auto [name, number] = kind.split('[');
  const train::Loss *loss = train::findLoss(name);
  if (!loss) {
    // A tensor, of which `loss:0` is one, too.
    bool isTensor = !text.empty() && !kind.contains('[') &&
                    (tensors.empty() ? !text.ends_with(":")
                                     : llvm::all_of(tensors, llvm::isDigit));
    if (!isTensor) {
      SmallVector<StringRef> kinds = namesOf(train::losses());
      return "unknown value '" + escaped(name) +
             "' (one of: " + llvm::join(kinds, ", ") +
             ", a tensor of the model)" + didYouMean(name, kinds);
    }
    request.output = text.str();
    set("loss", "");
    return "";
  }
  auto [output, labels] = tensors.split(',');
  if (output.empty() || labels.contains(',') || tensors.ends_with(","))
    return "is not " + name.str() + ":OUTPUT[,LABELS]";
  if (kind.contains('[')) {
    double value;
    StringRef key = number.split('=').first;
    if (key.empty() || key != loss->parameter || !number.consume_back("]") ||
        !parseNumber(number.split('=').second, value) || value <= 0)
      return "cannot set '" + escaped(number) + "' of " + name.str();
    set(loss->parameter, value);
  }
  request.output = output.str();
  request.labels = labels.empty() ? "labels" : labels.str();
  request.hasClasses = loss->sparse;
  set("loss", name);
  set("labels", withoutIndex(request.labels));
  return "";
}

std::string TrainingOptions::optimizer(StringRef text) {
  auto [name, list] = text.split(':');
  const train::Optimizer *optimizer = train::findOptimizer(name);
  if (!optimizer)
    return unknownValue(name, namesOf(train::optimizers()));
  set("optimizer", optimizer->name);
  if (optimizer->name == "AdamW" && !recipe.get("weight_decay"))
    set("weight_decay", 0.01);
  SmallVector<StringRef> settings;
  list.split(settings, ',', -1, /*KeepEmpty=*/false);
  for (StringRef setting : settings) {
    auto [key, number] = setting.split('=');
    bool isKnown =
        llvm::any_of(optimizer->parameters, [key = key](const auto &each) {
          return each.name == key;
        });
    if (!isKnown)
      return "the parameters of " + optimizer->name.str() + ": " +
             unknownValue(key, namesOf(optimizer->parameters));
    double value;
    if (key == "lr" && number == "input")
      set("rate_input", "learning_rate");
    else if (!parseNumber(number, value))
      return "'" + escaped(setting) + "' gives no number";
    else
      set(key, value);
  }
  return "";
}

std::string TrainingOptions::initializer(StringRef text) {
  Initializer given;
  auto [kind, rest] = text.split(':');
  StringRef kinds[] = {"zeros",         "ones",       "glorot_uniform",
                       "glorot_normal", "he_uniform", "he_normal"};
  if (!llvm::is_contained(kinds, kind))
    return unknownValue(kind, kinds);
  given.kind = kind.str();
  if (rest.consume_front("seed=")) {
    auto [seed, names] = rest.split(':');
    if (seed.getAsInteger(10, given.seed))
      return "'" + escaped(seed) + "' is no seed";
    rest = names;
  }
  given.variables = rest.str();
  std::string wrong = rest.empty() ? "" : checkNames(rest);
  if (wrong.empty())
    request.initializers.push_back(std::move(given));
  return wrong;
}

std::string TrainingOptions::clip(StringRef text) {
  auto [kind, number] = text.split('=');
  double at;
  StringRef kinds[] = {"value", "norm", "global_norm"};
  if (!llvm::is_contained(kinds, kind) && !number.empty())
    return unknownValue(kind, kinds);
  if (!llvm::is_contained(kinds, kind) || !parseNumber(number, at) || at <= 0)
    return "is not value=X, norm=X or global_norm=X with X above 0";
  set("clip", kind);
  set("clip_at", at);
  return "";
}

std::string TrainingOptions::weightDecay(StringRef text) {
  auto [number, names] = text.split(':');
  double rate;
  if (!parseNumber(number, rate))
    return "is not RATE[:REGEX]";
  set("weight_decay", rate);
  set("weight_decay_of", names);
  return names.empty() ? "" : checkNames(names);
}

std::string TrainingOptions::accumulate(StringRef text) {
  int64_t steps;
  if (text.getAsInteger(10, steps) || steps < 1 || steps > 1'000'000'000)
    return "is no number of steps from 1 to 1000000000";
  set("accumulate", static_cast<double>(steps));
  return "";
}

std::string TrainingOptions::lossScale(StringRef text) {
  auto [kind, numbers] = text.split(':');
  StringRef first = text, growth = "2000";
  bool isDynamic = kind == "dynamic";
  if (isDynamic) {
    first = text == kind ? "32768" : numbers.split(',').first;
    if (numbers.contains(','))
      growth = numbers.split(',').second;
  }
  double scale;
  int64_t steps;
  if (!parseNumber(first, scale) || scale < (isDynamic ? 1 : 0x1p-126) ||
      scale > 0x1p126 || growth.getAsInteger(10, steps) || steps < 1 ||
      steps > 1'000'000'000)
    return "is not X, dynamic or dynamic:X[,STEPS], of a positive X, and of "
           "one from 1 where it is dynamic";
  set("loss_scale", scale);
  if (isDynamic)
    set("loss_scale_growth", static_cast<double>(steps));
  return "";
}

std::string TrainingOptions::masterWeights(StringRef text) {
  StringRef kinds[] = {"f32", "none"};
  if (!llvm::is_contained(kinds, text))
    return unknownValue(text, kinds);
  set("master_weights", text);
  return "";
}

std::string TrainingOptions::variables(StringRef text) {
  request.variables = text.str();
  return checkNames(text);
}

std::string TrainingOptions::frozen(StringRef text) {
  request.frozen = text.str();
  return checkNames(text);
}

} // namespace weir
