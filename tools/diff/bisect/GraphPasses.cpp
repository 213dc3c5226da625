// The passes on graphs, after each of which the reference evaluates the
// program.

#include "tools/diff/bisect/GraphPasses.h"

#include "compiler/Compiler.h"
#include "compiler/Pipeline.h"
#include "compiler/Place.h"
#include "compiler/reference/Reference.h"
#include "dialects/plan/Plan.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "tools/diff/Run.h"
#include "tools/reference/Files.h"
#include "tools/reference/Signature.h"

using namespace mlir;

namespace weir::diff {

using reference::TensorRef;

namespace {

/// Keeps the program after each pass that changes it.
class Recorder : public PassInstrumentation {
public:
  Recorder(ModuleOp module, StringRef stage,
           std::vector<GraphPasses::Step> &steps)
      : module(module), stage(stage), steps(steps), last(module) {}

  void runAfterPass(Pass *pass, Operation *op) override {
    // A pass manager that is nested in another one has no argument.
    OperationFingerPrint now(module);
    if (pass->getArgument().empty() || now == last)
      return;
    last = now;
    auto name = op->getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName());
    steps.push_back({stage.str(), pass->getArgument().str(),
                     name ? name.str() : "the module", module.clone()});
  }

private:
  ModuleOp module;
  StringRef stage;
  std::vector<GraphPasses::Step> &steps;
  OperationFingerPrint last;
};

/// The output of the entry with the tensor of the subject, or none.
std::optional<unsigned> findOutput(const Subject &subject,
                                   func::FuncOp function) {
  for (auto [i, output] : llvm::enumerate(reference::outputsOf(function)))
    if (!output.isSizes && output.name == subject.kept().output)
      return i;
  return std::nullopt;
}

/// The values that the function returns besides `target`, by the reference.
llvm::DenseMap<Value, TensorRef>
knownValues(const Subject &subject, func::FuncOp function, Value target) {
  llvm::StringMap<TensorRef> byOutput;
  for (const Kept &kept : subject.model.tensors)
    if (!kept.sizes)
      byOutput[kept.output] = subject.run.values.lookup(kept.value);
  llvm::DenseMap<Value, TensorRef> known;
  Operation *end = function.getBody().front().getTerminator();
  for (auto [output, value] :
       llvm::zip_equal(reference::outputsOf(function), end->getOperands()))
    if (TensorRef tensor = byOutput.lookup(output.name);
        tensor && tensor->type() == value.getType())
      known[value] = tensor;
  known.erase(target);
  return known;
}

/// What a program computes for the tensor of the subject, from the values of
/// other tensors if these suffice. Null if the reference does not evaluate it.
TensorRef evaluateProgram(const Subject &subject, ModuleOp program) {
  reference::Limits limits;
  StringRef entry = subject.options.reference.function;
  func::FuncOp function = reference::findEntry(program, entry);
  std::optional<unsigned> output;
  if (function)
    output = findOutput(subject, function);
  if (!output || reference::readLimits(subject.options, limits) != Status::ok)
    return nullptr;
  Value target =
      function.getBody().front().getTerminator()->getOperand(*output);
  llvm::DenseMap<Value, TensorRef> known =
      knownValues(subject, function, target);
  Subgraph subgraph = subgraphOf(function, target,
                        [&](Value value) { return known.contains(value); });
  SmallVector<TensorRef> inputs;
  for (Value input : subgraph.inputs) {
    auto argument = dyn_cast<BlockArgument>(input);
    inputs.push_back(argument ? subject.run.inputs[argument.getArgNumber()]
                              : known.lookup(input));
  }
  if (TensorRef value = evaluateSubgraph(subgraph, program, inputs, limits))
    return value;
  auto results =
      reference::evaluate(program, entry, subject.run.inputs, limits);
  if (results)
    return (*results)[*output];
  llvm::consumeError(results.takeError());
  return nullptr;
}

/// The value before all passes.
TensorRef wantedOf(const Subject &subject) {
  return subject.run.values.lookup(subject.kept().value);
}

LogicalResult runStage(const Stage &stage, ModuleOp module,
                       std::vector<GraphPasses::Step> *steps) {
  PassManager pm(module.getContext());
  if (steps)
    pm.addInstrumentation(
        std::make_unique<Recorder>(module, stage.name, *steps));
  if (stage.build)
    stage.build(pm);
  return pm.run(module);
}

} // namespace

