// Reads the file of --schedule.

#include "compiler/schedules/Schedules.h"

#include "compiler/Diagnostics.h"
#include "compiler/options/JsonText.h"
#include "dialects/kernel/Kernel.h"
#include "dialects/weir/NamePattern.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

#include <map>

using namespace mlir;
namespace json = llvm::json;

namespace weir {
namespace {

llvm::Error bad(const Twine &text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

/// Reads one entry after the other.
class Reader {
public:
  explicit Reader(MLIRContext *context) : b(context) {}

  llvm::Error add(const json::Value &value) {
    ++number;
    const json::Object *entry = value.getAsObject();
    if (!entry)
      return fault("is no object");
    std::optional<StringRef> node = entry->getString("node");
    if (!node)
      return fault("has no text 'node'");
    if (std::string wrong = NamePattern::fault(*node); !wrong.empty())
      return fault("node '" + escaped(*node) +
                   "' is no regular expression: " + wrong);
    StringRef algorithm = entry->getString("algorithm").value_or("");
    if (!algorithm.empty() &&
        !llvm::is_contained(kernel::scheduledAlgorithms(), algorithm))
      return fault("algorithm: " +
                   unknownValue(algorithm, kernel::scheduledAlgorithms()));
    NamedAttrList parameters;
    // The same fault is the first one each time.
    std::map<StringRef, const json::Value *> keys;
    for (const auto &[key, value] : *entry)
      keys[key] = &value;
    for (const auto &[key, value] : keys)
      if (llvm::Error error = addParameter(key, *value, parameters))
        return error;
    if (parameters.empty())
      return fault("fixes no parameter");
    entries.push_back(kernel::ScheduleOverrideAttr::get(
        b.getContext(), *node, algorithm,
        parameters.getDictionary(b.getContext())));
    return llvm::Error::success();
  }

  ArrayAttr finish() { return b.getArrayAttr(entries); }

private:
  Builder b;
  SmallVector<Attribute> entries;
  int number = 0;

  llvm::Error fault(const Twine &text) {
    return bad("entry " + Twine(number) + " " + text);
  }

  // Reports have keys that choose nothing.
  llvm::Error addParameter(StringRef key, const json::Value &value,
                           NamedAttrList &parameters) {
    static constexpr llvm::StringLiteral others[] = {
        "node", "algorithm", "kernel", "layout", "cycles"};
    if (llvm::is_contained(others, key))
      return llvm::Error::success();
    SmallVector<StringRef> known = kernel::scheduleParameters();
    if (!llvm::is_contained(known, key))
      return fault("has an unknown parameter '" + escaped(key) + "'" +
                   didYouMean(key, known));
    SmallVector<Attribute> values;
    if (const json::Array *list = value.getAsArray())
      for (const json::Value &each : *list)
        values.push_back(attributeOf(each));
    else
      values.push_back(attributeOf(value));
    if (llvm::is_contained(values, Attribute()))
      return fault(key +
                   " is no number, Boolean or text, and no array of these");
    parameters.set(key,
                   value.getAsArray() ? b.getArrayAttr(values) : values[0]);
    return llvm::Error::success();
  }

  /// A number, Boolean or text; null for other values.
  Attribute attributeOf(const json::Value &value) {
    if (std::optional<int64_t> count = value.getAsInteger())
      return b.getI64IntegerAttr(*count);
    if (std::optional<bool> flag = value.getAsBoolean())
      return b.getBoolAttr(*flag);
    if (std::optional<StringRef> word = value.getAsString())
      return b.getStringAttr(*word);
    return {};
  }
};

} // namespace

llvm::Expected<ArrayAttr> parseSchedules(MLIRContext *context, StringRef text) {
  context->getOrLoadDialect<kernel::KernelDialect>();
  llvm::Expected<json::Value> value = parseJson(text);
  if (!value)
    return value.takeError();
  const json::Array *entries = value->getAsArray();
  if (const json::Object *report = value->getAsObject())
    entries = report->getArray("schedules");
  if (!entries)
    return bad("is no array of entries, and no report with 'schedules'");
  Reader reader(context);
  for (const json::Value &entry : *entries)
    if (llvm::Error error = reader.add(entry))
      return std::move(error);
  return reader.finish();
}

LogicalResult finishOverrides(ModuleOp module) {
  std::vector<kernel::Override> overrides = kernel::overridesOf(module);
  if (overrides.empty()) {
    module->removeAttr(kernel::overridesName);
    return success();
  }
  llvm::SetVector<StringRef> nodes;
  llvm::SmallDenseSet<Attribute> applied;
  module.walk([&](Operation *op) {
    auto schedule =
        op->getAttrOfType<kernel::ScheduleAttrInterface>("schedule");
    if (!schedule)
      return;
    for (StringRef node : kernel::namesOf(op))
      nodes.insert(node);
    for (const kernel::Override &each : overrides)
      if (each.appliesTo(op, schedule.getAlgorithm()))
        applied.insert(each.attr);
  });
  LogicalResult result = success();
  for (const kernel::Override &override : overrides) {
    kernel::ScheduleOverrideAttr each = override.attr;
    if (applied.contains(each))
      continue;
    StringRef algorithm = each.getAlgorithm();
    result = emitError(module.getLoc())
             << "--schedule: no " << algorithm << (algorithm.empty() ? "" : " ")
             << "kernel has a node that matches '" << escaped(each.getNode())
             << "'" << didYouMean(each.getNode(), nodes.getArrayRef());
  }
  module->removeAttr(kernel::overridesName);
  return result;
}

} // namespace weir
