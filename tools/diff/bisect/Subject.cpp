// The program that a bisection compiles again and again.

#include "tools/diff/bisect/Subject.h"

#include "tools/diff/Reduce.h"
#include "tools/diff/Run.h"
#include "tools/reference/Files.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;

namespace weir::diff {

using reference::TensorRef;

/// Whether the tensor of the finding is wrong on a side.
static Outcome judgeSide(const Subject &subject, const Side &side) {
  const Finding &finding = subject.finding;
  TensorRef own, wanted;
  if (side.read(subject.kept(), own) != Status::ok || !own)
    return Outcome::failed;
  if (subject.other) {
    if (subject.other->read(subject.kept(), wanted) != Status::ok)
      return Outcome::failed;
  } else {
    SmallVector<TensorRef> inputs;
    reference::Limits limits;
    if (reference::readLimits(subject.options, limits) != Status::ok ||
        readInputs(subject.model, finding.subgraph, side, subject.run, inputs) !=
            Status::ok)
      return Outcome::failed;
    wanted =
        evaluateSubgraph(finding.subgraph, *subject.model.module, inputs, limits);
  }
  if (!wanted)
    return Outcome::failed;
  // Two sides disagree by the tolerance of the user alone, the first bound.
  ArrayRef<Bound> bounds = finding.accepted;
  if (subject.other)
    bounds = bounds.take_front();
  return compare(*own, *wanted, bounds).isBeyond ? Outcome::wrong
                                                 : Outcome::right;
}

Outcome tryLibrary(const Subject &subject, StringRef flags,
                   reference::TemporaryFolder &folder) {
  std::string library = folder.pathOf("trial.so"),
              outputs = folder.pathOf("trial"), log = folder.pathOf("log");
  llvm::sys::fs::remove(log);
  if (compileLibrary(subject.options, flags, library, log) != Status::ok)
    return Outcome::failed;
  Outcome outcome = Outcome::failed;
  Side side("a trial", outputs);
  if (folder.createFolder("trial") == Status::ok &&
      runLibrary(subject.model, subject.options, library, outputs) ==
          Status::ok &&
      side.findFiles(subject.model) == Status::ok)
    outcome = judgeSide(subject, side);
  llvm::sys::fs::remove_directories(outputs);
  llvm::sys::fs::remove(library);
  return outcome;
}

bool NodeProgram::create(MLIRContext *context, const Subject &whole,
                         const Side &a, const Side &b,
                         const reference::TemporaryFolder &folder) {
  const Finding &origin = whole.finding;
  if (whole.kept().sizes || !canReduce(whole.model, origin, a, b, whole.run))
    return false;
  std::string path = folder.pathOf("node.mlir");
  if (writeReduced(whole.model, origin, a, b, whole.run, path) != Status::ok)
    return false;
  options = whole.options;
  options.import.path = path;
  options.input = InputKind::Module;
  options.diff.ofModel.clear();
  options.reference.inputs.clear();
  options.reference.random.clear();
  options.reference.function.clear();
  options.reference.inputDir = folder.pathOf("node.inputs");
  if (readModel(context, options, model) != Status::ok ||
      evaluate(model, options, /*isOptional=*/true, run) != Status::ok)
    return false;
  finding.tensor = 0;
  finding.verdict = origin.verdict;
  finding.accepted = origin.accepted;
  finding.subgraph = subgraphOf(model.function, model.tensors.front().value,
                          [](Value) { return false; });
  if (!whole.other)
    return true;
  other.emplace("side B", folder.pathOf("node.outputs"));
  return other->findFiles(model) == Status::ok;
}

} // namespace weir::diff
