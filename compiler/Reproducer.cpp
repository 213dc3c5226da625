// What is left behind where the compiler itself fails.

#include "compiler/Reproducer.h"

#include "compiler/Compiler.h"
#include "compiler/Pipeline.h"
#include "compiler/terminal/Colors.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Signals.h"

using namespace mlir;

namespace weir {

/// Axes, sizes and scalars are what a fault may depend on; weights have more
/// elements than any of these.
static constexpr int64_t elementsKept = 64;

void dropWeights(ModuleOp module) {
  auto zeros = [](ElementsAttr values) -> Attribute {
    ShapedType type = values.getShapedType();
    Type element = type.getElementType();
    if (type.getNumElements() <= elementsKept || !element.isIntOrIndexOrFloat())
      return values;
    return DenseElementsAttr::get(
        type,
        ArrayRef<Attribute>(Builder(values.getContext()).getZeroAttr(element)));
  };
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](DenseElementsAttr values) -> Attribute {
    return values.isSplat() ? values : zeros(values);
  });
  replacer.addReplacement(
      [&](DenseResourceElementsAttr values) { return zeros(values); });
  replacer.recursivelyReplaceElementsIn(module);
}

/// The command that runs the stage alone.
static std::string commandOf(StringRef stage, Machine machine) {
  if (stage == stage::emit)
    return "weir-emit -o x.so";
  return "weir-opt -split-input-file -" +
         pipelineName(stages(machine, stage, stage).front(), machine);
}

void writeReproducer(MLIRContext *context, Options options, StringRef stage) {
  Machine machine = options.gpu.isOn() ? Machine::Gpu : Machine::Cpu;
  StringRef before;
  for (const Stage &each : stages(machine)) {
    if (each.name == stage)
      break;
    before = each.name;
  }
  SmallString<128> path;
  if (before.empty() ||
      llvm::sys::fs::createTemporaryFile("weir", "mlir", path)) {
    message("note") << "the model itself reproduces it\n";
    return;
  }
  std::string command = commandOf(stage, machine);
  options.stopAfter = before.str();
  options.toOnnx = false;
  options.emit.output = path.str().str();
  options.report = {};
  options.depfile.clear();
  options.dump = {};
  options.timeTrace.clear();
  options.timing = false;
  options.reproducer = "stage " + stage.str() + " fails on this: " + command;
  llvm::sys::RemoveFileOnSignal(path);
  if (compile(context, options) != Status::ok) {
    llvm::sys::fs::remove(path);
    message("note") << "the model itself reproduces it\n";
    return;
  }
  llvm::sys::DontRemoveFileOnSignal(path);
  message("note") << "'" << command << ' ' << escaped(path, 4096)
                  << "' reproduces it; the file has the program, without its "
                     "weights\n";
}

} // namespace weir
