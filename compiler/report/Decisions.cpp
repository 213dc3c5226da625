// What each stage decided, read from the module that it leaves.

#include "compiler/report/Decisions.h"

#include "compiler/Diagnostics.h"
#include "compiler/Pipeline.h"
#include "compiler/Place.h"
#include "compiler/emit/Output.h"
#include "compiler/inspect/Module.h"
#include "compiler/report/Graph.h"
#include "compiler/report/Tasks.h"
#include "compiler/schedules/Schedules.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/MultiplyAdds.h"
#include "dialects/graph/state/State.h"
#include "dialects/kernel/Kernel.h"
#include "dialects/plan/Plan.h"
#include "dialects/weir/Attributes.h"
#include "dialects/weir/NamePattern.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SHA256.h"

using namespace mlir;
namespace json = llvm::json;

namespace weir {

llvm::ArrayRef<llvm::StringLiteral> remarkKinds() {
  static constexpr llvm::StringLiteral kinds[] = {
      "training", "fusion", "kernels", "memory", "schedule"};
  return kinds;
}

std::string whatIsWrong(const ReportOptions &options) {
  StringRef path = options.path;
  if (!path.empty() && !path.ends_with(".json") && !path.ends_with(".html"))
    return "--report takes a name that ends in .json or .html, not '" +
           escaped(path) + "'";
  if (options.remarks.empty())
    return "";
  std::string wrong = NamePattern::fault(options.remarks);
  if (!wrong.empty())
    return "--remarks=" + escaped(options.remarks) +
           " is no regular expression: " + wrong;
  NamePattern pattern = NamePattern::part(options.remarks);
  if (llvm::none_of(remarkKinds(),
                    [&](StringRef kind) { return pattern.matches(kind); }))
    return "--remarks=" + escaped(options.remarks) +
           " is found in no kind of remarks; they are " +
           llvm::join(remarkKinds(), ", ");
  return "";
}

/// The size and hash of a file, by which the same one is known again; it lies
/// at `place`.
static std::optional<json::Object> identityOf(StringRef path, StringRef place) {
  auto file = llvm::MemoryBuffer::getFile(place, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!file)
    return std::nullopt;
  auto hash =
      llvm::SHA256::hash(llvm::arrayRefFromStringRef((*file)->getBuffer()));
  return json::Object{{"file", json::fixUTF8(path)},
                      {"bytes", static_cast<int64_t>((*file)->getBufferSize())},
                      {"sha256", llvm::toHex(hash, /*LowerCase=*/true)}};
}

/// The model's file, or those of its directory, in the order of their names.
static json::Array filesOf(StringRef path) {
  std::vector<std::string> paths;
  std::error_code code;
  if (llvm::sys::fs::is_regular_file(path))
    paths.push_back(path.str());
  else if (llvm::sys::fs::is_directory(path))
    for (llvm::sys::fs::recursive_directory_iterator
             at(path, code, /*follow_symlinks=*/false),
         end;
         at != end && !code; at.increment(code))
      if (at->type() == llvm::sys::fs::file_type::regular_file)
        paths.push_back(at->path());
  llvm::sort(paths);
  json::Array files;
  for (const std::string &each : paths)
    if (std::optional<json::Object> identity = identityOf(each, each))
      files.push_back(std::move(*identity));
  return files;
}

Decisions::Decisions(ModuleOp module, const ReportOptions &options)
    : options(options) {
  for (const char *list : {"products", "remarks", "stages"})
    report[list] = json::Array();
  if (options.path.empty())
    return;
  if (auto source = attrs::source.of(module))
    report["source"] = json::fixUTF8(source.getValue());
  report["compiler"] = options.compiler;
  json::Array arguments;
  for (const std::string &argument : options.arguments)
    arguments.push_back(json::fixUTF8(argument));
  report["arguments"] = std::move(arguments);
  report["model"] = filesOf(options.model);
}

bool Decisions::isTold(StringRef kind) const {
  return NamePattern::part(options.remarks).matches(kind);
}

void Decisions::tell(StringRef kind, Location location, const Twine &text) {
  if (isTold(kind))
    emitRemark(location) << kind << ": " << text;
  report.getArray("remarks")->push_back(
      json::Object{{"kind", kind},
                   {"node", json::fixUTF8(nodeOf(location))},
                   {"text", json::fixUTF8(text.str())}});
}

void Decisions::addStage(StringRef stage, double seconds, ModuleOp module) {
  report.getArray("stages")->push_back(
      json::Object{{"stage", stage}, {"seconds", seconds}});
  if (!options.isOn())
    return;
  if (stage == stage::import)
    addTraining(module);
  else if (stage == stage::fuse)
    addGroups(module);
  else if (stage == stage::lower)
    addKernels(module);
  else if (stage == stage::schedule)
    addSchedules(module);
  else if (stage == stage::plan)
    addPlan(module);
  // Each instruction-set variant has a target of its own.
  if (TargetAttr target = attrs::target.of(module))
    report["target"] = json::Object{{"triple", target.getTriple()},
                                    {"cpu", target.getCpu()},
                                    {"features", target.getFeatures()}};
}

void Decisions::addProduct(StringRef path, StringRef file) {
  if (options.path.empty())
    return;
  if (std::optional<json::Object> identity = identityOf(path, file))
    report.getArray("products")->push_back(std::move(*identity));
}

static std::string textOf(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// The names of ops, each once, with commas.
static std::string listOf(ArrayRef<StringRef> names) {
  return names.empty() ? "nothing" : llvm::join(names, ", ");
}

static json::Array nodeList(ArrayRef<StringRef> nodes) {
  json::Array list;
  for (StringRef node : nodes)
    list.push_back(json::fixUTF8(node));
  return list;
}

void Decisions::addTraining(ModuleOp module) {
  SmallVector<StringRef> trained, kept;
  for (auto variable : module.getOps<graph::VariableOp>())
    (attrs::trained.isOn(variable) ? trained : kept)
        .push_back(variable.nameInModel());
  if (trained.empty())
    return;
  std::string text = "changes " + listOf(trained);
  if (!kept.empty())
    text += "; keeps " + listOf(kept);
  tell("training", module.getLoc(), text);
  report["trained"] = json::Array(trained);
}

/// The bytes of tensors, each as a whole.
static int64_t bytesOf(ValueRange values) {
  int64_t sum = 0;
  for (Value value : values) {
    auto tensor = dyn_cast<RankedTensorType>(value.getType());
    if (!tensor || !tensor.hasStaticShape() ||
        !tensor.getElementType().isIntOrFloat())
      continue;
    int64_t bytes;
    auto width =
        static_cast<int64_t>((tensor.getElementTypeBitWidth() + 7) / 8);
    if (llvm::MulOverflow(tensor.getNumElements(), width, bytes) ||
        llvm::AddOverflow(sum, bytes, sum))
      return INT64_MAX;
  }
  return sum;
}

void Decisions::addGroups(ModuleOp module) {
  json::Array groups;
  module.walk([&](graph::GroupOp group) {
    SmallVector<StringRef> ops;
    int64_t multiplyAdds = 0;
    for (Operation &op : group.getBody().front().without_terminator())
      if (!op.hasTrait<OpTrait::ConstantLike>()) {
        ops.push_back(op.getName().stripDialect());
        if (llvm::AddOverflow(multiplyAdds, graph::multiplyAdds(&op),
                              multiplyAdds))
          multiplyAdds = INT64_MAX;
      }
    json::Array names(ops);
    std::string node = nodeOf(group.getLoc());
    llvm::SetVector<StringRef> nodes;
    group->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (!op->hasTrait<OpTrait::ConstantLike>())
        for (StringRef each : kernel::nodesOf(op))
          nodes.insert(each);
    });
    tell("fusion", group.getLoc(), "one kernel of " + listOf(ops));
    auto entry = group->getParentOfType<func::FuncOp>();
    groups.push_back(json::Object{
        {"node", json::fixUTF8(node)},
        {"nodes", nodeList(nodes.getArrayRef())},
        {"entry", json::fixUTF8(entry ? entry.getName() : "")},
        {"ops", std::move(names)},
        {"bytes_read", bytesOf(group.getInputs())},
        {"bytes_written", bytesOf(group.getResults())},
        {"multiply_adds", multiplyAdds},
        {"result", group.getNumResults() ? textOf(group.getResult(0).getType())
                                         : std::string()}});
  });
  report["groups"] = std::move(groups);
  if (!options.path.empty())
    report["graph"] = describeGraph(module);
}

