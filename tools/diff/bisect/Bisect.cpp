// Finds the kernel of a wrong node, and the pass that introduces the
// difference.

#include "tools/diff/bisect/Bisect.h"

#include "tools/diff/bisect/GraphPasses.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Regex.h"

using namespace mlir;

namespace weir::diff {
namespace {

/// A run of an optional pass, from a line of --pass-limit.
struct PassRun {
  std::string stage, pass, on;
};

std::vector<PassRun> readRuns(StringRef path) {
  std::vector<PassRun> runs;
  auto text = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  SmallVector<StringRef> lines, parts;
  if (text)
    (*text)->getBuffer().split(lines, '\n');
  llvm::Regex form("^pass [0-9]+ \\(([^)]*)\\): ([^ ]+) on (.*)$");
  for (StringRef line : lines)
    if (form.match(line, &parts))
      runs.push_back({parts[1].str(), parts[2].str(), parts[3].str()});
  return runs;
}

/// Bisects the number of runs of optional passes.
class RunSearch {
public:
  RunSearch(const Subject &subject, StringRef flags,
            reference::TemporaryFolder &folder, Bisection &result)
      : subject(subject), flags(flags), folder(folder), result(result) {}

  void search() {
    if (tryLimit("all") != Outcome::wrong) {
      result.reason = "the difference is not in a second compilation";
      return;
    }
    std::vector<PassRun> runs = readRuns(folder.pathOf("log"));
    result.runs = runs.size();
    Outcome without = tryLimit("0");
    if (without != Outcome::right) {
      explain(without);
      return;
    }
    uint64_t right = 0, wrong = runs.size();
    while (wrong - right > 1) {
      uint64_t middle = right + (wrong - right) / 2;
      Outcome outcome = tryLimit(std::to_string(middle));
      if (outcome == Outcome::failed) {
        result.reason = "with " + std::to_string(middle) +
                        " runs of optional passes there is no library";
        return;
      }
      (outcome == Outcome::right ? right : wrong) = middle;
    }
    const PassRun &found = runs[wrong - 1];
    result.run = wrong;
    result.stage = found.stage;
    result.pass = found.pass;
    result.on = found.on;
  }

private:
  Outcome tryLimit(const std::string &limit, StringRef more = "") {
    return tryLibrary(subject, (flags + " --pass-limit=" + limit + more).str(),
                      folder);
  }

  /// What is left if no optional pass is the cause.
  void explain(Outcome without) {
    if (without == Outcome::failed)
      result.reason = "without optional passes there is no library";
    else if (tryLimit("0", " -O0") == Outcome::right)
      result.reason = "no optional pass of weir introduces it, but the passes "
                      "of LLVM do: it is gone with -O0";
    else
      result.reason =
          "no optional pass introduces it: a pass that every compilation needs "
          "does, in the stages lower to emit";
  }

  const Subject &subject;
  StringRef flags;
  reference::TemporaryFolder &folder;
  Bisection &result;
};

/// Bisects a side that was compiled with these options. `a` and `b` are the
/// sides of the finding; where they disagree, `b` has the other value.
Status bisectSide(MLIRContext *context, const Subject &whole, StringRef flags,
                  const Side &a, const Side &b, Bisection &result) {
  reference::TemporaryFolder folder;
  if (Status status = folder.create(); status != Status::ok)
    return status;
  NodeProgram node;
  result.isAlone = node.create(context, whole, a, b, folder) &&
                   tryLibrary(node.subject(), flags, folder) == Outcome::wrong;
  GraphPasses ofModel, ofNode;
  if (Status status = ofModel.run(context, whole, flags); status != Status::ok)
    return status;
  if (result.isAlone)
    if (Status status = ofNode.run(context, node.subject(), flags);
        status != Status::ok)
      return status;
  Subject subject = result.isAlone ? node.subject() : whole;
  bool isKnown = false;
  if (auto *step =
          (result.isAlone ? ofNode : ofModel).findFirst(subject, isKnown)) {
    result.stage = step->stage;
    result.pass = step->pass;
    result.on = step->on;
  } else {
    RunSearch(subject, flags, folder, result).search();
  }
  result.kernels = ofModel.findKernels(whole);
  return Status::ok;
}

} // namespace

Status bisect(MLIRContext *context, const Model &model, const Options &options,
              const Finding &finding, const Side &a, const Side &b,
              const ReferenceRun &run, Bisection &result) {
  const DiffOptions &own = options.diff;
  bool disagrees = finding.verdict == Verdict::disagrees;
  if (finding.verdict == Verdict::wrongInB) {
    result.side = "B";
    if (own.hasFlagsOfB)
      return bisectSide(context, {model, options, finding, run, nullptr},
                        own.flagsOfB, a, b, result);
    result.reason = "side B is not compiled here, so that there is no pass to "
                    "find";
    return Status::ok;
  }
  result.side = "A";
  Status status = bisectSide(
      context, {model, options, finding, run, disagrees ? &b : nullptr},
      own.flagsOfA, a, b, result);
  if (status != Status::ok || !result.pass.empty() || !disagrees ||
      !own.hasFlagsOfB)
    return status;
  // Each side may be the one with the further pass.
  Bisection other;
  other.side = "B";
  status = bisectSide(context, {model, options, finding, run, &a}, own.flagsOfB,
                      b, a, other);
  if (status == Status::ok && !other.pass.empty())
    result = std::move(other);
  return status;
}

} // namespace weir::diff