Status GraphPasses::run(MLIRContext *context, const Subject &subject,
                        StringRef flags) {
  std::vector<std::string> arguments =
      compileArguments(subject.options, flags, "trial.so");
  SmallVector<const char *> words;
  for (const std::string &argument : ArrayRef(arguments).drop_front())
    words.push_back(argument.c_str());
  Status status = Status::ok;
  std::optional<Options> options =
      parseOptions(context, "compile", words, status);
  if (!options)
    return status;
  // The warnings of the importer have been printed.
  ScopedDiagnosticHandler quiet(context,
                                [](Diagnostic &) { return success(); });
  // Passes on functions run in their order.
  bool isThreaded = context->isMultithreadingEnabled();
  context->disableMultithreading();
  program = importProgram(context, *options, status);
  isForGpu = options->gpu.isOn();
  Machine machine = isForGpu ? Machine::Gpu : Machine::Cpu;
  for (const Stage &stage : stages(machine, stage::train, stage::fuse))
    if (program && status == Status::ok &&
        failed(runStage(stage, *program, &steps)))
      status = Status::internal;
  context->enableMultithreading(isThreaded);
  return status;
}

const GraphPasses::Step *GraphPasses::findFirst(const Subject &subject,
                                                bool &isKnown) const {
  TensorRef wanted = wantedOf(subject);
  isKnown = wanted && !subject.kept().sizes;
  // The first and the last program of a range in which the tensor changes.
  // Before `weir-return-kept` the program does not return the tensor.
  auto isWrong = [&](const Step &step) {
    TensorRef value = evaluateProgram(subject, *step.program);
    isKnown &= value != nullptr;
    return value && compare(*value, *wanted, subject.finding.accepted).isBeyond;
  };
  size_t first = 0;
  while (first < steps.size() && isKnown &&
         !evaluateProgram(subject, *steps[first].program))
    ++first;
  isKnown &= first < steps.size();
  if (!isKnown || !isWrong(steps.back()))
    return nullptr;
  size_t wrong = steps.size() - 1;
  while (first < wrong) {
    size_t middle = first + (wrong - first) / 2;
    if (isWrong(steps[middle]))
      wrong = middle;
    else
      first = middle + 1;
  }
  return isKnown ? &steps[wrong] : nullptr;
}

/// Whether a location is of the node, maybe among others.
static bool isOf(Location location, StringRef node) {
  if (auto fused = dyn_cast<FusedLoc>(location))
    return llvm::any_of(fused.getLocations(),
                        [&](Location part) { return pathOf(part) == node; });
  return pathOf(location) == node;
}

SmallVector<std::string> GraphPasses::findKernels(const Subject &subject) {
  ScopedDiagnosticHandler quiet(program->getContext(),
                                [](Diagnostic &) { return success(); });
  Machine machine = isForGpu ? Machine::Gpu : Machine::Cpu;
  llvm::SetVector<StringRef> kernels;
  if (failed(runStage(stages(machine, stage::lower, stage::lower).front(),
                      *program, nullptr)))
    return {};
  if (func::FuncOp function =
          reference::findEntry(*program, subject.options.reference.function))
    function.walk([&](plan::TaskOp task) {
      if (isOf(task.getLoc(), subject.kept().node))
        kernels.insert(task.getKernel());
    });
  return llvm::to_vector_of<std::string>(kernels);
}

} // namespace weir::diff