/// What a kernel is made of: loops over elements, and ops that have code of
/// their own.
static SmallVector<StringRef> partsOf(func::FuncOp kernel) {
  llvm::SetVector<StringRef> parts;
  kernel.walk([&](Operation *op) {
    if (isa<linalg::LinalgOp>(op) && !isa<linalg::FillOp>(op))
      parts.insert("loops");
    else if (isa<kernel::KernelDialect>(op->getDialect()) &&
             !isa<kernel::YieldOp>(op))
      parts.insert(op->getName().stripDialect());
  });
  return parts.takeVector();
}

void Decisions::addKernels(ModuleOp module) {
  llvm::StringMap<int64_t> calls;
  module.walk([&](plan::TaskOp task) { ++calls[task.getKernel()]; });
  json::Array kernels;
  for (auto kernel : module.getOps<func::FuncOp>()) {
    if (!attrs::kernel.isOn(kernel))
      continue;
    SmallVector<StringRef> parts = partsOf(kernel);
    std::string shapes;
    for (Type type : kernel.getArgumentTypes())
      shapes += (shapes.empty() ? "" : ", ") + textOf(type);
    tell("kernels", kernel.getLoc(),
         kernel.getName() + " is made of " + listOf(parts) + ", takes " +
             shapes + ", and is called by " + Twine(calls[kernel.getName()]) +
             " tasks");
    kernels.push_back(json::Object{{"name", kernel.getName()},
                                   {"nodes", nodeList(kernel::nodesOf(kernel))},
                                   {"parts", json::Array(parts)},
                                   {"takes", std::move(shapes)},
                                   {"tasks", calls[kernel.getName()]}});
  }
  report["kernels"] = std::move(kernels);
  nameKernels(*report.getArray("groups"), module);
}

