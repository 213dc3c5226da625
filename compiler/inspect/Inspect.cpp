// What `weir inspect` says of a model, a module or a compiled library.

#include "compiler/inspect/Inspect.h"

#include "compiler/Pipeline.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/BinaryFormat/Magic.h"

using namespace mlir;
namespace json = llvm::json;

namespace weir {

/// The module after the stages up to `plan`; null where one fails.
static OwningOpRef<ModuleOp> planned(const Options &options,
                                     OwningOpRef<ModuleOp> module) {
  if (llvm::errorToBool(writeTarget(*module, options.target)))
    return {};
  PassManager pm(module->getContext());
  for (const Stage &stage : stages()) {
    if (stage.build)
      stage.build(pm);
    if (stage.name == "plan")
      break;
  }
  return succeeded(pm.run(*module)) ? std::move(module)
                                    : OwningOpRef<ModuleOp>();
}

std::optional<json::Object>
describeModel(MLIRContext *context, const Options &options, Status &status) {
  std::vector<Diagnostic> said;
  OwningOpRef<ModuleOp> module;
  {
    // What is not supported is part of the answer; all else is an error.
    ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
      said.push_back(std::move(diagnostic));
    });
    module = importModel(context, options.import, status);
  }
  if (!module && status != Status::unsupported) {
    for (Diagnostic &diagnostic : said)
      context->getDiagEngine().emit(std::move(diagnostic));
    return std::nullopt;
  }
  json::Array unsupported;
  for (Diagnostic &diagnostic : said)
    if (auto node = dyn_cast<NameLoc>(diagnostic.getLocation()))
      unsupported.push_back(json::fixUTF8("node '" + node.getName().str() +
                                          "' " + diagnostic.str()));
  status = Status::ok;
  if (!module)
    return json::Object{{"kind", "model"},
                        {"unsupported", std::move(unsupported)}};
  json::Object description = describeModule(*module);
  description["kind"] = "model";
  description["unsupported"] = std::move(unsupported);
  if (OwningOpRef<ModuleOp> plan = planned(options, std::move(module)))
    if (std::optional<json::Object> memory = describePlan(*plan))
      description["plan"] = std::move(*memory);
  return description;
}

static void fail(StringRef path, const Twine &why) {
  llvm::errs() << "weir: error: cannot inspect '" << escaped(path)
               << "': " << escaped(why.str()) << "\n";
}

Status inspect(MLIRContext *context, const Options &options,
               llvm::raw_ostream &os) {
  StringRef path = options.import.path;
  std::optional<json::Object> description;
  Status status = Status::ok;
  llvm::file_magic magic;
  if (!llvm::identify_magic(path, magic) && magic.is_object()) {
    llvm::Expected<json::Object> library = describeLibrary(path);
    if (!library) {
      fail(path, llvm::toString(library.takeError()));
      return Status::badInput;
    }
    description = std::move(*library);
  } else if (path.ends_with(".mlir")) {
    OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(path, context);
    if (!module)
      return Status::badInput;
    description = describeModule(*module);
  } else {
    description = describeModel(context, options, status);
    if (!description)
      return status == Status::ok ? Status::badInput : status;
  }
  (*description)["file"] = json::fixUTF8(path);
  if (options.json)
    os << llvm::formatv("{0:2}", json::Value(std::move(*description))) << "\n";
  else
    printDescription(*description, os);
  return Status::ok;
}

} // namespace weir
