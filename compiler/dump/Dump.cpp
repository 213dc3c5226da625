// The text of --kernel and --print-ir-after.

#include "compiler/dump/Dump.h"

#include "compiler/Diagnostics.h"
#include "compiler/Place.h"
#include "compiler/dump/Costs.h"
#include "compiler/emit/codegen/KernelCode.h"
#include "dialects/plan/Phases.h"
#include "dialects/weir/Attributes.h"

using namespace mlir;

namespace weir {

static OpPrintingFlags printingFlags() {
  OpPrintingFlags flags;
  flags.elideLargeResourceString(64);
  flags.elideLargeElementsAttrs(4096);
  return flags;
}

static StringRef nameOf(Operation *function) {
  return function->getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName())
      .getValue();
}

static std::string heading(const Twine &text) {
  return ("// ===== " + text + " =====\n").str();
}

/// The number of the phase that a function is, behind `before`; empty for a
/// whole kernel.
static std::string phaseOf(StringRef function, StringRef before) {
  std::optional<unsigned> phase = plan::partOf(function).phase;
  return phase ? (before + Twine(*phase)).str() : "";
}

/// Prints what passes leave. Of a module it prints the selected kernels alone.
class Dump::PassPrinter : public PassManager::IRPrinterConfig {
public:
  explicit PassPrinter(Dump &dump)
      : IRPrinterConfig(/*printModuleScope=*/false,
                        /*printAfterOnlyOnChange=*/false,
                        /*printAfterOnlyOnFailure=*/false, printingFlags()),
        dump(dump) {}

  void printBeforeIfEnabled(Pass *, Operation *, PrintCallbackFn) override {}

  void printAfterIfEnabled(Pass *pass, Operation *op,
                           PrintCallbackFn print) override {
    bool isAll = dump.options.kernel.empty();
    if (!isAll && isa<ModuleOp>(op))
      dump.selection.add(op);
    if (!llvm::is_contained(dump.options.passes, pass->getArgument()))
      return;
    llvm::raw_string_ostream os(dump.passes);
    if (isAll) {
      print(os);
      return;
    }
    for (Operation *kernel : dump.selection.kernelsIn(op)) {
      os << heading(nameOf(kernel) + " after " + pass->getArgument());
      kernel->print(os, printingFlags().useLocalScope());
      os << "\n\n";
    }
  }

private:
  Dump &dump;
};

Dump::Dump(const DumpOptions &options)
    : options(options), selection(options.kernel) {}

void Dump::watchPasses(PassManager &pm) {
  if (!options.passes.empty())
    pm.enableIRPrinting(std::make_unique<PassPrinter>(*this));
}

Dump::Kernel &Dump::kernelOf(StringRef function, StringRef variant,
                             StringRef node) {
  std::string title = plan::partOf(function).kernel.str();
  if (!variant.empty())
    title += (" for " + variant).str();
  auto [entry, isNew] = numbers.try_emplace(title, kernels.size());
  if (isNew) {
    if (!node.empty())
      title += " of node '" + escaped(node) + "'";
    kernels.push_back({title, ""});
  }
  return kernels[entry->second];
}

void Dump::addForm(Operation *function, StringRef stage, StringRef variant) {
  std::string text;
  llvm::raw_string_ostream os(text);
  function->print(os, printingFlags().useLocalScope());
  Kernel &kernel =
      kernelOf(nameOf(function), variant, nodeOf(function->getLoc()));
  kernel.text += heading(kernel.title + ", after " + stage +
                         phaseOf(nameOf(function), ": phase "));
  Form &form = forms[(nameOf(function) + " " + variant).str()];
  if (form.text == text) {
    kernel.text += "// as after " + form.stage + "\n\n";
    return;
  }
  kernel.text += text + "\n\n";
  form = {stage.str(), std::move(text)};
}

void Dump::addStage(StringRef stage, StringRef variant, ModuleOp module) {
  if (options.kernel.empty())
    return;
  selection.add(module);
  if (!options.passes.empty() ||
      (!options.stage.empty() && options.stage != stage))
    return;
  for (Operation *function : selection.kernelsIn(module))
    addForm(function, stage, variant);
}

bool Dump::wantsCode() const {
  return options.passes.empty() && options.stage.empty();
}

llvm::Error Dump::addCode(ArrayRef<ModuleOp> isaVariants,
                          ArrayRef<StringRef> variants,
                          const EmitOptions &emit) {
  if (kernels.empty())
    return llvm::Error::success();
  if (attrs::gpu.isOn(isaVariants.front())) {
    for (Kernel &kernel : kernels)
      kernel.text += "// The code of kernels for a GPU is PTX: --emit=ptx "
                     "prints it.\n\n";
    return llvm::Error::success();
  }
  auto code = compileKernels(isaVariants, emit, [&](StringRef kernel) {
    return selection.contains(kernel);
  });
  if (!code)
    return code.takeError();
  for (const KernelCode &each : *code) {
    Kernel &kernel = kernelOf(each.kernel, variants[each.isaVariant]);
    TargetAttr target = TargetAttr::of(isaVariants[each.isaVariant]);
    std::string name = plan::partOf(each.kernel).kernel.str() +
                       phaseOf(each.kernel, " phase ");
    kernel.text +=
        heading(name + ", LLVM IR before LLVM's passes") + each.before + "\n" +
        heading(name + ", LLVM IR after LLVM's passes") + each.after + "\n" +
        heading(name + ", assembly") + each.assembly + "\n" +
        heading(name + ", costs by llvm-mca") +
        costsOf(each.assembly, each.comment, target) + "\n";
  }
  return llvm::Error::success();
}

std::string Dump::fault() const {
  if (!kernels.empty() || !passes.empty())
    return "";
  if (!options.kernel.empty() && selection.isEmpty())
    return selection.fault();
  if (options.passes.empty())
    return "--kernel: no function of the kernel is left after the stage '" +
           options.stage + "'";
  return "--print-ir-after: the pass did not run" +
         std::string(options.kernel.empty() ? "" : " on the kernel");
}

void Dump::print(llvm::raw_ostream &os) const {
  os << passes;
  for (const Kernel &kernel : kernels)
    os << kernel.text;
}

} // namespace weir