void Decisions::addSchedules(ModuleOp module) {
  report["schedules"] = describeKernelSchedules(module);
  module.walk([&](Operation *op) {
    if (op->hasAttrOfType<kernel::ScheduleAttrInterface>("schedule"))
      tell(
          "kernels", op->getLoc(),
          llvm::formatv("schedule {0}", json::Value(describeKernelSchedule(op)))
              .str());
  });
}

void Decisions::addPlan(ModuleOp module) {
  report["signatures"] = describeSignatures(module);
  std::optional<json::Object> plan = describePlan(module);
  if (!plan)
    return;
  int64_t arena = plan->getInteger("arena_bytes").value_or(0);
  int64_t live = plan->getInteger("max_live_bytes").value_or(0);
  tell("memory", module.getLoc(),
       "the arena has " + Twine(arena) +
           " bytes, and no plan could stay below " + Twine(live));
  for (auto program : module.getOps<plan::ProgramOp>()) {
    json::Object schedule = describeSchedule(program);
    tell("schedule", program.getLoc(),
         program.getSymName() + " has " +
             Twine(schedule.getInteger("steps").value_or(0)) +
             " steps, one after the other, of at most " +
             Twine(schedule.getInteger("width").value_or(0)) +
             " tasks at once");
  }
  if (const json::Array *groups = report.getArray("groups"))
    findGroups(*plan, *report.getArray("signatures"), *groups);
  report["plan"] = std::move(*plan);
}

llvm::Error Decisions::addProfile() {
  const json::Object *profile = options.profile.getAsObject();
  if (!profile)
    return llvm::Error::success();
  json::Object *plan = report.getObject("plan");
  const json::Array *signatures = report.getArray("signatures");
  if (!plan || !signatures)
    return llvm::createStringError("the compilation ends before the plan, "
                                   "which has the tasks of the profile");
  if (llvm::Error error = addTimes(*plan, *signatures, *profile))
    return error;
  report["profile"] = summaryOf(*profile, options.profilePath);
  return llvm::Error::success();
}

llvm::Error Decisions::write(std::vector<OutputFile> &files) const {
  if (options.path.empty())
    return llvm::Error::success();
  return writeText(options.path, files, [&](llvm::raw_ostream &os) {
    if (StringRef(options.path).ends_with(".html"))
      writeHtml(report, os);
    else
      os << llvm::formatv("{0:2}", json::Value(json::Object(report))) << "\n";
  });
}

} // namespace weir
