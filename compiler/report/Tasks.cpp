// Which group and kernel a task of the report has.

#include "compiler/report/Tasks.h"

#include "compiler/Place.h"
#include "dialects/plan/Plan.h"
#include "dialects/weir/Attributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"

#include <deque>

using namespace mlir;
namespace json = llvm::json;

namespace weir {
namespace {

/// Numbers of groups by what their tasks have in common with them. Equal tasks
/// keep the order of their groups.
class GroupQueues {
public:
  void add(const Twine &key, int64_t group) {
    queues[key.str()].push_back(group);
  }
  std::optional<int64_t> take(const Twine &key) {
    auto found = queues.find(key.str());
    if (found == queues.end() || found->second.empty())
      return std::nullopt;
    int64_t group = found->second.front();
    found->second.pop_front();
    return group;
  }

private:
  llvm::StringMap<std::deque<int64_t>> queues;
};

/// No name has this byte.
constexpr char separator = '\0';

std::string keyOf(ArrayRef<StringRef> names) {
  return llvm::join(names, StringRef(&separator, 1));
}

StringRef textAt(const json::Object &object, StringRef key) {
  return object.getString(key).value_or("");
}

/// Whether a kernel is that of a group, and no layout change before it.
bool isOfGroup(StringRef kernel) {
  return kernel.consume_front("kernel_") && !kernel.empty() &&
         llvm::all_of(kernel, llvm::isDigit);
}

} // namespace

void nameKernels(json::Array &groups, ModuleOp module) {
  GroupQueues queues;
  for (auto [i, group] : llvm::enumerate(groups)) {
    const json::Object &object = *group.getAsObject();
    queues.add(keyOf({textAt(object, "entry"), textAt(object, "node")}), i);
  }
  for (auto function : module.getOps<func::FuncOp>()) {
    StringAttr name = attrs::entry.of(function);
    function.walk([&](plan::TaskOp task) {
      if (!isOfGroup(task.getKernel()))
        return;
      std::string node = json::fixUTF8(nodeOf(task.getLoc()));
      std::optional<int64_t> group =
          queues.take(keyOf({function.getName(), node}));
      if (!group)
        return;
      json::Object &object = *groups[*group].getAsObject();
      object["kernel"] = task.getKernel();
      object["function"] =
          json::fixUTF8(name ? name.getValue() : function.getName());
    });
  }
}

void findGroups(json::Object &plan, const json::Array &signatures,
                const json::Array &groups) {
  json::Array *programs = plan.getArray("programs");
  if (!programs)
    return;
  GroupQueues queues;
  for (auto [i, group] : llvm::enumerate(groups)) {
    const json::Object &object = *group.getAsObject();
    queues.add(keyOf({textAt(object, "function"), textAt(object, "kernel"),
                      textAt(object, "node")}),
               i);
  }
  llvm::StringMap<StringRef> functions;
  for (const json::Value &signature : signatures)
    functions[textAt(*signature.getAsObject(), "symbol")] =
        textAt(*signature.getAsObject(), "name");
  for (json::Value &value : *programs) {
    json::Object &program = *value.getAsObject();
    StringRef function = functions.lookup(textAt(program, "symbol"));
    program["function"] = function;
    for (json::Value &each :
         *program.getObject("schedule")->getArray("tasks")) {
      json::Object &task = *each.getAsObject();
      if (std::optional<int64_t> group = queues.take(
              keyOf({function, textAt(task, "kernel"), textAt(task, "node")})))
        task["group"] = *group;
    }
  }
}

} // namespace weir
