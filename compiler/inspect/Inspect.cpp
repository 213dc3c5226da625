// Describes a model, a module or a compiled library.

#include "compiler/inspect/Inspect.h"

#include "compiler/Module.h"
#include "compiler/SystemErrors.h"
#include "compiler/inspect/Dot.h"
#include "compiler/inspect/TensorBoard.h"
#include "compiler/inspect/Weights.h"
#include "compiler/terminal/Colors.h"

using namespace mlir;
namespace json = llvm::json;

namespace weir {

void failToInspect(StringRef path, const Twine &why) {
  message("error") << "cannot inspect '" << escaped(path)
                   << "': " << escaped(why.str()) << "\n";
}

/// The graph as the import leaves it, or as a file of IR has it.
static Status drawGraph(MLIRContext *context, const Options &options,
                        llvm::raw_ostream &os) {
  Status status = Status::ok;
  OwningOpRef<ModuleOp> module;
  if (options.input == InputKind::Module)
    module = parseModule(context, options.import.path, options.trustsBytecode,
                         status);
  else
    module = importModel(context, options.import, status);
  if (!module)
    return status == Status::ok ? Status::badInput : status;
  printDot(*module, os);
  return Status::ok;
}

/// Without `--plan` a description has the totals of the plan, and not each step
/// and buffer.
static void shortenPlan(json::Object &description) {
  if (json::Object *mesh = description.getObject("mesh"))
    mesh->erase("schedule");
  json::Object *plan = description.getObject("plan");
  json::Array *programs = plan ? plan->getArray("programs") : nullptr;
  if (!programs)
    return;
  for (json::Value &program : *programs) {
    for (const char *list :
         {"buffers", "copies", "regions", "variables", "weights"})
      program.getAsObject()->erase(list);
    program.getAsObject()->getObject("schedule")->erase("tasks");
  }
}

Status inspect(MLIRContext *context, const Options &options,
               llvm::raw_ostream &os) {
  StringRef path = options.import.path;
  if (!options.tensorboard.empty())
    return writeTensorBoard(context, options, os);
  if (options.dot)
    return drawGraph(context, options, os);
  std::optional<json::Object> description;
  Status status = Status::ok;
  if (options.input == InputKind::Library) {
    llvm::Expected<json::Object> library = describeLibrary(path);
    if (!library) {
      std::string why = llvm::toString(library.takeError());
      failToInspect(path, why);
      std::error_code code = systemErrorIn(why);
      return code ? systemStatus(code) : Status::badInput;
    }
    description = std::move(*library);
  } else if (options.input == InputKind::Module) {
    OwningOpRef<ModuleOp> module =
        parseModule(context, path, options.trustsBytecode, status);
    if (!module)
      return status;
    description = describeModule(*module);
    describeWeights(*description, weightsOf(*module), options.tensors);
  } else {
    description = describeModel(context, options, status);
    if (!description)
      return status == Status::ok ? Status::badInput : status;
  }
  if (!options.plan)
    shortenPlan(*description);
  (*description)["file"] = json::fixUTF8(path);
  if (options.json)
    os << llvm::formatv("{0:2}", json::Value(std::move(*description))) << "\n";
  else
    printDescription(*description, os);
  return Status::ok;
}

} // namespace weir
