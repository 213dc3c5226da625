// The times of a profile, for the tasks of the report.

#include "compiler/report/Tasks.h"

#include "compiler/Diagnostics.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace weir {
namespace {

StringRef textAt(const json::Object &object, StringRef key) {
  return object.getString(key).value_or("");
}

int64_t numberAt(const json::Object &object, StringRef key) {
  return object.getInteger(key).value_or(0);
}

void addTime(json::Object &to, const json::Object &task) {
  int64_t calls = to.getInteger("calls").value_or(0);
  // Later parts of a kernel count no call of their own.
  if (numberAt(task, "phase") == 0)
    calls = std::max(calls, numberAt(task, "calls"));
  to["calls"] = calls;
  to["us"] = to.getNumber("us").value_or(0) + task.getNumber("us").value_or(0);
}

/// The steps of a program in their order, and how far a profile has come. A
/// step is a task, or several that run side by side.
class Steps {
public:
  explicit Steps(json::Object &program) {
    int64_t last = -1;
    for (json::Value &value :
         *program.getObject("schedule")->getArray("tasks")) {
      json::Object &task = *value.getAsObject();
      int64_t number = numberAt(task, "step");
      if (number != last)
        steps.emplace_back();
      last = number;
      steps.back().tasks.push_back(&task);
      steps.back().kernels.insert(textAt(task, "kernel"));
    }
    for (json::Value &copy : *program.getArray("copies"))
      copies.push_back(copy.getAsObject());
  }

  /// Adds the time of a task of the profile. False if no step has it.
  bool add(const json::Object &task) {
    StringRef kernel = textAt(task, "kernel");
    if (kernel == "copy") {
      if (copied == copies.size())
        return false;
      addTime(*copies[copied++], task);
      return true;
    }
    SmallVector<StringRef> kernels;
    kernel.split(kernels, " + ");
    bool isCurrent = at > 0 && has(steps[at - 1], kernels);
    // Before the next step come the later parts of kernels, the other kernels
    // of a row-wise group, and each kernel of a shared region by itself.
    bool belongs =
        numberAt(task, "phase") > 0 || chunks > 0 ||
        any_of(kernels, [&](StringRef each) { return unseen.contains(each); });
    if (isCurrent && belongs)
      return addToStep(steps[at - 1], task, kernels);
    if (at == steps.size() || !has(steps[at], kernels))
      return isCurrent && addToStep(steps[at - 1], task, kernels);
    enter(steps[at++]);
    return addToStep(steps[at - 1], task, kernels, /*isFirst=*/true);
  }

  /// The kernel of the first step that the profile lacks; empty for none.
  StringRef missing() const {
    return at < steps.size() ? steps[at].kernels.front() : StringRef();
  }

private:
  struct Step {
    SmallVector<json::Object *, 1> tasks;
    SmallSetVector<StringRef, 2> kernels;
  };

  static bool has(const Step &step, ArrayRef<StringRef> kernels) {
    return all_of(kernels, [&](StringRef kernel) {
      return step.kernels.contains(kernel);
    });
  }

  void enter(const Step &step) {
    unseen.clear();
    for (StringRef kernel : step.kernels)
      unseen.insert(kernel);
    chunks = 0;
  }

  /// The first task of a step has the time of all of them.
  bool addToStep(Step &step, const json::Object &task,
                 ArrayRef<StringRef> kernels, bool isFirst = false) {
    addTime(*step.tasks.front(), task);
    for (StringRef kernel : kernels)
      unseen.erase(kernel);
    bool isShared = step.tasks.size() > 1 &&
                    !step.tasks.front()->getBoolean("row_wise").value_or(false);
    if (isFirst && isShared)
      chunks = step.tasks.size();
    else if (chunks > 0)
      --chunks;
    return true;
  }

  std::vector<Step> steps;
  std::vector<json::Object *> copies;
  size_t at = 0, copied = 0;
  /// The kernels of the last step that the profile still has, and the number of
  /// those that it has one by one.
  StringSet<> unseen;
  size_t chunks = 0;
};

/// Whether a value is a number of which a sum has no overflow.
bool isAmount(const json::Value *value) {
  std::optional<double> number = value ? value->getAsNumber() : std::nullopt;
  return number && *number >= 0 && *number <= 1e15;
}

Error differs(const Twine &text) {
  return createStringError(
      text + "; profile a library of the same model and the same options");
}

} // namespace

std::string whatIsWrong(const json::Value &profile) {
  const json::Object *object = profile.getAsObject();
  const json::Array *tasks = object ? object->getArray("tasks") : nullptr;
  if (!tasks || !isAmount(object->get("runs")) ||
      !isAmount(object->get("threads")) ||
      !isAmount(object->get("measured_us")))
    return "is no profile with 'runs', 'threads', 'measured_us' and 'tasks', "
           "as weir-run --profile=FILE.json writes it";
  for (auto [i, value] : enumerate(*tasks)) {
    const json::Object *task = value.getAsObject();
    if (!task || !task->getString("function") || !task->getString("kernel") ||
        !isAmount(task->get("calls")) || !isAmount(task->get("us")))
      return ("task " + Twine(i + 1) +
              " has no 'function', 'kernel', 'calls' or 'us'")
          .str();
  }
  return "";
}

Error addTimes(json::Object &plan, const json::Array &signatures,
               const json::Object &profile) {
  json::Array *programs = plan.getArray("programs");
  if (!programs)
    return differs("the program has no tasks");
  StringSet<> names;
  for (json::Value &value : *programs) {
    json::Object &program = *value.getAsObject();
    std::string function = textAt(program, "function").str();
    names.insert(function);
    Steps steps(program);
    for (auto [i, each] : enumerate(*profile.getArray("tasks"))) {
      const json::Object &task = *each.getAsObject();
      if (textAt(task, "function") == function && !steps.add(task))
        return differs("task " + Twine(i + 1) + " of the profile, '" +
                       escaped(textAt(task, "kernel")) +
                       "', is not the next one of function '" +
                       escaped(function) + "'");
    }
    if (StringRef kernel = steps.missing(); !kernel.empty())
      return differs("the profile has no task '" + escaped(kernel) +
                     "' of function '" + escaped(function) + "'");
  }
  for (const json::Value &each : *profile.getArray("tasks"))
    if (StringRef function = textAt(*each.getAsObject(), "function");
        !names.contains(function))
      return differs("the profile has a function '" + escaped(function) +
                     "', which the program lacks");
  return Error::success();
}

json::Object summaryOf(const json::Object &profile, StringRef path) {
  json::Object summary{{"file", json::fixUTF8(path)}};
  for (const char *key :
       {"function", "runs", "threads", "measured_us", "runs_us", "sum_us"})
    if (const json::Value *value = profile.get(key))
      summary[key] = *value;
  return summary;
}

} // namespace weir
